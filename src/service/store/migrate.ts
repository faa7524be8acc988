import { sql } from 'kysely';
import { ServiceUnavailable } from '../errors.ts';
import type { Migration } from './migration.ts';
import { fixed } from './prepared.ts';
import type { Store } from './store.ts';

declare module './database.ts' {
  interface Database {
    migrations: { id: number; name: string; applied_at: number };
  }
}

/**
 * Migrates a store to the newest schema, in one transaction.
 * @param migrations all migrations, in order
 * @param onStatement called after each statement
 * @throws ServiceUnavailable when the store has a schema of before version 0.2.0, or one of a newer version of the program
 */
export async function migrate(
  store: Store,
  migrations: readonly Migration[],
  realNow: () => number,
  onStatement = () => {},
): Promise<void> {
  if ((await appliedCount(store, migrations)) === migrations.length) return;
  await createMigrationsTable(store);
  await store.write(async (db) => {
    // Other processes that start at the same time wait here. On SQLite, they wait for the transaction itself.
    if (store.engine === 'postgres') await sql`lock table migrations in exclusive mode`.execute(db);
    const { count } = await db
      .selectFrom('migrations')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    for (const [id, { name, statements, convert }] of migrations.entries()) {
      if (id < count) continue;
      // On PostgreSQL, the statements are sent without waiting for each other.
      for (const statement of statements(store.engine)) {
        fixed(db).change(statement, []);
        onStatement();
      }
      await convert?.(db);
      await db.insertInto('migrations').values({ id, name, applied_at: realNow() }).execute();
    }
  });
}

/**
 * The codes that PostgreSQL reports to the second of two processes that create a table at the same time: for the entry in its
 * catalogue, the table, or the type of its rows.
 */
const createdElsewhere: ReadonlySet<unknown> = new Set(['23505', '42P07', '42710']);

async function createMigrationsTable(store: Store): Promise<void> {
  const create = sql`create table if not exists migrations (id bigint primary key, name text not null, applied_at bigint not null)`;
  try {
    await store.write((db) => create.execute(db));
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (!createdElsewhere.has(code)) throw error;
  }
}

async function appliedCount(store: Store, migrations: readonly Migration[]): Promise<number> {
  const applied = await store
    .read((db) => db.selectFrom('migrations').select(['id', 'name']).orderBy('id').execute())
    .catch((error: unknown) => {
      if (isMissingTable(error)) return [];
      throw error;
    });
  const [first] = applied;
  if (first && first.name !== migrations[0]?.name)
    throw new ServiceUnavailable(
      'The store was made by a version of msgctl before 0.2.0, which this version cannot read: save its configuration with `msgctl dump` of the version that made it, or start anew with another --data, MSGCTL_DATA_DIR or --database.',
    );
  const unknown = applied.find((row) => migrations[row.id]?.name !== row.name);
  if (unknown)
    throw new ServiceUnavailable(
      `The store has the newer schema '${unknown.name}', which this version of msgctl does not know: use the version that created it, or a newer one.`,
    );
  return applied.length;
}

function isMissingTable(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message: string };
  // oxlint-disable-next-line project/restricted-syntax -- SQLite has the same code for every invalid statement
  return code === '42P01' || message.startsWith('no such table');
}
