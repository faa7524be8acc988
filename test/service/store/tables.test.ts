import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrations } from '../../../src/service/areas.ts';
import type { AnyColumn } from '../../../src/service/store/columns.ts';
import { migrate } from '../../../src/service/store/migrate.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { Table } from '../../../src/service/store/table.ts';
import { engine, makeDatabase, type TestDatabase } from '../../support/stores.ts';

// Compares each table definition with the migrated database on the tested engine.
const modules = await Promise.all(
  globSync('src/service/**/{table,tables}.ts').map(async (file) => (await import(resolve(file))) as Record<string, unknown>),
);
const tables = modules.flatMap((module) => Object.values(module)).filter((value) => value instanceof Table);

interface DatabaseColumn {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
}

let database: TestDatabase;
let store: Store;

beforeAll(async () => {
  database = await makeDatabase();
  store = await database.open();
  await migrate(store, migrations, () => 0);
});

afterAll(async () => {
  await store.close();
  await database.remove();
});

async function columnsOf(table: string): Promise<DatabaseColumn[]> {
  if (engine === 'sqlite') {
    const { rows } = await store.read((db) =>
      sql<{
        name: string;
        type: string;
        notnull: number;
        pk: number;
      }>`select name, type, "notnull", pk from pragma_table_info(${table})`.execute(db),
    );
    // SQLite does not report a primary key as not null.
    return rows.map(({ name, type, notnull, pk }) => ({ name, type: type.toLowerCase(), isNullable: notnull === 0 && pk === 0 }));
  }
  const { rows } = await store.read((db) =>
    sql<{ name: string; type: string; nullable: string }>`
      select column_name as name, data_type as type, is_nullable as nullable from information_schema.columns
      where table_schema = 'public' and table_name = ${table}`.execute(db),
  );
  return rows.map(({ name, type, nullable }) => ({ name, type, isNullable: nullable === 'YES' }));
}

const types: Record<string, string> = { integer: 'bigint', blob: 'bytes', bytea: 'bytes' };

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

describe('table definitions', () => {
  it.each(tables.map((table) => [table.name, table] as const))('%s matches the migrated database', async (name, table) => {
    const made = (await columnsOf(name)).map((column) => ({ ...column, type: types[column.type] ?? column.type }));
    const defined = Object.entries<AnyColumn>(table.columns as Record<string, AnyColumn>).map(([column, { type, settings }]) => ({
      name: column,
      type,
      isNullable: settings.isNullable,
    }));
    expect(defined.sort(byName)).toEqual(made.sort(byName));
  });

  it('exist for all tables of the database', async () => {
    const made = await store.read(async (db) => (await db.introspection.getTables()).map(({ name }) => name));
    // The index of words has the tables of its engine.
    const isInternal = (name: string) => ['migrations', 'sqlite_sequence'].includes(name) || name.startsWith('message_words');
    expect(tables.map(({ name }) => name).sort()).toEqual(made.filter((name) => !isInternal(name)).sort());
  });
});
