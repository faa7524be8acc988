import type { CompiledQuery, Compilable, Kysely } from 'kysely';
import type { Database } from './schema.ts';

export type Engine = 'sqlite' | 'postgres';

export type Db = Kysely<Database>;

/** A database with the service's schema, on either engine. */
export interface Store {
  readonly engine: Engine;
  /** Runs queries that change nothing. They see what is committed. */
  read<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` in a transaction and resolves when it is durable. When `work` rejects, nothing of it stays.
   * It may run more than once (serialization failures), and must await nothing but the database: on SQLite the
   * transactions of many requests share one commit.
   */
  write<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /**
   * A number that changes whenever anything was committed, by whichever process: what was read since it last changed
   * still holds. Null where the database cannot tell without a round trip.
   */
  version(): number | null;
  close(): Promise<void>;
}

/** Whether a transaction failed because it refers to a record that is gone, such as an account deleted beside it. */
export function isMissingReference(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  // PostgreSQL's foreign_key_violation and SQLite's SQLITE_CONSTRAINT_FOREIGNKEY.
  return code === '23503' || errcode === 787;
}

/** Runs a statement on the connection behind a `Db`, at once. */
export type DirectReader = (sql: string, parameters: readonly unknown[]) => unknown[];

/** The connections that need no waiting: Kysely's way to them costs more than a prepared statement's own work. */
export const directReaders = new WeakMap<Db, DirectReader>();

/**
 * Compiles a query once for many executions: building it costs more than running it on a hot path.
 * @param build makes the query with placeholders for its parameters, which then are given in the order they stand in it
 */
export function prepared<Row>(build: (db: Db) => Compilable<Row>): (db: Db, parameters: readonly unknown[]) => Promise<Row[]> {
  // By the dialect's adapter: two engines in one process write their SQL differently.
  const compiled = new Map<unknown, CompiledQuery<Row>>();
  return async (db, parameters) => {
    const dialect = db.getExecutor().adapter.constructor;
    let query = compiled.get(dialect);
    if (!query) compiled.set(dialect, (query = build(db).compile()));
    const direct = directReaders.get(db);
    if (direct) return direct(query.sql, parameters) as Row[];
    const { rows } = await db.executeQuery<Row>({ ...query, parameters });
    return rows;
  };
}
