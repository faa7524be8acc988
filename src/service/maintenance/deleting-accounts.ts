import { sql } from 'kysely';
import type { Db } from '../store/database.ts';
import { clearSome, deleteSome, hasLocked } from '../store/delete-some.ts';
import { locksRows } from '../store/prepared.ts';
import { type MaintenanceTask, rowsOfStep } from './task.ts';
import { limitTo } from '../store/limits.ts';

/** Rows that refer to another row by its id. */
interface DependentRows {
  readonly table: string;
  readonly column: string;
  /** Whether the rows are kept, with null in the column. */
  readonly isKept?: boolean;
  /** The primary key of a table without row ids. */
  readonly key?: readonly string[];
}

/** Rows of an account. */
export interface AccountRows {
  readonly table: string;
  /** The column with the id of the account; by default `account_id`. */
  readonly column?: string;
  /** What the column has, if it is not the id of the account itself. */
  readonly ownerOf?: (accountId: string) => string;
  /** The primary key of a table without row ids. */
  readonly key?: readonly string[];
  /** The rows that depend on them. They are deleted first. */
  readonly dependents?: readonly DependentRows[];
  /** The maximum number of rows that a step deletes, for tables with large rows. */
  readonly atOnce?: number;
}

/** The number of records whose dependent rows are deleted in one step. */
const recordsAtOnce = 100;

/**
 * Deletes the rows of deleted accounts, and finally the accounts.
 * @param order the tables that can have many rows of an account, in the order of deletion. The rows of other tables are deleted
 * along with the account.
 */
export function deletingAccounts(order: readonly AccountRows[]): MaintenanceTask {
  return {
    isDue: async (db) => (await findDeleted(db).executeTakeFirst()) !== undefined,
    step: async (db) => {
      const found = findDeleted(db);
      // Several processes on the same store each delete a different account.
      const account = await (locksRows(db) ? found.forUpdate().skipLocked() : found).executeTakeFirst();
      if (!account) return undefined;
      for (const rows of order) {
        const removed = await removeSome(db, rows, account.id);
        if (removed !== 'none') return removed === 'some' ? 0 : undefined;
      }
      for (const rows of order) if (await hasLocked(db, rows.table, ...ownerOf(rows, account.id))) return undefined;
      await db.deleteFrom('accounts').where('id', '=', account.id).execute();
      return 0;
    },
  };
}

function findDeleted(db: Db) {
  return db.selectFrom('accounts').select('id').where('deleted_at', 'is not', null).limit(1);
}

/** The column that tells of which account rows are, and what it has. */
function ownerOf({ column = 'account_id', ownerOf: owner = (id) => id }: AccountRows, accountId: string): [string, [string]] {
  return [column, [owner(accountId)]];
}

/** The result of a step: rows that other transactions have locked are left to a later check. */
type Removed = 'some' | 'none' | 'locked';

/** Deletes some rows of an account. @returns `none` if no row was found that is not locked */
async function removeSome(db: Db, rowsToRemove: AccountRows, accountId: string): Promise<Removed> {
  const { table, key: ownKey, dependents = [], atOnce = rowsOfStep } = rowsToRemove;
  if (dependents.length === 0)
    return (await deleteSome(db, table, ...ownerOf(rowsToRemove, accountId), atOnce, ownKey)) > 0 ? 'some' : 'none';
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where account_id = ${accountId} ${limitTo(recordsAtOnce)}`.execute(db);
  if (rows.length === 0) return 'none';
  const ids = rows.map(({ id }) => id);
  let left = atOnce;
  for (const { table: dependent, column, isKept, key } of dependents) {
    left -= await (isKept ? clearSome(db, dependent, column, ids, left) : deleteSome(db, dependent, column, ids, left, key));
    if (left === 0) return 'some';
  }
  // A record is deleted once no rows refer to it, because some have no foreign key.
  for (const { table: dependent, column } of dependents) if (await hasLocked(db, dependent, column, ids)) return 'locked';
  return (await deleteSome(db, table, 'id', ids, ids.length)) > 0 ? 'some' : 'locked';
}
