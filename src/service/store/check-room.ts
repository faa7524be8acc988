import { sql } from 'kysely';
import { ApiError } from '../errors.ts';
import type { Db } from './database.ts';
import { limitTo } from './limits.ts';

/** Rows that belong to one record, such as the templates of an account. */
interface OwnedRows {
  readonly table: string;
  /** The column with the id of the record. */
  readonly column: string;
  readonly owner: string | number;
}

/**
 * Checks that a record can have one more row.
 * @param full what to say if not, such as `The account has 1,000 templates, as many as it can have`
 * @throws ApiError 400 when it has as many as it can have
 */
export async function checkRoom(db: Db, { table, column, owner }: OwnedRows, most: number, full: string): Promise<void> {
  const some = sql`select 1 as found from ${sql.table(table)} where ${sql.ref(column)} = ${owner} ${limitTo(most)}`;
  const { rows } = await sql<{ count: number }>`select count(*) as count from (${some}) as some_rows`.execute(db);
  if ((rows[0]?.count ?? 0) >= most) throw new ApiError(400, full);
}
