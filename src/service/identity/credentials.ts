import type { Permission } from '../../contract/permissions.ts';
import { type Account, type AccountRow, accountColumns, parseAccount } from './accounts.ts';
import type { ApiRequest } from '../http/request.ts';
import { digest } from './secrets.ts';
import type { Identity } from './tokens.ts';
import { parseState, type State, stateColumns } from '../clock/state.ts';
import { SharedReads } from '../store/shared-reads.ts';
import { type Db, prepared, type Store } from '../store/store.ts';

/** What a scoped key is limited to (1/Scoped key). */
export interface Scopes {
  readonly read_only: boolean;
  readonly tags: readonly string[];
  readonly sub_account_ids: readonly string[];
  readonly rate_limit_per_min: number;
}

/** Who makes a request. */
export type Caller = { readonly account: Account } & (
  | { readonly kind: 'main'; readonly keyId: string; readonly keyPreview: string }
  | { readonly kind: 'scoped'; readonly keyId: string; readonly keyPreview: string; readonly scopes: Scopes }
  | {
      readonly kind: 'member';
      readonly memberId: string;
      readonly role: 'owner' | 'member';
      readonly permissions: readonly Permission[];
    }
);

/** A credential as a request carries it. */
export type Credential = { readonly kind: 'key'; readonly value: string } | { readonly kind: 'token'; readonly value: string };

const tokenShape = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Reads the credential out of a request, in any of the four accepted ways (1/Authentication 1, Document 4). */
export function readCredential({ header, query }: Pick<ApiRequest, 'header' | 'query'>): Credential | null {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(header('authorization')?.trim() ?? '') ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return { kind: tokenShape.test(value) ? 'token' : 'key', value };
    case 'basic': {
      const [user = '', password] = Buffer.from(value, 'base64').toString().split(/:(.*)/s);
      return password === '' ? { kind: 'key', value: user } : null;
    }
  }
  const key = header('x-api-key') || query.apiKey;
  return key ? { kind: 'key', value: key } : null;
}

interface KeyRow {
  key_id: string;
  key_kind: 'main' | 'scoped';
  key_preview: string;
  key_scopes: string;
  key_expires_at: number | null;
  key_revoked_at: number | null;
}

// One round trip tells the clock, the faults, the key and its account.
const stateWithKey = prepared((db) =>
  db
    .selectFrom('service_state')
    .leftJoin('api_keys', (join) => join.on('api_keys.digest', '=', ''))
    .leftJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select([...stateColumns])
    .select([
      'api_keys.id as key_id',
      'api_keys.kind as key_kind',
      'api_keys.preview as key_preview',
      'api_keys.scopes as key_scopes',
      'api_keys.expires_at as key_expires_at',
      'api_keys.revoked_at as key_revoked_at',
    ])
    .select(accountColumns),
);

/** A key that was looked up, with the service's state at that moment. */
export interface FoundKey {
  readonly state: State;
  /** Whose it is; null when there is no such key or it is revoked. */
  readonly caller: Caller | null;
  readonly expiresAt: number | null;
}

/** Looks keys up. What it found holds until anything is committed, where the store can tell. */
export class KeyLookup {
  readonly #store: Store;
  readonly #found = new Map<string, FoundKey>();
  /** Where every look-up is a round trip, requests that arrive together share it. */
  readonly #shared = new SharedReads((key: string) => this.#read(key));
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
    // A commit in between would be missed otherwise; and wrong keys are not worth remembering.
    if (found.caller && this.#store.version() === version) this.#found.set(key, found);
    return found;
  }

  async #read(key: string): Promise<FoundKey> {
    const [row] = await this.#store.read((db) => stateWithKey(db, [digest(key)]));
    if (!row) throw new Error('The store is not initialised');
    const caller = row.key_id === null ? null : keyCaller(row as KeyRow & AccountRow);
    return { state: parseState(row), caller, expiresAt: row.key_expires_at };
  }
}

function keyCaller(row: KeyRow & AccountRow): Caller | null {
  if (row.key_revoked_at !== null) return null;
  const shared = { account: parseAccount(row), keyId: row.key_id, keyPreview: row.key_preview };
  return row.key_kind === 'main'
    ? { ...shared, kind: 'main' }
    : { ...shared, kind: 'scoped', scopes: JSON.parse(row.key_scopes) as Scopes };
}

/** Finds the member that a verified identity stands for; null when there is none. */
export async function findMember(db: Db, identity: Identity): Promise<Caller | null> {
  const members = db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select(accountColumns)
    .select(['members.id as member_id', 'members.role as member_role', 'members.permissions as member_permissions'])
    .orderBy('members.seq')
    .limit(1);
  const row = await (
    'memberId' in identity ? members.where('members.id', '=', identity.memberId) : members.where('members.email', '=', identity.email)
  ).executeTakeFirst();
  if (!row) return null;
  return {
    kind: 'member',
    account: parseAccount(row),
    memberId: row.member_id,
    role: row.member_role,
    permissions: JSON.parse(row.member_permissions) as Permission[],
  };
}
