import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrations } from '../../../src/service/areas.ts';
import { questionKey } from '../../../src/service/areas/faqs/rules.ts';
import { migrate } from '../../../src/service/store/migrate.ts';
import type { Engine } from '../../../src/service/store/store.ts';
import { fixtures, restoreFixture } from '../../support/store-fixture.ts';
import { engine, makeDatabase } from '../../support/stores.ts';

// A migration never changes once it is on main, released or not: a store may have applied it. Add another one, with a line here.
it('migrations on main do not change', () => {
  const digest = (statements: readonly string[]) =>
    createHash('sha256')
      .update(statements.map((each) => each.replace(/\s+/g, ' ').trim()).join(';'))
      .digest('hex')
      .slice(0, 16);
  const engines: readonly Engine[] = ['sqlite', 'postgres'];
  expect(migrations.map(({ name, statements }) => [name, ...engines.map((each) => digest(statements(each)))])).toEqual([
    ['0.2.0', '1d774a472da6ce3c', '701602d3cf22d05e'],
    ['0.3.0 health, merges, campaign tags', '2db6e717e465250d', '535e6b63919b25e5'],
    ['0.3.0 passages', 'f25f81767658be8c', '61bbfb84c42b7b91'],
    ['0.3.0 texts of sources', '7c3326ea82e4eefd', '7c3326ea82e4eefd'],
    ['0.3.0 team, config, notifications, errors', 'a451ef2de9a50370', '3df489cfbec83e5e'],
    ['0.3.0 vectors', 'cbd02ff478484789', '09774b19ee1577b3'],
    ['0.3.0 search, stream and traces of messages', '98257161061b345d', '3c30e16bf669c951'],
    ['0.3.0 replays', '00581c32a28a9b5b', '0808cf29e20b85ae'],
    ['0.3.0 statuses of recipients, overview', 'ce1c2c876d339cf3', 'ce1c2c876d339cf3'],
    ['0.3.0 kept answers', '2431b7a755740dc8', 'a80de7e7ea57cf6f'],
    ['0.3.0 knowledge groups, gaps, summaries', 'c5418ae21762c52e', 'ba51077fbe465fcd'],
    ['0.3.0 functions, tool servers, media', '10ea54d1f0620861', 'f33900b5cf3e80fe'],
    ['0.3.0 accounts of transfers', '9fcbbe2488a90987', '9fcbbe2488a90987'],
    ['0.3.0 previous versions of agents', '96c82dc7a78b593e', '96c82dc7a78b593e'],
    ['0.3.0 deals and notes', 'bab0cba4d373771a', '207b81d45ad64180'],
    ['0.3.0 chat exports', '6957ac4ea7c45572', 'be82fa5afbb02d9e'],
    ['0.3.0 scheduled tasks', '491769cdfc4c01fc', '84ce73e4e3ff7a15'],
    ['0.3.0 billing', '25fcdd6951497f6f', '25fcdd6951497f6f'],
    ['0.3.0 snapshots', '31464b89a1e63c9e', '84930b271680834b'],
    ['0.3.0 pages', 'df714c761371ad29', '633ae20a33179ae3'],
    ['0.3.0 names in questions', '6c67b4c28c7a0207', '6c67b4c28c7a0207'],
    ['0.3.0 sources by status', '160e5b9f9229fa74', '160e5b9f9229fa74'],
    ['0.3.0 words of scripts', 'cf36469eb5a67480', 'cf36469eb5a67480'],
    ['0.3.0 FAQs to prepare', '1000c1f807842bdf', 'e3b0c44298fc1c14'],
    ['0.3.0 whole sentences', 'e5409b20104c6094', 'e5409b20104c6094'],
    ['0.3.0 whole verbs', 'b8aaebdaec7d88ef', 'b8aaebdaec7d88ef'],
    ['0.3.0 words without spaces', 'f0c295425e32a830', 'f0c295425e32a830'],
  ]);
});

// Proves rule serve.24.
it('a store of before 0.2.0 is refused with one line, and left as it is', async () => {
  const database = await makeDatabase();
  const store = await database.open();
  await store.write(async (db) => {
    await sql`create table migrations (id bigint primary key, name text not null, applied_at bigint not null)`.execute(db);
    await sql`insert into migrations values (0, 'foundation', 1), (1, 'webhooks', 1)`.execute(db);
    await sql`create table tags (id text primary key)`.execute(db);
  });
  const tablesOf = () => store.read(async (db) => (await db.introspection.getTables()).map(({ name }) => name).sort());
  const contents = async () => [await tablesOf(), (await store.read((db) => sql`select * from migrations order by id`.execute(db))).rows];
  const before = await contents();
  await expect(migrate(store, migrations, () => 0)).rejects.toThrow(
    /^The store was made by a version of msgctl before 0\.2\.0, .*`msgctl dump` .*another --data, MSGCTL_DATA_DIR or --database\.$/,
  );
  expect(await contents()).toEqual(before);
  await store.close();
  await database.remove();
});

it('the keys of questions are folded anew, and the health of inherited deliveries is told from that of own ones', async () => {
  const database = await makeDatabase();
  const store = await database.open();
  await restoreFixture(store, fixtures[0]);
  const run = (text: string) => store.write((db) => sql.raw(text).execute(db));
  // An agency whose webhook applies to its sub-accounts, a client that has the same one too, and one that has none.
  await run("update accounts set parent_id = null, kind = 'agency'");
  const [agency = '', both = '', none = ''] = (
    await store.read((db) => sql<{ id: string }>`select id from accounts order by seq limit 3`.execute(db))
  ).rows.map(({ id }) => id);
  await run(`update accounts set parent_id = '${agency}' where id in ('${both}', '${none}')`);
  await run('delete from webhook_health');
  await run('delete from webhooks');
  for (const [id, account] of [
    ['whk_agency', agency],
    ['whk_both', both],
  ] as const)
    await run(`insert into webhooks (id, account_id, name, url, receiver, subscribed_to, subscribed_to_tags, retries_enabled, enabled,
      apply_to_sub_accounts, created_at, updated_at)
      values ('${id}', '${account}', 'x', 'https://a.example/', 'https://a.example/', '[]', '[]', 0, 1, ${id === 'whk_agency' ? 1 : 0}, 1, 1)`);
  for (const [account, receiver] of [
    [agency, 'a'],
    [both, 'a'],
    [none, 'a'],
    [none, 'former'],
  ] as const)
    await run(
      `insert into webhook_health values ('${account}', 'https://${receiver}.example/', 1, 2, 3, 4, 'failed', '{"at":5}', 6, 7, 8)`,
    );
  const [faq] = (await store.read((db) => sql<{ seq: number }>`select seq from faqs limit 1`.execute(db))).rows;
  await store.write((db) => sql`update faqs set question = ${'STRASSE?'}, question_key = ${'old'} where seq = ${faq?.seq}`.execute(db));
  await migrate(store, migrations, () => 0);
  const health = await store.read((db) => db.selectFrom('webhook_health').selectAll().orderBy('receiver').orderBy('inherited').execute());
  const names = new Map([
    [agency, 'agency'],
    [both, 'both'],
    [none, 'none'],
  ]);
  expect(health.map((row) => `${names.get(row.account_id)} ${row.receiver} ${row.inherited}`).toSorted()).toEqual([
    'agency https://a.example/ 0',
    'both https://a.example/ 0',
    'both https://a.example/ 1',
    'none https://a.example/ 1',
    'none https://former.example/ 0',
  ]);
  for (const row of health) expect(row).toMatchObject({ total_failures: 2, disabled_at: 4, last_failure_at: 5, last_success_at: 6 });
  const keys = await store.read((db) => db.selectFrom('faqs').select(['question', 'question_key']).execute());
  expect(keys.map(({ question_key: key }) => key)).toEqual(keys.map(({ question }) => questionKey(question)));
  expect(questionKey('STRASSE?')).toBe(questionKey('Straße?'));
  await store.close();
  await database.remove();
});

// Proves rule broadcasts.44.
it('recipients of earlier broadcasts tell what their messages and the error log tell', async () => {
  const database = await makeDatabase();
  const store = await database.open();
  await restoreFixture(store, fixtures[0]);
  const before = migrations.findIndex(({ name }) => name.includes('statuses of recipients'));
  await migrate(store, migrations.slice(0, before), () => 0);
  const run = (text: string) => store.write((db) => sql.raw(text).execute(db));
  const [broadcast] = (await store.read((db) => sql<{ id: string }>`select id from broadcasts limit 1`.execute(db))).rows;
  const id = broadcast?.id ?? '';
  const contacts = (
    await store.read((db) => sql<{ seq: number; id: string }>`select seq, id from contacts order by seq limit 4`.execute(db))
  ).rows;
  const messages = (await store.read((db) => sql<{ id: string }>`select id from messages order by seq limit 4`.execute(db))).rows;
  await run('delete from audiences');
  await run('delete from broadcast_recipients');
  await run('update messages set broadcast_id = null');
  await run(`update broadcasts set updated_at = 99 where id = '${id}'`);
  const states = ['sent', 'sent', 'sent', 'failed'];
  for (const [index, contact] of contacts.entries()) {
    const hasReplied = index === 1 ? 1 : 0;
    await run(`insert into broadcast_recipients (broadcast_id, contact_seq, contact_id, state, replied)
      values ('${id}', ${contact.seq}, '${contact.id}', '${states[index]}', ${hasReplied})`);
  }
  // Of the third one, nothing is kept.
  for (const [index, status] of [
    [0, 'read'],
    [1, 'delivered'],
  ] as const)
    await run(`update messages set broadcast_id = '${id}', contact_id = '${contacts[index]?.id}', status = '${status}', created_at = 5
      where id = '${messages[index]?.id}'`);
  await run(`insert into error_records (id, account_id, source, code, entity_type, entity_id, contact_id, count, first_at, last_at)
    select 'err_x', account_id, 'broadcast', 'recipient_dnd', 'broadcast', '${id}', '${contacts[3]?.id}', 1, 5, 5
    from broadcasts where id = '${id}'`);
  await migrate(store, migrations, () => 0);
  const rows = await store.read((db) =>
    db.selectFrom('broadcast_recipients').select(['state', 'message_id', 'at', 'code']).orderBy('contact_seq').execute(),
  );
  expect(rows).toEqual([
    { state: 'read', message_id: messages[0]?.id, at: 5, code: null },
    { state: 'replied', message_id: messages[1]?.id, at: 5, code: null },
    { state: 'sent', message_id: null, at: 99, code: null },
    { state: 'failed', message_id: null, at: 99, code: 'recipient_dnd' },
  ]);
  const counts = await store.read((db) => db.selectFrom('recipient_counts').select(['state', 'recipients']).orderBy('state').execute());
  expect(counts).toEqual(['failed', 'read', 'replied', 'sent'].map((state) => ({ state, recipients: 1 })));
  await store.close();
  await database.remove();
});

// Proves rule analytics.17.
it('the other account of an earlier transfer is the agency, or the sub-account of the same time and amount', async () => {
  const database = await makeDatabase();
  const store = await database.open();
  await restoreFixture(store, fixtures[0]);
  const run = (text: string) => store.write((db) => sql.raw(text).execute(db));
  await run("update accounts set parent_id = null, kind = 'agency'");
  const [agency = '', one = '', two = ''] = (
    await store.read((db) => sql<{ id: string }>`select id from accounts order by seq limit 3`.execute(db))
  ).rows.map(({ id }) => id);
  await run(`update accounts set parent_id = '${agency}' where id in ('${one}', '${two}')`);
  await run('delete from credit_ledger');
  const moved = [
    [agency, 1, 'transfer_out', -5, one],
    [one, 1, 'transfer_in', 5, agency],
    // Two of the same time and amount, of which the records of the agency do not tell which is which.
    [agency, 2, 'transfer_out', -7, null],
    [one, 2, 'transfer_in', 7, agency],
    [agency, 2, 'transfer_out', -7, null],
    [two, 2, 'transfer_in', 7, agency],
    // Of a sub-account that was deleted.
    [agency, 3, 'transfer_in', 9, null],
    [two, 3, 'message', -9, null],
  ] as const;
  for (const [index, [account, at, reason, millionths]] of moved.entries())
    await run(`insert into credit_ledger (id, account_id, at, reason, millionths, is_adjustment)
      values ('led_${index}', '${account}', ${at}, '${reason}', ${millionths}, 1)`);
  await migrate(store, migrations, () => 0);
  const rows = await store.read((db) => db.selectFrom('credit_ledger').select('transfer_account_id').orderBy('id').execute());
  expect(rows.map((row) => row.transfer_account_id)).toEqual(moved.map(([, , , , other]) => other));
  await store.close();
  await database.remove();
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

it.runIf(engine === 'sqlite')('SQLite finds the numbers of the busiest tables first, and uses none again', async () => {
  const database = await makeDatabase();
  const store = await database.open();
  await migrate(store, migrations, () => 0);
  const job = (id: string) => sql`insert into jobs (id, kind, lane, payload, due_at, attempts, lease_until)
    values (${id}, 'none', 'work', '{}', 0, 0, 0)`;
  const add = (id: string) => store.write((db) => job(id).execute(db));
  for (const id of ['job_1', 'job_2']) await add(id);
  await store.write((db) => sql`delete from jobs`.execute(db));
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
