import { iso } from '../contract/time/instants.ts';
import { migrations } from './areas.ts';
import { type CreatedAccount, createFirstAccount } from './areas/sandbox/first-account.ts';
import { frozenAt, readClock, runningFrom } from './clock/clock.ts';
import { lockState, updateState } from './clock/state.ts';
import { serviceState } from './clock/table.ts';
import type { Failpoint } from './drills/failpoint.ts';
import { ServiceUnavailable } from './errors.ts';
import { acceptsSandboxToken, setSandboxToken } from './identity/sandbox-token.ts';
import { digest, newSecret } from './identity/secrets.ts';
import { newIdentityKey, type PrivateIdentityKey } from './identity/tokens.ts';
import { bytesFor } from './store/randomness.ts';
import { insertMany } from './store/insert.ts';
import { migrate } from './store/migrate.ts';
import type { Store } from './store/store.ts';

/** Options for opening a store. */
export interface StateOptions {
  readonly store: Store;
  /** The sandbox token to use. By default, a new store creates one. */
  readonly sandboxToken?: string | undefined;
  /**
   * Stores the token that a new store creates. Called before the store is created, so that a crash in between does not lose the
   * token. Returns the token to use. If another process is creating the store at the same time, that is the token of the other
   * process.
   */
  readonly keepToken?: ((token: string) => string) | undefined;
  /** Freeze the clock at this instant, in epoch milliseconds. */
  readonly clock?: number | undefined;
  readonly failpoint?: Failpoint | undefined;
}

/** The secrets of a new store. They are not stored. */
export interface CreatedStore {
  readonly sandboxToken: string;
  readonly apiKey: string;
}

/** The state read from an open store. */
interface OpenState {
  /** The secrets of a new store; null when the store already existed. */
  readonly newStore: CreatedStore | null;
  /** The id of the first account. */
  readonly accountId: string;
  readonly cursorSecret: string;
  readonly identityKey: PrivateIdentityKey;
  /** The model for embeddings that the last process had. */
  readonly embeddingModel: string | null;
}

/**
 * Creates the tables, the state and the first account of a new store, and reads the state.
 * @throws ServiceUnavailable when the store has the schema of another version, or `clock` is earlier than the store's clock
 */
export async function openState(options: StateOptions, realNow: () => number): Promise<OpenState> {
  const { store, sandboxToken, clock, failpoint } = options;
  await migrate(store, migrations, realNow, () => failpoint?.('store.migrating'));
  const newStore = await initialise(options, realNow);
  if (sandboxToken !== undefined && !newStore) await useSandboxToken(store, sandboxToken);
  if (clock !== undefined && !newStore) await setStartClock(store, clock, realNow);
  const state = await store.read((db) =>
    db.selectFrom('service_state').select(['cursor_secret', 'identity_key', 'embedding_model']).executeTakeFirstOrThrow(),
  );
  const first = await store.read((db) =>
    db.selectFrom('accounts').select('id').where('deleted_at', 'is', null).orderBy('seq').limit(1).executeTakeFirstOrThrow(),
  );
  const identityKey = JSON.parse(state.identity_key) as PrivateIdentityKey;
  return { newStore, accountId: first.id, cursorSecret: state.cursor_secret, identityKey, embeddingModel: state.embedding_model };
}

/** Creates the state and the first account of a new store; null when the store already has them. */
async function initialise(
  { store, sandboxToken, keepToken = (token) => token, clock }: StateOptions,
  realNow: () => number,
): Promise<CreatedStore | null> {
  const known = await store.read((db) => db.selectFrom('service_state').select('id').executeTakeFirst());
  if (known) return null;
  const token = sandboxToken ?? keepToken(newSecret('sandbox_'));
  const state = {
    id: 1,
    ...(clock === undefined ? runningFrom(0, 0) : frozenAt(clock)),
    hold: [],
    faults: [],
    advance_until: 0,
    sandbox_token_digest: digest(token),
    cursor_secret: bytesFor('cursor secret', 32).toString('base64url'),
    identity_key: JSON.stringify(newIdentityKey()),
  };
  const created = await store.write(async (db): Promise<CreatedAccount | undefined> => {
    // When two processes start at the same time, only one of them creates the state.
    const [inserted] = await insertMany(db, serviceState, [state], 'on conflict (id) do nothing returning id');
    return inserted && (await createFirstAccount(db, clock ?? realNow()));
  });
  return created ? { sandboxToken: token, apiKey: created.apiKey } : null;
}

async function useSandboxToken(store: Store, token: string): Promise<void> {
  if (!(await acceptsSandboxToken(store, token))) await setSandboxToken(store, token);
}

async function setStartClock(store: Store, instant: number, realNow: () => number): Promise<void> {
  await store.write(async (db) => {
    const reading = readClock(await lockState(db), realNow());
    if (instant < reading)
      throw new ServiceUnavailable(`--clock ${iso(instant)} is earlier than the store's clock, ${iso(reading)}: the clock cannot go back`);
    await updateState(db, frozenAt(instant));
  });
}
