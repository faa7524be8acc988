import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { type Endpoint, schemaOf } from '../../../src/contract/endpoint.ts';
import { endpoints } from '../../../src/contract/endpoints.ts';
import { migrations } from '../../../src/service/areas.ts';
import { migrate } from '../../../src/service/store/migrate.ts';
import { makeDatabase, type TestDatabase } from '../../support/stores.ts';
import { fixtures, readFixture, restoreFixture } from '../../support/store-fixture.ts';
import { TestService } from '../../support/test-service.ts';

let service: TestService | undefined;
let database: TestDatabase | undefined;

afterEach(async () => {
  await (service ? service.close() : database?.remove());
  [service, database] = [undefined, undefined];
});

/** The index of FAQs, which jobs make anew after the migration that gave it passages, and these jobs. */
const madeAnew = ['faq_terms', 'faq_words', 'faq_spellings', 'jobs'];

/** The lists and reports of an account, which need no id. */
const reads = (endpoints as readonly Endpoint[]).filter(
  ({ method, access, path }) => method === 'GET' && (access === 'account' || access === 'owner') && !path.includes('{'),
);

// Proves rule serve.24.
describe.each(fixtures)('a store of $version', (fixture) => {
  it('has data in every table', () => {
    expect(readFixture(fixture.version).filter(({ rows }) => rows.length === 0)).toEqual([]);
  });

  it('stays as it is when a migration ends midway, which can then begin anew', async () => {
    database = await makeDatabase();
    const store = await database.open();
    await restoreFixture(store, fixture);
    const next = { name: 'next', statements: () => ['alter table tags add column colour text', "update tags set colour = 'red'"] };
    const all = [...migrations.slice(0, fixture.applied), next];
    const fail = () => {
      throw new Error('killed');
    };
    const count = async (where: string) => (await store.read((db) => sql`select 1 from tags ${sql.raw(where)}`.execute(db))).rows.length;
    const tags = readFixture(fixture.version).find(({ table }) => table === 'tags')?.rows.length;
    await expect(migrate(store, all, () => 1, fail)).rejects.toThrow('killed');
    await expect(count("where colour = 'red'")).rejects.toThrow(/colour/);
    expect(await count('')).toBe(tags);
    await migrate(store, all, () => 1);
    expect(await count("where colour = 'red'")).toBe(tags);
    await store.close();
  });

  it('is migrated, and everything in it can be read', async () => {
    database = await makeDatabase();
    const store = await database.open();
    await restoreFixture(store, fixture);
    service = await TestService.on(database);
    const applied = await store.read((db) => db.selectFrom('migrations').select('name').orderBy('id').execute());
    expect(applied.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
    for (const { table, rows } of readFixture(fixture.version).filter(({ table }) => !madeAnew.includes(table))) {
      const { count } = await store.read((db) =>
        db
          .selectFrom(table as 'tags')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow(),
      );
      expect([table, count]).toEqual([table, rows.length]);
    }
    const token = await service.service.makeToken();
    expect((await service.sandbox('POST', '/settle', undefined, { key: token })).status).toBe(200);
    const indexed = await store.read((db) => db.selectFrom('faq_terms').select('faq_seq').distinct().execute());
    expect(indexed.length).toBeGreaterThan(0);
    await store.close();
    const accounts = readFixture(fixture.version).find(({ table }) => table === 'accounts');
    for (const row of accounts?.rows ?? []) {
      const id = row[accounts?.columns.indexOf('id') ?? 0] as string;
      const { api_key: key } = (await service.sandbox('POST', `/accounts/${id}/main-key`, undefined, { key: token })).body;
      for (const { name, path, rows, query } of reads) {
        const { status } = await service.get(path, { key });
        // Some need a query, a plan or a calendar that the account does not have.
        expect([name, status < 500]).toEqual([name, true]);
        const needsQuery = query !== undefined && !schemaOf(query).safeParse({}).success;
        if (rows !== undefined && !needsQuery) expect([name, [200, 403].includes(status)]).toEqual([name, true]);
      }
    }
    expect((await service.sandbox('POST', '/rebuild-counts', undefined, { key: token })).body.changed).toBe(0);
    expect(service.errors).toEqual([]);
  });
});
