import { sql } from 'kysely';
import { dayLength } from '../../contract/time/days.ts';
import { isDead } from '../jobs/leases.ts';
import { trimming } from '../maintenance/trimming.ts';
import type { Db } from '../store/database.ts';
import { foundByKeys } from '../store/found-by-keys.ts';
import { insertMany } from '../store/insert.ts';
import { prepared, preparedChange } from '../store/prepared.ts';
import type { StoredRow } from '../store/table.ts';
import { keptAnswers } from './tables.ts';

/** How long an answer is kept, in milliseconds of the service's clock. */
const keptFor = dayLength;

/** How long a claim lasts that is not renewed, in real milliseconds. */
export const claimLength = 10_000;

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** The acting account. */
  readonly accountId: string;
  readonly key: string;
  /** Of the method, the path, the query and the body. */
  readonly digest: string;
  /** The service's clock. */
  readonly now: number;
}

/** What the store knows of a key. */
export type Known =
  /** Nothing, or what no longer counts: an answer that has expired, or the claim of a process that is gone. */
  | { readonly state: 'new'; readonly left: number | null }
  | { readonly state: 'at work'; readonly digest: string }
  | { readonly state: 'answered'; readonly digest: string; readonly status: number; readonly body: string | null };

/** The row of a key: an answer, a claim, or both. */
export type KeptRow = StoredRow<typeof keptAnswers>;

const findByKeys = prepared<{ keys: string }, KeptRow>((db, $) =>
  foundByKeys(db, {
    keys: $.keys,
    table: sql`kept_answers`,
    columns: sql`found.*`,
    isWanted: sql`found.account_id = wanted.value ->> 0 and found.key = wanted.value ->> 1`,
    most: 1,
  }),
);

/** Names a key of an account, for `readKept`. */
export function nameOf({ accountId, key }: Pick<KeyedRequest, 'accountId' | 'key'>): string {
  return JSON.stringify([accountId, key]);
}

/**
 * Reads the rows of some keys.
 * @param names the keys as `nameOf` names them
 * @returns the row of a key, by its name; undefined for a new key
 */
export async function readKept(db: Db, names: readonly string[]): Promise<(name: string) => KeptRow | undefined> {
  const rows = await findByKeys(db, { keys: `[${names.join()}]` });
  const byName = new Map(rows.map((row) => [nameOf({ accountId: row.account_id, key: row.key }), row]));
  return (name) => byName.get(name);
}

/**
 * What the row of a key tells to a request.
 * @param now the service's clock
 * @param owner this process, which does not work on a request with the key
 * @param realNow real epoch milliseconds
 */
export function knownFrom(row: KeptRow | undefined, now: number, owner: string, realNow: number): Known {
  if (!row) return { state: 'new', left: null };
  const { digest, status, body } = row;
  if (row.owner !== null && row.owner !== owner && row.owned_until > realNow && !isDead(row.owner)) return { state: 'at work', digest };
  if (status !== null && row.kept_at + keptFor > now) return { state: 'answered', digest, status, body };
  return { state: 'new', left: row.seq };
}

const removeRow = preparedChange<{ seq: number }>((db, $) => db.deleteFrom('kept_answers').where('seq', '=', $.seq));

const removeOwned = preparedChange<{ account: string; key: string; owner: string }>((db, $) =>
  db.deleteFrom('kept_answers').where('account_id', '=', $.account).where('key', '=', $.key).where('owner', '=', $.owner),
);

/** Removes what no longer counts, before an answer or a claim takes its place. @param left its `seq` */
export async function removeLeft(db: Db, left: number): Promise<void> {
  await removeRow(db, { seq: left });
}

/** Removes the claim of this process, before an answer takes its place. */
export async function removeClaim(db: Db, { accountId, key }: KeyedRequest, owner: string): Promise<void> {
  await removeOwned(db, { account: accountId, key, owner });
}

/** A row to keep: an answer, a claim, or both while the request is still at work. */
export interface NewRow {
  readonly request: KeyedRequest;
  readonly answer: { readonly status: number; readonly body: string | null } | null;
  readonly claim: { readonly owner: string; readonly until: number } | null;
}

/** Adds rows. Fails with a duplicate when the key of one has a row, which another process has added meanwhile. */
export async function addRows(db: Db, rows: readonly NewRow[]): Promise<void> {
  await insertMany(
    db,
    keptAnswers,
    rows.map(({ request, answer, claim }) => ({
      account_id: request.accountId,
      key: request.key,
      digest: request.digest,
      kept_at: request.now,
      status: answer?.status ?? null,
      body: answer?.body ?? null,
      owner: claim?.owner ?? null,
      owned_until: claim?.until ?? 0,
    })),
  );
}

/** Extends the claim of this process. */
export async function renewClaim(db: Db, { accountId, key }: KeyedRequest, owner: string, until: number): Promise<void> {
  await owned(db, accountId, key, owner).set({ owned_until: until }).execute();
}

/** Ends the claim of this process. An answer that it has kept stays. */
export async function endClaim(db: Db, { accountId, key }: KeyedRequest, owner: string): Promise<void> {
  await db
    .deleteFrom('kept_answers')
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .where('owner', '=', owner)
    .where('status', 'is', null)
    .execute();
  await owned(db, accountId, key, owner).set({ owner: null }).execute();
}

function owned(db: Db, accountId: string, key: string, owner: string) {
  return db.updateTable('kept_answers').where('account_id', '=', accountId).where('key', '=', key).where('owner', '=', owner);
}

/** Deletes answers that are no longer kept. */
export const trimmingKeptAnswers = trimming({ table: 'kept_answers', time: 'kept_at', keep: keptFor });
