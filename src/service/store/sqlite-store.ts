import { closeSync, openSync, statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ServiceUnavailable, stopping } from '../errors.ts';
import { serveOthers, stepTime, stopwatch } from '../flow/steps.ts';
import { done, failed, Together } from '../flow/together.ts';
import { Checkpoints, longestLogPages } from './checkpoints.ts';
import type { Db } from './database.ts';
import { connect, type Connection, connectToRead, isBusy } from './sqlite-connection.ts';
import { copyOf, replaceRows } from './sqlite-copy.ts';
import { type Store, type StoreCopies, StoreFull, type WriteOptions } from './store.ts';
import { describeStoreError } from './store-errors.ts';

/** The maximum number of transactions that share a commit, and thus one wait for the disk. */
const commitGroup = 256;

/** The time after which no more transactions join a commit, in milliseconds, because the first of them waits for the last. */
const commitTime = 20;

/** The maximum wait for a transaction of another process, in seconds. */
const lockWait = 10;

/**
 * Number of WAL pages from which a commit of a short-lived process triggers a checkpoint. For durable commits the limit is low,
 * because the next process reads the whole WAL when it opens the store. For commits that need not be durable it is high: long
 * work changes the same pages repeatedly, and a checkpoint waits for the disk.
 */
const briefLogPages = { durable: 200, bulk: 4_000 };

/**
 * The size of the WAL, in bytes, from which a short-lived process empties it when it ends. Only long work makes it that large.
 */
const longLog = 4 * 1024 * 1024;

/**
 * The maximum number of requests of a poll that share a snapshot. With a thousand events or more, the event loop polls again
 * within a poll.
 */
const requestsOfPoll = 100;

interface Transaction {
  readonly work: (db: Db) => Promise<unknown>;
  readonly isDurable: boolean;
}

/**
 * Opens the embedded store.
 * @param file the database file, which is created if missing; with `:memory:` nothing is stored permanently
 * @param isBrief whether the process is short-lived. `close` then leaves the changes in the write-ahead log, where the next
 * process finds them, because a checkpoint would wait for the disk.
 * @throws ServiceUnavailable when the file cannot be opened or is not a database
 */
export function openSqliteStore(file: string, isBrief = false): Store {
  try {
    return new SqliteStore(file, isBrief);
  } catch (error) {
    throw new ServiceUnavailable(`Cannot open the store ${file}: ${describeStoreError(error)}`, { cause: error });
  }
}

class SqliteStore implements Store {
  readonly engine = 'sqlite';
  readonly #writer: Connection;
  readonly #reader: Connection | null;
  readonly #dataVersion: StatementSync | null;
  /** The version of the store in the open snapshot. */
  #version: number | null = null;
  /**
   * The poll of the event loop for which the store was last refreshed, and how many further requests of this poll have shared the
   * snapshot.
   */
  #refreshedAfter: number | undefined;
  #sharing = 0;
  readonly #file: string;
  readonly #isBrief: boolean;
  /** Null when commits trigger checkpoints themselves. */
  readonly #checkpoints: Checkpoints | null;
  readonly #commits = new Together<Transaction, unknown>({
    // Transactions that arrive in the meantime share the commit.
    pause: () => serveOthers(this.#taken),
    count: () => commitGroup,
    work: (take) => this.#commit(take()),
    again: () => 'never',
  });
  /** The connections of long reads. */
  readonly #snapshots = new Set<DatabaseSync>();
  /** Whether commits wait for the disk. */
  #isSynchronous = true;
  #closed = false;
  /** The running transaction. */
  #running: Transaction | null = null;
  /** When the transactions of the group began, or last let other requests run, by the stopwatch. */
  #resumedAt = 0;
  /** How long the last transactions took since then, including their commit unless they failed, in milliseconds. */
  #taken = 0;

  constructor(file: string, isBrief: boolean) {
    this.#file = file;
    this.#isBrief = isBrief;
    const inMemory = file === ':memory:';
    // Readable only by its owner. SQLite creates its other files with the same mode.
    if (!inMemory) closeSync(openSync(file, 'a', 0o600));
    this.#writer = connect(file, () => this.#pause());
    this.#checkpoints = isBrief || inMemory ? null : new Checkpoints(file, this.#writer.database);
    this.#writer.database.exec(`pragma wal_autocheckpoint = ${isBrief ? briefLogPages.durable : longestLogPages}`);
    // From now on, locks are awaited outside of SQLite, so that the event loop is not blocked.
    this.#writer.database.exec('pragma busy_timeout = 0');
    // A database in memory has a single connection, so reads are queued with the transactions.
    this.#reader = inMemory ? null : connectToRead(file);
    // The value changes with the commits of all other connections. The reader itself never commits.
    this.#dataVersion = this.#reader?.database.prepare('pragma data_version') ?? null;
  }

  read<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    if (this.#closed) return Promise.reject(stopping());
    if (!this.#reader) return this.write(work);
    this.#openSnapshot();
    return work(this.#reader.db);
  }

  write<Result>(work: (db: Db) => Promise<Result>, { isDurable = true }: WriteOptions = {}): Promise<Result> {
    if (this.#closed) return Promise.reject(stopping());
    return this.#commits.run({ work, isDurable }) as Promise<Result>;
  }

  async snapshot<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    if (!this.#reader) return await this.write(work);
    if (this.#closed) throw stopping();
    const { database, db } = connectToRead(this.#file);
    this.#snapshots.add(database);
    try {
      database.exec('begin');
      return await work(db);
    } catch (error) {
      throw this.#closed ? stopping() : error;
    } finally {
      this.#snapshots.delete(database);
      if (database.isOpen) database.close();
    }
  }

  readonly copies: StoreCopies = {
    save: async () => {
      if (!this.#reader) return await this.write(async () => copyOf(this.#writer.database));
      const { database } = connectToRead(this.#file);
      try {
        return copyOf(database);
      } finally {
        database.close();
      }
    },
    replace: async (file, finish) =>
      await this.write(async (db) => {
        replaceRows(this.#writer.database, file);
        await finish(db);
      }),
  };

  version(): number | null {
    if (this.#closed || !this.#dataVersion) return null;
    this.#openSnapshot();
    return (this.#version ??= (this.#dataVersion.get() as { data_version: number }).data_version);
  }

  refresh(poll?: number): void {
    if (poll !== undefined && poll === this.#refreshedAfter && ++this.#sharing < requestsOfPoll) return;
    this.#refreshedAfter = poll;
    this.#sharing = 0;
    this.#endSnapshot();
  }

  /**
   * Lets the reads in one turn of the event loop share a snapshot, because taking and releasing locks takes longer than reading.
   * A request from a later poll ends the snapshot.
   */
  #openSnapshot(): void {
    const database = this.#reader?.database;
    if (!database || database.isTransaction) return;
    database.exec('begin');
    setImmediate(() => this.#endSnapshot());
  }

  /** Ends the snapshot, so that later reads see every commit. */
  #endSnapshot(): void {
    const database = this.#reader?.database;
    this.#version = null;
    if (database?.isOpen && database.isTransaction) database.exec('commit');
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#commits.idle();
    this.#endSnapshot();
    // Long reads fail, because the process is ending.
    for (const database of this.#snapshots) database.close();
    await this.#checkpoints?.close();
    if (this.#isBrief) {
      const log = statSync(`${this.#file}-wal`, { throwIfNoEntry: false });
      if (log && log.size > longLog) this.#writer.database.exec('pragma wal_checkpoint(truncate)');
      // The next command continues the log, which remains if the reader is closed last. One without changes leaves no file behind.
      if (log && log.size > 0) this.#writer.database.close();
    }
    this.#reader?.database.close();
    if (this.#writer.database.isOpen) this.#writer.database.close();
  }

  async #commit(group: readonly Transaction[]): Promise<PromiseSettledResult<unknown>[]> {
    const { database } = this.#writer;
    let outcomes: PromiseSettledResult<unknown>[];
    try {
      await this.#begin(group.some(({ isDurable }) => isDurable));
      outcomes = await this.#runAll(group);
    } catch (error) {
      if (database.isOpen && database.isTransaction) database.exec('rollback');
      throw failureOf(error);
    } finally {
      // Also when it failed: the reason may be what another process has committed, which the caller then reads.
      this.#endSnapshot();
    }
    this.#checkpoints?.checkpointLongLog();
    return outcomes;
  }

  /** Runs the transactions of a group and commits them. Those for which there is no time wait for the next group. */
  async #runAll(group: readonly Transaction[]): Promise<PromiseSettledResult<unknown>[]> {
    const outcomes: PromiseSettledResult<unknown>[] = [];
    const started = stopwatch();
    this.#resumedAt = started;
    const isAlone = group.length === 1;
    try {
      for (const transaction of group) {
        if (outcomes.length > 0 && stopwatch() - started > commitTime) break;
        // A savepoint costs a copy of each changed page. Alone, a transaction that fails takes the whole group back.
        outcomes.push(isAlone ? done(await this.#run(transaction)) : await this.#runInSavepoint(transaction));
      }
      this.#writer.database.exec('commit');
      return outcomes;
    } finally {
      this.#taken = stopwatch() - this.#resumedAt;
    }
  }

  /** Runs one of several transactions of a group, which can fail alone. */
  async #runInSavepoint(transaction: Transaction): Promise<PromiseSettledResult<unknown>> {
    const { database } = this.#writer;
    database.exec('savepoint one');
    try {
      const value = await this.#run(transaction);
      database.exec('release one');
      return done(value);
    } catch (error) {
      // Some errors, such as a full disk, can end the enclosing transaction. The whole group then fails.
      if (!database.isTransaction) throw error;
      database.exec('rollback to one');
      database.exec('release one');
      return failed(failureOf(error));
    }
  }

  async #run(transaction: Transaction): Promise<unknown> {
    this.#running = transaction;
    return await transaction.work(this.#writer.db).finally(() => (this.#running = null));
  }

  /** Lets other requests run if the group has run for a while; otherwise returns undefined. */
  #pause(): Promise<void> | undefined {
    const taken = stopwatch() - this.#resumedAt;
    return taken < stepTime ? undefined : this.#pauseFor(taken);
  }

  /** @throws Error when the transaction has ended in the meantime */
  async #pauseFor(taken: number): Promise<void> {
    const running = this.#running;
    await serveOthers(taken);
    if (this.#running !== running) throw new Error('The transaction has ended');
    this.#resumedAt = stopwatch();
  }

  /**
   * @param isDurable whether the commit waits for the disk. Otherwise the changes become durable with the next commit that does
   */
  async #begin(isDurable: boolean): Promise<void> {
    const { database } = this.#writer;
    if (isDurable !== this.#isSynchronous) {
      database.exec(`pragma synchronous = ${isDurable ? 'full' : 'normal'}`);
      if (this.#isBrief) database.exec(`pragma wal_autocheckpoint = ${isDurable ? briefLogPages.durable : briefLogPages.bulk}`);
    }
    this.#isSynchronous = isDurable;
    const started = process.uptime();
    for (;;) {
      try {
        database.exec('begin immediate');
        return;
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (process.uptime() - started > lockWait)
          throw new ApiError(503, 'The store is busy: another process is writing to it; try again');
      }
      await sleep(1 + Math.random() * 9);
    }
  }
}

/** The codes of SQLite for a full disk, for a write that failed, and for a file that could not grow. */
const unwritable: ReadonlySet<number | undefined> = new Set([13, 778, 4874]);

/** The error for the caller of a transaction that failed. */
function failureOf(error: unknown): unknown {
  const { code, errcode } = error as { code?: unknown; errcode?: number };
  return code === 'ERR_SQLITE_ERROR' && unwritable.has(errcode) ? new StoreFull() : error;
}
