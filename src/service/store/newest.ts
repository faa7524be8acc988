import type { Kysely } from 'kysely';
import type { AnyColumn } from './columns.ts';
import type { Db } from './database.ts';
import { hasValue } from './index-order.ts';
import type { AnyTable, Row } from './table.ts';

/** A table whose rows are numbered in the order of creation. */
type NumberedTable = AnyTable & { readonly columns: { readonly seq: AnyColumn } };

/**
 * Reads rows, newest first.
 * @param where the required values of columns; undefined values are ignored
 * @param before reads only rows below this `seq`
 */
export async function newest<T extends NumberedTable>(
  db: Db,
  table: T,
  where: Partial<Row<T>>,
  before: number | undefined,
  limit: number,
): Promise<Row<T>[]> {
  const builder = db as unknown as Kysely<Record<string, { seq: number } & Record<string, unknown>>>;
  const wanted = Object.entries(table.encode(where as never));
  const [first, ...others] = wanted;
  let query = builder.selectFrom(table.name).selectAll().limit(limit);
  // Most lists have an index that begins with their only column.
  if (first && others.length === 0) query = query.where(hasValue(db, ...first)).orderBy(first[0], 'desc');
  else for (const [column, value] of wanted) query = query.where(column, '=', value);
  query = query.orderBy('seq', 'desc');
  if (before !== undefined) query = query.where('seq', '<', before);
  return (await query.execute()).map((row) => table.decode(row as never) as Row<T>);
}

/** Reads the newest row with these values; undefined when there is none. @param where as in `newest` */
export async function findNewest<T extends NumberedTable>(db: Db, table: T, where: Partial<Row<T>>): Promise<Row<T> | undefined> {
  const [row] = await newest(db, table, where, undefined, 1);
  return row;
}
