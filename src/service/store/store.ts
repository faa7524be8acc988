import type { Db } from './database.ts';

export type Engine = 'sqlite' | 'postgres';

/** A database with the service's tables, on either engine. */
export interface Store {
  readonly engine: Engine;
  /** Runs queries that change nothing. They see what is committed. */
  read<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` in a transaction and resolves once it is durable. When `work` rejects, the transaction is rolled back.
   * `work` may run more than once, since PostgreSQL refuses some transactions that run at the same time. It must await
   * nothing but its database: on SQLite the transactions of many requests share one commit.
   */
  write<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /**
   * A number that changes whenever any process commits: what was read since the last change still holds.
   * Null where the database cannot tell without a round trip.
   */
  version(): number | null;
  close(): Promise<void>;
}

/** Whether a transaction failed because a record that it refers to is gone, such as an account deleted meanwhile. */
export function isMissingReference(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  // PostgreSQL's foreign_key_violation and SQLite's SQLITE_CONSTRAINT_FOREIGNKEY.
  return code === '23503' || errcode === 787;
}
