import { type Compilable, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Db } from './database.ts';
import { engineOf } from './prepared.ts';

/** A fragment of a statement. */
type Fragment = RawBuilder<unknown>;

/** A lookup of many keys. */
interface LookUp {
  /** The keys as a JSON list, each of them a list of values. */
  readonly keys: string;
  /** The table. Its rows are called `found` in the statement. */
  readonly table: Fragment;
  readonly columns: Fragment;
  /** Whether a row matches a key: `found.id = wanted.value ->> 0`. */
  readonly isWanted: RawBuilder<SqlBool>;
  /** The maximum number of rows for a key, if PostgreSQL might expect far more. */
  readonly most?: number;
}

/**
 * A statement that makes one index lookup for each of many keys, in a fixed order on both engines. Without table statistics, or
 * when most rows belong to one account, PostgreSQL would otherwise read all rows of the account for a join. `offset 0` and
 * `limit` prevent it from turning the lookups into a join.
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
