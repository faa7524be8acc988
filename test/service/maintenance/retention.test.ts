import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Retention } from '../../../src/service/maintenance/retention.ts';
import { Receiver } from '../../support/receiver.ts';
import { TestService } from '../../support/test-service.ts';

const day = 86_400;

let service: TestService | undefined;
let receiver: Receiver | undefined;

beforeEach(async () => {
  receiver ??= await Receiver.open();
  receiver.behaviour = 200;
});

afterEach(async () => {
  await service?.close();
  service = undefined;
});

afterAll(() => receiver?.close());

/** A service with a subscription and a channel. */
async function open(retention: Partial<Retention> = {}): Promise<TestService> {
  service = await TestService.open({ retention });
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  await service.post('/webhooks', { url: receiver?.url(), subscribed_to: ['Replies', 'Deliveries'] });
  return service;
}

const emit = (on: TestService) => on.sandbox('POST', `/accounts/${on.accountId}/events`, { event: 'Replies' });

const deliveries = async (on: TestService) =>
  (await on.sandbox('GET', '/deliveries?limit=100')).body.deliveries as { id: string; state: string; attempts: object[] }[];

/** Moves the running clock, without an advance. */
function pass(on: TestService, seconds: number): void {
  on.clock.now += seconds * 1000;
}

describe('old events', () => {
  // Proves rules serve.42, serve.43, serve.46, serve.47.
  it('are deleted after 30 days with their deliveries and attempts; the health of the receiver is kept', async () => {
    const on = await open();
    await emit(on);
    await on.sandbox('POST', '/settle');
    const [old] = await deliveries(on);
    const health = (await on.get('/webhooks/1/health')).body.health;
    expect(health.total_successes).toBe(1);
    pass(on, 30 * day);
    await emit(on);
    await on.sandbox('POST', '/settle');
    await on.service.runMaintenance();
    expect(await deliveries(on)).toHaveLength(2);
    pass(on, 1);
    await on.service.runMaintenance();
    expect((await deliveries(on)).map(({ id }) => id)).not.toContain(old?.id);
    expect(await deliveries(on)).toHaveLength(1);
    expect((await on.sandbox('POST', `/deliveries/${old?.id}/resend`)).status).toBe(404);
    expect((await on.get('/webhooks/1/health')).body.health.total_successes).toBe(2);
  });

  // Proves rule serve.43.
  it('are kept while a delivery is queued', async () => {
    const on = await open({ events: day * 1000 });
    await on.sandbox('POST', '/jobs', { hold: ['webhook_delivery'] });
    for (let count = 0; count < 3; count++) await emit(on);
    pass(on, 2 * day);
    const [last] = await deliveries(on);
    expect((await on.sandbox('POST', `/deliveries/${last?.id}/resend`)).body.delivered).toBe(true);
    await on.service.runMaintenance();
    expect((await deliveries(on)).map(({ state }) => state)).toEqual(['queued', 'queued']);
    await on.sandbox('POST', '/jobs', { hold: [] });
    await on.sandbox('POST', '/settle');
    expect((await deliveries(on)).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    await on.service.runMaintenance();
    expect(await deliveries(on)).toEqual([]);
  });

  // Proves rules serve.43, webhooks.107.
  it('are kept while their deliveries wait to be queued', async () => {
    const on = await open({ events: day * 1000 });
    for (const name of ['one', 'two']) await on.post('/webhooks', { name, url: receiver?.url(), subscribed_to: ['Contact Created'] });
    await on.sandbox('POST', '/jobs', { hold: ['webhook_delivery'] });
    const contacts = Array.from({ length: 300 }, (_, index) => ({ phone_number: `+1415${5_570_000 + index}` }));
    await on.post('/contacts/import', { contacts });
    pass(on, 2 * day);
    await on.service.runMaintenance();
    await on.sandbox('POST', '/jobs', { hold: [] });
    await on.sandbox('POST', '/settle');
    const { next_cursor: next } = (await on.sandbox('GET', '/deliveries?limit=100')).body;
    expect(next).not.toBeNull();
    await on.service.runMaintenance();
    expect(await deliveries(on)).toEqual([]);
  });

  // Proves rules serve.45, serve.46.
  it('are kept while the clock is frozen, and deleted without a visible job', async () => {
    const on = await open({ events: 1000 });
    await emit(on);
    await on.sandbox('POST', '/settle');
    await on.sandbox('POST', '/clock', { frozen: true });
    const jobs = await on.sandbox('GET', '/jobs');
    expect((await on.sandbox('POST', '/clock/advance', { seconds: day })).body.fired).toEqual([]);
    await on.service.runMaintenance();
    expect(await deliveries(on)).toHaveLength(1);
    await on.sandbox('POST', '/clock', { frozen: false });
    await on.service.runMaintenance();
    expect(await deliveries(on)).toEqual([]);
    expect((await on.sandbox('POST', '/settle')).body.jobs_run).toBe(0);
    expect((await on.sandbox('GET', '/jobs')).body).toEqual(jobs.body);
  });

  it('are deleted in several steps', async () => {
    const on = await open({ events: 1000 });
    await on.sandbox('POST', '/jobs', { hold: ['webhook_delivery'] });
    await Promise.all(Array.from({ length: 600 }, () => emit(on)));
    await on.sandbox('POST', '/jobs', { hold: [] });
    await on.sandbox('POST', '/settle');
    pass(on, 2);
    await on.service.runMaintenance();
    expect(await deliveries(on)).toEqual([]);
  });
});

describe('messages, conversations and the ledger', () => {
  const send = async (on: TestService, number: string) =>
    (await on.post('/contacts/send', { phone_number: number, channel: 'chatapp', body: 'Hello' })).body as { contact_id: string };
  const messages = async (on: TestService, contact: string) => (await on.get(`/contacts/${contact}/messages`)).body.messages as object[];
  const sessions = async (on: TestService) => (await on.get('/chat-sessions')).body.chat_sessions as { contact_id: string }[];
  const balance = async (on: TestService) => (await on.get('/users/me/credits')).body.balance as number;

  // Proves rule serve.42.
  it('are kept by default', async () => {
    const on = await open();
    const { contact_id: contact } = await send(on, '+14155550123');
    pass(on, 2 * day);
    await on.sandbox('POST', '/settle');
    pass(on, 5000 * day);
    await on.service.runMaintenance();
    expect(await messages(on, contact)).toHaveLength(1);
    expect(await sessions(on)).toHaveLength(1);
  });

  // Proves rules serve.44, serve.47.
  it('are deleted if configured; the balance is kept', async () => {
    const on = await open({ messages: day * 1000, sessions: 10 * day * 1000, ledger: 1000 });
    const { contact_id: contact } = await send(on, '+14155550123');
    const before = await balance(on);
    pass(on, day + 1);
    const { contact_id: newer } = await send(on, '+14155550124');
    await on.sandbox('POST', '/settle');
    await on.service.runMaintenance();
    expect(await messages(on, contact)).toEqual([]);
    expect(await messages(on, newer)).toHaveLength(1);
    expect((await sessions(on)).map(({ contact_id: id }) => id)).toEqual([newer, contact]);
    pass(on, 10 * day + 1);
    await on.service.runMaintenance();
    // The newer conversation has not concluded, because its job has not run yet.
    expect((await sessions(on)).map(({ contact_id: id }) => id)).toEqual([newer]);
    expect(await balance(on)).toBe(before - 1);
  });
});

// Proves rule serve.42.
it('jobs that were given up are deleted after 30 days', async () => {
  let runs = 0;
  const run = async () => {
    runs++;
    throw new Error('This job always fails');
  };
  service = await TestService.open({ jobDefinitions: { webhook_delivery: { run } } });
  await service.post('/webhooks', { url: receiver?.url(), subscribed_to: ['Replies'] });
  await emit(service);
  for (let attempt = 0; attempt < 10; attempt++) {
    await service.sandbox('POST', '/settle');
    pass(service, 600);
  }
  expect(runs).toBe(10);
  const store = await service.database.open();
  const givenUp = () => store.read((db) => db.selectFrom('jobs').select('failure').execute());
  expect(await givenUp()).toEqual([{ failure: 'This job always fails' }]);
  pass(service, 29 * day);
  await service.service.runMaintenance();
  expect(await givenUp()).toHaveLength(1);
  pass(service, 2 * day);
  await service.service.runMaintenance();
  expect(await givenUp()).toEqual([]);
  await store.close();
});

// Proves rule serve.49.
it('the server with the shorter retention on a shared store deletes', async () => {
  const on = await open({ events: null });
  const beside = await TestService.on(on.database, { retention: { events: 3_600_000 } }, on);
  await emit(on);
  await on.sandbox('POST', '/settle');
  pass(on, 3_601);
  await on.service.runMaintenance();
  expect(await deliveries(on)).toHaveLength(1);
  await beside.service.runMaintenance();
  expect(await deliveries(on)).toEqual([]);
  await beside.service.close();
});

// Proves rule serve.42.
it('the request log keeps as many requests as configured', async () => {
  const on = await open({ requests: 5 });
  for (let count = 0; count < 8; count++) await on.get('/tags');
  expect((await on.sandbox('GET', '/requests')).body.requests).toHaveLength(5);
});

// Proves rule activity.15.
it('a rebuild keeps what deleted messages, conversations, contacts and ledger records have counted, and corrects other days', async () => {
  const on = await open({ messages: 10 * day * 1000, sessions: 10 * day * 1000, ledger: 10 * day * 1000 });
  const contact = async (number: string) => (await on.post('/contacts', { phone_number: number })).body.contact.id as string;
  const send = (id: string) => on.post('/contacts/send', { contact_id: id, body: 'Hi' });
  const summary = async () => (await on.get(`/analytics/summary?from=2027-03-01&to=2027-04-01`)).body;
  const [deleted, kept] = [await contact('+14155550101'), await contact('+14155550102')];
  for (const id of [deleted, kept, kept]) expect((await send(id)).status).toBe(201);
  pass(on, 2 * day);
  await on.sandbox('POST', '/settle');
  await on.delete(`/contacts/${deleted}`);
  await send(await contact('+14155550103'));
  pass(on, 9 * day);
  await on.sandbox('POST', '/settle');
  await on.service.runMaintenance();
  const left = await on.write((db) =>
    db
      .selectFrom('messages')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
  );
  expect(left.count).toBe(1);
  const before = await summary();
  expect(before.totals.sent).toBe(4);
  expect((await on.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
  expect(await summary()).toEqual(before);
  // Where no records were deleted, wrong counters are corrected, in both directions.
  const today = Date.parse('2027-03-03T00:00:00Z') / 86_400_000;
  await on.write((db) =>
    db.updateTable('daily_counts').set({ automated_sent: 7 }).where('day', '=', today).where('automated_sent', '>', 0).execute(),
  );
  await on.write((db) => db.updateTable('daily_counts').set({ automated_sent: 0 }).where('day', '<', today).execute());
  expect((await on.sandbox('POST', '/rebuild-counts')).body.changed).toBe(1);
  expect((await summary()).totals.sent).toBe(1);
});

// Proves rule activity.15.
it('a rebuild keeps the refunds of deleted ledger records', async () => {
  const on = await open({ messages: 2 * day * 1000, sessions: 2 * day * 1000, ledger: 2 * day * 1000 });
  const { contact } = (await on.post('/contacts', { phone_number: '+14155550101' })).body;
  const send = async () => (await on.post('/contacts/send', { contact_id: contact.id, body: 'Hi' })).body.message_id as string;
  const figures = async () => {
    const { totals, by_reason: byReason } = (await on.get('/analytics/credits?from=2027-03-01&to=2027-04-01')).body;
    const { totals: summed } = (await on.get('/analytics/summary?from=2027-03-01&to=2027-04-01')).body;
    return [totals.credits_used, byReason, summed.credits_spent] as unknown;
  };
  const sent = [await send(), await send(), await send()];
  // On a day of its own, and on that of the sends.
  for (const id of sent) {
    if (id === sent[2]) pass(on, day);
    await on.sandbox('POST', `/accounts/${on.accountId}/receipts`, { message_id: id, status: 'failed' });
  }
  pass(on, 4 * day);
  await send();
  await on.sandbox('POST', '/settle');
  const before = await figures();
  await on.service.runMaintenance();
  const left = await on.write((db) => db.selectFrom('credit_ledger').select('reason').execute());
  expect(left.map(({ reason }) => reason)).not.toContain('refund');
  expect(await figures()).toEqual(before);
  expect((await on.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
  expect(await figures()).toEqual(before);
});

// Proves rule activity.15.
it('a rebuild keeps the replies to messages that were deleted', async () => {
  const on = await open({ messages: 10 * day * 1000, sessions: null });
  const contact = (await on.post('/contacts', { phone_number: '+14155550101' })).body.contact.id as string;
  await on.post('/contacts/send', { contact_id: contact, body: 'Hi' });
  await on.sandbox('POST', '/settle');
  pass(on, 0.9 * day);
  const reply = { channel: 'chatapp', from: '+14155550101', text: 'Hello' };
  expect((await on.sandbox('POST', `/accounts/${on.accountId}/inbound`, reply)).status).toBe(201);
  await on.sandbox('POST', '/settle');
  pass(on, 9.5 * day);
  await on.service.runMaintenance();
  expect((await on.get(`/contacts/${contact}/messages`)).body.messages).toHaveLength(1);
  const summary = async () => (await on.get(`/analytics/summary?from=2027-03-01&to=2027-04-01`)).body;
  const before = await summary();
  expect(before.totals).toMatchObject({ sent: 1, replied: 1 });
  expect((await on.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
  expect(await summary()).toEqual(before);
});
