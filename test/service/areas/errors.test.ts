import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Writer, WriterFailed } from '../../../src/service/areas/answers/writer.ts';
import { Receiver } from '../../support/receiver.ts';
import { answer, html, Site } from '../../support/site.ts';
import { TestService } from '../../support/test-service.ts';

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  service = await TestService.open();
  receiver = await Receiver.open();
});

beforeEach(async () => {
  await service.freshAccount();
});

afterAll(async () => {
  await receiver.close();
  await service.close();
});

interface Row {
  readonly source: string;
  readonly code: string;
  readonly entity: { readonly type: string; readonly id: string | null };
  readonly contact_id: string | null;
  readonly count: number;
}

const errors = async (query = '', key = service.key) => (await service.get(`/error-log${query}`, { key })).body.errors as Row[];

const shown = ({ source, code, entity, contact_id: who, count }: Row) => [source, code, entity.type, entity.id, who, count];

const notifications = async (kind: string) =>
  (await service.get(`/notifications?kind=${kind}`)).body.notifications as Record<string, unknown>[];

let lastNumber = 5_000_000;

async function contact(more: object = {}): Promise<string> {
  const { id } = (await service.post('/contacts', { phone_number: `+1415${++lastNumber}` })).body.contact;
  if (Object.keys(more).length > 0) expect((await service.put(`/contacts/${id}`, more)).status).toBe(200);
  return id as string;
}

async function control(path: string, body: object = {}, method = 'POST') {
  const answer = await service.sandbox(method, `/accounts/${service.accountId}${path}`, body);
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

const settle = () => service.sandbox('POST', '/settle');

const connect = () => control('/channels', { channel: 'chatapp', identity: '+14155550100' });

const send = async (id: string) => (await service.post('/contacts/send', { contact_id: id, body: 'x' })).body.message_id as string;

const fail = (message_id: string) => control('/receipts', { message_id, status: 'failed' });

const lastMessage = async (id: string) => (await service.get(`/contacts/${id}/messages`)).body.messages[0].id as string;

async function broadcast(ids: readonly string[]): Promise<string> {
  const fields = { name: 'Spring', channel: 'chatapp', body: 'x', contact_ids: ids };
  const { id } = (await service.post('/broadcasts', fields)).body.broadcast;
  for (const step of ['submit', 'approve']) await service.post(`/broadcasts/${id}/${step}`);
  return id as string;
}

const hook = (more: object = {}) => ({ url: receiver.url(), subscribed_to: ['Contact Created'], name: 'hook', ...more });

describe('a failure behind the back of a caller leaves exactly one record', () => {
  // Proves rules errors.6, errors.7.
  it('when a report makes a message fail', async () => {
    await connect();
    const who = await contact();
    const message = await send(who);
    await fail(message);
    expect((await errors()).map(shown)).toEqual([['message', 'delivery_failed', 'message', message, who, 1]]);
  });

  // Proves rules errors.5, errors.6, errors.7, notifications.6.
  it('when a recipient of a broadcast gets no message, or the message fails', async () => {
    await connect();
    const [dnd, quiet] = [await contact({ do_not_disturb: true }), await contact({ private_mode: true })];
    const [gone, fails, good] = [await contact(), await contact(), await contact()];
    await service.sandbox('POST', '/jobs', { hold: ['broadcast'] });
    const id = await broadcast([dnd, quiet, gone, fails, good]);
    await service.delete(`/contacts/${gone}`);
    await service.sandbox('POST', '/jobs', { hold: [] });
    await settle();
    await fail(await lastMessage(fails));
    const rows = (await errors()).map(shown);
    expect(rows).toContainEqual(['broadcast', 'recipient_dnd', 'broadcast', id, dnd, 1]);
    expect(rows).toContainEqual(['broadcast', 'private_mode', 'broadcast', id, quiet, 1]);
    expect(rows).toContainEqual(['broadcast', 'contact_deleted', 'broadcast', id, null, 1]);
    expect(rows).toContainEqual(['broadcast', 'delivery_failed', 'broadcast', id, fails, 1]);
    expect(rows).toHaveLength(4);
    expect(await notifications('broadcast_finished')).toMatchObject([{ severity: 'info', entity: { type: 'broadcast', id } }]);
    expect(await notifications('broadcast_failed')).toEqual([]);
  });

  // Proves rules errors.5, errors.7, notifications.6.
  it.each([
    ['channel_not_connected', async () => {}],
    ['insufficient_credits', async () => [await connect(), await control('', { credits: 0 }, 'PATCH')]],
    ['outside_window', async () => [await connect(), await control('', { conversation_window: true }, 'PATCH')]],
  ] as const)('when a broadcast cannot send: %s', async (code, prepare) => {
    await prepare();
    const ids = [await contact(), await contact()];
    const id = await broadcast(ids);
    await settle();
    const rows = await errors(`?entity_id=${id}`);
    expect(rows.map((row) => [row.code, row.count])).toEqual([
      [code, 1],
      [code, 1],
    ]);
    expect(rows.map((row) => row.contact_id).sort()).toEqual(ids.toSorted());
    expect(await notifications('broadcast_failed')).toMatchObject([{ severity: 'error', entity: { type: 'broadcast', id } }]);
    expect(await notifications('broadcast_finished')).toEqual([]);
  });

  // Proves rule notifications.6.
  it('and the account is told that a broadcast failed when reports make its last message fail', async () => {
    await connect();
    const who = await contact();
    await broadcast([who]);
    await settle();
    await fail(await lastMessage(who));
    expect([(await notifications('broadcast_finished')).length, (await notifications('broadcast_failed')).length]).toEqual([1, 1]);
  });

  // Proves rules errors.6, errors.8, errors.9, errors.10, notifications.6.
  it('when a delivery ends as failed, and once the receiver is disabled', async () => {
    receiver.behaviour = 500;
    await service.post('/webhooks', hook());
    expect((await service.post('/webhooks/hook/test')).body.delivered).toBe(false);
    for (let count = 0; count < 12; count++) await contact();
    await settle();
    const [row, ...others] = await errors();
    expect([row && shown(row).slice(0, 5), others]).toEqual([['delivery', 'http_5xx', 'webhook', '1', null], []]);
    expect(row?.count).toBeGreaterThanOrEqual(10);
    expect(await notifications('webhook_disabled')).toMatchObject([{ severity: 'error', entity: { type: 'webhook', id: '1' } }]);
    expect(await errors('?entity_id=1')).toEqual([row]);
    await service.delete('/webhooks/hook');
    expect((await errors()).map((each) => each.entity)).toEqual([{ type: 'webhook', id: null }]);
    expect((await service.get('/error-log?entity_id=1')).body.reason).toBe('webhook_not_found');
  });

  // Proves rule errors.6.
  it('on the account of the subscription, when an inherited delivery fails', async () => {
    receiver.behaviour = 400;
    const agency = await service.makeAccount({ kind: 'agency' });
    const client = await service.makeAccount({ parent_account_id: agency.account_id });
    await service.post('/webhooks', hook({ apply_to_sub_accounts: true }), { key: agency.api_key });
    await service.post('/contacts', { phone_number: '+14155550123' }, { key: client.api_key });
    await settle();
    expect((await errors('', agency.api_key)).map((row) => [row.code, row.entity.id])).toEqual([['http_4xx', '1']]);
    expect(await errors('', client.api_key)).toEqual([]);
  });

  // Proves rules errors.6, errors.8, notifications.6, notifications.8.
  it('when an import fails, and the account is told once an hour', async () => {
    const add = async () => (await service.post('/kb-sources/url', { url: `http://127.0.0.1:9/${lastNumber++}` })).body.source_id as string;
    const source = await add();
    await settle();
    await add();
    await settle();
    const rows = (await errors('?source=import')).map(shown);
    expect(rows).toContainEqual(['import', 'connection_failed', 'kb_source', source, null, 1]);
    expect(rows).toHaveLength(2);
    expect(await notifications('import_failed')).toMatchObject([{ entity: { type: 'kb_source', id: source } }]);
    service.clock.now += 3_600_000;
    await add();
    await settle();
    expect(await notifications('import_failed')).toHaveLength(2);
  });

  // Proves rules errors.6, notifications.6.
  it('when no calendar is connected to import from', async () => {
    const campaign = (await service.post('/campaigns', { name: 'x' })).body.campaign.id;
    expect((await service.post('/appointments/import-calendar-events', { campaign_id: campaign, identifier: 'EMAIL' })).status).toBe(202);
    await settle();
    expect((await errors()).map(shown)).toEqual([['import', 'not_connected', 'kb_source', null, null, 1]]);
    expect(await notifications('import_failed')).toMatchObject([{ entity: null }]);
  });

  // Proves rules errors.6, errors.8, notifications.6.
  it('when an agent cannot answer, or a run fails, because the own key of the account does', async () => {
    await connect();
    const agent = (await service.post('/agents', { name: 'Ada' })).body.agent_id as string;
    await service.put(`/agents/${agent}`, { active: true });
    await control('', { own_ai_key: 'failing' }, 'PATCH');
    const { contact_id: who, session_id: session } = await control('/inbound', {
      channel: 'chatapp',
      from: '+14155550155',
      text: 'Price?',
    });
    expect((await errors()).map(shown)).toEqual([['model', 'own_key_failing', 'agent', agent, who, 1]]);
    expect(await notifications('people_alerted')).toMatchObject([{ severity: 'warning', entity: { type: 'chat_session', id: session } }]);
    await service.post(`/agents/${agent}/optimize`, { user_feedback: 'Be short' });
    await settle();
    expect((await errors()).map(shown)[0]).toEqual(['model', 'own_key_failing', 'agent', agent, null, 1]);
  });

  // Proves rules errors.6, errors.8.
  it('when a model fails', async () => {
    const failing = async () => {
      throw new WriterFailed('The model did not answer in time', 'timeout');
    };
    const calls = { answer: failing, optimize: failing, draftTags: failing, chooseTags: failing, writeFaqs: failing, summarize: failing };
    const writer: Writer = { provider: 'model.example', isLocal: false, modelOf: () => 'small', ...calls, close: async () => {} };
    const other = await TestService.open({ writer });
    await other.sandbox('POST', `/accounts/${other.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
    const agent = (await other.post('/agents', { name: 'Ada' })).body.agent_id as string;
    await other.put(`/agents/${agent}`, { active: true, tags: [{ name: 'VIP', description: 'Buys' }] });
    await other.sandbox('POST', `/accounts/${other.accountId}/inbound`, { channel: 'chatapp', from: '+14155550155', text: 'Price?' });
    await other.sandbox('POST', '/settle');
    const rows = (await other.get('/error-log')).body.errors as Row[];
    // The answer and the tags of the message fail alike.
    expect(rows.map(({ source, code, entity, count }) => [source, code, entity.id, count])).toEqual([['model', 'timeout', agent, 2]]);
    await other.close();
  });
});

// Proves rules errors.1, errors.2, errors.3, errors.5.
it('the same failure within an hour is counted, and filters combine', async () => {
  const start = new Date(service.clock.now).toISOString();
  receiver.behaviour = 302;
  await service.post('/webhooks', hook());
  const who = await contact();
  await settle();
  service.clock.now += 3_599_000;
  await contact();
  await settle();
  const last = new Date(service.clock.now).toISOString();
  const [first, ...rest] = await errors('?source=delivery');
  expect([first, rest]).toEqual([expect.objectContaining({ code: 'http_3xx', count: 2, first_at: start, last_at: last }), []]);
  service.clock.now += 1_000;
  await contact();
  await settle();
  expect((await errors('?source=delivery&code=http_3xx')).map(({ count }) => count)).toEqual([1, 2]);
  expect(await errors(`?source=delivery&to=${last}`)).toEqual([first]);
  expect(await errors(`?to=${start}`)).toEqual([]);
  expect(await errors(`?contact_id=${who}`)).toEqual([]);
  const day = start.slice(0, 10);
  expect(await errors(`?from=${day}&to=${day}`)).not.toEqual([]);
  expect((await service.get('/error-log?from=2027-03-02&to=2027-03-01')).body.field).toBe('from');
  for (const query of ['source=x', 'code=x', 'from=x']) expect((await service.get(`/error-log?${query}`)).status).toBe(400);
  for (const query of ['contact_id=ctc_none', 'entity_id=msg_none', 'entity_id=9'])
    expect((await service.get(`/error-log?${query}`)).status).toBe(404);
});

// Proves rule errors.11.
it('records of a deleted contact stay, without the contact', async () => {
  await connect();
  const who = await contact();
  const message = await send(who);
  await fail(message);
  await service.delete(`/contacts/${who}`);
  expect((await errors()).map(shown)).toEqual([['message', 'delivery_failed', 'message', message, null, 1]]);
  expect(await errors(`?entity_id=${message}`)).toHaveLength(1);
  expect((await service.get(`/error-log?contact_id=${who}`)).status).toBe(404);
});

// Proves rules errors.5, errors.8.
it('each code of a delivery has a record of its own', async () => {
  await service.post('/webhooks', hook());
  for (const behaviour of [302, 404, 503] as const) {
    receiver.behaviour = behaviour;
    await contact();
    await settle();
  }
  await service.post('/webhooks', hook({ name: 'closed', url: 'http://127.0.0.1:9/' }));
  receiver.behaviour = 200;
  await contact();
  await settle();
  const codes = (await errors()).map(({ code, entity, count }) => [code, entity.id, count]);
  expect(codes).toEqual([
    ['connection_failed', '2', 1],
    ['http_5xx', '1', 1],
    ['http_4xx', '1', 1],
    ['http_3xx', '1', 1],
  ]);
});

// Proves rule errors.8.
it('an import that fails says why by its code', async () => {
  const text = { 'content-type': 'text/html' };
  const site = await Site.open({
    '/robots.txt': answer(200, { 'content-type': 'text/plain' }, 'User-agent: *\nDisallow: /robots'),
    '/robots': html('Closed', '<p>Closed</p>'),
    '/http_4xx': answer(403, text),
    '/http_5xx': answer(501, text),
    '/http_3xx': answer(302, { location: 'mailto:ann@test.example' }),
    '/unreadable': answer(200, { 'content-type': 'image/png' }, 'x'),
    '/too_large': answer(200, text, `<p>${'x'.repeat(11 * 1024 * 1024)}</p>`),
  });
  const wanted = ['robots', 'http_4xx', 'http_5xx', 'http_3xx', 'unreadable', 'too_large'];
  for (const code of wanted) {
    const { source_id: id } = (await service.post('/kb-sources/url', { url: site.url(`/${code}`) })).body;
    await settle();
    expect(await errors(`?entity_id=${id}`), code).toMatchObject([{ source: 'import', code, count: 1 }]);
  }
  await site.close();
});

// Proves rules errors.3, errors.13, notifications.11.
it('a record is kept by the time when it happened last', async () => {
  receiver.behaviour = 400;
  await service.post('/webhooks', hook());
  await contact();
  await settle();
  const first = new Date(service.clock.now).toISOString();
  service.clock.now += 3_000_000;
  await contact();
  await settle();
  expect((await errors(`?from=${new Date(service.clock.now).toISOString()}`)).map(({ count }) => count)).toEqual([2]);
  expect(await errors(`?from=${new Date(service.clock.now + 1).toISOString()}`)).toEqual([]);
  service.clock.now = Date.parse(first) + 30 * 86_400_000 + 1_000;
  await service.service.runMaintenance();
  expect(await errors()).toHaveLength(1);
  service.clock.now += 3_000_000;
  await service.service.runMaintenance();
  expect(await errors()).toEqual([]);
});

// Proves rules errors.13, notifications.11.
it('old records and notifications are deleted like old events', async () => {
  await control('', { credits: 100 }, 'PATCH');
  await connect();
  await fail(await send(await contact()));
  expect([(await errors()).length, (await notifications('credits_low')).length]).toEqual([1, 1]);
  service.clock.now += 30 * 86_400_000 + 1;
  await service.service.runMaintenance();
  expect([(await errors()).length, (await notifications('credits_low')).length]).toEqual([0, 0]);
});
