import type { AnyColumn } from './columns.ts';
import type { Db } from './database.ts';
import { setOfValues } from './is-among.ts';
import { fixed } from './prepared.ts';
import type { AnyTable, Row } from './table.ts';

/**
 * Deletes rows by the values of all their columns, or of a key. @param columns the columns of the key, in the order of the index
 */
export function deleteRows<T extends AnyTable, C extends keyof Row<T> & string>(
  db: Db,
  table: T,
  columns: readonly C[],
  rows: readonly Pick<Row<T>, C>[],
): void {
  if (rows.length === 0) return;
  const { engine, change } = fixed(db);
  const keys = rows.map((row): unknown[] => columns.map((column) => row[column]));
  if (engine === 'sqlite') {
    const isRow = columns.map((column) => `${column} = ?`).join(' and ');
    for (const key of keys) change(`delete from ${table.name} where ${isRow}`, key);
    return;
  }
  const isRow = columns
    .map((column, index) => `${column} = (gone.value ->> ${index})::${(table.columns[column] as AnyColumn).type}`)
    .join(' and ');
  // One look-up by the index for each row: for all of them at once, PostgreSQL may read the whole table.
  const found = `select found.id from ${setOfValues}($1::json) as gone (value)
    cross join lateral (select ctid as id from ${table.name} where ${isRow} for update) as found`;
  change(`delete from ${table.name} where ctid = any(array(${found}))`, [JSON.stringify(keys)]);
}
