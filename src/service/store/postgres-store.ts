import { setTimeout as sleep } from 'node:timers/promises';
import { type Dialect, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { ApiError, ServiceUnavailable } from '../errors.ts';
import type { Database, Db } from './database.ts';
import type { Store } from './store.ts';

/** The number of attempts of a transaction that conflicts with others at the same time. */
const attempts = 20;

/** The number of attempts of a transaction with a unique violation. A race ends sooner; more failures are a defect. */
const duplicateAttempts = 4;

const int8 = 20;
const numeric = 1700;

/**
 * Opens a store in a PostgreSQL database, or in a database that uses its protocol.
 * @param address `postgres://user:password@host:port/database`
 * @throws ServiceUnavailable when the database cannot be reached
 */
export async function openPostgresStore(address: string): Promise<Store> {
  const pool = new pg.Pool({
    connectionString: address,
    max: 16,
    connectionTimeoutMillis: 10_000,
    query_timeout: 30_000,
    types: {
      // 64-bit integers and sums arrive as text. The service stores only values within 53 bits.
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 || oid === numeric ? Number : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
    },
  });
  // The pool replaces a connection that breaks. The query that it breaks under fails, and says so.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    await pool.query('select 1');
  } catch (error) {
    await pool.end();
    const { hostname, port, pathname } = new URL(address);
    const reason = (error as Error).message || (error as { code?: string }).code || 'no answer';
    throw new ServiceUnavailable(`Cannot reach the database ${hostname}:${port || 5432}${pathname}: ${reason}`, { cause: error });
  }
  return postgresStore(new PostgresDialect({ pool }));
}

/** Creates a store for any dialect of PostgreSQL. */
export function postgresStore(dialect: Dialect): Store {
  const db: Db = new Kysely<Database>({ dialect });
  return {
    engine: 'postgres',
    read: (work) => work(db).catch(failRead),
    async write(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await db.transaction().setIsolationLevel('serializable').execute(work);
        } catch (error) {
          if (isConnectionLost(error)) throw new ApiError(503, 'The connection to the database was lost; the change may still take effect');
          // A repeated unique violation is not caused by a race, so it is a defect.
          if (!isConflict(error) && !(isDuplicate(error) && attempt < duplicateAttempts)) throw error;
          if (attempt === attempts) throw new ApiError(503, 'The store is busy: other requests are changing the same records; try again');
        }
        await sleep(Math.random() * 2 ** Math.min(attempt, 7));
      }
    },
    version: () => null,
    close: () => db.destroy(),
  };
}

/** Serialization failures and deadlocks. Nothing was changed, and the next attempt sees the changes of the other transaction. */
const conflicts: ReadonlySet<unknown> = new Set(['40001', '40P01']);

/** Whether PostgreSQL refused a transaction only because it conflicts with others at the same time. */
function isConflict(error: unknown): boolean {
  return conflicts.has((error as { code?: unknown }).code);
}

/** Whether a transaction violated a unique constraint. The next attempt sees the existing row, and the code can handle it. */
function isDuplicate(error: unknown): boolean {
  return (error as { code?: unknown }).code === '23505';
}

function failRead(error: unknown): never {
  throw isConnectionLost(error) ? new ApiError(503, 'The connection to the database was lost; try again') : error;
}

/** Whether the connection failed, and not the statement: the server shut down, refuses connections, or is gone. */
function isConnectionLost(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string };
  return /^(E[A-Z]{4,}|08...|53...|57P..)$/.test(String(code)) || /timeout|terminated|connection error/i.test(message ?? '');
}
