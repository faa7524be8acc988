import { readClock } from '../clock/clock.ts';
import { parseState, type State, stateColumns } from '../clock/state.ts';
import type { serviceState } from '../clock/table.ts';
import { isAmong } from '../store/is-among.ts';
import { prepared } from '../store/prepared.ts';
import { SharedReads } from '../store/shared-reads.ts';
import type { Store } from '../store/store.ts';
import type { StoredRow } from '../store/table.ts';
import { accountColumns, type AccountRow, parseAccount } from './accounts.ts';
import type { CredentialedCaller } from './caller.ts';
import { digest } from './secrets.ts';
import type { Scopes } from './tables.ts';

/** The columns of the key are null when there is no such key. Those of its account are also null when the account was deleted. */
type FoundRow = StoredRow<typeof serviceState> & Omit<AccountRow, 'id'> & { id: string | null } & KeyRow;

interface KeyRow {
  key_digest: string | null;
  key_id: string | null;
  key_kind: 'main' | 'scoped';
  key_preview: string;
  key_scopes: string;
  key_expires_at: number | null;
  key_revoked_at: number | null;
}

// Reads the clock, the faults, the keys and their accounts in one round trip.
const stateWithKeys = prepared<{ digests: string }, FoundRow>((db, $) =>
  db
    .selectFrom('service_state')
    .leftJoin('api_keys', (join) => join.on(isAmong(db, 'api_keys.digest', $.digests)))
    .leftJoin('accounts', (join) => join.onRef('accounts.id', '=', 'api_keys.account_id').on('accounts.deleted_at', 'is', null))
    .select([...stateColumns])
    .select([
      'api_keys.digest as key_digest',
      'api_keys.id as key_id',
      'api_keys.kind as key_kind',
      'api_keys.preview as key_preview',
      'api_keys.scopes as key_scopes',
      'api_keys.expires_at as key_expires_at',
      'api_keys.revoked_at as key_revoked_at',
    ])
    .select(accountColumns)
    .$castTo<FoundRow>(),
);

/** The result of a key lookup, with the state of the service at that moment. */
interface FoundKey {
  readonly state: State;
  /** The key's owner; undefined when there is no such key, or it was revoked. */
  readonly caller: CredentialedCaller | undefined;
  readonly expiresAt: number | null;
}

/** Looks up keys. SQLite reports whether anything was committed, so there the result is cached until the next commit. */
export class KeyLookup {
  readonly #store: Store;
  readonly #found = new Map<string, FoundKey>();
  /** Lets concurrent requests share a lookup, for databases that need a round trip for each. */
  readonly #shared = new SharedReads((keys) => this.#readAll(keys));
  #version: number | null = null;

  constructor(store: Store) {
    this.#store = store;
  }

  async find(key: string): Promise<FoundKey> {
    const version = this.#store.version();
    if (version === null) return await this.#shared.get(key);
    if (version !== this.#version) this.#found.clear();
    this.#version = version;
    const known = this.#found.get(key);
    if (known) return known;
    const found = await this.#read(key);
    // Cached only if nothing was committed during the lookup. Invalid keys are not cached.
    if (found.caller && this.#store.version() === version) this.#found.set(key, found);
    return found;
  }

  async #read(key: string): Promise<FoundKey> {
    return (await this.#readAll([key]))(key);
  }

  async #readAll(keys: readonly string[]): Promise<(key: string) => FoundKey> {
    const digests = keys.map(digest);
    const rows = await this.#store.read((db) => stateWithKeys(db, { digests: JSON.stringify(digests) }));
    const [first] = rows;
    if (!first) throw new Error('The store is not initialised');
    const state = parseState(first);
    const found = new Map(rows.map((row) => [row.key_digest, row]));
    return (key) => {
      const row = found.get(digest(key));
      return { state, caller: row && callerOf(row), expiresAt: row?.key_expires_at ?? null };
    };
  }
}

/** Whether a key is valid: it exists, and is neither revoked nor expired. */
export async function acceptsKey(store: Store, key: string, realNow: number): Promise<boolean> {
  const { state, caller, expiresAt } = await new KeyLookup(store).find(key);
  return caller !== undefined && (expiresAt === null || expiresAt > readClock(state, realNow));
}

function callerOf(row: FoundRow): CredentialedCaller | undefined {
  const { id } = row;
  if (row.key_id === null || id === null || row.key_revoked_at !== null) return undefined;
  const shared = { account: parseAccount({ ...row, id }), keyId: row.key_id, keyPreview: row.key_preview };
  return row.key_kind === 'main'
    ? { ...shared, kind: 'main' }
    : { ...shared, kind: 'scoped', scopes: JSON.parse(row.key_scopes) as Scopes };
}
