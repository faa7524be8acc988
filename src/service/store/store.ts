import { ApiError } from '../errors.ts';
import type { Db } from './database.ts';

export type Engine = 'sqlite' | 'postgres';

/** The options of a transaction. */
export interface WriteOptions {
  /**
   * The accounts whose records the transaction reads and then changes. Their rows are locked first, so that transactions of one
   * account run sequentially. If it is a function, PostgreSQL calls it in each attempt, after the transaction has begun.
   */
  readonly accounts?: readonly string[] | (() => readonly string[]);
  /** Whether to lock the accounts that these accounts manage, too. */
  readonly withManaged?: boolean;
  /** False for counters and logs, which need not be on the disk before the transaction is acknowledged. */
  readonly isDurable?: boolean;
}

/** A database with the service's tables, on either engine. */
export interface Store {
  readonly engine: Engine;
  /** Runs read-only queries, which see committed data. */
  read<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /**
   * Runs read-only queries in a single snapshot. They may take long, because other requests are served meanwhile. The exception
   * is a database in memory, which has only one connection: there, `work` must not write. Each snapshot occupies a connection.
   */
  snapshot<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` in a transaction and resolves once it is durable. If `work` rejects, the transaction is rolled back. `work` may
   * run more than once, because a database may refuse concurrent transactions. It must await only its database: on SQLite, the
   * transactions of many requests share one commit.
   */
  write<Result>(work: (db: Db) => Promise<Result>, options?: WriteOptions): Promise<Result>;
  /**
   * A number that changes whenever a process commits. Data that was read since the last change is still up to date. Null when the
   * database would need a round trip to report it.
   */
  version(): number | null;
  /**
   * Makes later reads see every commit up to now, including those of other processes.
   * @param poll the poll of the event loop in which a request arrived. It is done once for the requests of a poll, because all of
   * them were sent before the poll returned
   */
  refresh(poll?: number): void;
  close(): Promise<void>;
  /** Copies of the whole store, which only an embedded one has. */
  readonly copies?: StoreCopies;
}

/** Saves a store in a file, and takes one back. */
export interface StoreCopies {
  /** The content of a file with everything that is committed. */
  save(): Promise<Uint8Array>;
  /**
   * Puts the rows of a file in the place of all rows, in one transaction.
   * @param file a database with the schema of this store
   * @param finish changes rows in the same transaction
   */
  replace(file: string, finish: (db: Db) => Promise<void>): Promise<void>;
}

/** A transaction could not run because of others. Nothing was changed. */
export class StoreBusy extends ApiError {
  constructor(message: string) {
    super(503, message);
  }
}

/** The disk of the store is full, or cannot be written. Nothing was changed. */
export class StoreFull extends ApiError {
  constructor() {
    super(503, 'The disk of the store is full, or cannot be written: nothing was changed');
  }
}

/** Whether a transaction failed because a record that it refers to was deleted in the meantime, such as an account. */
export function isMissingReference(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  // PostgreSQL's foreign_key_violation and SQLite's SQLITE_CONSTRAINT_FOREIGNKEY.
  return code === '23503' || errcode === 787;
}

/** Whether a transaction failed because another one has added a record with the same unique values in the meantime. */
export function isDuplicate(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  // PostgreSQL's unique_violation and SQLite's SQLITE_CONSTRAINT_UNIQUE.
  return code === '23505' || errcode === 2067;
}
