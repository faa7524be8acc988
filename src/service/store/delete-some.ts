import { sql } from 'kysely';
import type { Db } from './database.ts';
import { hasValue } from './index-order.ts';
import { isAmong } from './is-among.ts';
import { engineOf, locksRows } from './prepared.ts';
import { limitTo } from './limits.ts';

/**
 * A condition for at most `limit` of the rows that have one of the values in a column. On PostgreSQL, it locks the rows and skips
 * rows locked by other transactions. Waiting for them would not help: a row that was changed meanwhile has another place.
 */
function someRows(db: Db, table: string, column: string, values: readonly string[], limit: number, key: readonly string[] = ['rowid']) {
  const rows = sql.table(table);
  const list = JSON.stringify(values);
  if (engineOf(db) === 'sqlite') {
    const columns = sql.join(key.map((each) => sql.ref(each)));
    return sql`(${columns}) in (select ${columns} from ${rows} where ${isAmong(db, column, list)} ${limitTo(limit)})`;
  }
  // One look-up by the index for each value: for all of them at once, PostgreSQL may read the whole table.
  return sql`ctid = any(array(select found.id from json_array_elements_text(${list}::json) as gone (value)
    cross join lateral (select ctid as id from ${rows} where ${hasValue(db, column, sql.ref('gone.value'))}
      order by ${sql.ref(column)} ${limitTo(limit)} for update skip locked) as found
    ${limitTo(limit)}))`;
}

/**
 * Deletes at most `limit` of the rows that have one of the values in a column.
 * @param key the primary key of a table without row ids
 * @returns the number of deleted rows
 */
export async function deleteSome(
  db: Db,
  table: string,
  column: string,
  values: readonly string[],
  limit: number,
  key?: readonly string[],
): Promise<number> {
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${someRows(db, table, column, values, limit, key)}`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}

/** Sets a column to null in at most `limit` of the rows that have one of the values in it. @returns the number of changed rows */
export async function clearSome(db: Db, table: string, column: string, values: readonly string[], limit: number): Promise<number> {
  const change = sql`update ${sql.table(table)} set ${sql.ref(column)} = null`;
  const { numAffectedRows } = await sql`${change} where ${someRows(db, table, column, values, limit)}`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/**
 * Whether PostgreSQL has rows with one of the values in a column: those that other transactions have locked are left. On SQLite,
 * none are.
 */
export async function hasLocked(db: Db, table: string, column: string, values: readonly string[]): Promise<boolean> {
  if (!locksRows(db)) return false;
  const matching = sql`select 1 from ${sql.table(table)} where ${hasValue(db, column, sql.ref('gone.value'))} limit 1`;
  const { rows } = await sql`select 1 from json_array_elements_text(${JSON.stringify(values)}::json) as gone (value)
    cross join lateral (${matching}) as found limit 1`.execute(db);
  return rows.length > 0;
}
