import { setTimeout as sleep } from 'node:timers/promises';
import { type Dialect, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { ApiError, ServiceUnavailable } from '../errors.ts';
import type { Database } from './schema.ts';
import type { Db, Store } from './store.ts';

/** How often a transaction is tried that the database refuses only because of others beside it. */
const attempts = 20;

const int8 = 20;
const numeric = 1700;

/**
 * Opens a store in a PostgreSQL database, or in what speaks its protocol.
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
      // 64-bit integers and sums arrive as text; all that is kept in them is a safe integer.
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 || oid === numeric ? Number : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
    },
  });
  // A connection that breaks while idle is replaced when it is needed; the failed query tells.
  pool.on('error', () => {});
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

/** Makes a store of any dialect of PostgreSQL. */
export function postgresStore(dialect: Dialect): Store {
  const db: Db = new Kysely<Database>({ dialect });
  return {
    engine: 'postgres',
    read: (work) => work(db),
    async write(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await db.transaction().setIsolationLevel('serializable').execute(work);
        } catch (error) {
          if (!isConflict(error)) throw error;
          if (attempt === attempts) throw new ApiError(503, 'The store is busy: others change the same records; try again');
        }
        await sleep(Math.random() * 2 ** Math.min(attempt, 7));
      }
    },
    version: () => null,
    close: () => db.destroy(),
  };
}

/** Serialization failures, deadlocks, and two that insert the same: nothing was done, and the same again sees what the other did. */
const conflicts: ReadonlySet<unknown> = new Set(['40001', '40P01', '23505']);

/** Whether PostgreSQL refused a transaction only because of others beside it. */
function isConflict(error: unknown): boolean {
  return conflicts.has((error as { code?: unknown }).code);
}
