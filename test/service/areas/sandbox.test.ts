import { describe, expect } from 'vitest';
import { sql } from 'kysely';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { ConnectionDropped } from '../../../src/service/errors.ts';
import { listRequests, RequestLog, writeRequestLog } from '../../../src/service/http/request-log.ts';
import { it } from '../../support/service-test.ts';
import { epoch, TestService } from '../../support/test-service.ts';
import { until } from '../../support/until.ts';

it.beforeEach(async ({ service }) => {
  const { body } = await service.sandbox('POST', '/reset');
  service.accountId = body.account_id as string;
  service.key = body.api_key as string;
  await service.sandbox('POST', '/clock', { frozen: false });
});

const iso = (instant: number) => new Date(instant).toISOString();

describe('a reset', () => {
  // Proves rules sandbox.5, sandbox.9, sandbox.10, sandbox.11.
  it('empties the store and creates the first account again, but keeps the token and the clock', async ({ service }) => {
    await service.post('/tags', { name: 'gone' });
    const { account_id } = await service.makeAccount();
    await service.sandbox('POST', '/jobs', { hold: 'all' });
    await service.sandbox('POST', '/faults', { match: { path: '/tags' }, status: 500 });
    await service.sandbox('POST', '/clock', { frozen: true });
    const old = service.key;
    const { status, body } = await service.sandbox('POST', '/reset');
    expect(status).toBe(200);
    expect((await service.get('/health', { key: old })).status).toBe(401);
    expect((await service.get('/tags', { key: body.api_key })).body.tags).toEqual([]);
    expect((await service.get('/users/me', { key: body.api_key })).body.user).toMatchObject({ id: body.account_id, kind: 'agency' });
    expect((await service.sandbox('GET', `/accounts/${account_id}`)).status).toBe(404);
    expect((await service.sandbox('GET', '/jobs')).body).toMatchObject({ hold: [], waiting: {} });
    expect((await service.sandbox('GET', '/clock')).body.frozen).toBe(true);
    expect((await service.sandbox('GET', '/requests')).body.requests).toHaveLength(3);
  });

  it('drops what a flush has collected, also when that is being written', async ({ service }) => {
    for (let round = 0; round < 20; round++) {
      await service.get('/tags');
      // Reading the log flushes it.
      const [, { body }] = await Promise.all([service.sandbox('GET', '/requests'), service.sandbox('POST', '/reset')]);
      service.key = body.api_key as string;
      expect((await service.sandbox('GET', '/requests')).body.requests).toEqual([]);
    }
  });

  // The last two are segments of the word index, which SQLite merges when it likes; `message_words_docsize` has a row a text.
  const uncounted = ['request_log', 'rate_windows', 'message_words_data', 'message_words_idx'];

  /** The tables with their number of rows, without those that requests fill. */
  async function countRows(service: TestService): Promise<Map<string, number>> {
    const store = await service.database.open();
    const counts = await store.read(async (db) => {
      const tables = await db.introspection.getTables();
      const rows = new Map<string, number>();
      for (const { name } of tables) {
        const { rows: found } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(db);
        if (!uncounted.includes(name)) rows.set(name, Number(found[0]?.count));
      }
      return rows;
    });
    await store.close();
    return counts;
  }

  // Proves rule sandbox.11.
  it('deletes all rows of a demo history', async ({ service }) => {
    const empty = await countRows(service);
    await service.sandbox('POST', '/demo', { messages: 200 });
    const full = await countRows(service);
    for (const table of ['contacts', 'messages', 'chat_sessions', 'credit_ledger', 'contact_counts'])
      expect([table, full.get(table)]).not.toEqual([table, empty.get(table)]);
    await service.sandbox('POST', '/reset');
    expect(await countRows(service)).toEqual(empty);
  });

  it('deletes accounts that are created meanwhile as a whole, or not at all', async ({ service }) => {
    await service.sandbox('POST', '/demo', { messages: 2_000 });
    const create = async () => await service.sandbox('POST', '/accounts', { name: 'New', kind: 'standard' });
    const answers = await Promise.all([create(), service.sandbox('POST', '/reset'), ...Array.from({ length: 10 }, create)]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, index) => (index === 1 ? 200 : 201)));
    const balances = await service.write((db) =>
      sql<{ balance: number; posted: number }>`select millionths as balance,
        coalesce((select sum(millionths) from credit_ledger where account_id = balances.account_id), 0) as posted from balances`.execute(
        db,
      ),
    );
    for (const { balance, posted } of balances.rows) expect(Number(posted)).toBe(Number(balance));
  });

  it.for([10_000, 20_000])('ends a demo history of %s messages that is being made', async (messages, { service }) => {
    const empty = await countRows(service);
    const [demo, reset] = await Promise.all([
      service.sandbox('POST', '/demo', { messages }),
      until(async () => ((await countRows(service)).get('messages') ?? 0) > 0).then(() => service.sandbox('POST', '/reset')),
    ]);
    expect([demo.status, demo.body.error, reset.status]).toEqual([404, 'Account not found', 200]);
    expect(await countRows(service)).toEqual(empty);
  });
});

describe('the clock', () => {
  // Proves rules sandbox.12, sandbox.13, sandbox.14.
  it('runs in real time until it is frozen', async ({ service }) => {
    const before = service.clock.now;
    expect((await service.sandbox('GET', '/clock')).body).toMatchObject({ now: expect.any(String), frozen: false });
    const frozen = (await service.sandbox('POST', '/clock', { frozen: true })).body.now as string;
    service.clock.now += 60_000;
    expect((await service.sandbox('GET', '/clock')).body).toEqual({ success: true, now: frozen, frozen: true });
    await service.sandbox('POST', '/clock', { frozen: false });
    service.clock.now += 1_000;
    expect(Date.parse((await service.sandbox('GET', '/clock')).body.now as string)).toBe(Date.parse(frozen) + 1_000);
    expect(service.clock.now).toBe(before + 61_000);
  });

  // Proves rules sandbox.13, conventions.58, conventions.61.
  it('can be frozen at a later time, which new records then have', async ({ service }) => {
    const { body } = await service.sandbox('POST', '/clock', { now: '2031-01-02T03:04:05.678Z' });
    expect(body).toEqual({ success: true, now: '2031-01-02T03:04:05.678Z', frozen: true });
    expect((await service.post('/lists', { name: 'later' })).body.list.created_at).toBe('2031-01-02T03:04:05.678Z');
  });

  // Proves rule sandbox.15.
  it('never goes back', async ({ service }) => {
    await service.sandbox('POST', '/clock', { now: '2031-02-01' });
    expect((await service.sandbox('POST', '/clock', { now: '2031-01-31T23:59:59.999Z' })).status).toBe(400);
    expect((await service.sandbox('POST', '/clock', { now: '2031-02-01' })).status).toBe(200);
  });

  // Proves rule sandbox.16.
  it.for([{}, { now: 'noon' }, { frozen: 'yes' }, { now: '2032-01-01', frozen: false }, { now: null }])(
    'rejects %j',
    async (body, { service }) => {
      expect((await service.sandbox('POST', '/clock', body)).status).toBe(400);
    },
  );

  // Proves rules sandbox.19, sandbox.21, sandbox.24.
  it('can be advanced only while it is frozen', async ({ service }) => {
    expect((await service.sandbox('POST', '/clock/advance', { seconds: 1 })).status).toBe(400);
    const { body } = await service.sandbox('POST', '/clock', { frozen: true });
    const advanced = await service.sandbox('POST', '/clock/advance', { seconds: 90.5 });
    expect(advanced.body).toEqual({ success: true, now: iso(Date.parse(body.now as string) + 90_500), fired: [] });
    for (const seconds of [-1, '5', null, undefined])
      expect((await service.sandbox('POST', '/clock/advance', { seconds })).status).toBe(400);
  });

  // Proves rule sandbox.24.
  it('cannot be advanced beyond the year 9999', async () => {
    const fresh = await TestService.open({ clock: Date.parse('9999-12-31T23:59:59.000Z') });
    expect((await fresh.sandbox('POST', '/clock/advance', { seconds: 1 })).status).toBe(400);
    expect((await fresh.sandbox('POST', '/clock/advance', { seconds: 0.5 })).status).toBe(200);
    await fresh.close();
  });

  // Proves rule serve.28.
  it('is shared by all processes on the store', async ({ service }) => {
    const second = await TestService.on(service.database, {}, service);
    await service.sandbox('POST', '/clock', { now: '2033-01-01' });
    expect((await second.get('/health')).body.time).toBe('2033-01-01T00:00:00.000Z');
    await second.service.close();
  });
});

describe('accounts', () => {
  // Proves rules sandbox.33, sandbox.38, accounts.18, credits.6, whoami.1, whoami.4.
  it('start with 1,000 credits, a main key and the default plan', async ({ service }) => {
    const { account_id, api_key } = await service.makeAccount({ name: 'Shop', email: 'a@shop.example', plan: { webhooks: false } });
    const { body } = await service.sandbox('GET', `/accounts/${account_id}`);
    expect(body.account).toMatchObject({
      id: account_id,
      name: 'Shop',
      email: 'a@shop.example',
      kind: 'standard',
      parent_account_id: null,
      credits: 1000,
      costs_hidden: false,
      auto_recharge_enabled: false,
      low_credit_threshold: null,
      own_ai_key: 'none',
      template_provider: 'managed',
      calendar: {},
    });
    expect((await service.get('/users/me', { key: api_key })).body.user).toMatchObject({
      id: account_id,
      name: 'Shop',
      email: 'a@shop.example',
      kind: 'standard',
      plan: {
        api_access: true,
        webhooks: false,
        chatapp_templates: true,
        max_agents: 20,
        max_agent_bytes: 524288,
        pending_pages: 5000,
        key_requests_per_minute: 300,
        account_requests_per_minute: 1200,
        ai_model_tiers: ['economy', 'standard', 'mini', 'max'],
      },
    });
  });

  // Proves rules sandbox.35, credits.26.
  it('merge the given fields, including those of the plan and the calendar', async ({ service }) => {
    const path = `/accounts/${service.accountId}`;
    await service.sandbox('PATCH', path, { plan: { max_agents: 3 }, calendar: { connected: true }, low_credit_threshold: 12.5 });
    const { body } = await service.sandbox('PATCH', path, { plan: { webhooks: false }, calendar: { events: [] }, costs_hidden: true });
    expect(body.account).toMatchObject({
      plan: { max_agents: 3, webhooks: false, api_access: true },
      calendar: { connected: true, events: [] },
      low_credit_threshold: 12.5,
      costs_hidden: true,
    });
    expect((await service.sandbox('PATCH', path, { low_credit_threshold: null })).body.account.low_credit_threshold).toBeNull();
  });

  // Proves rule sandbox.36.
  it('are not changed by an empty PATCH', async ({ service }) => {
    const path = `/accounts/${service.accountId}`;
    const { account } = (await service.sandbox('GET', path)).body;
    expect(await service.sandbox('PATCH', path, {})).toMatchObject({ status: 200, body: { account } });
  });

  // Proves rule sandbox.8.
  it('are determined by the path, not by sub_account_id', async ({ service }) => {
    const { account_id } = await service.makeAccount({ parent_account_id: service.accountId });
    const channel = { channel: 'sms', identity: '+14155550100', sub_account_id: account_id };
    const added = await service.sandbox('POST', `/accounts/${service.accountId}/channels?sub_account_id=${account_id}`, channel);
    expect(added.status).toBe(201);
    expect((await service.get('/channels')).body.channels).toHaveLength(1);
    expect((await service.get(`/channels?sub_account_id=${account_id}`)).body.channels).toEqual([]);
  });

  // Proves rule sandbox.41.
  it.for([
    [{}, 201, 'member'],
    [{ role: 'owner' }, 201, 'owner'],
    [{ role: 'boss' }, 400, undefined],
    [{ permissions: ['contacts.view', 'contacts.burn'] }, 400, undefined],
  ] as const)('can get a member with %j: %i', async ([more, status, role], { service }) => {
    const body = { name: 'Ann', email: 'ann@test.example', permissions: ['contacts.view'], ...more };
    expect((await service.sandbox('POST', `/accounts/${service.accountId}/members`, body)).status).toBe(status);
    const { members } = (await service.get('/team', { key: await service.signIn([]) })).body;
    expect(members.find(({ email }: { email: string }) => email === 'ann@test.example')?.role).toBe(role);
  });

  // Proves rule team.2.
  it('lists the members of a team, the newest first', async ({ service }) => {
    const add = (name: string) =>
      service.sandbox('POST', `/accounts/${service.accountId}/members`, { name, email: `${name}@test.example`, permissions: [] });
    await service.sandbox('POST', '/clock', { frozen: true });
    for (const name of ['ann', 'bob']) await add(name);
    await service.sandbox('POST', '/clock/advance', { seconds: 60 });
    await add('cid');
    const { members } = (await service.get('/team', { key: await service.signIn([]) })).body;
    const names = members.map(({ name }: { name: string }) => name).filter((name: string) => ['ann', 'bob', 'cid'].includes(name));
    expect(names).toEqual(['cid', 'ann', 'bob']);
  });

  // Proves rule sandbox.37.
  it('can have their balance set, as an adjustment', async ({ service }) => {
    const path = `/accounts/${service.accountId}`;
    expect((await service.sandbox('PATCH', path, { credits: 12.25 })).body.account.credits).toBe(12.25);
    expect((await service.sandbox('PATCH', path, { credits: 0 })).body.account.credits).toBe(0);
    expect((await service.sandbox('PATCH', path, { credits: -1 })).status).toBe(400);
  });

  // Proves rule sandbox.34.
  it('may have an agency as their parent, or no parent', async ({ service }) => {
    const standard = await service.makeAccount();
    const create = (parent: unknown, kind = 'standard') =>
      service.sandbox('POST', '/accounts', { name: 'x', kind, parent_account_id: parent });
    expect((await create(service.accountId)).status).toBe(201);
    expect((await create(null)).status).toBe(201);
    expect((await create(standard.account_id)).status).toBe(400);
    expect((await create('acc_unknown')).status).toBe(404);
    expect((await create(service.accountId, 'agency')).status).toBe(400);
  });

  // Proves rule sandbox.7.
  it('return 404 on all endpoints if they do not exist', async ({ service }) => {
    const body = { name: 'x', email: 'x@test.example', permissions: [], channel: 'sms', identity: '+14155550100' };
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/main-key'],
      ['POST', '/members'],
      ['POST', '/channels'],
      ['POST', '/uploads?filename=f'],
    ] as const)
      expect((await service.sandbox(method, `/accounts/acc_unknown${path}`, body)).status).toBe(404);
  });
});

describe('channels', () => {
  // Proves rules sandbox.44, sandbox.45, sandbox.46, channels.1.
  it('are connected and listed', async ({ service }) => {
    const add = (body: object) => service.sandbox('POST', `/accounts/${service.accountId}/channels`, body);
    expect((await add({ channel: 'chatapp', identity: '+14155550100', name: 'Desk' })).status).toBe(201);
    expect((await add({ channel: 'photo_social', identity: 'shop.official' })).status).toBe(201);
    expect((await add({ channel: 'chatapp', identity: '+14155550100' })).status).toBe(409);
    expect((await add({ channel: 'chatapp', identity: '4155550100' })).status).toBe(400);
    expect((await add({ channel: 'fax', identity: '+14155550100' })).status).toBe(400);
    const { body } = await service.get('/channels');
    expect(body.channels).toMatchObject([
      { channel: 'photo_social', identity: 'shop.official', name: null, status: 'connected' },
      { channel: 'chatapp', identity: '+14155550100', name: 'Desk', status: 'connected' },
    ]);
  });
});

describe('uploads', () => {
  const upload = (service: TestService, filename: string, raw: string | Uint8Array) =>
    service.sandbox('POST', `/accounts/${service.accountId}/uploads?filename=${encodeURIComponent(filename)}`, undefined, { raw });

  // Proves rules sandbox.47, sandbox.48.
  it("are stored unchanged, under the account's own path", async ({ service }) => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
    const { status, body } = await upload(service, 'prices (2027).pdf', bytes);
    expect(status).toBe(201);
    expect(body.storage_path).toMatch(new RegExp(`^users/${service.accountId}/uploads/.*prices \\(2027\\)\\.pdf$`));
    const store = await service.database.open();
    const row = await store.read((db) =>
      db.selectFrom('uploads').select('content').where('path', '=', body.storage_path).executeTakeFirstOrThrow(),
    );
    expect(Buffer.from(row.content).equals(Buffer.from(bytes))).toBe(true);
    await store.close();
  });

  // Proves rule sandbox.50.
  it.for(['', '..', 'a/b', 'a\\b', 'nul\0'])('reject the file name %j', async (filename, { service }) => {
    expect((await upload(service, filename, 'x')).status).toBe(400);
  });

  // Proves rules sandbox.49, conventions.46.
  it('may be larger than a JSON body, up to 50 MiB', async ({ service }) => {
    expect((await upload(service, 'large', new Uint8Array(3 * 1024 * 1024))).status).toBe(201);
    expect((await upload(service, 'too large', new Uint8Array(50 * 1024 * 1024 + 1))).status).toBe(413);
  });
});

describe('the request log', () => {
  // Proves rules sandbox.76, sandbox.77, sandbox.78.
  it('lists all requests without their query strings, newest first', async ({ service }) => {
    await service.get(`/tags?apiKey=${service.key}`, { key: null });
    service.clock.now += 1_000;
    await service.get('/nowhere', { key: null });
    const { now } = (await service.sandbox('GET', '/clock')).body;
    const { body } = await service.sandbox('GET', '/requests?limit=1');
    expect(body.requests).toEqual([
      {
        at: now,
        method: 'GET',
        path: '/v1/nowhere',
        status: 401,
        duration_ms: expect.any(Number),
        account_id: null,
        key_preview: null,
        request_id: expect.stringMatching(/^req_/),
      },
    ]);
    const next = await service.sandbox('GET', `/requests?limit=1&cursor=${body.next_cursor}`);
    expect(next.body.requests).toMatchObject([
      {
        path: '/v1/tags',
        status: 200,
        account_id: service.accountId,
        key_preview: `${service.key.slice(0, 4)}...${service.key.slice(-4)}`,
      },
    ]);
    expect(next.body.next_cursor).toBeNull();
  });

  it('masks a key in a path', async ({ service }) => {
    for (const path of [`/tags/${service.key}`, `/tags/${service.key.replace('_', '%5F')}/x`]) await service.get(path);
    const { body } = await service.sandbox('GET', '/requests?limit=2');
    expect(body.requests).toMatchObject([{ path: '/v1/tags/********/x' }, { path: '/v1/tags/********' }]);
  });

  it('masks an ID token whose signature looks like a key', async ({ service }) => {
    const path = `/tags/eyJhbGciOiJ.eyJzdWIiOiJ.signed-sk_${'a'.repeat(20)}`;
    await service.get(path);
    const { body } = await service.sandbox('GET', '/requests?limit=1');
    expect(body.requests).toMatchObject([{ path: '/v1/tags/********' }]);
  });

  it('masks an ID token in a path', async ({ service }) => {
    const token = await service.signIn([]);
    for (const path of [`/tags/${token}`, `/tags/${token.replaceAll('.', '%2E')}/x`]) await service.get(path);
    const { body } = await service.sandbox('GET', '/requests?limit=2');
    expect(body.requests).toMatchObject([{ path: '/v1/tags/********/x' }, { path: '/v1/tags/********' }]);
  });
});

// Proves rule sandbox.79.
it('the request log keeps the latest 10,000 requests, and the latest 1,000 of a burst', async ({ service }) => {
  const log = new RequestLog();
  const store = await service.database.open();
  let made = 0;
  const rest = { status: 200, duration_ms: 1, account_id: null, key_preview: null, request_id: null };
  const entry = () => ({ at: 0, method: 'GET', path: `/v1/${++made}`, ...rest });
  for (let burst = 0; burst < 11; burst++) {
    for (let count = 0; count < 2_500; count++) log.add(entry());
    const entries = log.collect();
    await store.write((db) => writeRequestLog(db, entries, 10_000));
  }
  const paths = (await store.read((db) => listRequests(db, undefined, 20_000))).map(({ path }) => path);
  await store.close();
  expect([paths.length, paths[0], paths[999], paths[1_000]]).toEqual([10_000, '/v1/27500', '/v1/26501', '/v1/25000']);
});

describe('faults', () => {
  const add = (service: TestService, body: object) => service.sandbox('POST', '/faults', body);
  const codes = async (service: TestService, count: number, path = '/tags') => {
    const found = [];
    for (let index = 0; index < count; index++) found.push((await service.get(path)).status);
    return found;
  };

  // Proves rules sandbox.82, sandbox.84.
  it('return a status a given number of times', async ({ service }) => {
    await add(service, { match: { method: 'GET', path: '/tags' }, status: 503, times: 2 });
    expect(await codes(service, 1, '/lists')).toEqual([200]);
    expect(await codes(service, 3)).toEqual([503, 503, 200]);
    expect((await service.sandbox('GET', '/faults')).body.faults).toEqual([]);
  });

  // Proves rules sandbox.82, sandbox.89.
  it('match a prefix, any path, or a method', async ({ service }) => {
    await add(service, { match: { path: '/tag*' }, status: 500 });
    await add(service, { match: { method: 'POST' }, status: 502 });
    expect(await codes(service, 1, '/tags?limit=1')).toEqual([500]);
    expect(await codes(service, 1, '/lists')).toEqual([200]);
    expect((await service.post('/lists', { name: 'x' })).status).toBe(502);
    expect((await service.sandbox('DELETE', '/faults')).body).toEqual({ success: true });
    expect(await codes(service, 1)).toEqual([200]);
    await add(service, { match: { path: '*' }, status: 500 });
    expect([await codes(service, 1), await codes(service, 1, '/lists')]).toEqual([[500], [500]]);
    // The prefix alone would match no request.
    for (const path of ['/v1/tags', '/v1', '/v1*', '/v1?x'])
      expect((await service.sandbox('POST', '/faults', { match: { path }, status: 500 })).body).toMatchObject({
        error: expect.stringContaining('/v1 without this prefix'),
      });
  });

  // Proves rule sandbox.85.
  it('affect a share of the requests, which depends only on the seed', async ({ service }) => {
    await add(service, { match: {}, status: 500, rate: 0.4, seed: 7 });
    const first = await codes(service, 40);
    await service.sandbox('DELETE', '/faults');
    await add(service, { match: {}, status: 500, rate: 0.4, seed: 7 });
    expect(await codes(service, 40)).toEqual(first);
    expect(first.filter((status) => status === 500).length).toBeGreaterThan(5);
    expect(first.filter((status) => status === 500).length).toBeLessThan(30);
  });

  // Proves rules sandbox.80, sandbox.84.
  it('can drop the connection', async ({ service }) => {
    await add(service, { match: { path: '/health' }, drop: true, times: 1 });
    await expect(service.get('/health')).rejects.toThrow(ConnectionDropped);
    expect(await codes(service, 1, '/health')).toEqual([200]);
  });

  // Proves rules sandbox.5, sandbox.83, sandbox.87.
  it('apply before authentication, but never to the sandbox', async ({ service }) => {
    await add(service, { match: {}, status: 418 });
    expect((await service.get('/tags', { key: null })).status).toBe(418);
    expect((await service.get('/openapi.json', { key: null })).status).toBe(418);
    expect((await service.sandbox('GET', '/clock')).status).toBe(200);
  });

  // Proves rules sandbox.81, sandbox.86, sandbox.88.
  it('are listed as they were sent', async ({ service }) => {
    await add(service, { match: { path: '/tags' }, delay_ms: 1, times: 3 });
    await add(service, { reporting_database: 'down' });
    expect((await service.sandbox('GET', '/faults')).body.faults).toEqual([
      { id: expect.any(String), match: { path: '/tags' }, delay_ms: 1, times: 3 },
      { id: expect.any(String), reporting_database: 'down' },
    ]);
    expect(await codes(service, 1)).toEqual([200]);
  });

  // Proves rule sandbox.80.
  it.for([
    {},
    { status: 200 },
    { status: 500, drop: true },
    { match: { path: 'tags' }, status: 500 },
    { status: 500, rate: 0 },
    { status: 500, times: 0 },
  ])('reject %j', async (body, { service }) => {
    expect((await add(service, body)).status).toBe(400);
  });
});

describe('the identity provider', () => {
  // Proves rules sandbox.40, sandbox.43.
  it('publishes its public keys without authentication, which verify its ID tokens', async ({ service }) => {
    const { status, body } = await service.sandbox('GET', '/.well-known/jwks.json', undefined, { key: null });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain('"d"');
    const token = await service.signIn([]);
    const { payload } = await jwtVerify(token, createLocalJWKSet(body as JSONWebKeySet), { currentDate: new Date(service.clock.now) });
    expect(payload.exp).toBe((payload.iat ?? 0) + 3_600);
  });
});

describe('the proof of identity', () => {
  const origin = 'http://127.0.0.1:4600';
  const prove = (server: TestService, nonce: string) =>
    server.sandbox('GET', `/.well-known/jwks.json?nonce=${encodeURIComponent(nonce)}`, undefined, {
      key: null,
      headers: { host: 'impostor.example' },
    });

  // Proves rules sandbox.90, sandbox.91, sandbox.92.
  it('signs the nonce, the address of the server and the id of the identity key', async ({ service }) => {
    const server = await TestService.on(service.database, { origin }, service);
    const nonce = 'a+b/c= ü "quoted"';
    const { status, body } = await prove(server, nonce);
    expect(status).toBe(200);
    const { payload, protectedHeader } = await jwtVerify(body.proof as string, createLocalJWKSet(body as JSONWebKeySet), {
      typ: 'msgctl-proof+jwt',
      algorithms: ['EdDSA'],
    });
    const { kid } = body.keys[0];
    expect(payload).toEqual({ nonce, origin, store: kid });
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'msgctl-proof+jwt', kid });
    await server.service.close();
  });

  // Proves rule sandbox.93.
  it('requires a nonce of 1 to 200 characters', async ({ service }) => {
    const server = await TestService.on(service.database, { origin }, service);
    const { body } = await server.sandbox('GET', '/.well-known/jwks.json', undefined, { key: null });
    expect(Object.keys(body as object)).toEqual(['success', 'keys']);
    expect((await prove(server, 'x'.repeat(200))).status).toBe(200);
    for (const nonce of ['', 'x'.repeat(201)]) expect((await prove(server, nonce)).status).toBe(400);
    await server.service.close();
  });

  // Proves rule sandbox.94.
  it('cannot be used as an ID token', async ({ service }) => {
    const server = await TestService.on(service.database, { origin }, service);
    const { proof } = (await prove(server, 'x')).body as { proof: string };
    expect((await service.get('/team', { key: proof })).status).toBe(401);
    await server.service.close();
  });

  // Proves rule sandbox.93.
  it('is unavailable in process, because there is no address', async ({ service }) => {
    expect((await prove(service, 'x')).body).not.toHaveProperty('proof');
  });
});

describe('opening a store', () => {
  // Proves rule serve.30.
  it('replaces the stored token with a given one', async ({ service }) => {
    const second = await TestService.on(service.database, { sandboxToken: 'chosen' }, service);
    expect((await second.sandbox('GET', '/clock')).status).toBe(401);
    expect((await second.sandbox('GET', '/clock', undefined, { key: 'chosen' })).status).toBe(200);
    await second.service.close();
    const third = await TestService.on(service.database, { sandboxToken: service.token }, service);
    expect((await third.sandbox('GET', '/clock')).status).toBe(200);
    await third.service.close();
  });

  // Proves rules serve.26, serve.27.
  it("rejects a clock earlier than the store's", async ({ service }) => {
    await service.sandbox('POST', '/clock', { now: '2035-01-01' });
    await expect(TestService.on(service.database, { clock: Date.parse('2034-12-31') }, service)).rejects.toThrow('earlier than the store');
    const second = await TestService.on(service.database, { clock: Date.parse('2035-06-01') }, service);
    expect((await service.get('/health')).body.time).toBe('2035-06-01T00:00:00.000Z');
    await second.service.close();
  });

  // Proves rule serve.27.
  it('accepts a clock in the past if the store is new', async () => {
    const fresh = await TestService.open({ clock: Date.parse('2001-01-01') });
    expect((await fresh.get('/health')).body.time).toBe('2001-01-01T00:00:00.000Z');
    expect((await fresh.get('/users/me')).body.user.created_at).toBe('2001-01-01T00:00:00.000Z');
    expect(epoch).toBeGreaterThan(Date.parse('2001-01-01'));
    await fresh.close();
  });
});
