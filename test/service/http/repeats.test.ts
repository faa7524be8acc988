import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { endpoints } from '../../../src/contract/endpoints.ts';
import { dayLength } from '../../../src/contract/time/days.ts';
import { requestPath } from '../../../src/client/request-path.ts';
import { Receiver } from '../../support/receiver.ts';
import { makeSample } from '../../support/samples.ts';
import { it } from '../../support/service-test.ts';
import { tries } from '../../support/sweeps.ts';
import { type Answer, TestService } from '../../support/test-service.ts';
import { until } from '../../support/until.ts';

const keyed = (key: string, more: object = {}) => ({ headers: { 'idempotency-key': key }, ...more });

/** What a client sees of an answer, without the headers that change from request to request. */
const seen = ({ status, body, headers }: Answer) => ({ status, body: body as unknown, replayed: headers['idempotency-replayed'] });

it.beforeEach(({ service }) => service.freshAccount({ credits: 1_000 }));

async function tagNames(service: TestService): Promise<string[]> {
  return ((await service.get('/tags?limit=100')).body.tags as { name: string }[]).map(({ name }) => name);
}

describe('a repeated request', () => {
  // Proves rule repeats.1.
  it('is answered as the first, byte for byte, and has no second effect', async ({ service }) => {
    const first = await service.post('/tags', { name: 'VIP' }, keyed('k1'));
    expect(seen(first)).toMatchObject({ status: 201, replayed: undefined });
    const second = await service.post('/tags', { name: 'VIP' }, keyed('k1'));
    expect(second.headers).toMatchObject({ 'idempotency-replayed': 'true', 'idempotency-key': 'k1' });
    expect(JSON.stringify(second.body)).toBe(JSON.stringify(first.body));
    expect(second.status).toBe(201);
    expect(await tagNames(service)).toEqual(['VIP']);
  });

  // Proves rule repeats.1.
  it('has no second effect with another credential of the account, or with the key in the query', async ({ service }) => {
    const { api_key: other } = (await service.post('/api-keys', { label: 'b', scopes: { read_only: false, tags: ['Tags'] } })).body as {
      api_key: string;
    };
    const first = await service.post('/tags', { name: 'VIP' }, keyed('k1'));
    expect(seen(await service.post('/tags', { name: 'VIP' }, keyed('k1', { key: other })))).toEqual({ ...seen(first), replayed: 'true' });
    const inQuery = await service.post(`/tags?apiKey=${other}`, { name: 'VIP' }, keyed('k1', { key: null }));
    expect(seen(inQuery)).toEqual({ ...seen(first), replayed: 'true' });
  });

  // Proves rule repeats.1.
  it('of another account, and another key, is another request', async ({ service }) => {
    await service.post('/tags', { name: 'VIP' }, keyed('k1'));
    expect(seen(await service.post('/tags', { name: 'VIP' }, keyed('k2')))).toMatchObject({ status: 409, replayed: undefined });
    await service.freshAccount();
    expect(seen(await service.post('/tags', { name: 'VIP' }, keyed('k1')))).toMatchObject({ status: 201, replayed: undefined });
  });

  // Proves rule repeats.2.
  it('that differs in its path, its query or one byte of its body is 422', async ({ service }) => {
    await service.post('/tags', { name: 'VIP' }, keyed('k1'));
    const others = [
      () => service.post('/lists', { name: 'VIP' }, keyed('k1')),
      () => service.post('/tags?x=1', { name: 'VIP' }, keyed('k1')),
      () => service.post('/tags', undefined, keyed('k1', { raw: '{"name": "VIP"}' })),
    ];
    for (const other of others) expect(await other()).toMatchObject({ status: 422, body: { reason: 'key_reused' } });
    expect(await tagNames(service)).toEqual(['VIP']);
  });

  // Proves rule repeats.3.
  it('is refused again as the first was', async ({ service }) => {
    await service.post('/tags', { name: 'VIP' });
    const taken = await service.post('/tags', { name: 'VIP' }, keyed('k1'));
    const missing = await service.post('/contacts/con_none/pause', {}, keyed('k2'));
    expect([taken.status, missing.status]).toEqual([409, 404]);
    await service.delete(`/tags/${(await service.get('/tags')).body.tags[0].id}`);
    expect(seen(await service.post('/tags', { name: 'VIP' }, keyed('k1')))).toEqual({ ...seen(taken), replayed: 'true' });
    expect(seen(await service.post('/contacts/con_none/pause', {}, keyed('k2')))).toEqual({ ...seen(missing), replayed: 'true' });
  });

  // Proves rule repeats.3.
  it('is a new one after 401, 403, 400 and 429', async ({ service }) => {
    const { api_key: reader } = (await service.post('/api-keys', { label: 'b' })).body as { api_key: string };
    const tag = { name: 'VIP' };
    expect((await service.post('/tags', tag, keyed('k1', { key: 'mk_none' }))).status).toBe(401);
    expect((await service.post('/tags', tag, keyed('k1', { key: reader }))).status).toBe(403);
    expect((await service.post('/tags', { name: 7 }, keyed('k1'))).status).toBe(400);
    expect((await service.post('/tags', undefined, keyed('k1', { raw: '{' }))).status).toBe(400);
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { key_requests_per_minute: 1 } });
    await service.get('/health');
    expect((await service.post('/tags', tag, keyed('k1'))).status).toBe(429);
    await service.liftLimits();
    service.clock.now += 60_000;
    expect(seen(await service.post('/tags', tag, keyed('k1')))).toMatchObject({ status: 201, replayed: undefined });
  });

  // Proves rule repeats.6.
  it('counts toward the rate limit', async ({ service }) => {
    const left = async () => Number((await service.post('/tags', { name: 'VIP' }, keyed('k1'))).headers['ratelimit-remaining']);
    const before = await left();
    expect(before - (await left())).toBe(1);
  });

  // Proves rule repeats.5.
  it('is a new one after 24 hours of the clock, and maintenance deletes what was kept', async ({ service }) => {
    await service.post('/tags', { name: 'VIP' }, keyed('k1'));
    const tag = (await service.get('/tags')).body.tags[0] as { id: string };
    await service.delete(`/tags/${tag.id}`);
    service.clock.now += dayLength - 1;
    expect(seen(await service.post('/tags', { name: 'VIP' }, keyed('k1'))).replayed).toBe('true');
    service.clock.now += 1;
    expect(seen(await service.post('/tags', { name: 'VIP' }, keyed('k1')))).toMatchObject({ status: 201, replayed: undefined });
    expect(seen(await service.post('/tags', { name: 'VIP' }, keyed('k1'))).replayed).toBe('true');
    service.clock.now += dayLength + 1;
    await service.service.runMaintenance();
    expect(await keptRows(service)).toBe(0);
  });

  // Proves rule repeats.5.
  it('leaves nothing behind when the account is deleted', async ({ service }) => {
    await service.freshAccount({ kind: 'agency' });
    const { sub_account: client } = (await service.post('/subaccounts', { name: 'Client' })).body as { sub_account: { id: string } };
    await service.post('/tags', { name: 'VIP', sub_account_id: client.id }, keyed('k1'));
    expect(await keptRows(service, client.id)).toBe(1);
    await service.delete(`/subaccounts/${client.id}`);
    await service.service.runMaintenance();
    expect(await keptRows(service, client.id)).toBe(0);
  });

  // Proves rule repeats.4.
  it('of an answer with a secret is 409 that says that it was done, and the secret is not stored', async ({ service }) => {
    const made = await service.post('/api-keys', { label: 'b' }, keyed('k1'));
    expect(made.status).toBe(201);
    const again = await service.post('/api-keys', { label: 'b' }, keyed('k1'));
    expect(again).toMatchObject({ status: 409, body: { reason: 'answer_not_kept', error: expect.stringContaining('was done') as string } });
    expect((await service.get('/api-keys')).body.api_keys).toHaveLength(1);
    expect(JSON.stringify(await allKept(service))).not.toContain((made.body as { api_key: string }).api_key);
    // Without the secret, the answer of the same endpoint is kept.
    const webhook = { url: 'https://hooks.example.com/a', subscribed_to: ['Replies'] };
    await service.post('/webhooks', webhook, keyed('k2'));
    expect(seen(await service.post('/webhooks', webhook, keyed('k2'))).replayed).toBe('true');
  });

  // Proves rule repeats.4.
  it('of an answer above 64 KiB is 409 that says that it was done', async ({ service }) => {
    const contacts = Array.from({ length: 400 }, (_, index) => ({ phone_number: `+1415300${1_000 + index}` }));
    const { contact_ids: ids } = (await service.post('/contacts/import', { contacts })).body as { contact_ids: string[] };
    const broadcast = { name: 'a', channel: 'chatapp', body: '\u0001'.repeat(10_000), contact_ids: ids };
    const first = await service.post('/broadcasts', broadcast, keyed('k1'));
    expect(first.status, JSON.stringify(first.body)).toBe(201);
    expect(await service.post('/broadcasts', broadcast, keyed('k1'))).toMatchObject({ status: 409, body: { reason: 'answer_not_kept' } });
  });

  async function allKept(service: TestService): Promise<unknown[]> {
    return await service.write((db) => db.selectFrom('kept_answers').selectAll().execute());
  }

  async function keptRows(service: TestService, account = service.accountId): Promise<number> {
    return ((await allKept(service)) as { account_id: string }[]).filter((row) => row.account_id === account).length;
  }
});

describe('the header', () => {
  // Proves rule repeats.7.
  it('is repeated in every answer, errors and other methods too', async ({ service }) => {
    const answers = [
      await service.get('/health', keyed('k1')),
      await service.get('/health', keyed('k1', { key: null })),
      await service.get('/nowhere', keyed('k1')),
      await service.post('/health', {}, keyed('k1')),
      await service.post('/tags', {}, keyed('k1')),
      await service.delete('/tags/tag_none', keyed('k1')),
    ];
    expect(answers.map(({ headers }) => headers['idempotency-key'])).toEqual(answers.map(() => 'k1'));
    expect((await service.get('/health')).headers).not.toHaveProperty('idempotency-key');
  });

  // Proves rule repeats.1.
  it.for(['', 'a b', 'ä', 'x'.repeat(256), 'tab\t'])('must be 1 to 255 characters of ASCII: %j is 400', async (key, { service }) => {
    expect((await service.post('/tags', { name: 'VIP' }, keyed(key))).status).toBe(400);
    expect((await service.post('/tags', { name: 'VIP' }, keyed(key, { key: null }))).status).toBe(401);
    expect(await tagNames(service)).toEqual([]);
  });

  // Proves rule repeats.1.
  it('may have 255 characters, the first and the last of ASCII too', async ({ service }) => {
    expect((await service.post('/tags', { name: 'VIP' }, keyed(`!~${'x'.repeat(253)}`))).status).toBe(201);
  });

  // Proves rule repeats.1.
  it('that is invalid is 400 before the rate limit', async ({ service }) => {
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { key_requests_per_minute: 1 } });
    await service.get('/health');
    expect((await service.post('/tags', { name: 'VIP' }, keyed('a b'))).status).toBe(400);
    expect((await service.post('/tags', { name: 'VIP' }, keyed('k1'))).status).toBe(429);
  });

  // Proves rule repeats.7.
  it('has no effect on other methods', async ({ service }) => {
    const { tag } = (await service.post('/tags', { name: 'VIP' })).body as { tag: { id: string } };
    for (const name of ['a', 'b']) expect((await service.put(`/tags/${tag.id}`, { name }, keyed('k1'))).status).toBe(200);
    expect(await tagNames(service)).toEqual(['b']);
    expect((await service.get('/tags', keyed('not a key'))).status).toBe(200);
  });
});

// Proves rule repeats.1.
describe('every POST', () => {
  const posts = endpoints.filter(({ method, access }: Endpoint) => method === 'POST' && access !== 'public');

  it.for(posts.map((spec) => [spec.name, spec] as const))('%s can be repeated', { timeout: 30_000 }, async ([name, spec], { service }) => {
    await service.freshAccount({ kind: 'agency', credits: 1_000 });
    const sample = await makeSample(service, service.key, name);
    const isPersonal = (spec as Endpoint).access === 'person';
    const key = isPersonal ? await service.signIn([], { role: 'owner' }) : service.key;
    const query = new URLSearchParams(sample.query).toString();
    const send = (used = key) =>
      service.call(
        'POST',
        `${requestPath(spec, sample.params ?? {})}${query && `?${query}`}`,
        sample.body ?? {},
        keyed('k1', { key: used }),
      );
    const first = await send();
    expect(first.status, JSON.stringify(first.body)).toBeLessThan(300);
    const second = await send(name === 'keys.rotate' ? (first.body as { api_key: string }).api_key : key);
    if (second.status === 409) expect(second.body).toMatchObject({ reason: 'answer_not_kept' });
    else expect(seen(second)).toEqual({ ...seen(first), replayed: 'true' });
  });
});

describe('while the first is at work', () => {
  let receiver: Receiver;
  let answer: () => void;

  beforeAll(async () => {
    receiver = await Receiver.open();
    receiver.behaviour = (response) => {
      answer = () => response.end('ok');
    };
  });

  afterAll(() => receiver.close());

  it.beforeEach(async ({ service }) => {
    receiver.take();
    const webhook = await service.post('/webhooks', { url: receiver.url(), subscribed_to: ['Replies'] });
    expect(webhook.status).toBe(200);
  });

  async function expectBusy(asked: TestService, event = 'Deliveries'): Promise<void> {
    const busy = await asked.post('/webhooks/1/test', { event: 'Deliveries' }, keyed('k1'));
    expect(busy).toMatchObject({ status: 409, body: { reason: 'request_at_work' }, headers: { 'retry-after': '1' } });
    expect((await asked.post('/webhooks/1/test', { event: 'Task Created' }, keyed('k1'))).status, event).toBe(422);
  }

  // Proves rule repeats.2.
  it('the same request is 409 with Retry-After, and another 422, here and on another server', async ({ service }) => {
    const beside = await TestService.on(service.database, {}, service);
    beside.key = service.key;
    const first = service.post('/webhooks/1/test', { event: 'Deliveries' }, keyed('k1'));
    await until(() => receiver.received.length === 1);
    await expectBusy(service);
    await expectBusy(beside);
    // The claim is renewed as long as the server lives.
    service.clock.now += 5_000;
    answer();
    const { status, body } = await first;
    for (const each of [service, beside])
      expect(seen(await each.post('/webhooks/1/test', { event: 'Deliveries' }, keyed('k1')))).toEqual({ status, body, replayed: 'true' });
    expect(receiver.received).toHaveLength(1);
    await beside.service.close();
  });

  // Proves rule repeats.2.
  it('its claim does not outlive its server', async ({ service }) => {
    const dying = await TestService.on(service.database, {}, service);
    dying.key = service.key;
    void dying.post('/webhooks/1/test', { event: 'Deliveries' }, keyed('k1')).catch(() => {});
    await until(() => receiver.received.length === 1);
    await dying.service.stopJobs(0);
    const second = service.post('/webhooks/1/test', { event: 'Deliveries' }, keyed('k1'));
    await until(() => receiver.received.length === 2);
    answer();
    expect(seen(await second)).toMatchObject({ status: 200, replayed: undefined });
    await dying.service.close();
  });
});

// Proves rule repeats.1.
it(
  'requests that are repeated in any order, at the same time, on two servers, have one effect each',
  { timeout: 60_000 },
  async ({ service }) => {
    const beside = await TestService.on(service.database, {}, service);
    const contact = (await service.post('/contacts', { phone_number: '+14155550100' })).body.contact as { id: string };
    await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550199' });
    let round = 0;
    const step = fc.record({ server: fc.boolean(), request: fc.nat(3), isAlone: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
        round++;
        const bodies = [
          ['/tags', { name: `a ${round}` }],
          ['/contacts/send', { contact_id: contact.id, body: `text ${round}` }],
          ['/lists', { name: `list ${round}` }],
          ['/contacts', { phone_number: `+1415600${1_000 + round}` }],
        ] as const;
        const answers = new Map<number, Answer[]>();
        const running: Promise<void>[] = [];
        for (const { server, request, isAlone } of steps) {
          const [path, body] = bodies[request] as (typeof bodies)[number];
          const asked = (server ? service : beside).post(path, body, keyed(`r${round}-${request}`, { key: service.key }));
          running.push(asked.then((answer) => void answers.set(request, [...(answers.get(request) ?? []), answer])));
          if (isAlone) await Promise.all(running);
        }
        await Promise.all(running);
        for (const [request, all] of answers) {
          const done = all.filter(({ body }) => body.reason !== 'request_at_work');
          expect(done.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
          expect(new Set(done.map(({ status, body }) => JSON.stringify([status, body]))).size, String(request)).toBe(1);
        }
      }),
      { numRuns: tries(25) },
    );
    await beside.service.close();
  },
);
