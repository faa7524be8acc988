import type { SelectQueryBuilder } from 'kysely';
import type { Database, Db } from '../../store/database.ts';
import { hasValue } from '../../store/index-order.ts';

type Listed = 'notifications' | 'error_records';

/** What a page of a list begins below, and how many rows it has. */
export interface PageOf {
  readonly accountId: string;
  readonly before: number | undefined;
  readonly limit: number;
}

/**
 * Selects the notifications or error records of an account, the newest first.
 * @param values the values of the columns that an index has between `account_id` and `seq`, in its order; those that are undefined are
 *   not compared
 */
export function newestFirst<Table extends Listed>(
  db: Db,
  table: Table,
  { accountId, before, limit }: PageOf,
  values: Readonly<Record<string, string | undefined>>,
): SelectQueryBuilder<Database, Table, Database[Table]> {
  let query = db
    .selectFrom(table as 'notifications')
    .selectAll()
    .limit(limit);
  for (const [column, value] of Object.entries({ account_id: accountId, ...values }))
    if (value !== undefined) query = query.where(hasValue(db, column, value)).orderBy(column as 'account_id', 'desc');
  query = query.orderBy('seq', 'desc');
  if (before !== undefined) query = query.where('seq', '<', before);
  return query as unknown as SelectQueryBuilder<Database, Table, Database[Table]>;
}
