import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { PGliteDialect } from 'kysely';
import pg from 'pg';
import { openPostgresStore, postgresStore } from '../../src/service/store/postgres-store.ts';
import { openSqliteStore } from '../../src/service/store/sqlite-store.ts';
import type { Store } from '../../src/service/store/store.ts';

/** The engine that the running project of the suite tests. */
export const engine = process.env.MSGCTL_TEST_ENGINE ?? 'sqlite';

/** A database of its own that any number of stores can be opened on, as several processes would. */
export interface TestDatabase {
  readonly open: () => Promise<Store>;
  /** The file of the embedded database; null on PostgreSQL. */
  readonly file: string | null;
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

function makeSqlite(): TestDatabase {
  const directory = mkdtempSync(join(tmpdir(), 'msgctl-test-'));
  const file = join(directory, 'msgctl.db');
  return {
    open: async () => openSqliteStore(file),
    file,
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Databases that were emptied and can be used again: to make one takes seconds. */
const spare: PGlite[] = [];

async function makePglite(): Promise<TestDatabase> {
  const { PGlite: Database, types } = await import('@electric-sql/pglite');
  const pglite = spare.pop() ?? (await Database.create({ parsers: { [types.INT8]: Number, [types.NUMERIC]: Number } }));
  // One connection serves all who open it: they take turns, as one store's transactions do.
  const store = postgresStore(new PGliteDialect({ pglite }));
  return {
    open: async () => ({ ...store, close: async () => {} }),
    file: null,
    remove: async () => {
      await pglite.exec('drop schema public cascade; create schema public');
      spare.push(pglite);
    },
  };
}

async function makePostgres(): Promise<TestDatabase> {
  const { address, remove } = await makePostgresDatabase();
  return { open: () => openPostgresStore(address), file: null, remove };
}

/** Makes a database on the PostgreSQL server that the suite was given, for processes of their own. */
export async function makePostgresDatabase(): Promise<{ address: string; remove: () => Promise<void> }> {
  const server = process.env.MSGCTL_TEST_DATABASE_URL ?? '';
  const name = `msgctl_test_${randomBytes(6).toString('hex')}`;
  await administer(server, `create database ${name}`);
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
