import { ApiError } from '../errors.ts';
import type { Db } from './database.ts';

export type Engine = 'sqlite' | 'postgres';

/** What a transaction needs beside its work. */
export interface WriteOptions {
  /**
   * The accounts whose records the transaction reads and then changes. Their rows are locked first, so that transactions
   * of one account run one after the other. On PostgreSQL, a function is called in each attempt, when that has begun.
   */
  readonly accounts?: readonly string[] | (() => readonly string[]);
  /** Whether the accounts that these manage are locked too. */
  readonly withManaged?: boolean;
  /** False for counters and logs, which need not be on the disk before the transaction is acknowledged. */
  readonly isDurable?: boolean;
}

/** A database with the service's tables, on either engine. */
export interface Store {
  readonly engine: Engine;
  /** Runs read-only queries. They see committed data. */
  read<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /**
   * Runs read-only queries that all see the data of one moment. They may take long: others are served meanwhile, except on a
   * database in memory, which has one connection. There, `work` must not write. Each holds a connection.
   */
  snapshot<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` in a transaction and resolves once it is durable. When `work` rejects, the transaction is rolled back.
   * `work` may run more than once, since a database may refuse transactions that run at the same time. It must await only
   * its database: on SQLite, the transactions of many requests share one commit.
   */
  write<Result>(work: (db: Db) => Promise<Result>, options?: WriteOptions): Promise<Result>;
  /**
   * A number that changes whenever a process commits. Data that was read since the last change is still current. Null
   * when the database needs a round trip to report it.
   */
  version(): number | null;
  /**
   * Makes later reads see every commit until now, also those of other processes.
   * @param poll the poll of the event loop in which a request arrived. For requests of the same poll, this is done once: all
   *   of them were sent before it returned
   */
  refresh(poll?: number): void;
  close(): Promise<void>;
}

/** A transaction that could not run because of others. Nothing was changed. */
export class StoreBusy extends ApiError {
  constructor(message: string) {
    super(503, message);
  }
}

/** Whether a transaction failed because a record that it refers to was deleted in the meantime, such as an account. */
export function isMissingReference(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  // PostgreSQL's foreign_key_violation and SQLite's SQLITE_CONSTRAINT_FOREIGNKEY.
  return code === '23503' || errcode === 787;
}
