import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeRequest } from '../../../src/service/http/request.ts';
import type { Db } from '../../../src/service/store/database.ts';
import { Receiver } from '../../support/receiver.ts';
import { engine } from '../../support/stores.ts';
import { TestService } from '../../support/test-service.ts';

// Long deletions: the record disappears for all readers at once, and its rows are deleted step by step.

let service: TestService;
let receiver: Receiver;
let agencyKey: string;

/** More than one step deletes. */
const many = 1_001;

beforeAll(async () => {
  service = await TestService.open();
  receiver = await Receiver.open();
  agencyKey = service.key;
});

/** The tests act on a sub-account of the first account, which is an agency. */
beforeEach(async () => {
  await service.sandbox('POST', '/clock', { frozen: false });
  await service.sandbox('POST', '/jobs', { hold: ['webhook_delivery', 'broadcast'] });
  await service.freshAccount({ parent_account_id: service.service.accountId });
  await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 100_000 });
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
});

afterAll(async () => {
  await service.close();
  await receiver.close();
});

let made = 0;

/** @param tags the names of their tags */
async function importContacts(count: number, tags: readonly string[] = []): Promise<string[]> {
  const ids: string[] = [];
  for (let left = count; left > 0; left -= 500) {
    const contacts = Array.from({ length: Math.min(500, left) }, () => ({ phone_number: `+1415${2_000_000 + made++}`, tags }));
    ids.push(...((await service.post('/contacts/import', { contacts })).body.contact_ids as string[]));
  }
  return ids;
}

async function makeList(ids: readonly string[]): Promise<string> {
  const { body } = await service.post('/lists', { name: 'Everybody' });
  expect((await service.post(`/lists/${body.list.id}/contacts`, { contact_ids: ids })).body.list.contact_count).toBe(ids.length);
  return body.list.id as string;
}

/** Counts the rows of a table, as the database has them. */
async function rows(table: string, where = sql`true`): Promise<number> {
  const store = await service.database.open();
  const counted = await store.read((db) =>
    sql<{ count: number }>`select count(*) as count from ${sql.table(table)} where ${where}`.execute(db),
  );
  await store.close();
  return counted.rows[0]?.count ?? NaN;
}

const follow = async (slug: string) =>
  await service.service.fetch(
    makeRequest({
      method: 'GET',
      target: `/l/${slug}`,
      header: () => undefined,
      readBody: async () => new Uint8Array(),
    }),
  );

const isOf = (account: string) => sql`account_id = ${account}`;

describe('a deleted sub-account', () => {
  /** A sub-account with records of each kind, and everything that refers to it. */
  async function fill() {
    const [contact = ''] = await importContacts(3);
    await service.post(`/contacts/${contact}/tags`, { name: 'VIP' });
    await makeList([contact]);
    await service.post('/contacts/send', { contact_id: contact, body: 'Hello' });
    await service.post('/webhooks', { url: receiver.url(), subscribed_to: ['Replies'], name: 'mine' });
    await service.post('/tasks', { title: 'Call', contact_id: contact });
    await service.post('/api-keys', {});
    await service.sandbox('POST', `/accounts/${service.accountId}/events`, { event: 'Replies' });
    const link = await service.post('/short-links', { url: 'https://example.com/' });
    return {
      account: service.accountId,
      key: service.key,
      token: await service.signIn(['contacts.view']),
      slug: link.body.short_link.slug as string,
    };
  }

  const remove = (account: string) => service.delete(`/subaccounts/${account}`, { key: agencyKey });

  // Proves rules accounts.8, accounts.10, accounts.11, accounts.24.
  it('disappears for all readers before its rows are deleted', async () => {
    const waitingBefore = (await service.sandbox('GET', '/jobs')).body.waiting as object;
    const { account, key, token, slug } = await fill();
    expect((await follow(slug)).status).toBe(302);
    expect((await service.sandbox('GET', '/jobs')).body.waiting).not.toEqual(waitingBefore);
    expect((await remove(account)).status).toBe(200);
    expect(await rows('contacts', isOf(account))).toBe(3);

    expect((await service.get('/contacts', { key })).status).toBe(401);
    expect((await service.get('/contacts', { key: token })).status).toBe(401);
    expect((await follow(slug)).status).toBe(404);
    expect((await service.sandbox('GET', '/jobs')).body.waiting).toEqual(waitingBefore);
  });

  // Proves rules accounts.8, accounts.10.
  it('is gone for its agency', async () => {
    const { account } = await fill();
    await remove(account);
    expect((await service.get(`/subaccounts/${account}`, { key: agencyKey })).status).toBe(404);
    const { sub_accounts: listed } = (await service.get('/subaccounts', { key: agencyKey })).body;
    expect((listed as { id: string }[]).map(({ id }) => id)).not.toContain(account);
    expect((await service.get(`/tags?sub_account_id=${account}`, { key: agencyKey })).status).toBe(404);
    expect((await remove(account)).status).toBe(404);
    expect((await service.post(`/subaccounts/${account}/credits`, { amount: 1 }, { key: agencyKey })).status).toBe(404);
  });

  // Proves rule accounts.11.
  it('is gone for the sandbox', async () => {
    const { account } = await fill();
    await remove(account);
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', {}],
      ['POST', '/main-key', undefined],
      ['POST', '/events', { event: 'Replies' }],
      ['POST', '/inbound', { channel: 'chatapp', from: '+14155550123', text: 'Hello' }],
    ] as const)
      expect((await service.sandbox(method, `/accounts/${account}${path}`, body)).status).toBe(404);
    expect((await service.sandbox('GET', `/deliveries?account_id=${account}`)).body.deliveries).toEqual([]);
    expect((await service.sandbox('GET', '/deliveries?webhook_id=mine')).body.deliveries).toEqual([]);
  });

  // Proves rule accounts.11.
  it('runs no more jobs', async () => {
    await service.sandbox('POST', '/jobs', { hold: [] });
    await service.sandbox('POST', '/settle');
    await service.sandbox('POST', '/jobs', { hold: ['webhook_delivery', 'broadcast'] });
    const { account } = await fill();
    await remove(account);
    await service.sandbox('POST', '/jobs', { hold: [] });
    receiver.take();
    expect((await service.sandbox('POST', '/settle')).body.jobs_run).toBe(0);
    await service.sandbox('POST', '/clock', { frozen: true });
    expect((await service.sandbox('POST', '/clock/advance', { seconds: 7 * 86_400 })).body.fired).toEqual([]);
    expect(receiver.take()).toEqual([]);
  });

  // Proves rule accounts.24.
  it('frees the slugs of its links immediately', async () => {
    const { account, slug } = await fill();
    await remove(account);
    await service.freshAccount();
    expect((await service.post('/short-links', { url: 'https://example.org/', slug })).status).toBe(201);
    expect((await follow(slug)).headers.location).toBe('https://example.org/');
  });

  // Proves rules serve.45, serve.46.
  it('loses its rows in steps that do not appear in the job queue, and not while the clock is frozen', async () => {
    const { account } = await fill();
    await remove(account);
    await service.sandbox('POST', '/clock', { frozen: true });
    await service.service.runMaintenance();
    expect(await rows('contacts', isOf(account))).toBe(3);
    await service.sandbox('POST', '/clock', { frozen: false });
    await service.service.runMaintenance();
    expect(await rows('accounts', sql`deleted_at is not null`)).toBe(0);
    const tables = [
      'contacts',
      'messages',
      'chat_sessions',
      'events',
      'deliveries',
      'jobs',
      'webhooks',
      'credit_ledger',
      'tags',
      'api_keys',
    ];
    for (const table of tables) expect([table, await rows(table, isOf(account))]).toEqual([table, 0]);
    expect(await rows('contact_counts')).toBe(0);
    expect(service.errors).toEqual([]);
  });
});

// Proves rules tags.7, lists.9, serve.45.
describe.each([
  { noun: 'tag', path: '/tags', members: 'contact_tags', filter: 'tag_id' },
  { noun: 'list', path: '/lists', members: 'list_contacts', filter: 'list_id' },
])('a deleted $noun with many contacts', ({ noun, path, members, filter }) => {
  it('disappears for all readers before its rows are deleted', async () => {
    const group = (await service.post(path, { name: 'Everybody' })).body[noun].id as string;
    const ids = await importContacts(many, noun === 'tag' ? ['Everybody'] : []);
    if (noun === 'list') await service.post(`/lists/${group}/contacts`, { contact_ids: ids });
    const before = await rows(members);
    const fields = { name: 'Spring', channel: 'chatapp', body: 'Hello', contact_ids: ids.slice(0, 1) };
    const broadcast = (await service.post('/broadcasts', { ...fields, ...(noun === 'list' && { list_ids: [group] }) })).body.broadcast;
    expect(broadcast.counts.total).toBe(noun === 'list' ? many : 1);

    expect((await service.delete(`${path}/${group}`)).status).toBe(200);
    expect(await rows(members)).toBe(before);
    expect((await service.delete(`${path}/${group}`)).status).toBe(404);
    expect((await service.put(`${path}/${group}`, { name: 'Nobody' })).status).toBe(404);
    expect((await service.get(path)).body[`${noun}s`]).toEqual([]);
    expect((await service.get(`/contacts?${filter}=${group}`)).status).toBe(404);
    expect((await service.get(`/contacts/${ids[0]}`)).body.contact).toMatchObject({ tags: [], list_ids: [] });
    expect((await service.post(path, { name: 'Everybody' })).body[noun].contact_count).toBe(0);
    // A draft that names the list is sent to the other recipients.
    expect((await service.post(`/broadcasts/${broadcast.id}/submit`)).body.broadcast.counts.total).toBe(1);
    expect((await service.post(`/broadcasts/${broadcast.id}/approve`)).body.broadcast.counts.total).toBe(1);

    await service.service.runMaintenance();
    expect(await rows(members)).toBe(before - many);
    expect((await service.get(`/contacts/${ids[0]}`)).status).toBe(200);
  });
});

// Proves rules contacts.47, contacts.48, serve.45.
it('a deleted contact with many messages disappears for all readers', async () => {
  const [id = '', other = ''] = await importContacts(2);
  const list = await makeList([id]);
  await service.post(`/contacts/${id}/tags`, { name: 'VIP' });
  const task = (await service.post('/tasks', { title: 'Call', contact_id: id })).body.task;
  const sent = await Promise.all(Array.from({ length: many }, () => service.post('/contacts/send', { contact_id: id, body: 'Hello' })));
  await service.post('/contacts/send', { contact_id: other, body: 'Hello' });
  const message = sent[0]?.body.message_id as string;
  const [session] = (await service.get(`/chat-sessions?contact_id=${id}`)).body.chat_sessions as { id: string }[];
  const number = (await service.get(`/contacts/${id}`)).body.contact.phone_number as string;

  expect((await service.delete(`/contacts/${id}`)).status).toBe(200);
  expect(await rows('messages', sql`contact_id = ${id}`)).toBe(many);
  expect((await service.get(`/contacts/${id}`)).status).toBe(404);
  expect((await service.get(`/contacts/${id}/messages`)).status).toBe(404);
  expect((await service.get(`/chat-sessions/${session?.id}`)).status).toBe(404);
  expect((await service.get('/chat-sessions')).body.chat_sessions).toMatchObject([{ contact_id: other }]);
  expect((await service.sandbox('POST', `/accounts/${service.accountId}/receipts`, { message_id: message, status: 'read' })).status).toBe(
    404,
  );
  expect((await service.get('/lists')).body.lists).toMatchObject([{ id: list, contact_count: 0 }]);
  expect((await service.get('/tags')).body.tags).toMatchObject([{ contact_count: 0 }]);
  expect((await service.get(`/tasks/${task.id}`)).body.task.contact_id).toBeNull();
  expect((await service.post('/contacts', { phone_number: number })).status).toBe(201);

  await service.service.runMaintenance();
  expect(await rows('messages', sql`contact_id = ${id}`)).toBe(0);
  expect(await rows('chat_sessions', sql`contact_id = ${id}`)).toBe(0);
  expect(await rows('messages', isOf(service.accountId))).toBe(1);
});

// Proves rules contacts.47, serve.45.
it('a deleted contact with few messages loses its rows at once', async () => {
  const [other = ''] = await importContacts(1);
  await service.post('/contacts/send', { contact_id: other, body: 'Hello' });
  const otherNumber = (await service.get(`/contacts/${other}`)).body.contact.phone_number as string;
  const dependents = ['messages', 'chat_sessions', 'decisions', 'contact_counts'];
  const countAll = async () => await Promise.all(dependents.map((table) => rows(table, sql`contact_id = ${other}`)));
  await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, { channel: 'chatapp', from: otherNumber, text: 'Hello' });
  expect(await countAll()).toEqual([2, 1, 1, 1]);
  expect((await service.delete(`/contacts/${other}`)).status).toBe(200);
  expect(await countAll()).toEqual([0, 0, 0, 0]);
});

describe.runIf(engine === 'postgres')('rows that another transaction has locked', () => {
  /** Changes rows in another transaction, which ends when the returned function is called. */
  async function changeElsewhere(change: (db: Db) => Promise<unknown>): Promise<() => Promise<void>> {
    const [changed, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const other = await service.database.open();
    const writing = other.write(async (db) => {
      await change(db);
      changed.resolve();
      await over.promise;
    });
    await changed.promise;
    return async () => {
      over.resolve();
      await writing;
      await other.close();
    };
  }

  it('delay no deletion of other rows, and are deleted later', async () => {
    const [contact = '', busy = ''] = await importContacts(2);
    for (const each of [contact, busy]) await service.post('/contacts/send', { contact_id: each, body: 'Hello' });
    const { accountId } = service;
    const end = await changeElsewhere((db) => sql`update messages set status = 'read' where contact_id = ${busy}`.execute(db));
    expect((await service.delete(`/subaccounts/${accountId}`, { key: agencyKey })).status).toBe(200);
    await service.service.runMaintenance();
    expect(await rows('messages', isOf(accountId))).toBe(1);
    await end();
    await service.service.runMaintenance();
    expect([await rows('messages', isOf(accountId)), await rows('accounts', sql`id = ${accountId}`)]).toEqual([0, 0]);
  });

  it('do not keep the id of a deleted record', async () => {
    const ids = await importContacts(many);
    const { agent_id: agent } = (await service.post('/agents', { name: 'Ada' })).body;
    await service.write((db) => sql`update contacts set agent_id = ${agent} where ${isOf(service.accountId)}`.execute(db));
    expect((await service.delete(`/agents/${agent}`)).status).toBe(200);
    const end = await changeElsewhere((db) => sql`update contacts set last_message_at = 1 where id = ${ids[3]}`.execute(db));
    await service.service.runMaintenance();
    expect(await rows('contacts', sql`agent_id = ${agent}`)).toBe(1);
    await end();
    await service.service.runMaintenance();
    expect([await rows('contacts', sql`agent_id = ${agent}`), await rows('agents', sql`id = ${agent}`)]).toEqual([0, 0]);
  });
});

it('a deleted tag, list or broadcast leaves no rows', async () => {
  const ids = await importContacts(2);
  const list = await makeList(ids);
  await service.post(`/contacts/${ids[0]}/tags`, { name: 'VIP' });
  const [tag] = (await service.get('/tags')).body.tags;
  const draft = { name: 'News', channel: 'chatapp', body: 'Hello', list_ids: [list] };
  const { broadcast } = (await service.post('/broadcasts', draft)).body;
  for (const step of ['submit', 'approve', 'pause']) expect((await service.post(`/broadcasts/${broadcast.id}/${step}`)).status).toBe(200);
  const tables = [
    ['contact_tags', sql`tag_id = ${tag.id}`],
    ['list_contacts', sql`list_id = ${list}`],
    ['broadcast_recipients', sql`broadcast_id = ${broadcast.id}`],
  ] as const;
  const count = async () => await Promise.all(tables.map(([table, where]) => rows(table, where)));
  expect(await count()).toEqual([1, 2, 2]);
  for (const path of [`/tags/${tag.id}`, `/lists/${list}`, `/broadcasts/${broadcast.id}`])
    expect((await service.delete(path)).status).toBe(200);
  expect(await count()).toEqual([0, 0, 0]);
});

// Proves rules webhooks.19, webhooks.60, sandbox.70, sandbox.75, serve.45.
it('a deleted subscription with many deliveries disappears before they are updated', async () => {
  await service.post('/webhooks', { url: receiver.url(), subscribed_to: ['Replies'], name: 'gone', generate_signing_secret: true });
  const emit = () => service.sandbox('POST', `/accounts/${service.accountId}/events`, { event: 'Replies' });
  await Promise.all(Array.from({ length: many }, emit));
  expect((await service.delete('/webhooks/1')).status).toBe(200);
  expect(await rows('deliveries', sql`account_id = ${service.accountId} and webhook_id is not null`)).toBe(many);
  expect((await service.get('/webhooks')).body.webhooks).toEqual([]);
  expect((await service.post('/webhooks', { url: receiver.url(), subscribed_to: ['Replies'], name: 'gone' })).status).toBe(200);
  const { deliveries } = (await service.sandbox('GET', `/deliveries?account_id=${service.accountId}&limit=1`)).body;
  expect(deliveries).toMatchObject([{ webhook_id: null, state: 'queued' }]);
  expect((await service.sandbox('POST', `/deliveries/${deliveries[0].id}/resend`)).status).toBe(409);
  receiver.take();
  await service.sandbox('POST', '/jobs', { hold: [] });
  await service.sandbox('POST', '/settle');
  expect(receiver.take()).toEqual([]);
  await service.service.runMaintenance();
  expect(await rows('deliveries', sql`account_id = ${service.accountId} and webhook_id is not null`)).toBe(0);
  expect(await rows('deliveries', sql`account_id = ${service.accountId} and state = 'dropped'`)).toBe(many);
});

// Proves rules broadcasts.8, serve.45.
it('a deleted broadcast with many recipients disappears before they are deleted', async () => {
  const list = await makeList(await importContacts(many));
  const { id } = (await service.post('/broadcasts', { name: 'Spring', channel: 'chatapp', body: 'Hello', list_ids: [list] })).body
    .broadcast;
  await service.post(`/broadcasts/${id}/submit`);
  expect((await service.post(`/broadcasts/${id}/approve`)).body.broadcast.counts.total).toBe(many);
  await service.post(`/broadcasts/${id}/pause`);
  expect((await service.delete(`/broadcasts/${id}`)).status).toBe(200);
  expect(await rows('broadcast_recipients', sql`broadcast_id = ${id}`)).toBe(many);
  expect((await service.get(`/broadcasts/${id}`)).status).toBe(404);
  expect((await service.post(`/broadcasts/${id}/resume`)).status).toBe(404);
  await service.service.runMaintenance();
  expect(await rows('broadcast_recipients', sql`broadcast_id = ${id}`)).toBe(0);
});
