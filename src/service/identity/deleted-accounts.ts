import { sql } from 'kysely';
import type { AccountTable } from '../store/account-table.ts';
import type { Db } from '../store/database.ts';
import { notFound } from '../errors.ts';
import { newId } from '../store/ids.ts';
import { isAmong } from '../store/is-among.ts';
import { prepared } from '../store/prepared.ts';
import { insertOne } from '../store/insert.ts';
import type { Columns } from '../store/table.ts';
import { accounts } from './tables.ts';
import { limitTo } from '../store/limits.ts';

/** The maximum number of dependent rows of a kind with which a record is deleted immediately. */
const atOnce = 1_000;

/** The ids of deleted accounts whose records maintenance is still deleting. */
export function deletedAccounts(db: Db) {
  return db.selectFrom('accounts as deleted').select('deleted.id').where('deleted.deleted_at', 'is not', null);
}

const existing = prepared<{ ids: string }, { id: string }>((db, $) =>
  db
    .selectFrom('accounts')
    .select('id')
    .where(isAmong(db, 'id', $.ids))
    .where('deleted_at', 'is', null),
);

/**
 * Runs the work of requests on accounts, within a transaction that has locked the accounts.
 * @throws ApiError 404 when all of the accounts were deleted after the requests were admitted, AccountDeleted when only some were
 */
export async function onExisting<Result>(db: Db, accountIds: readonly string[], work: () => Promise<Result>): Promise<Result> {
  const ids = [...new Set(accountIds)];
  const [rows, result] = await Promise.all([existing(db, { ids: JSON.stringify(ids) }), work()]);
  if (rows.length === ids.length) return result;
  throw rows.length === 0 ? notFound('account') : new AccountDeleted();
}

/** One of several accounts was deleted. The work for the others can be repeated without it. */
class AccountDeleted extends Error {}

/** Deletes an account. Readers no longer find it; maintenance deletes its records. */
export async function deleteAccount(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('accounts').set({ deleted_at: now }).where('id', '=', id).execute();
}

/** The rows that refer to a record. */
interface Dependents {
  readonly table: string;
  readonly column: string;
  /** Whether they must be deleted explicitly, because not every engine has a foreign key that deletes them with the record. */
  readonly isUnreferenced?: boolean;
}

/**
 * Deletes a record along with the rows that depend on it. If there are many, the record is moved to a new, deleted account
 * instead: readers no longer find it, and maintenance deletes it step by step.
 * @throws ApiError 404 when the account has no such record
 */
export async function deleteWithDependents<C extends Columns>(
  db: Db,
  table: AccountTable<string, C>,
  dependents: readonly Dependents[],
  accountId: string,
  id: string,
  now: number,
): Promise<void> {
  if (!(await hasMany(db, dependents, id))) {
    await table.delete(db, accountId, id);
    for (const { table: dependent, column, isUnreferenced } of dependents)
      if (isUnreferenced) await sql`delete from ${sql.table(dependent)} where ${sql.ref(column)} = ${id}`.execute(db);
    return;
  }
  const owner = newId('acc');
  const times = { created_at: now, updated_at: now, deleted_at: now };
  await insertOne(db, accounts, { id: owner, name: '', kind: 'standard', plan: {}, ...times });
  await table.move(db, accountId, id, owner);
}

async function hasMany(db: Db, dependents: readonly Dependents[], id: string): Promise<boolean> {
  for (const { table, column } of dependents) {
    const some = sql`select 1 from ${sql.table(table)} where ${sql.ref(column)} = ${id} ${limitTo(atOnce + 1)}`;
    const { rows } = await sql<{ count: number }>`select count(*) as count from (${some}) as some_rows`.execute(db);
    if ((rows[0]?.count ?? 0) > atOnce) return true;
  }
  return false;
}
