import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import type { Db } from '../../src/service/store/database.ts';
import type { PostgresClient, PostgresPool } from '../../src/service/store/postgres-client.ts';
import { openPostgresStore, postgresStore } from '../../src/service/store/postgres-store.ts';
import { openSqliteStore } from '../../src/service/store/sqlite-store.ts';
import type { Store } from '../../src/service/store/store.ts';
import { copyEmptyStore } from './empty-store.ts';

/** The engine of the running project of the test suite. */
export const engine = process.env.MSGCTL_TEST_ENGINE ?? 'sqlite';

/** Whether transactions on SQLite are refused at first. */
const isRefusing = process.env.MSGCTL_TEST_REFUSING !== undefined;

/** A database on which any number of stores can be opened, as several processes would. */
export interface TestDatabase {
  readonly open: () => Promise<Store>;
  /** The file of the embedded database; null for PostgreSQL. */
  readonly file: string | null;
  /** The address of the database on a PostgreSQL server. */
  readonly address?: string;
  readonly remove: () => Promise<void>;
}

export async function makeDatabase(): Promise<TestDatabase> {
  switch (engine) {
    case 'pglite':
      return await makePglite();
    case 'postgres':
      return await makePostgres();
    default:
      return makeSqlite();
  }
}

/** Makes a database with all tables and no rows: a copy of one that was migrated before, except on PGlite. */
export async function makeMigratedDatabase(): Promise<TestDatabase> {
  if (engine === 'postgres') return await makePostgres(process.env.MSGCTL_TEST_TEMPLATE);
  const database = await makeDatabase();
  if (database.file !== null) await copyEmptyStore(database.file);
  return database;
}

function makeSqlite(): TestDatabase {
  const directory = mkdtempSync(join(tmpdir(), 'msgctl-test-'));
  const file = join(directory, 'msgctl.db');
  return {
    open: async () => (isRefusing ? refusing(openSqliteStore(file)) : openSqliteStore(file)),
    file,
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Emptied databases for reuse, because creating one takes seconds. */
const spare: PGlite[] = [];

async function makePglite(): Promise<TestDatabase> {
  const { PGlite: Database, types } = await import('@electric-sql/pglite');
  const pglite = spare.pop() ?? (await Database.create({ parsers: { [types.INT8]: Number, [types.NUMERIC]: Number } }));
  const store = postgresStore(pgliteConnections(pglite), true);
  return {
    open: async () => ({ ...store, close: async () => {} }),
    file: null,
    remove: async () => {
      await pglite.exec('drop schema public cascade; create schema public');
      spare.push(pglite);
    },
  };
}

/** A pool with the only connection of PGlite, which is used by one caller at a time. */
function pgliteConnections(pglite: PGlite): PostgresPool {
  let free = Promise.resolve();
  return {
    connect: async () => {
      const turn = free;
      let release = () => {};
      free = new Promise((resolve) => (release = resolve));
      await turn;
      const query: PostgresClient['query'] = async ({ text, values }) => {
        const { rows, affectedRows = 0 } = await pglite.query(text, values);
        return { rows, command: affectedRows > 0 ? 'UPDATE' : 'SELECT', rowCount: affectedRows };
      };
      return { query, release };
    },
    end: async () => {},
  };
}

/** A store that forwards every call, for tests that replace one of its methods. */
export function forwarding(store: Store): Store {
  return {
    engine: store.engine,
    read: (work) => store.read(work),
    snapshot: (work) => store.snapshot(work),
    write: (work, options) => store.write(work, options),
    version: () => store.version(),
    refresh: (poll) => store.refresh(poll),
    close: () => store.close(),
    ...(store.copies && { copies: store.copies }),
  };
}

/**
 * A store that refuses each transaction at first: it is rolled back and runs again, as a database may demand of concurrent ones.
 */
function refusing(store: Store): Store {
  const refused = new Error('Refused');
  return {
    ...forwarding(store),
    write: async (work, options) => {
      const first = async (db: Db) => {
        await work(db);
        throw refused;
      };
      await store.write(first, options).catch((error: unknown) => {
        if (error !== refused) throw error;
      });
      return await store.write(work, options);
    },
  };
}

async function makePostgres(template?: string): Promise<TestDatabase> {
  const { address, remove } = await makePostgresDatabase(template);
  return { open: () => openPostgresStore(address), file: null, address, remove };
}

/** Creates a database, empty or a copy of another one, on the PostgreSQL server of the test suite. */
export async function makePostgresDatabase(template = 'template1'): Promise<{ address: string; remove: () => Promise<void> }> {
  const server = process.env.MSGCTL_TEST_DATABASE_URL ?? '';
  const name = `msgctl_test_${randomBytes(6).toString('hex')}`;
  await administer(server, `create database ${name} template ${template}`);
  const address = new URL(server);
  address.pathname = `/${name}`;
  return { address: address.href, remove: () => administer(server, `drop database ${name} with (force)`) };
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(statement);
  await client.end();
}
