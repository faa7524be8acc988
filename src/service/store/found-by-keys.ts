import { type Compilable, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Db } from './database.ts';
import { engineOf } from './prepared.ts';

/** A part of a statement. */
type Fragment = RawBuilder<unknown>;

/** What is looked up. */
interface LookUp {
  /** The JSON list of the keys, each a list of values. */
  readonly keys: string;
  /** The table, whose rows are called `found`. */
  readonly table: Fragment;
  readonly columns: Fragment;
  /** Whether a row has a key: `found.id = wanted.value ->> 0`. */
  readonly isWanted: RawBuilder<SqlBool>;
  /** How many rows a key has at most, when PostgreSQL could expect far more. */
  readonly most?: number;
}

/**
 * A statement that takes one look-up in an index for each of many keys. The order is fixed on both engines: PostgreSQL would
 * else read all rows of the account for a join, while it has no statistics or when most rows are of one account. `offset 0`
 * and `limit` keep it from turning the look-ups into a join.
 */
export function foundByKeys<Row>(db: Db, { keys, table, columns, isWanted, most }: LookUp): Compilable<Row> {
  const bound = most === undefined ? sql`offset 0` : sql`limit ${sql.lit(most)}`;
  const statement =
    engineOf(db) === 'sqlite'
      ? sql<Row>`select ${columns} from json_each(${keys}) as wanted cross join ${table} as found on ${isWanted}`
      : sql<Row>`select ${columns} from json_array_elements(${keys}::json) as wanted (value)
          cross join lateral (select * from ${table} as found where ${isWanted} ${bound}) as found`;
  return { compile: () => statement.compile(db) };
}
