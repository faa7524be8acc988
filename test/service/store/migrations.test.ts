import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { dayLength } from '../../../src/contract/days.ts';
import { readCalendar } from '../../../src/service/areas/calendars/records.ts';
import { migrations } from '../../../src/service/areas.ts';
import { accounts } from '../../../src/service/identity/tables.ts';
import { insertMany } from '../../../src/service/store/insert.ts';
import { migrate } from '../../../src/service/store/migrate.ts';
import type { Engine } from '../../../src/service/store/store.ts';
import { engine, makeDatabase } from '../../support/stores.ts';

// A released migration must never change, because existing stores have already applied it. A new one adds a line here.
it('released migrations do not change', () => {
  const digest = (statements: readonly string[]) =>
    createHash('sha256')
      .update(statements.map((each) => each.replace(/\s+/g, ' ').trim()).join(';'))
      .digest('hex')
      .slice(0, 16);
  const engines: readonly Engine[] = ['sqlite', 'postgres'];
  expect(migrations.map(({ name, statements }) => [name, ...engines.map((each) => digest(statements(each)))])).toEqual([
    ['foundation', 'c7cbd62f17a37821', 'd1d78ab96fe88b54'],
    ['webhooks', '320f43359c8a2b62', '154e7e763038ef4f'],
    ['contacts', 'cfcb33da7d0ec445', 'e74277bd2d49b6f1'],
    ['job keys', '562b0faa1e85e6f5', '0730a8bc1676a4c7'],
    ['rate portions', '6bfffaae3c632bba', '6bfffaae3c632bba'],
    ['long work', '1a7234316c1dc79d', '1a7234316c1dc79d'],
    ['agents', '5d1d7b9b8e5d2e78', 'bed005eccc662804'],
    ['faqs', 'eedec29f71ebdb95', 'd6b4f57275a86312'],
    ['knowledge', '00a7d1dc378ae296', '79c6fed14eb5bc7e'],
    ['templates', '6a2a0f74311f0234', '0dcb52979cfb87a4'],
    ['appointments', '586a9d1e566b1c69', '68883ac79097e478'],
    ['analytics', '92bc0cb2d4cd97de', '92bc0cb2d4cd97de'],
    ['bookings', '1642f14a896d0a32', '1642f14a896d0a32'],
    ['drafts', 'b9aac3def4ca8e84', 'b9aac3def4ca8e84'],
    ['contact counts', '5e5d9babd7446a13', 'f32304471433f6db'],
    ['sessions of contacts', '8c11086f47886f63', '8c11086f47886f63'],
    ['recounts', '30fd4257768ab811', '30fd4257768ab811'],
    ['handling', 'bc90e622dbf14561', 'bc90e622dbf14561'],
    ['completed tasks', '929494be97eb8f45', '929494be97eb8f45'],
    ['imported events', '3d06f08da923e57f', '3d06f08da923e57f'],
    ['countries by agent', 'ebb1408c15288e03', 'ebb1408c15288e03'],
    ['unchecked references', 'e3b0c44298fc1c14', '36e76ce0d43b277a'],
    ['sequence order', 'aa43e16948be15e6', 'e3b0c44298fc1c14'],
  ]);
});

it.runIf(engine === 'postgres')('messages, imports and broadcasts fill tables whose rows PostgreSQL does not check', async () => {
  const database = await makeDatabase();
  const store = await database.open();
  await migrate(store, migrations, () => 0);
  const { rows } = await store.read((db) =>
    sql<{ name: string; references: string }>`select conrelid::regclass::text as name, confrelid::regclass::text as "references"
      from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`.execute(db),
  );
  const unchecked = ['contacts', 'chat_sessions', 'messages', 'decisions', 'credit_ledger', 'contact_tags', 'list_contacts'];
  const checked = rows.filter(({ name }) => [...unchecked, 'broadcast_recipients'].includes(name));
  expect(checked).toEqual([]);
  expect(rows.length).toBeGreaterThan(20);
  await store.close();
});

it('migrations keep calendar events', async () => {
  const database = await makeDatabase();
  const store = await database.open();
  const before = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === 'appointments'),
  );
  await migrate(store, before, () => 0);
  const event = (id: string) => ({ id, summary: 'Dentist', start: '2027-03-02T09:00:00Z', end: '2027-03-02T10:00:00Z', attendees: [] });
  const calendars = { with: { connected: true, events: [event('b'), event('a')] }, without: { connected: true }, empty: {} };
  await store.write(async (db) => {
    const rows = Object.entries(calendars).map(([id, calendar]) => ({ id, name: id, kind: 'standard' as const, plan: {}, calendar }));
    await insertMany(
      db,
      accounts,
      rows.map((row) => ({ ...row, created_at: 0, updated_at: 0 })),
    );
  });
  await migrate(store, migrations, () => 0);
  for (const [id, calendar] of Object.entries(calendars))
    expect(await store.read((db) => readCalendar(db, id))).toEqual({ connected: false, calendars: [], events: [], ...calendar });
  await store.close();
  await database.remove();
});

it('migrations keep when tasks were completed', async () => {
  const database = await makeDatabase();
  const store = await database.open();
  const place = migrations.findIndex(({ name }) => name === 'completed tasks');
  await migrate(store, migrations.slice(0, place), () => 0);
  await store.write(async (db) => {
    const account = { id: 'acc_1', name: 'A', kind: 'standard' as const, plan: {}, created_at: 0, updated_at: 0 };
    await insertMany(db, accounts, [account]);
    const task = { account_id: 'acc_1', title: 'Call', description: null, contact_id: null, assignee: null, due_at: null, created_at: 1 };
    const rows = [
      { ...task, id: 'tsk_1', status: 'completed', updated_at: 5 },
      { ...task, id: 'tsk_2', status: 'open', updated_at: 6 },
    ];
    await db
      .insertInto('tasks')
      .values(rows as never)
      .execute();
  });
  await migrate(store, migrations, () => 0);
  const found = await store.read((db) => db.selectFrom('tasks').select('completed_at').orderBy('id').execute());
  expect(found).toEqual([{ completed_at: 5 }, { completed_at: null }]);
  await store.close();
  await database.remove();
});

it('migrations count the contacts of a country under their first agents, and deleted contacts under none', async () => {
  const database = await makeDatabase();
  const store = await database.open();
  const place = migrations.findIndex(({ name }) => name === 'countries by agent');
  await migrate(store, migrations.slice(0, place), () => 0);
  const [account_id, day] = ['acc_1', 10];
  await store.write(async (db) => {
    const account = { id: account_id, name: 'A', kind: 'standard' as const, plan: {}, created_at: 0, updated_at: 0 };
    await insertMany(db, accounts, [account]);
    const people = [
      ['US', 'agt_1'],
      ['US', 'agt_1'],
      ['US', null],
      [null, 'agt_2'],
    ] as const;
    const flags = { do_not_disturb: 0, private_mode: 0, paused: 0, taken_over: 0, archived: 0 };
    const rows = people.map(([country, agent], index) => {
      const times = { created_at: day * dayLength + index, updated_at: 0 };
      const keys = { id: `con_${index}`, account_id, identity_key: `${index}` };
      return { ...keys, channel: 'chatapp', country, first_agent_id: agent, search_text: '', ...flags, ...times };
    });
    await db
      .insertInto('contacts')
      .values(rows as never)
      .execute();
    // One of four in the USA and the only one in Italy have been deleted since.
    for (const [country, count] of [
      ['US', 4],
      ['', 1],
      ['IT', 1],
    ] as const)
      await sql`insert into country_counts (account_id, day, country, contacts) values (${account_id}, ${day}, ${country}, ${count})`.execute(
        db,
      );
  });
  await migrate(store, migrations, () => 0);
  const found = await store.read((db) => db.selectFrom('country_counts').selectAll().orderBy('country').orderBy('agent_id').execute());
  const counted = (country: string, agent_id: string, contacts: number) => ({ account_id, day, agent_id, country, contacts });
  expect(found).toEqual([counted('', 'agt_2', 1), counted('IT', '', 1), counted('US', '', 2), counted('US', 'agt_1', 2)]);
  await store.close();
  await database.remove();
});

it.runIf(engine === 'sqlite')('SQLite finds the numbers of the busiest tables first, and uses none again', async () => {
  const database = await makeDatabase();
  const store = await database.open();
  const place = migrations.findIndex(({ name }) => name === 'sequence order');
  await migrate(store, migrations.slice(0, place), () => 0);
  const job = (id: string) => sql`insert into jobs (id, kind, lane, payload, due_at, attempts, lease_until)
    values (${id}, 'none', 'work', '{}', 0, 0, 0)`;
  const add = (id: string) => store.write((db) => job(id).execute(db));
  for (const id of ['job_1', 'job_2']) await add(id);
  await store.write((db) => sql`delete from jobs`.execute(db));
  await migrate(store, migrations, () => 0);
  await add('job_3');
  expect(await store.read((db) => db.selectFrom('jobs').select('seq').execute())).toEqual([{ seq: 3 }]);
  const { rows } = await store.read((db) => sql<{ name: string }>`select name from sqlite_sequence`.execute(db));
  expect(rows.slice(0, 4).map(({ name }) => name)).toEqual(['messages', 'credit_ledger', 'ai_calls', 'jobs']);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  await store.close();
  await database.remove();
});

it.runIf(engine === 'sqlite')('a new database has pages of 8 KiB', async () => {
  const database = await makeDatabase();
  await (await database.open()).close();
  expect(readFileSync(database.file ?? '').readUInt16BE(16)).toBe(8_192);
  await database.remove();
});
