import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../support/receiver.ts';
import { epoch, TestService } from '../../../support/test-service.ts';

const at = (milliseconds: number) => new Date(milliseconds).toISOString();

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.open();
});

beforeEach(async () => {
  service = await TestService.open();
  await service.freshAccount({ kind: 'agency', name: 'Agency', email: 'agency@test.example' });
  await service.sandbox('POST', '/clock', { now: at(epoch) });
  receiver.behaviour = 200;
  receiver.take();
});

afterEach(() => service.close());

afterAll(() => receiver.close());

const advance = (seconds: number) => service.sandbox('POST', '/clock/advance', { seconds });

const hold = (kinds: readonly string[]) => service.sandbox('POST', '/jobs', { hold: kinds });

const settle = () => service.sandbox('POST', '/settle');

const create = async (body: Record<string, unknown> = {}, key = service.key) => {
  const answer = await service.post('/webhooks', { url: receiver.url(), subscribed_to: ['Replies', 'Reads'], ...body }, { key });
  expect(answer.status).toBe(200);
};

const emit = async (event = 'Replies', accountId = service.accountId, data?: object) => {
  const answer = await service.sandbox('POST', `/accounts/${accountId}/events`, { event, ...(data && { data }) });
  return answer.body.event_id as string;
};

/** Emits an event and waits for what it causes. */
const deliver = async (event?: string, accountId?: string) => {
  const id = await emit(event, accountId);
  await settle();
  return id;
};

/* oxlint-disable typescript/no-explicit-any -- a test says what it expects by asserting it */
const list = async (query = '', id = '1') => (await service.get(`/webhooks/${id}/deliveries?${query}`)).body.deliveries as any[];

const health = async (id = '1') => (await service.get(`/webhooks/${id}/health`)).body;
/* oxlint-enable typescript/no-explicit-any */

const replay = (body: Record<string, unknown> = {}, id = '1') => service.post(`/webhooks/${id}/replay`, { from: '2027-03-01', ...body });

/** The progress of a replay. */
const progress = async (replayId: string) => {
  const { status, body } = await service.get(`/webhooks/1/replays/${replayId}`);
  expect(status).toBe(200);
  return body.replay as Record<string, unknown>;
};

/** Starts a replay and waits for its end. */
const replayed = async (body?: Record<string, unknown>) => {
  const { status, body: answer } = await replay(body);
  expect([status, answer.error]).toEqual([202, undefined]);
  await settle();
  return await progress(answer.replay_id as string);
};

const eventIds = () => receiver.take().map(({ body }) => body.event_id as string);

describe('the deliveries of a webhook', () => {
  // Proves rules webhooks.115, webhooks.117.
  it('are listed newest first, with the last attempt, and without tests', async () => {
    await create();
    receiver.behaviour = 500;
    const first = await deliver();
    await advance(60);
    receiver.behaviour = 200;
    const second = await deliver('Reads');
    await service.post('/webhooks/1/test', {});
    expect(await list()).toEqual([
      {
        id: expect.stringMatching(/^dlv_/),
        account_id: service.accountId,
        event: 'Reads',
        event_id: second,
        occurred_at: at(epoch + 60_000),
        state: 'delivered',
        attempts: 1,
        next_attempt_at: null,
        last: { at: at(epoch + 60_000), status_code: 200, failure_type: null, duration_ms: expect.any(Number) },
      },
      {
        id: expect.stringMatching(/^dlv_/),
        account_id: service.accountId,
        event: 'Replies',
        event_id: first,
        occurred_at: at(epoch),
        state: 'failed',
        attempts: 1,
        next_attempt_at: null,
        last: { at: at(epoch), status_code: 500, failure_type: 'temporary', duration_ms: expect.any(Number) },
      },
    ]);
  });

  // Proves rules webhooks.115, webhooks.117.
  it('have no last attempt before the first one, and a next one while they are retried', async () => {
    await create({ retries_enabled: true });
    await hold(['webhook_delivery']);
    await emit();
    expect(await list()).toMatchObject([{ state: 'queued', attempts: 0, last: null, next_attempt_at: at(epoch) }]);
    receiver.behaviour = 503;
    await hold([]);
    await settle();
    expect(await list()).toMatchObject([{ state: 'queued', attempts: 1, last: { status_code: 503 }, next_attempt_at: at(epoch + 60_000) }]);
  });

  // Proves rule webhooks.115.
  it('are those of the subscription and of no other, also those that clients inherit', async () => {
    const client = await service.makeAccount({ name: 'Client', parent_account_id: service.accountId });
    await create({ url: receiver.url('/a'), apply_to_sub_accounts: true });
    await create({ url: receiver.url('/b') });
    await service.post('/webhooks', { url: receiver.url('/c'), subscribed_to: ['Replies'] }, { key: client.api_key });
    await deliver();
    const inherited = await deliver('Replies', client.account_id);
    expect(await list()).toMatchObject([{ account_id: client.account_id, event_id: inherited }, { account_id: service.accountId }]);
    expect(await list('', '2')).toMatchObject([{ account_id: service.accountId }]);
    const own = (await service.get('/webhooks/1/deliveries', { key: client.api_key })).body.deliveries;
    expect(own).toMatchObject([{ event_id: inherited, account_id: client.account_id }]);
    const [first] = await list();
    expect((await service.get(`/webhooks/2/deliveries/${first?.id}`)).body).toMatchObject({ reason: 'delivery_not_found' });
  });

  // Proves rule webhooks.116.
  it('are filtered by state, event and time, which combine, page by page', async () => {
    await create();
    const ids: string[] = [];
    for (const [index, event] of ['Replies', 'Reads', 'Replies', 'Reads', 'Replies'].entries()) {
      receiver.behaviour = index % 3 === 0 ? 404 : 200;
      ids.push(await deliver(event));
      await advance(3_600);
    }
    const of = async (query: string) => (await list(query)).map(({ event_id: id }) => ids.indexOf(id as string));
    expect(await of('state=failed')).toEqual([3, 0]);
    expect(await of('state=delivered')).toEqual([4, 2, 1]);
    expect(await of('event=Replies')).toEqual([4, 2, 0]);
    expect(await of('event=Reads&state=failed')).toEqual([3]);
    expect(await of(`from=${at(epoch + 3_600_000)}&to=${at(epoch + 2 * 3_600_000)}`)).toEqual([2, 1]);
    expect(await of(`state=failed&from=${at(epoch + 1)}`)).toEqual([3]);
    expect(await of('from=2027-03-01&to=2027-03-01')).toEqual([4, 3, 2, 1, 0]);
    expect(await of('to=2027-02-28')).toEqual([]);
    const pages: number[][] = [];
    for (let cursor = ''; ;) {
      const { body } = await service.get(`/webhooks/1/deliveries?limit=2${cursor}`);
      pages.push((body.deliveries as { event_id: string }[]).map(({ event_id: id }) => ids.indexOf(id)));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(pages).toEqual([[4, 3], [2, 1], [0]]);
    for (const wrong of ['state=missed', 'state=sent', 'event=replies', 'from=monday', 'from=2027-03-02&to=2027-03-01'])
      expect([wrong, (await service.get(`/webhooks/1/deliveries?${wrong}`)).status]).toEqual([wrong, 400]);
    // The shape is checked before the webhook.
    expect((await service.get('/webhooks/9/deliveries?from=2027-03-02&to=2027-03-01')).status).toBe(400);
    expect((await service.get('/webhooks/9/deliveries')).body).toMatchObject({ error: 'Webhook not found' });
  });

  // Proves rule webhooks.116.
  it('of one time are in the order of creation, and none is skipped or repeated at a page', async () => {
    await create();
    const ids = [];
    for (let count = 0; count < 5; count++) ids.unshift(await emit());
    await settle();
    const first = (await service.get('/webhooks/1/deliveries?limit=2')).body;
    await deliver();
    const second = (await service.get(`/webhooks/1/deliveries?limit=2&cursor=${first.next_cursor}`)).body;
    const third = (await service.get(`/webhooks/1/deliveries?limit=2&cursor=${second.next_cursor}`)).body;
    const read = [first, second, third].flatMap(({ deliveries }) => deliveries as { event_id: string }[]).map(({ event_id: id }) => id);
    expect(read).toEqual(ids);
  });

  // Proves rule webhooks.118.
  it('show what was sent and each answer, without signatures and secrets', async () => {
    await create({ generate_signing_secret: true, retries_enabled: true });
    const { signing_secret: secret } = (await service.get('/webhooks/1/signing-secret')).body;
    receiver.behaviour = (response) => response.writeHead(500).end('x'.repeat(2_000));
    await emit('Replies', service.accountId, { message: { body: `the secret is ${secret}` } });
    await settle();
    receiver.behaviour = 200;
    await advance(60);
    const [{ id }] = (await list()) as [{ id: string }];
    const { delivery } = (await service.get(`/webhooks/1/deliveries/${id}`)).body;
    expect(delivery).toMatchObject({
      id,
      state: 'delivered',
      last: { status_code: 200 },
      attempts: [
        { attempt: 1, at: at(epoch), status_code: 500, failure_type: 'temporary', response_body: 'x'.repeat(1_024) },
        { attempt: 2, at: at(epoch + 60_000), status_code: 200, failure_type: null, response_body: 'answered 200' },
      ],
    });
    expect(JSON.parse(delivery.request_body)).toMatchObject({ event: 'Replies', event_id: delivery.event_id, user: { name: 'Agency' } });
    const text = JSON.stringify(delivery);
    expect(text).not.toContain(secret);
    expect(text).not.toMatch(/v1=[0-9a-f]{64}/);
    expect((await service.get('/webhooks/1/deliveries/dlv_none')).status).toBe(404);
  });

  // Proves rules webhooks.115, webhooks.122.
  it('do not include what was missed, and do once it is replayed', async () => {
    await create();
    await service.put('/webhooks/1', { enabled: false });
    const missed = await deliver();
    expect(await list()).toEqual([]);
    expect((await service.sandbox('GET', `/deliveries?account_id=${service.accountId}`)).body.deliveries).toEqual([]);
    await service.put('/webhooks/1', { enabled: true });
    await replayed();
    expect(await list()).toMatchObject([{ event_id: missed, state: 'delivered', attempts: 1, occurred_at: at(epoch) }]);
  });
});

describe('a resend', () => {
  // Proves rule webhooks.119.
  it.each([true, false])('is one further attempt with the next number, with the webhook on: %s', async (enabled) => {
    await create();
    receiver.behaviour = 404;
    await deliver();
    const before = await health();
    await service.put('/webhooks/1', { enabled });
    const [{ id }] = (await list()) as [{ id: string }];
    const path = `/webhooks/1/deliveries/${id}`;
    const failed = await service.post(`${path}/resend`);
    expect([failed.status, failed.body]).toEqual([
      200,
      { success: true, delivered: false, failure_type: 'permanent', status_code: 404, error_message: 'The receiver answered 404' },
    ]);
    expect((await service.get(path)).body.delivery).toMatchObject({ state: 'failed', attempts: [{ attempt: 1 }, { attempt: 2 }] });
    receiver.behaviour = 200;
    expect((await service.post(`${path}/resend`)).body).toEqual({ success: true, delivered: true });
    expect((await service.get(path)).body.delivery).toMatchObject({ state: 'delivered', last: { status_code: 200 } });
    receiver.behaviour = 500;
    expect((await service.post(`${path}/resend`)).body.delivered).toBe(false);
    expect((await service.get(path)).body.delivery).toMatchObject({ state: 'delivered', attempts: { length: 4 } });
    expect(receiver.take().map(({ headers }) => [headers['x-webhook-delivery'], headers['x-webhook-attempt']])).toEqual(
      ['1', '2', '3', '4'].map((number) => [id, number]),
    );
    expect((await health()).health).toEqual(before.health);
  });

  // Proves rule webhooks.120.
  it('is refused while the delivery is queued', async () => {
    await create({ retries_enabled: true });
    receiver.behaviour = 500;
    await deliver();
    const [{ id }] = (await list()) as [{ id: string }];
    expect((await service.post(`/webhooks/1/deliveries/${id}/resend`)).status).toBe(409);
    expect(receiver.take()).toHaveLength(1);
    expect((await service.post('/webhooks/1/deliveries/dlv_none/resend')).status).toBe(404);
  });
});

describe('a replay', () => {
  // Proves rules webhooks.121, webhooks.125, webhooks.127, webhooks.129.
  it('sends again what failed, was dropped and was missed, in the order of the events', async () => {
    await create({ retries_enabled: true });
    receiver.behaviour = 404;
    const failed = await deliver();
    receiver.behaviour = 500;
    await advance(1);
    const dropped = await deliver('Reads');
    receiver.behaviour = 200;
    const delivered = await deliver();
    await service.put('/webhooks/1', { enabled: false });
    await advance(60);
    const missed = [await deliver(), await deliver('Reads')];
    const before = new Map((await list()).map(({ event_id: event, id }) => [event, id]));
    expect(await list()).toMatchObject([{ state: 'delivered' }, { event_id: dropped, state: 'dropped' }, { event_id: failed }]);
    await service.put('/webhooks/1', { enabled: true });
    receiver.take();
    const { id, ...counts } = await replayed();
    expect([id, counts]).toEqual([expect.stringMatching(/^rpl_/), { status: 'completed', queued: 4, delivered: 4, failed: 0, pending: 0 }]);
    const received = receiver.take();
    expect(received.map(({ body }) => body.event_id)).toEqual([failed, dropped, ...missed]);
    expect(received.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['2', '2', '1', '1']);
    const numbers = received.map(({ headers }) => headers['x-webhook-delivery'] as string);
    expect(numbers.slice(0, 2)).toEqual([before.get(failed), before.get(dropped)]);
    expect([...before.values()]).not.toEqual(expect.arrayContaining(numbers.slice(2)));
    expect(new Set([...numbers, before.get(delivered)]).size).toBe(5);
    expect((await list()).every(({ state }) => state === 'delivered')).toBe(true);
    // Nothing is left.
    expect((await replay({ preview: true })).body).toEqual({ success: true, queued: 0 });
  });

  // Proves rules webhooks.121, webhooks.124.
  it('is limited to some kinds, some events and some time', async () => {
    await create();
    receiver.behaviour = 404;
    await deliver();
    await advance(3_600);
    await deliver('Reads');
    await service.put('/webhooks/1', { enabled: false });
    await deliver();
    await advance(3_600);
    await deliver('Reads');
    await service.put('/webhooks/1', { enabled: true });
    const count = async (body: object) => (await replay({ ...body, preview: true })).body.queued as number;
    expect(await count({})).toBe(4);
    expect(await count({ which: 'both' })).toBe(4);
    expect(await count({ which: 'failed' })).toBe(2);
    expect(await count({ which: 'missed' })).toBe(2);
    expect(await count({ events: ['Reads'] })).toBe(2);
    expect(await count({ events: ['Reads'], which: 'missed' })).toBe(1);
    expect(await count({ from: at(epoch + 1) })).toBe(3);
    expect(await count({ to: at(epoch) })).toBe(1);
    expect(await count({ from: at(epoch), to: at(epoch) })).toBe(1);
    expect(await count({ to: '2027-03-01' })).toBe(4);
    receiver.behaviour = 200;
    receiver.take();
    expect(await replayed({ which: 'missed', events: ['Reads'] })).toMatchObject({ queued: 1, delivered: 1 });
    expect(receiver.take()).toHaveLength(1);
  });

  // Proves rules webhooks.124, webhooks.131.
  it('has a time in order that is not too long', async () => {
    await create();
    const wrong = async (body: Record<string, unknown>) => {
      const { status, body: answer } = await service.post('/webhooks/1/replay', body);
      return [status, answer.field];
    };
    expect(await wrong({})).toEqual([400, 'from']);
    expect(await wrong({ from: null })).toEqual([400, 'from']);
    expect(await wrong({ from: 'yesterday' })).toEqual([400, 'from']);
    expect(await wrong({ from: '2027-03-02' })).toEqual([400, 'from']);
    expect(await wrong({ from: '2027-03-01', to: '2027-02-01' })).toEqual([400, 'from']);
    expect(await wrong({ from: '2027-01-01' })).toEqual([400, 'from']);
    expect(await wrong({ from: '2027-01-01', to: '2027-02-01' })).toEqual([400, 'from']);
    expect(await wrong({ from: '2027-01-01', preview: true })).toEqual([400, 'from']);
    expect(await wrong({ from: '2027-03-01', which: 'all' })).toEqual([400, 'which']);
    expect(await wrong({ from: '2027-03-01', events: ['none'] })).toEqual([400, 'events.0']);
    expect(await wrong({ from: '2027-03-01', events: [] })).toEqual([400, 'events']);
    expect((await service.post('/webhooks/9/replay', { from: '2027-01-01' })).status).toBe(400);
    expect((await replay({}, '9')).status).toBe(404);
    expect(await replay({ from: '2027-01-30', to: '2027-03-01' })).toMatchObject({ status: 202, body: { queued: 0 } });
    expect(await replayed()).toMatchObject({ status: 'completed', queued: 0, pending: 0 });
    expect((await service.get('/webhooks/1/replays/rpl_none')).body).toMatchObject({ reason: 'replay_not_found' });
  });

  // Proves rule webhooks.124.
  it('sends at most 100,000 deliveries', async () => {
    await create();
    receiver.behaviour = 404;
    const event = await deliver();
    const [{ id }] = (await list()) as [{ id: string }];
    await service.write(async (db) => {
      const { sql } = await import('kysely');
      await sql`insert into deliveries (id, event_id, event, occurred_at, account_id, webhook_account_id, webhook_id, state, scheduled_attempts)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 100000)
        select 'dlv_copy' || n, event_id, event, occurred_at, account_id, webhook_account_id, webhook_id, state, 1
        from deliveries, numbers where id = ${id} and event_id = ${event}`.execute(db);
    });
    for (const preview of [true, false]) expect((await replay({ preview })).body).toMatchObject({ error_code: 400 });
    expect((await replay({ which: 'missed', preview: true })).body.queued).toBe(0);
  });

  // Proves rule webhooks.126.
  it('is refused while another one runs, and while the webhook is off or disabled, but its preview is not', async () => {
    await create({ retries_enabled: true });
    receiver.behaviour = 404;
    await deliver();
    receiver.behaviour = 500;
    const first = (await replay()).body.replay_id as string;
    await settle();
    expect(await progress(first)).toMatchObject({ status: 'sending', queued: 1, pending: 1 });
    expect((await replay()).status).toBe(409);
    expect((await replay({ preview: true })).status).toBe(200);
    await service.put('/webhooks/1', { enabled: false });
    expect((await replay()).status).toBe(409);
    await advance(60);
    expect(await progress(first)).toMatchObject({ status: 'completed', failed: 1, pending: 0 });
    expect((await replay()).body).toMatchObject({ error_code: 409, error: expect.stringContaining('enable') });
    expect(await replay({ preview: true })).toMatchObject({ status: 200, body: { queued: 1 } });
    expect(receiver.take()).toHaveLength(2);
    await service.put('/webhooks/1', { enabled: true, retries_enabled: false });
    for (let count = 0; count < 10; count++) await deliver();
    expect((await health()).health.is_disabled).toBe(true);
    expect((await replay()).status).toBe(409);
    await service.post('/webhooks/1/reenable');
    receiver.behaviour = 200;
    expect(await replayed()).toMatchObject({ queued: 11, delivered: 11 });
  });

  // Proves rules webhooks.127, webhooks.128.
  it('goes at most 20 a second of real time, although the clock is frozen, and behind live deliveries', async () => {
    await create();
    await service.put('/webhooks/1', { enabled: false });
    for (let count = 0; count < 30; count++) await emit();
    await service.put('/webhooks/1', { enabled: true });
    const times: number[] = [];
    receiver.behaviour = (response) => {
      times.push(performance.now());
      response.writeHead(200).end();
    };
    const started = performance.now();
    const { replay_id: id } = (await replay()).body;
    const live = await emit();
    await settle();
    expect(await progress(id as string)).toMatchObject({ delivered: 30 });
    expect(performance.now() - started).toBeGreaterThan(29 * 50);
    const order = eventIds();
    expect(order).toHaveLength(31);
    expect(order.indexOf(live)).toBeLessThan(25);
  });

  // Proves rules webhooks.127, webhooks.129.
  it('is sent once by several servers of a store', async () => {
    await create();
    await service.put('/webhooks/1', { enabled: false });
    for (let count = 0; count < 45; count++) await emit();
    await service.put('/webhooks/1', { enabled: true });
    const other = await TestService.on(service.database, {}, service);
    try {
      const started = performance.now();
      const { replay_id: id } = (await replay()).body;
      await Promise.all([settle(), other.sandbox('POST', '/settle')]);
      expect((await other.get(`/webhooks/1/replays/${id as string}`)).body.replay).toMatchObject({ status: 'completed', delivered: 45 });
      expect(performance.now() - started).toBeGreaterThan(44 * 50);
      const received = eventIds();
      expect([received.length, new Set(received).size]).toEqual([45, 45]);
    } finally {
      await other.service.close();
    }
  });

  // Proves rules webhooks.128, webhooks.129.
  it('is retried as the subscription says, and counts in health', async () => {
    await create({ retries_enabled: true });
    await service.put('/webhooks/1', { enabled: false });
    await emit();
    await service.put('/webhooks/1', { enabled: true });
    receiver.behaviour = 500;
    await advance(600);
    const { replay_id: id } = (await replay()).body;
    await settle();
    expect(await list()).toMatchObject([{ state: 'queued', attempts: 1, next_attempt_at: at(epoch + 660_000) }]);
    await advance(60);
    expect(await list()).toMatchObject([{ state: 'queued', attempts: 2, next_attempt_at: at(epoch + 900_000) }]);
    expect(await progress(id as string)).toMatchObject({ status: 'sending', delivered: 0, failed: 0, pending: 1 });
    expect((await health()).health).toMatchObject({ total_failures: 0, last_failure: { attempt: 2 } });
    await advance(7_200);
    expect(await progress(id as string)).toMatchObject({ status: 'completed', failed: 1, pending: 0 });
    expect((await health()).health).toMatchObject({ total_failures: 1, consecutive_failures: 1 });
    receiver.behaviour = 200;
    expect(await replayed()).toMatchObject({ delivered: 1 });
    expect((await health()).health).toMatchObject({ total_successes: 1, consecutive_failures: 0 });
    expect(await list()).toMatchObject([{ state: 'delivered', attempts: 6 }]);
  });

  // Proves rule webhooks.128.
  it('counts as failed what is dropped meanwhile, and ends with the webhook', async () => {
    await create();
    await service.put('/webhooks/1', { enabled: false });
    for (let count = 0; count < 60; count++) await emit();
    await service.put('/webhooks/1', { enabled: true });
    receiver.behaviour = 404;
    expect(await replayed()).toMatchObject({ status: 'completed', queued: 60, delivered: 0, failed: 60, pending: 0 });
    // The first part disables the receiver.
    expect(receiver.take().length).toBeLessThanOrEqual(20);
    expect((await health()).health).toMatchObject({ is_disabled: true });
    expect((await list('state=dropped&limit=100')).length).toBeGreaterThanOrEqual(40);
    await service.post('/webhooks/1/reenable');
    await hold(['webhook_replay']);
    expect((await replay()).body.queued).toBe(60);
    await service.delete('/webhooks/1');
    await hold([]);
    await settle();
    expect(receiver.take()).toEqual([]);
    const left = (await service.sandbox('GET', `/deliveries?account_id=${service.accountId}&limit=100`)).body.deliveries;
    expect(new Set((left as { state: string }[]).map(({ state }) => state))).toEqual(new Set(['dropped']));
  });
});

describe('missed events', () => {
  // Proves rule webhooks.122.
  it('are those of subscribed kinds that were not queued because the webhook was off or disabled', async () => {
    await create({ subscribed_to: ['Chat Concluded', 'Reads'], subscribed_to_tags: ['tag_a'] });
    const concluded = (tag: string) => ({ contact: { id: 'c', tags: [{ id: tag }] } });
    await service.put('/webhooks/1', { enabled: false });
    await emit('Chat Concluded', service.accountId, concluded('tag_b'));
    const tagged = await emit('Chat Concluded', service.accountId, concluded('tag_a'));
    await emit('Replies');
    const read = await emit('Reads');
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { webhooks: false } });
    await emit('Reads');
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { webhooks: true } });
    await service.put('/webhooks/1', { enabled: true, subscribed_to: ['Replies'] });
    await replayed();
    expect(eventIds()).toEqual([tagged, read]);
  });

  // Proves rules webhooks.122, webhooks.130.
  it('of clients are those that the agency inherits, also while one of them is paused', async () => {
    const client = await service.makeAccount({ name: 'Client', parent_account_id: service.accountId });
    await create({ apply_to_sub_accounts: true });
    receiver.behaviour = 404;
    for (let count = 0; count < 10; count++) await deliver('Replies', client.account_id);
    receiver.behaviour = 200;
    await advance(60);
    const missed = await deliver('Replies', client.account_id);
    await deliver();
    expect(await health()).toMatchObject({ paused_count: 1, missed: 1, missed_since: at(epoch) });
    await service.post('/webhooks/1/reenable');
    receiver.take();
    expect(await replayed({ which: 'missed' })).toMatchObject({ queued: 1, delivered: 1 });
    expect(receiver.take()).toMatchObject([{ body: { event_id: missed, user: { id: client.account_id } } }]);
  });

  // Proves rule webhooks.122.
  it('of a large import are written down by jobs, as its deliveries are', async () => {
    await create({ subscribed_to: ['Contact Created'] });
    await create({ url: receiver.url('/off'), subscribed_to: ['Contact Created'], enabled: false });
    const rows = Array.from({ length: 300 }, (_, index) => ({ phone_number: `+1415555${String(index).padStart(4, '0')}` }));
    const { status } = await service.post('/contacts/import', { contacts: rows });
    expect(status).toBeLessThan(300);
    await settle();
    expect(receiver.take()).toHaveLength(300);
    expect(await health('2')).toMatchObject({ missed: 300 });
  });

  // Proves rule webhooks.123.
  it('are kept as long as events', async () => {
    await create({ enabled: false });
    await emit();
    expect((await replay({ preview: true })).body.queued).toBe(1);
    await service.sandbox('POST', '/clock', { frozen: false });
    service.clock.now += 31 * 86_400_000;
    await emit();
    await service.service.runMaintenance();
    expect((await replay({ from: '2027-03-05', preview: true })).body.queued).toBe(1);
    expect(await health()).toMatchObject({ missed: 1 });
  });
});

describe('health', () => {
  // Proves rules webhooks.112, webhooks.130.
  it('tells how many events were missed since the receiver was last switched off or disabled', async () => {
    await create();
    await create({ name: 'other', url: receiver.url('/other') });
    expect(await health()).toMatchObject({ missed: 0, missed_since: null });
    await service.put('/webhooks/1', { enabled: false });
    expect(await health()).toMatchObject({ missed: 0, missed_since: null });
    await advance(60);
    await emit();
    await emit();
    expect(await health()).toMatchObject({ health: null, missed: 2, missed_since: at(epoch) });
    await service.put('/webhooks/1', { enabled: true });
    await deliver();
    expect(await health()).toMatchObject({ missed: 2, missed_since: at(epoch) });
    await service.put('/webhooks/1', { enabled: false });
    await advance(60);
    await emit();
    expect(await health()).toMatchObject({ missed: 1, missed_since: at(epoch + 60_000) });
    const listed = (await service.get('/webhooks?include=health')).body.webhooks;
    expect(listed).toMatchObject([
      { name: 'other', missed: 0, missed_since: null, paused_count: 0 },
      { missed: 1, missed_since: at(epoch + 60_000) },
    ]);
    expect((await service.get('/webhooks')).body.webhooks[0]).not.toHaveProperty('missed');
    await service.put('/webhooks/1', { enabled: true });
    await replayed();
    expect(await health()).toMatchObject({ missed: 0, missed_since: null });
  });

  // Proves rule webhooks.130.
  it('counts from when a receiver was disabled, also when the webhook is switched off afterwards', async () => {
    await create();
    receiver.behaviour = 404;
    for (let count = 0; count < 10; count++) await deliver();
    await advance(60);
    await emit();
    await service.put('/webhooks/1', { enabled: false });
    await emit();
    expect(await health()).toMatchObject({ missed: 2, missed_since: at(epoch) });
    await service.put('/webhooks/1', { enabled: true });
    await service.post('/webhooks/1/reenable');
    expect(await health()).toMatchObject({ missed: 2, missed_since: at(epoch) });
  });

  // Proves rule webhooks.130.
  it('counts what a webhook that was created off missed', async () => {
    await create({ enabled: false });
    await emit();
    expect(await health()).toMatchObject({ missed: 1, missed_since: at(epoch) });
  });
});
