import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Db } from './database.ts';
import { engineOf } from './prepared.ts';

// Statements that read rows in the order of an index, also when PostgreSQL has no statistics of the table or old ones.

/**
 * The limit of a subselect of all rows, whose order PostgreSQL then keeps: it does not know the limit when it plans. What belongs to
 * each row is looked up by `cross join lateral (… offset 0)`, which it cannot turn into another join.
 */
export const everything = Number.MAX_SAFE_INTEGER;

/**
 * Whether a column has a value, for a list in the order of an index that begins with the column: `order by account_id desc, seq
 * desc`. On PostgreSQL, the value is written as a range. For an equality, the planner drops the column from the order, and may
 * then read the whole table by `seq`, or sort all rows of the account.
 */
export function hasValue(db: Db, column: string, value: unknown): RawBuilder<SqlBool> {
  const name = sql.ref(column);
  return engineOf(db) === 'sqlite' ? sql`${name} = ${value}` : sql`(${name} <= ${value} and ${name} >= ${value})`;
}
