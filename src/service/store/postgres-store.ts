import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ApiError, ServiceUnavailable, stopping } from '../errors.ts';
import { AccountGroups } from './account-groups.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { dbIn, dbOnPool, type PostgresPool, PostgresTransaction } from './postgres-client.ts';
import { connectionTo, discardReadOnly, NoPrimary, readOnlyCode } from './postgres-primary.ts';
import { isDuplicate, StoreBusy, StoreFull, type Store, type WriteOptions } from './store.ts';
import { describeStoreError } from './store-errors.ts';

/** The maximum number of attempts of a transaction that conflicts with concurrent ones. */
const attempts = 20;

/**
 * The maximum number of attempts of a transaction with a unique violation. A race is resolved sooner; more failures mean a
 * defect.
 */
const duplicateAttempts = 4;

/** The maximum wait for other transactions on an account, in milliseconds. */
const lockWait = 10_000;

/**
 * The time after which the database ends a transaction that holds accounts and sends nothing, in milliseconds: its server hangs, or its
 * machine is unreachable. Otherwise, nobody could write to these accounts.
 */
const idleWait = 60_000;

const int8 = 20;
const numeric = 1700;

/**
 * Opens a store in a PostgreSQL database, or in a database with a compatible protocol.
 * @param address `postgres://user:password@host:port/database`, or with several servers, like in libpq
 * @throws ServiceUnavailable when the database cannot be reached
 */
export async function openPostgresStore(address: string): Promise<Store> {
  const { servers, shown, namesStatements } = parsePostgresAddress(address);
  const pool = new pg.Pool({
    ...connectionTo(servers),
    max: 16,
    connectionTimeoutMillis: 10_000,
    query_timeout: 30_000,
    pipeline: true,
    types: {
      // 64-bit integers and sums are sent as text. The service stores only values within 53 bits.
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 || oid === numeric ? Number : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
    },
  });
  // Prevents crashes from broken connections. The pool replaces them, and the query in progress fails with an error.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  discardReadOnly(pool);
  try {
    await pool.query('select 1');
  } catch (error) {
    await pool.end();
    const reason = error instanceof NoPrimary ? error.message : describeStoreError(error);
    throw new ServiceUnavailable(`Cannot reach the database ${shown}: ${reason}`, { cause: error });
  }
  return postgresStore(
    {
      connect: async () => {
        const client = await pool.connect();
        return {
          query: (statement) => {
            sendTogether(client);
            return client.query(statement);
          },
          release: (close) => client.release(close),
        };
      },
      end: () => pool.end(),
    },
    namesStatements,
  );
}

/**
 * Batches everything that is sent on a connection in one turn of the event loop: each write is a system call here and in the
 * database.
 */
function sendTogether(client: pg.PoolClient): void {
  const { stream } = (client as unknown as pg.Client).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * Creates a store on any PostgreSQL client.
 * @param isNaming whether connections keep named statements
 */
export function postgresStore(pool: PostgresPool, isNaming: boolean): Store {
  const db = dbOnPool(pool, isNaming);
  let isClosed = false;
  // What still waits for a connection when the store is closed gets an error of the pool.
  const unlessClosed = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (isClosed) throw stopping();
    try {
      return await work();
    } catch (error) {
      throw isClosed && !(error instanceof ApiError) ? stopping() : error;
    }
  };
  const transact = async <Result>(work: (transaction: PostgresTransaction) => Promise<Result>, options: WriteOptions) =>
    await retrying(() => unlessClosed(() => attemptTransaction(pool, isNaming, work, options)));
  const groups = new AccountGroups(transact);
  const snapshots = new Set<PostgresTransaction>();
  return {
    engine: 'postgres',
    read: (work) => unlessClosed(() => work(db).catch(failRead)),
    async snapshot(work) {
      let own: PostgresTransaction | undefined;
      const read = (transaction: PostgresTransaction) => {
        snapshots.add((own = transaction));
        return work(dbIn(transaction));
      };
      try {
        return await unlessClosed(() => attemptTransaction(pool, isNaming, read, {}, 'repeatable read, read only').catch(failRead));
      } finally {
        if (own) snapshots.delete(own);
      }
    },
    async write(work, options = {}) {
      const { accounts = [], withManaged, isDurable = true } = options;
      const [account, ...others] = typeof accounts === 'function' ? [] : accounts;
      // Transactions that need not be durable hold the lock of the account only briefly, so they do not share commits.
      const sharesCommit = account !== undefined && others.length === 0 && !withManaged && isDurable;
      return sharesCommit ? await groups.run(account, work) : await transact((transaction) => work(dbIn(transaction)), options);
    },
    version: () => null,
    refresh: () => {},
    async close() {
      isClosed = true;
      // Long reads fail, because the process is ending.
      for (const snapshot of snapshots) snapshot.end();
      await pool.end();
    },
  };
}

/** Repeats a transaction that the database refused only because of concurrent transactions. */
async function retrying<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (isLocked(error)) throw new StoreBusy('The store is busy: another process is changing the account; try again');
      if ((error as { code?: unknown }).code === diskFull) throw new StoreFull();
      if (isConnectionLost(error)) throw new ApiError(503, 'The connection to the database was lost; the change may still take effect');
      // A unique violation that persists is not caused by a race, so it is a defect.
      if (!isConflict(error) && !(isDuplicate(error) && count < duplicateAttempts)) throw error;
      if (count === attempts) throw new StoreBusy('The store is busy: other requests are changing the same records; try again');
    }
    await sleep(Math.random() * 2 ** Math.min(count, 7));
  }
}

/** Makes one attempt to run a transaction. */
async function attemptTransaction<Result>(
  pool: PostgresPool,
  isNaming: boolean,
  work: (transaction: PostgresTransaction) => Promise<Result>,
  { accounts = [], withManaged = false, isDurable = true }: WriteOptions,
  isolation = 'read committed',
): Promise<Result> {
  const client = await pool.connect();
  const transaction = new PostgresTransaction(client, isNaming);
  let isBroken = false;
  try {
    transaction.send(`begin isolation level ${isolation}`);
    if (!isDurable) transaction.send('set local synchronous_commit to off');
    const locked = typeof accounts === 'function' ? await transaction.answered().then(accounts) : accounts;
    if (locked.length > 0) {
      transaction.send(
        `select set_config('lock_timeout', '${lockWait}', true), set_config('idle_in_transaction_session_timeout', '${idleWait}', true)`,
      );
      transaction.send(withManaged ? lockManaged : lockAccounts, [locked]);
    }
    const result = await work(transaction);
    await transaction.commit();
    return result;
  } catch (error) {
    await transaction.rollback().catch(() => (isBroken = true));
    throw transaction.failure ?? error;
  } finally {
    client.release(isBroken);
  }
}

// Locks accounts in the order of their ids, so that two transactions cannot deadlock.
const lockAccounts = 'select from accounts where id = any($1::text[]) order by id for no key update';
const lockManaged = 'select from accounts where id = any($1::text[]) or parent_id = any($1::text[]) order by id for no key update';

/** Serialization failures and deadlocks. Nothing was changed, and the next attempt sees the changes of the other transaction. */
const conflicts: ReadonlySet<unknown> = new Set(['40001', '40P01']);

/** The disk of the database is full. Nothing was changed. */
const diskFull = '53100';

/** Whether a transaction timed out waiting for a lock. Nothing was changed. */
function isLocked(error: unknown): boolean {
  return (error as { code?: unknown }).code === '55P03';
}

/** Whether PostgreSQL refused a transaction only because of a conflict with concurrent ones. */
function isConflict(error: unknown): boolean {
  return conflicts.has((error as { code?: unknown }).code);
}

function failRead(error: unknown): never {
  throw isConnectionLost(error) ? new ApiError(503, 'The connection to the database was lost; try again') : error;
}

/**
 * Whether the connection failed rather than the statement: the server shut down, refuses connections or writes, or has
 * disappeared.
 */
function isConnectionLost(error: unknown): boolean {
  // The message of an ApiError, or of an error with a code, can quote any text, so it is not searched.
  if (error instanceof ApiError) return false;
  const { code, message } = error as { code?: string; message?: string };
  // oxlint-disable-next-line project/restricted-syntax -- these errors of pg have no code
  if (code === undefined) return /timeout|terminated|connection error/i.test(message ?? '');
  return code === readOnlyCode || /^(E[A-Z]{4,}|08...|53...|57P..|25P0[34])$/.test(code);
}
