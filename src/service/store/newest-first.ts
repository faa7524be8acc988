import type { SelectQueryBuilder } from 'kysely';
import type { Database, Db } from './database.ts';
import { hasValue } from './index-order.ts';

/** The tables whose records are listed by the index of one of their columns. */
type Listed = 'notifications' | 'error_records' | 'deals' | 'tasks';

/** The `seq` below which a page of a list begins, and how many rows it has. */
export interface PageOf {
  readonly before: number | undefined;
  readonly limit: number;
}

/**
 * Selects records, the newest first.
 * @param values the values of the columns with which an index begins, before `seq`, in its order; those that are undefined are not
 *   compared
 */
export function newestFirst<Table extends Listed>(
  db: Db,
  table: Table,
  values: Readonly<Record<string, string | undefined>>,
  { before, limit }: PageOf,
): SelectQueryBuilder<Database, Table, Database[Table]> {
  let query = db
    .selectFrom(table as 'notifications')
    .selectAll()
    .limit(limit);
  for (const [column, value] of Object.entries(values))
    if (value !== undefined) query = query.where(hasValue(db, column, value)).orderBy(column as 'account_id', 'desc');
  query = query.orderBy('seq', 'desc');
  if (before !== undefined) query = query.where('seq', '<', before);
  return query as unknown as SelectQueryBuilder<Database, Table, Database[Table]>;
}
