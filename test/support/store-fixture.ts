import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { migrations } from '../../src/service/areas.ts';
import { migrate } from '../../src/service/store/migrate.ts';
import type { Store } from '../../src/service/store/store.ts';

// A store of an earlier version, with data of every area: the rows of all tables, from which the store is made on either engine.
// It was made by that version, with a request to each endpoint and a small made-up history, and never changes.

/** The versions of which there is a fixture, with the number of migrations that their stores have applied. */
export const fixtures = [{ version: '0.2.0', applied: 1 }] as const;

/** Some rows of a table. Bytes are in Base64. */
interface TableRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly bytes: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** The tables of a fixture, in an order in which no row refers to a later one. */
export function readFixture(version: string): TableRows[] {
  const file = new URL(`../service/store/fixtures/${version}.ndjson.gz`, import.meta.url);
  const lines = gunzipSync(readFileSync(file)).toString().trim().split('\n');
  return lines.map((line) => JSON.parse(line) as TableRows);
}

/** Fills an empty database with a fixture. */
export async function restoreFixture(store: Store, { version, applied }: (typeof fixtures)[number]): Promise<void> {
  await migrate(store, migrations.slice(0, applied), () => 0);
  await store.write(async (db) => {
    for (const { table, columns, bytes, rows } of readFixture(version)) {
      const isBytes = columns.map((column) => bytes.includes(column));
      for (let from = 0; from < rows.length; from += 50) {
        const values = rows.slice(from, from + 50).map((row) => {
          return sql`(${sql.join(row.map((value, index) => (isBytes[index] ? Buffer.from(value as string, 'base64') : value)))})`;
        });
        await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))}) values ${sql.join(values)}`.execute(
          db,
        );
      }
      if (store.engine === 'postgres' && columns.includes('seq'))
        await sql`select setval(pg_get_serial_sequence(${table}, 'seq'), max(seq)) from ${sql.table(table)}`.execute(db);
    }
  });
}
