import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventNames } from '../../../../src/contract/areas/webhooks/event-names.ts';
import { isSignedWith, Receiver } from '../../../support/receiver.ts';
import { TestService } from '../../../support/test-service.ts';
import { until } from '../../../support/until.ts';

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  // A receiver that delays its response on purpose must not time out on a busy machine.
  service = await TestService.open({ receivers: { allowPrivate: true, timeout: 50_000 } });
  receiver = await Receiver.open();
});

beforeEach(async () => {
  const { account_id, api_key } = await service.makeAccount({ kind: 'agency', name: 'Agency', email: 'agency@test.example' });
  service.accountId = account_id;
  service.key = api_key;
  await service.liftLimits();
  receiver.behaviour = 200;
  receiver.byPath.clear();
  receiver.take();
});

afterAll(async () => {
  await service.close();
  await receiver.close();
});

const create = (body: Record<string, unknown> = {}) =>
  service.post('/webhooks', { url: receiver.url(), subscribed_to: ['Replies', 'Deliveries'], ...body });

const list = async () => (await service.get('/webhooks')).body.webhooks as Record<string, unknown>[];

const settle = () => service.sandbox('POST', '/settle');

const emit = async (event = 'Replies', accountId = service.accountId, data?: object) => {
  const answer = await service.sandbox('POST', `/accounts/${accountId}/events`, { event, ...(data && { data }) });
  expect(answer.status).toBe(200);
  return answer.body.event_id as string;
};

const deliveries = async (query = `account_id=${service.accountId}`) =>
  (await service.sandbox('GET', `/deliveries?${query}`)).body.deliveries as Record<string, any>[]; // oxlint-disable-line typescript/no-explicit-any

const health = async (id = '1', key = service.key) =>
  (await service.get(`/webhooks/${id}/health`, { key })).body.health as Record<string, any> | null; // oxlint-disable-line typescript/no-explicit-any

describe('webhook subscriptions', () => {
  // Proves rules webhooks.2, webhooks.3, webhooks.27.
  it('are created with defaults, and returned without settings and secret', async () => {
    const { status, body } = await create();
    expect([status, Object.keys(body)]).toEqual([200, ['success', 'webhook_id', 'webhook']]);
    expect(body.webhook).toEqual({
      id: '1',
      name: '127.0.0.1',
      url: receiver.url(),
      subscribed_to: ['Replies', 'Deliveries'],
      subscribed_to_tags: [],
      created_at: expect.any(String),
    });
    expect(await list()).toMatchObject([
      { enabled: true, retries_enabled: false, signing_enabled: false, signing_secret_created_at: null, apply_to_sub_accounts: false },
    ]);
  });

  // Proves rules webhooks.3, webhooks.16, webhooks.79, webhooks.80.
  it('get a secret on request, which is shown once', async () => {
    const { body } = await create({ generate_signing_secret: true });
    expect(body.signing_secret).toMatch(/^whsec_[\w-]{40,}$/);
    expect(JSON.stringify(await list())).not.toContain(body.signing_secret);
    const updated = await service.put('/webhooks/1', { enabled: false });
    expect(updated.body.webhook).toMatchObject({ signing_enabled: true, enabled: false });
    expect(JSON.stringify(updated.body)).not.toContain(body.signing_secret);
    expect((await service.get('/webhooks/1/signing-secret')).body).toMatchObject({
      signing_secret: body.signing_secret,
      signing_enabled: true,
    });
  });

  // Proves rules webhooks.7, webhooks.8.
  it('are named after their host by default, with unique names', async () => {
    for (const expected of ['127.0.0.1', '127.0.0.1 2', '127.0.0.1 3']) expect((await create()).body.webhook.name).toBe(expected);
    expect((await create({ name: '127.0.0.1 2' })).status).toBe(409);
    expect((await service.put('/webhooks/1', { name: '127.0.0.1 2' })).status).toBe(409);
    expect((await service.put('/webhooks/1', { name: '127.0.0.1' })).status).toBe(200);
    expect((await create({ name: 'desk' })).body).toMatchObject({ webhook_id: '4', webhook: { name: 'desk' } });
  });

  // Proves rules webhooks.12, webhooks.13, webhooks.14, conventions.7.
  it('are found by id or name; digits are first looked up as an id', async () => {
    const digits = await create({ name: '2' });
    expect([digits.status, digits.body.field]).toEqual([400, 'name']);
    await create({ name: 'a' });
    await create({ name: 'a b/c' });
    expect((await service.put('/webhooks/1', { name: '12' })).status).toBe(400);
    expect((await service.get('/webhooks/2/health')).body.webhook_id).toBe('2');
    expect((await service.get(`/webhooks/${encodeURIComponent('a b/c')}/health`)).body.webhook_id).toBe('2');
    await service.delete('/webhooks/1');
    expect((await service.get(`/webhooks/${encodeURIComponent('a b/c')}/health`)).body.webhook_id).toBe('1');
    for (const id of ['2', '3', '0', 'nobody', '01']) {
      const answer = await service.get(`/webhooks/${id}/health`);
      expect([answer.status, answer.body.error]).toEqual([404, 'Webhook not found']);
    }
  });

  // Proves rules webhooks.10, webhooks.11, webhooks.15.
  it('are listed newest first, and renumbered in order of creation after a deletion', async () => {
    for (const name of ['a', 'b', 'c']) await create({ name });
    expect((await list()).map(({ id, name }) => [id, name])).toEqual([
      ['3', 'c'],
      ['2', 'b'],
      ['1', 'a'],
    ]);
    const deleted = await service.delete('/webhooks/a');
    expect([deleted.status, deleted.body]).toEqual([200, { success: true }]);
    expect((await list()).map(({ id, name }) => [id, name])).toEqual([
      ['2', 'c'],
      ['1', 'b'],
    ]);
  });

  // Proves rules webhooks.6, webhooks.17, webhooks.18.
  it('are updated with the given fields, which replace the old values', async () => {
    await create({ subscribed_to_tags: ['tag_a', 'tag_b'], retries_enabled: true });
    const { body } = await service.put('/webhooks/1', { subscribed_to: ['Reads'], subscribed_to_tags: ['tag_c'] });
    expect(body).toMatchObject({
      webhook_id: '1',
      webhook: { subscribed_to: ['Reads'], subscribed_to_tags: ['tag_c'], retries_enabled: true, url: receiver.url() },
    });
    expect((await service.put('/webhooks/1', {})).status).toBe(400);
    expect((await service.put('/webhooks/1', { unknown: 1 })).status).toBe(400);
    expect((await service.put('/webhooks/9', { enabled: true })).status).toBe(404);
  });

  // Proves rules webhooks.4, webhooks.5, webhooks.9, webhooks.18, webhooks.26.
  it.each([
    { url: undefined },
    { url: 1 },
    { url: 'not a url' },
    { url: 'ftp://receiver.example/' },
    { url: ' https://receiver.example/' },
    { url: 'https://receiver.example/\n' },
    { url: 'https:receiver.example' },
    { url: 'https://user:secret@receiver.example/' },
    { name: '.' },
    { name: '..' },
    { subscribed_to: undefined },
    { subscribed_to: [] },
    { subscribed_to: ['Unknown'] },
    { subscribed_to: ['replies'] },
    { subscribed_to: null },
    { name: '' },
    { name: 'x'.repeat(201) },
    { enabled: null },
    { retries_enabled: 'yes' },
    { subscribed_to_tags: 'tag_a' },
  ])('reject %j', async (wrong) => {
    expect((await create(wrong)).status).toBe(400);
    if (!Object.values(wrong).includes(undefined)) {
      await create();
      expect((await service.put('/webhooks/1', wrong)).status).toBe(400);
    }
  });

  // Proves rule webhooks.28.
  it('accept exactly the 24 events', async () => {
    expect((await service.get('/webhooks/events')).body.events).toEqual(eventNames);
    expect((await create({ subscribed_to: eventNames })).status).toBe(200);
    expect(eventNames).toHaveLength(24);
  });

  // Proves rules webhooks.1, accounts.21, credentials.19, credentials.22, credentials.24.
  it('require the feature, and a permission for writes and for secrets', async () => {
    const token = await service.signIn([]);
    await create();
    expect((await service.get('/webhooks', { key: token })).status).toBe(200);
    expect((await service.get('/webhooks/1/signing-secret', { key: token })).status).toBe(403);
    expect((await service.post('/webhooks/1/test', {}, { key: token })).status).toBe(403);
    const editor = await service.signIn(['integrations.edit']);
    expect((await service.get('/webhooks/1/signing-secret', { key: editor })).status).toBe(200);
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { webhooks: false } });
    expect((await service.get('/webhooks')).status).toBe(403);
  });
});

// Proves rule credentials.42.
it('signing secrets are not shown to read-only keys, by whatever name or method', async () => {
  await create({ name: 'signed', generate_signing_secret: true });
  const keyOf = async (scopes: object) => (await service.post('/api-keys', { scopes })).body.api_key as string;
  const reader = await keyOf({ tags: ['Webhooks'] });
  for (const path of ['/webhooks/1/signing-secret', '/webhooks/signed/signing-secret'])
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE'])
      expect([method, await service.call(method, `/v1${path}`, undefined, { key: reader })]).toMatchObject([
        method,
        { status: 403, body: { error_code: 'key_read_only' } },
      ]);
  expect((await service.get('/webhooks', { key: reader })).status).toBe(200);
  // Read-only is judged before the section.
  const elsewhere = await keyOf({ tags: ['Tags'] });
  expect((await service.get('/webhooks/1/signing-secret', { key: elsewhere })).body.error_code).toBe('key_read_only');
  const writer = await keyOf({ tags: ['Webhooks'], read_only: false });
  expect((await service.get('/webhooks/1/signing-secret', { key: writer })).body.signing_secret).toMatch(/^whsec_/);
});

// Proves rule webhooks.108.
it.each([
  ['events', { subscribed_to: Array.from({ length: 25 }, () => 'Replies') }],
  ['tags', { subscribed_to_tags: Array.from({ length: 201 }, (_, index) => `tag_${index}`) }],
])('a webhook with too many %s is refused', async (_what, fields) => {
  const answer = await service.post('/webhooks', { url: receiver.url(), subscribed_to: ['Replies'], ...fields });
  expect([answer.status, answer.body.error]).toEqual([
    400,
    expect.stringMatching(/^subscribed_to.*: must be at most (24|200) items long$/),
  ]);
});

describe('webhook addresses', () => {
  const names: Record<string, string[]> = {
    'public.example': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
    'inside.example': ['10.0.0.5'],
    'mixed.example': ['93.184.216.34', 'fd00::1'],
  };

  let strict: TestService;

  beforeAll(async () => {
    const resolve = async (name: string) => {
      const found = names[name];
      if (!found) throw new Error('ENOTFOUND');
      return found;
    };
    strict = await TestService.open({ receivers: { allowPrivate: false, resolve } });
    await strict.liftLimits();
  });

  afterAll(() => strict.close());

  // Proves rules webhooks.21, webhooks.22, webhooks.23.
  it.each([
    'http://public.example/',
    'https://localhost/',
    'https://localhost./',
    'https://api.localhost/',
    'https://printer.local/',
    'https://metadata.internal/',
    'https://inside.example/',
    'https://mixed.example/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://017700000001/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://169.254.169.254/',
    'https://100.64.0.1/',
    'https://168.63.129.16/',
    'https://161.26.0.10/',
    'https://166.9.255.1/',
    'https://100.100.100.200/',
    'https://192.0.0.192/',
    'https://192.0.2.1/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::]/',
    'https://[::1]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[fd12:3456::1]/',
    'https://[ff02::1]/',
    'https://[2001:db8::1]/',
    'https://[3fff::1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b:1::1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:93.184.216.34]/',
    'https://[::127.0.0.1]/',
    'https://[100::1]/',
    'https:///public.example',
    'https://\\public.example',
  ])('%s is refused on create and update', async (url) => {
    const answer = await strict.post('/webhooks', { url, subscribed_to: ['Replies'] });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^url: must/)]);
  });

  // Proves rules webhooks.21, webhooks.24.
  it.each(['https://public.example/', 'https://unknown.example/', 'https://93.184.216.34/', 'https://[2606:2800:220:1::1]/'])(
    '%s is accepted on create and update',
    async (url) => {
      const { body } = await strict.post('/webhooks', { url, subscribed_to: ['Replies'] });
      expect(body.success).toBe(true);
      expect((await strict.put(`/webhooks/${body.webhook_id}`, { url: 'https://10.0.0.1/' })).status).toBe(400);
      expect((await strict.put(`/webhooks/${body.webhook_id}`, { url })).status).toBe(200);
    },
  );
});

describe('a delivery', () => {
  // Proves rules webhooks.37, webhooks.38, webhooks.39, webhooks.40, sandbox.64.
  it('contains the event, the account and the headers', async () => {
    await create();
    const eventId = await emit('Replies', service.accountId, { message: { id: 'msg_1' } });
    await settle();
    const [received] = receiver.take();
    expect(received?.body).toEqual({
      event: 'Replies',
      event_id: eventId,
      occurred_at: expect.any(String),
      user: { id: service.accountId, name: 'Agency', email: 'agency@test.example' },
      data: { message: { id: 'msg_1' } },
    });
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Messaging-Webhooks/1.0',
      'x-webhook-event': 'Replies',
      'x-webhook-attempt': '1',
      'x-webhook-delivery': expect.stringMatching(/^dlv_/),
    });
    expect(received?.headers).not.toHaveProperty('x-webhook-signature');
    expect(received?.spelled).toEqual(
      expect.arrayContaining(['Content-Type', 'X-Webhook-Event', 'X-Webhook-Attempt', 'X-Webhook-Delivery']),
    );
    expect(await deliveries()).toMatchObject([
      {
        id: received?.headers['x-webhook-delivery'],
        webhook_account_id: service.accountId,
        webhook_id: '1',
        event: 'Replies',
        event_id: eventId,
        state: 'delivered',
        next_attempt_at: null,
        attempts: [{ attempt: 1, status_code: 200, failure_type: null, response_body: 'answered 200', request_body: received?.text }],
      },
    ]);
    expect(await health()).toMatchObject({ total_successes: 1, total_failures: 0, consecutive_failures: 0, is_disabled: false });
  });

  // Proves rules webhooks.77, webhooks.81, webhooks.82, webhooks.84.
  it('is signed with the current secret', async () => {
    const first = (await create({ generate_signing_secret: true })).body.signing_secret as string;
    await emit();
    await settle();
    const [one] = receiver.take();
    expect(one && isSignedWith(first, one)).toBe(true);
    const second = (await service.post('/webhooks/1/signing-secret')).body.signing_secret as string;
    expect(second).not.toBe(first);
    await emit();
    await settle();
    const [two] = receiver.take();
    expect(two && [isSignedWith(first, two), isSignedWith(second, two)]).toEqual([false, true]);
    expect((await service.delete('/webhooks/1/signing-secret')).body).toEqual({ success: true, webhook_id: '1', signing_enabled: false });
    await emit();
    await settle();
    expect(receiver.take()[0]?.headers).not.toHaveProperty('x-webhook-timestamp');
    expect(JSON.stringify(await deliveries())).not.toContain('whsec_');
  });

  // Proves rules webhooks.41, webhooks.42, webhooks.76.
  it('is sent once to each subscription to the event', async () => {
    await create({ url: receiver.url('/a'), subscribed_to: ['Replies'] });
    await create({ url: receiver.url('/b'), subscribed_to: ['Reads', 'Replies'] });
    await create({ url: receiver.url('/c'), subscribed_to: ['Reads'] });
    await create({ url: receiver.url('/d'), subscribed_to: ['Replies'], enabled: false });
    await emit();
    await settle();
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/a', '/b']);
    const received = receiver.take();
    expect(new Set(received.map(({ headers }) => headers['x-webhook-delivery'])).size).toBe(2);
    expect(new Set(received.map(({ body }) => body.event_id as string)).size).toBe(1);
  });

  // Proves rules webhooks.29, sandbox.7, sandbox.64, sandbox.65.
  it('can be triggered for every event except one', async () => {
    await create({ subscribed_to: eventNames });
    for (const event of eventNames) {
      if (event === 'Channel Connected') {
        expect((await service.sandbox('POST', `/accounts/${service.accountId}/events`, { event })).status).toBe(400);
        continue;
      }
      await emit(event);
    }
    await settle();
    const received = receiver.take();
    expect(received.map(({ body }) => body.event as string).sort()).toEqual(
      eventNames.filter((name) => name !== 'Channel Connected').sort(),
    );
    for (const { body } of received) expect(Object.keys(body.data as object)).toHaveLength(1);
    expect((await service.sandbox('POST', '/accounts/acc_none/events', { event: 'Reads' })).status).toBe(404);
  });

  // Proves rules webhooks.34, sandbox.66.
  it('is filtered by tags only for Chat Concluded', async () => {
    await create({ subscribed_to: ['Chat Concluded', 'Replies'], subscribed_to_tags: ['tag_a'] });
    const tagged = (id: string) => ({ chat_session: { id: 'ses_1' }, contact: { tags: [{ id, name: 'x' }] } });
    await emit('Chat Concluded', service.accountId, tagged('tag_b'));
    await emit('Chat Concluded', service.accountId, tagged('tag_a'));
    await emit('Replies');
    await settle();
    expect(
      receiver
        .take()
        .map(({ body }) => body.event as string)
        .sort(),
    ).toEqual(['Chat Concluded', 'Replies']);
  });

  // Proves rules webhooks.36, accounts.21.
  it('is not made without the webhooks feature', async () => {
    await create();
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { webhooks: false } });
    await emit();
    await settle();
    expect(receiver.take()).toEqual([]);
  });
});

describe('deliveries of a large import', () => {
  const contacts = Array.from({ length: 300 }, (_, index) => ({ phone_number: `+1415${5_550_000 + index}` }));
  const importAll = async () => {
    for (const path of ['/a', '/b', '/c']) await create({ name: path, url: receiver.url(path), subscribed_to: ['Contact Created'] });
    return (await service.post('/contacts/import', { contacts })).body.contact_ids as string[];
  };
  const hold = (kinds: string[]) => service.sandbox('POST', '/jobs', { hold: kinds });

  // Proves rule webhooks.107.
  it('are made once for each webhook and contact', async () => {
    const ids = await importAll();
    await settle();
    const received = receiver.take().map(({ path, body }) => `${path} ${(body as { data: { contact: { id: string } } }).data.contact.id}`);
    expect(received.toSorted()).toEqual(['/a', '/b', '/c'].flatMap((path) => ids.map((id) => `${path} ${id}`)).toSorted());
    expect((await health('1'))?.total_successes).toBe(300);
  });

  it('are not made for a webhook deleted before they were queued', async () => {
    await hold(['webhook_delivery']);
    const ids = await importAll();
    expect(await deliveries()).toEqual([]);
    await service.delete('/webhooks/2');
    await hold([]);
    await settle();
    const byPath = Map.groupBy(receiver.take(), ({ path }) => path);
    expect([...byPath].map(([path, { length }]) => [path, length]).toSorted()).toEqual([
      ['/a', ids.length],
      ['/c', ids.length],
    ]);
  });

  it('are queued in parts of at most 500', async () => {
    await hold(['webhook_delivery']);
    for (let number = 1; number <= 3; number++)
      await create({ name: `hook ${number}`, url: receiver.url(`/${number}`), subscribed_to: ['Contact Created'] });
    await service.post('/contacts/import', { contacts });
    const jobs = await service.write((db) => db.selectFrom('jobs').select('payload').where('account_id', '=', service.accountId).execute());
    const parts = jobs.map(({ payload }) => JSON.parse(payload) as { events: string[]; webhooks: string[] });
    expect(parts.map((part) => part.events.length * part.webhooks.length)).toEqual([498, 402]);
    await hold([]);
    await settle();
    expect(receiver.take()).toHaveLength(900);
  });

  it('are not made for a deleted webhook whose many deliveries are deleted later', async () => {
    await hold(['webhook_delivery']);
    const subscribed = { subscribed_to: ['Contact Created'], apply_to_sub_accounts: true };
    await create({ name: 'a', url: receiver.url('/a'), ...subscribed });
    const numbers = (first: number) => Array.from({ length: 400 }, (_, index) => ({ phone_number: `+1415${5_560_000 + first + index}` }));
    for (const first of [0, 400, 800]) await service.post('/contacts/import', { contacts: numbers(first) });
    await create({ name: 'b', url: receiver.url('/b'), ...subscribed });
    await service.post('/contacts/import', { contacts: numbers(1_200) });
    await service.delete('/webhooks/1');
    await hold([]);
    await settle();
    expect(new Set(receiver.take().map(({ path }) => path))).toEqual(new Set(['/b']));
  });
});

describe('an event', () => {
  const number = '+14155550123';

  beforeEach(async () => {
    await service.sandbox('POST', '/clock', { frozen: true });
    await inAccount('channels', { channel: 'chatapp', identity: '+14155550100' });
  });

  afterAll(() => service.sandbox('POST', '/clock', { frozen: false }));

  const inAccount = async (path: string, body: object) =>
    (await service.sandbox('POST', `/accounts/${service.accountId}/${path}`, body)).body;
  const set = (settings: object) => service.sandbox('PATCH', `/accounts/${service.accountId}`, settings);
  const makeContact = async () => (await service.post('/contacts', { phone_number: number })).body.contact.id as string;
  const send = async () => (await service.post('/contacts/send', { channel: 'chatapp', phone_number: number, body: 'Hello' })).body;
  const write = () => inAccount('inbound', { channel: 'chatapp', from: number, text: 'Hi' });
  const report = async (status: string) => inAccount('receipts', { message_id: (await send()).message_id as string, status });
  const makeTask = async () => (await service.post('/tasks', { title: 'x' })).body.task.id as string;
  const startBroadcast = async () => {
    const draft = { name: 'x', channel: 'chatapp', body: 'x', contact_ids: [await makeContact()] };
    const { broadcast } = (await service.post('/broadcasts', draft)).body;
    for (const step of ['submit', 'approve']) await service.post(`/broadcasts/${broadcast.id}/${step}`);
  };
  const changeContact = async (...changes: object[]) => {
    const id = await makeContact();
    for (const change of changes) await service.put(`/contacts/${id}`, change);
  };
  const endDay = async () => {
    await write();
    await service.sandbox('POST', '/clock/advance', { seconds: 24 * 3600 });
  };

  const changes: Record<string, [noun: string, change: () => Promise<unknown>]> = {
    'Contact Created': ['contact', makeContact],
    Replies: ['message', () => send().then(write)],
    Reads: ['message', () => report('read')],
    Deliveries: ['message', () => report('delivered')],
    'Credits Spent': ['credits', send],
    'Credits Recharged': ['credits', () => set({ credits: 100, auto_recharge_enabled: true }).then(send)],
    'Low Credit Balance': ['credits', () => set({ credits: 100 }).then(send)],
    'Contact Paused': ['contact', async () => service.post(`/contacts/${await makeContact()}/pause`)],
    'Contact Do Not Disturb': ['contact', () => changeContact({ do_not_disturb: true })],
    'Contact Unarchived': ['contact', () => changeContact({ archived: true }, { archived: false })],
    'New Message': ['message', write],
    'Contact Resumed': [
      'contact',
      async () => {
        const id = await makeContact();
        for (const step of ['pause', 'resume']) await service.post(`/contacts/${id}/${step}`);
      },
    ],
    'Chat Concluded': ['chat_session', endDay],
    'Task Created': ['task', makeTask],
    'Task Updated': ['task', async () => service.put(`/tasks/${await makeTask()}`, { title: 'y' })],
    'Task Completed': ['task', async () => service.post(`/tasks/${await makeTask()}/complete`)],
    'Daily Summary Created': ['summary', endDay],
    'Broadcast Started': ['broadcast', startBroadcast],
    'Broadcast Completed': ['broadcast', startBroadcast],
  };

  // Proves rules webhooks.30, webhooks.31.
  it.each(Object.keys(changes))('%s is emitted once by its cause, with the record under its noun', async (event) => {
    const [noun, change] = changes[event] as (typeof changes)[string];
    await create({ subscribed_to: [event] });
    await change();
    await settle();
    expect(receiver.take().map(({ body }) => [body.event as string, Object.keys(body.data as object)])).toEqual([[event, [noun]]]);
  });

  // Proves rules webhooks.29, webhooks.30.
  it('is covered by a test of its cause, except for five', () => {
    expect(eventNames.filter((name) => !(name in changes)).sort()).toEqual([
      'Appointment Booked',
      'Appointment Cancelled',
      'Appointment Rescheduled',
      'Channel Connected',
      'the service Alerted',
    ]);
  });

  // Proves rule webhooks.32.
  it('for spent credits has the fields of credits.get', async () => {
    await create({ subscribed_to: ['Credits Spent'] });
    await send();
    await settle();
    const { success, ...credits } = (await service.get('/users/me/credits')).body;
    expect([success, receiver.take()[0]?.body.data]).toEqual([true, { credits }]);
  });
});

describe('failed deliveries', () => {
  const failure = async (body: Record<string, unknown> = {}) => {
    await create(body);
    await emit();
    await settle();
    return (await deliveries())[0]?.attempts[0] as Record<string, unknown>;
  };

  // Proves rules webhooks.46, webhooks.52, webhooks.53, webhooks.63.
  it.each([
    [404, 'permanent'],
    [301, 'permanent'],
    [500, 'temporary'],
    [503, 'temporary'],
  ])('with status %i count as %s', async (status, type) => {
    receiver.behaviour = (response) => response.writeHead(status, { location: receiver.url('/elsewhere') }).end('no');
    expect(await failure()).toMatchObject({ status_code: status, failure_type: type, response_body: 'no' });
    expect(receiver.take()).toHaveLength(1);
    expect(await health()).toMatchObject({
      total_failures: 1,
      consecutive_failures: 1,
      last_failure: { event: 'Replies', failure_type: type, status_code: status, error_message: expect.stringContaining(String(status)) },
    });
  });

  // Proves rules webhooks.52, webhooks.53.
  it('count as network if the network fails', async () => {
    expect(await failure({ url: 'http://127.0.0.1:9/hook' })).toMatchObject({
      status_code: null,
      failure_type: 'network',
      response_body: null,
    });
    receiver.behaviour = (response) => response.destroy();
    await service.delete('/webhooks/1');
    expect(await failure()).toMatchObject({ failure_type: 'network' });
  });

  // Proves rules webhooks.52, webhooks.53.
  it('count as timeout if the response is late, with the status of an incomplete one', async () => {
    const hasty = await TestService.open({ receivers: { allowPrivate: true, timeout: 500 } });
    await hasty.post('/webhooks', { url: receiver.url(), subscribed_to: ['Replies'] });
    receiver.behaviour = () => {};
    expect((await hasty.post('/webhooks/1/test')).body).toMatchObject({ delivered: false, failure_type: 'timeout', status_code: null });
    receiver.behaviour = (response) => void response.writeHead(200).write('begins');
    expect((await hasty.post('/webhooks/1/test')).body).toMatchObject({ delivered: false, failure_type: 'timeout', status_code: 200 });
    await hasty.close();
  });

  // Proves rule webhooks.50.
  it('do not delay deliveries to other receivers while a receiver is unresponsive', async () => {
    await create({ url: receiver.url('/slow') });
    await create({ url: receiver.url('/fast') });
    // The slow receiver responds only after the fast one has received all events.
    const events = 300;
    const waiting: (() => void)[] = [];
    let got = 0;
    receiver.byPath.set('/slow', (response) => (got < events ? waiting.push(() => response.end()) : response.end()));
    receiver.byPath.set('/fast', (response) => {
      response.end();
      if (++got === events) for (const release of waiting) release();
    });
    await Promise.all(Array.from({ length: events }, () => emit()));
    await settle();
    expect([await health('1'), await health('2')]).toMatchObject([
      { total_successes: events, total_failures: 0 },
      { total_successes: events, total_failures: 0 },
    ]);
  });

  // Proves rule webhooks.50.
  it("do not delay another account's deliveries while hundreds of receivers of an account are unresponsive", async () => {
    const waiting: (() => void)[] = [];
    receiver.behaviour = (response) => void waiting.push(() => response.end());
    for (let number = 0; number < 200; number++) await create({ url: receiver.url(`/slow/${number}`) });
    for (let event = 0; event < 3; event++) await emit();
    const settled = settle();
    await until(() => waiting.length >= 200);
    const other = await service.makeAccount({ kind: 'standard', name: 'Other' });
    const { promise: received, resolve } = Promise.withResolvers<void>();
    receiver.byPath.set('/fast', (response) => {
      response.end();
      resolve();
    });
    await service.post('/webhooks', { url: receiver.url('/fast'), subscribed_to: ['Replies'] }, { key: other.api_key });
    await emit('Replies', other.account_id);
    await received;
    expect(waiting.length).toBeLessThan(600);
    receiver.behaviour = 200;
    for (const release of waiting) release();
    await settled;
  });

  // Proves rule sandbox.30.
  it('cause settle to return 504 after 30 seconds without a response', async () => {
    const open: (() => void)[] = [];
    receiver.behaviour = (response) => {
      open.push(() => response.end());
      service.clock.now += 30_000;
    };
    await create();
    await emit();
    expect((await settle()).status).toBe(504);
    for (const end of open) end();
    expect((await settle()).status).toBe(200);
    expect(await health()).toMatchObject({ total_successes: 1 });
  });

  // Proves rule webhooks.68.
  it('are shown as the last failure even after later successes', async () => {
    await create();
    for (const behaviour of [500, 404, 200]) {
      receiver.behaviour = behaviour;
      await emit();
      await settle();
    }
    expect(await health()).toMatchObject({ total_successes: 1, consecutive_failures: 0, last_failure: { status_code: 404 } });
  });

  // Proves rule webhooks.54.
  it('have messages without names of source files', async () => {
    expect(await failure({ url: receiver.url().replace('http:', 'https:') })).toMatchObject({ failure_type: 'network' });
    expect(await health()).toMatchObject({ last_failure: { error_message: 'The server does not use TLS on this port' } });
  });

  // Proves rule webhooks.52.
  it('explain what is wrong with an unreadable response', async () => {
    await create();
    const test = async () => (await service.post('/webhooks/1/test')).body;
    receiver.behaviour = (response) => response.writeHead(200, { 'x-long': 'x'.repeat(30_000) }).end();
    expect(await test()).toMatchObject({ failure_type: 'unknown', error_message: "The headers of the receiver's answer are too large" });
    receiver.behaviour = (response) => {
      response.writeHead(200, { 'content-length': 100 }).write('cut');
      setImmediate(() => response.destroy());
    };
    expect(await test()).toMatchObject({ status_code: 200, error_message: 'The connection was closed before the answer was complete' });
  });

  it('count as unknown with an unusual status', async () => {
    receiver.behaviour = 799;
    expect(await failure()).toMatchObject({ status_code: 799, failure_type: 'unknown' });
  });

  // Proves rule webhooks.132.
  it('reach this machine and no other private address where only loopback is allowed', async () => {
    const resolve = async (name: string) => (name === 'mixed.example' ? ['127.0.0.1', '10.0.0.1'] : ['127.0.0.1']);
    const local = await TestService.open({ receivers: { allowPrivate: 'loopback', resolve } });
    const create = async (url: string) => await local.post('/webhooks', { url, subscribed_to: ['Replies'], name: url });
    for (const url of [receiver.url(), receiver.url().replace('127.0.0.1', 'localhost'), 'https://127.0.0.1:1/', 'https://here.example/'])
      expect([url, (await create(url)).status]).toEqual([url, 200]);
    for (const url of ['http://10.0.0.1/', 'http://here.example/', 'https://10.0.0.1/', 'https://mixed.example/', 'https://0.0.0.0/']) {
      const { status, body } = await create(url);
      expect([url, status, body.error]).toEqual([url, 400, expect.stringContaining('--allow-private-receivers')]);
    }
    expect((await local.post('/webhooks/1/test')).body).toMatchObject({ delivered: true });
    receiver.take();
    await local.close();
  });

  // Proves rules webhooks.25, webhooks.52.
  it('count as permanent if the connection is to a forbidden address', async () => {
    // The name resolves to a public address when it is saved, and to a private one on connection.
    const strict = await TestService.open({ receivers: { allowPrivate: false, resolve: async () => ['93.184.216.34'] } });
    await strict.post('/webhooks', { url: 'https://localhost.localdomain.invalid/', subscribed_to: ['Replies'] });
    const store = await strict.database.open();
    for (const [url, type] of [
      [receiver.url().replace('http:', 'https:'), 'permanent'],
      [receiver.url().replace('http://127.0.0.1', 'https://localhost'), 'permanent'],
      [receiver.url().replace('http://127.0.0.1', 'https://[::ffff:127.0.0.1]'), 'permanent'],
      ['https://name.invalid/', 'network'],
    ] as const) {
      await store.write((db) => db.updateTable('webhooks').set({ url }).execute());
      expect((await strict.post('/webhooks/1/test')).body).toMatchObject({ delivered: false, failure_type: type, status_code: null });
    }
    expect(receiver.take()).toEqual([]);
    if (strict.database.file) await store.close();
    await strict.close();
  });

  // Proves rule webhooks.47.
  it('store one kilobyte of the response, and read at most sixteen', async () => {
    receiver.behaviour = (response) => {
      response.writeHead(500);
      // An endless response.
      const more = () => response.destroyed || response.write('x'.repeat(8192)) || response.once('drain', more);
      for (let count = 0; count < 64; count++) response.write('x'.repeat(8192));
      more();
    };
    expect(await failure()).toMatchObject({ status_code: 500, response_body: 'x'.repeat(1024) });
  });

  it('mask keys in stored requests and responses', async () => {
    receiver.behaviour = (response) => response.writeHead(200).end(`key=${service.key}`);
    await service.post('/webhooks', { url: receiver.url(), subscribed_to: ['Task Created'] });
    await service.post('/tasks', { title: `My key is ${service.key}` });
    await settle();
    expect(receiver.take()[0]?.text).toContain(service.key);
    const [delivery] = await deliveries();
    expect(delivery?.attempts).toMatchObject([
      { response_body: 'key=********', request_body: expect.stringContaining('My key is ********') },
    ]);
  });

  // Proves rule webhooks.101.
  it.each([
    ['the character NUL', Buffer.from('a\0b'), 'a\uFFFDb'],
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0x62]), 'a\uFFFDb'],
    ['half a surrogate pair', Buffer.from([0x61, 0xed, 0xa0, 0x80, 0x62]), 'a\uFFFD\uFFFD\uFFFDb'],
  ])('are recorded once, with %s in the response', async (_what, bytes, text) => {
    receiver.behaviour = (response) => response.writeHead(404).end(bytes);
    expect(await failure()).toMatchObject({ status_code: 404, attempt: 1, response_body: text });
    expect(receiver.take()).toHaveLength(1);
  });
});

describe('delivery retries', () => {
  beforeEach(async () => {
    await service.sandbox('POST', '/clock', { frozen: true });
  });

  afterAll(() => service.sandbox('POST', '/clock', { frozen: false }));

  const advance = async (seconds: number) =>
    (await service.sandbox('POST', '/clock/advance', { seconds })).body.fired as { kind: string; at: string }[];

  // Proves rules webhooks.40, webhooks.41, webhooks.43, webhooks.56, webhooks.64, webhooks.65, webhooks.104.
  it('are made 1, 5, 30 and 120 minutes after the first attempt, with the same id and the next number', async () => {
    receiver.behaviour = 503;
    await create({ retries_enabled: true });
    await emit();
    await settle();
    const start = Date.parse((await deliveries())[0]?.attempts[0].at as string);
    expect((await deliveries())[0]).toMatchObject({ state: 'queued', next_attempt_at: new Date(start + 60_000).toISOString() });
    expect(await health()).toMatchObject({
      total_failures: 0,
      consecutive_failures: 0,
      last_failure: { status_code: 503, attempt: 1, next_attempt_at: new Date(start + 60_000).toISOString() },
    });
    const fired = await advance(3 * 3600);
    expect(fired.map(({ at }) => (Date.parse(at) - start) / 60_000)).toEqual([1, 5, 30, 120]);
    const received = receiver.take();
    expect(received.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['1', '2', '3', '4', '5']);
    expect(new Set(received.map(({ headers }) => headers['x-webhook-delivery'])).size).toBe(1);
    expect(new Set(received.map(({ text }) => text)).size).toBe(1);
    expect((await deliveries())[0]).toMatchObject({ state: 'failed', next_attempt_at: null });
    const last = { attempt: 5, next_attempt_at: null };
    expect(await health()).toMatchObject({ total_failures: 1, consecutive_failures: 1, last_failure: last });
  });

  // Proves rules webhooks.48, webhooks.57, webhooks.59, webhooks.65.
  it('end with the first success', async () => {
    receiver.behaviour = 500;
    await create({ retries_enabled: true });
    await emit();
    await settle();
    receiver.behaviour = 204;
    expect(await advance(3600)).toHaveLength(1);
    expect((await deliveries())[0]).toMatchObject({ state: 'delivered', attempts: [{ status_code: 500 }, { status_code: 204 }] });
    const last = { status_code: 500, attempt: 1, next_attempt_at: null };
    expect(await health()).toMatchObject({ total_failures: 0, total_successes: 1, last_failure: last });
  });

  // Proves rules webhooks.53, webhooks.57, webhooks.58.
  it.each([
    [302, 'permanent', 0],
    [404, 'permanent', 0],
    [503, 'temporary', 4],
    [200, 'network', 4],
  ])('after status %i that is cut off: %s, %i retries', async (status, type, retries) => {
    receiver.behaviour = (response) => {
      response.writeHead(status, { 'content-length': 100, location: '/elsewhere' }).write('cut');
      setImmediate(() => response.destroy());
    };
    await create({ retries_enabled: true });
    await emit();
    await settle();
    expect(await health()).toMatchObject({ last_failure: { status_code: status, failure_type: type } });
    await advance(3 * 3600);
    expect((await deliveries())[0]?.attempts).toHaveLength(1 + retries);
  });

  // Proves rules webhooks.57, webhooks.58.
  it.each([400, 404, 429, 302])('are not made after status %i', async (status) => {
    receiver.behaviour = status;
    await create({ retries_enabled: true });
    await emit();
    await settle();
    expect((await deliveries())[0]).toMatchObject({ state: 'failed', next_attempt_at: null });
  });

  // Proves rule webhooks.55.
  it('are off by default', async () => {
    receiver.behaviour = 500;
    await create();
    await emit();
    await settle();
    expect((await deliveries())[0]?.state).toBe('failed');
  });

  // Proves rules webhooks.60, webhooks.104.
  it('are dropped if the subscription is off, disabled or deleted, and made if it is on again', async () => {
    receiver.behaviour = 500;
    await create({ retries_enabled: true, name: 'off' });
    await create({ retries_enabled: true, name: 'on again', url: receiver.url('/again') });
    await create({ retries_enabled: true, name: 'gone', url: receiver.url('/gone') });
    await emit();
    await settle();
    await service.put('/webhooks/off', { enabled: false });
    await service.put('/webhooks/on%20again', { enabled: false });
    await service.put('/webhooks/on%20again', { enabled: true });
    await service.delete('/webhooks/gone');
    receiver.take();
    await advance(120);
    expect(receiver.take().map(({ path }) => path)).toEqual(['/again']);
    const states = (await deliveries()).map(({ webhook_id, state }) => [webhook_id, state]);
    expect(states.sort()).toEqual(
      [
        ['1', 'dropped'],
        ['2', 'queued'],
        [null, 'dropped'],
      ].sort(),
    );
    expect((await health('1'))?.last_failure).toMatchObject({ attempt: 1, next_attempt_at: null });
  });

  // Proves rules webhooks.36, webhooks.60.
  it('are dropped if the plan no longer includes webhooks', async () => {
    receiver.behaviour = 500;
    await create({ retries_enabled: true });
    await emit();
    await settle();
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { webhooks: false } });
    receiver.take();
    await advance(60);
    expect(receiver.take()).toEqual([]);
    expect((await deliveries()).map(({ state }) => state)).toEqual(['dropped']);
  });

  // Proves rules sandbox.25, sandbox.26, sandbox.27.
  it('wait while their jobs are held', async () => {
    await create();
    const held = (await service.sandbox('POST', '/jobs', { hold: ['webhook_delivery'] })).body as { waiting: Record<string, number> };
    const before = held.waiting.webhook_delivery ?? 0;
    for (let count = 0; count < 3; count++) await emit();
    await settle();
    const { waiting } = (await service.sandbox('GET', '/jobs')).body as { waiting: Record<string, number> };
    expect((waiting.webhook_delivery ?? 0) - before).toBe(3);
    expect((await deliveries()).map(({ state }) => state)).toEqual(['queued', 'queued', 'queued']);
    await service.sandbox('POST', '/jobs', { hold: [] });
    await settle();
    expect(receiver.take()).toHaveLength(3);
  });
});

describe('auto-disable', () => {
  const failTimes = async (count: number, event = 'Replies', accountId = service.accountId) => {
    for (let round = 0; round < count; round++) {
      await emit(event, accountId);
      await settle();
    }
  };

  // Proves rules webhooks.69, webhooks.70.
  it('happens after ten consecutive failed deliveries, and stops deliveries to the receiver', async () => {
    receiver.behaviour = 500;
    await create();
    await failTimes(9);
    expect(await health()).toMatchObject({ consecutive_failures: 9, is_disabled: false });
    await failTimes(1);
    expect(await health()).toMatchObject({
      is_disabled: true,
      disabled_at: expect.any(String),
      disabled_reason: expect.stringMatching(/^10 deliveries in a row failed; the last: The receiver answered 500/),
    });
    receiver.take();
    await emit();
    await settle();
    expect(receiver.take()).toEqual([]);
    expect(await list()).toMatchObject([{ enabled: true }]);
  });

  // Proves rule webhooks.71.
  it('does not happen if a delivery in between succeeded', async () => {
    receiver.behaviour = 500;
    await create();
    await failTimes(9);
    receiver.behaviour = 200;
    await failTimes(1);
    receiver.behaviour = 500;
    await failTimes(9);
    expect(await health()).toMatchObject({ consecutive_failures: 9, total_failures: 18, total_successes: 1, is_disabled: false });
  });

  // Proves rules webhooks.72, webhooks.73.
  it('ends with reenable, which delivers nothing and resets only the failures', async () => {
    await create();
    await failTimes(1);
    receiver.behaviour = 500;
    await failTimes(10);
    receiver.take();
    expect((await service.post('/webhooks/1/reenable')).body).toEqual({ success: true, webhook_id: '1' });
    expect(await health()).toMatchObject({
      consecutive_failures: 0,
      total_failures: 0,
      total_successes: 1,
      is_disabled: false,
      disabled_reason: null,
    });
    await settle();
    expect(receiver.take()).toEqual([]);
    expect((await service.post('/webhooks/1/reenable')).status).toBe(200);
  });

  // Proves rules webhooks.74, webhooks.75.
  it('ends with a new URL, but not with the same URL', async () => {
    receiver.behaviour = 500;
    await create();
    await failTimes(10);
    await service.put('/webhooks/1', { url: receiver.url() });
    expect(await health()).toMatchObject({ is_disabled: true });
    await service.put('/webhooks/1', { url: receiver.url('/new') });
    expect(await health()).toBeNull();
    receiver.take();
    receiver.behaviour = 200;
    await failTimes(1);
    expect(receiver.take()).toHaveLength(1);
  });

  // Proves rule webhooks.76.
  it('is independent of the enabled flag', async () => {
    receiver.behaviour = 500;
    await create();
    await failTimes(10);
    await service.put('/webhooks/1', { enabled: false });
    await service.put('/webhooks/1', { enabled: true });
    expect(await health()).toMatchObject({ is_disabled: true });
    await service.put('/webhooks/1', { enabled: false });
    await service.post('/webhooks/1/reenable');
    receiver.take();
    await emit();
    await settle();
    expect(receiver.take()).toEqual([]);
  });

  // Proves rules webhooks.19, webhooks.20, webhooks.66.
  it('is reset when the subscription is deleted, even if another one has the same URL', async () => {
    receiver.behaviour = 500;
    await create({ name: 'a' });
    await create({ name: 'b', subscribed_to: ['Reads'] });
    await failTimes(2);
    expect(await health('b')).toMatchObject({ total_failures: 2 });
    await service.delete('/webhooks/a');
    expect(await health('b')).toBeNull();
  });
});

describe('testing a webhook', () => {
  // Proves rules webhooks.85, webhooks.86, webhooks.87, webhooks.88, webhooks.89, webhooks.90.
  it('sends a signed delivery marked as a test, with attempt number 1, which is not recorded', async () => {
    const secret = (await create({ generate_signing_secret: true, enabled: false })).body.signing_secret as string;
    const { status, body } = await service.post('/webhooks/1/test');
    expect([status, body]).toEqual([200, { success: true, webhook_id: '1', delivered: true }]);
    const [received] = receiver.take();
    expect(received?.body).toMatchObject({ test: true, event: 'Deliveries', user: { id: service.accountId } });
    expect(received?.headers).toMatchObject({ 'x-webhook-attempt': '1', 'x-webhook-event': 'Deliveries' });
    expect(received && isSignedWith(secret, received)).toBe(true);
    expect(await health()).toBeNull();
    expect(await deliveries()).toEqual([]);
  });

  // Proves rule webhooks.85.
  it('returns 200 with the failure', async () => {
    await create();
    receiver.behaviour = 418;
    const { status, body } = await service.post('/webhooks/1/test', { event: 'Task Created' });
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        webhook_id: '1',
        delivered: false,
        failure_type: 'permanent',
        status_code: 418,
        error_message: 'The receiver answered 418',
      },
    ]);
    expect(receiver.take()[0]?.body.event).toBe('Task Created');
  });

  // Proves rule webhooks.86.
  it('rejects unknown events and subscriptions', async () => {
    await create();
    expect((await service.post('/webhooks/1/test', { event: 'Nothing' })).status).toBe(400);
    expect((await service.post('/webhooks/7/test')).status).toBe(404);
  });
});

describe('resending a delivery', () => {
  // Proves rules sandbox.71, sandbox.72, sandbox.74.
  it('makes another attempt in any state of the delivery, and does not change the health', async () => {
    receiver.behaviour = 500;
    await create();
    await emit();
    await settle();
    const before = await health();
    const [{ id } = { id: '' }] = await deliveries();
    expect((await service.sandbox('POST', `/deliveries/${id}/resend`)).body).toEqual({ success: true, delivered: false });
    receiver.behaviour = 200;
    expect((await service.sandbox('POST', `/deliveries/${id}/resend`)).body).toEqual({ success: true, delivered: true });
    expect(receiver.take().map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['1', '2', '3']);
    expect((await deliveries())[0]).toMatchObject({ state: 'delivered', attempts: [{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }] });
    expect(await health()).toEqual(before);
  });

  // Proves rules sandbox.74, webhooks.59.
  it('ends the delivery if it succeeds, even during a scheduled attempt', async () => {
    await create({ retries_enabled: true });
    const answers: (() => void)[] = [];
    receiver.behaviour = (response) => void answers.push(() => response.writeHead(500).end());
    await emit();
    const settled = settle();
    await until(() => answers.length === 1);
    const [{ id } = { id: '' }] = await deliveries();
    receiver.behaviour = 200;
    expect((await service.sandbox('POST', `/deliveries/${id}/resend`)).body).toEqual({ success: true, delivered: true });
    answers[0]?.();
    await settled;
    expect((await deliveries())[0]).toMatchObject({ state: 'delivered', next_attempt_at: null });
  });

  // Proves rule sandbox.71.
  it('assigns a separate number to each simultaneous resend', async () => {
    await create();
    await emit();
    await settle();
    const [{ id } = { id: '' }] = await deliveries();
    const answers: (() => void)[] = [];
    receiver.behaviour = (response) => void answers.push(() => response.writeHead(200).end());
    const resends = [1, 2, 3].map(() => service.sandbox('POST', `/deliveries/${id}/resend`));
    await until(() => answers.length === 3);
    // The last one finishes first.
    for (const answer of answers.toReversed()) answer();
    await Promise.all(resends);
    const sent = receiver.take().map(({ headers }) => headers['x-webhook-attempt']);
    expect(sent.toSorted()).toEqual(['1', '2', '3', '4']);
    const [{ attempts } = { attempts: [] }] = await deliveries();
    expect(attempts).toMatchObject([1, 2, 3, 4].map((attempt) => ({ attempt, request_headers: { 'X-Webhook-Attempt': String(attempt) } })));
  });

  // Proves rule sandbox.73.
  it('is possible for a completed delivery, and for a subscription that is off', async () => {
    await create();
    await emit();
    await settle();
    const [{ id } = { id: '' }] = await deliveries();
    await service.put('/webhooks/1', { enabled: false });
    expect((await service.sandbox('POST', `/deliveries/${id}/resend`)).body).toEqual({ success: true, delivered: true });
    expect(receiver.take()).toHaveLength(2);
    expect((await deliveries())[0]).toMatchObject({ state: 'delivered', attempts: [{ attempt: 1 }, { attempt: 2 }] });
  });

  // Proves rule sandbox.74.
  it('does not affect the retry schedule', async () => {
    await service.sandbox('POST', '/clock', { frozen: true });
    receiver.behaviour = 500;
    await create({ retries_enabled: true });
    await emit();
    await settle();
    const [{ id } = { id: '' }] = await deliveries();
    await service.sandbox('POST', `/deliveries/${id}/resend`);
    await service.sandbox('POST', '/clock/advance', { seconds: 3 * 3600 });
    expect((await deliveries())[0]?.attempts).toHaveLength(6);
    await service.sandbox('POST', '/clock', { frozen: false });
  });

  // Proves rules sandbox.70, sandbox.75.
  it('returns 404 for an unknown delivery and 409 without its subscription', async () => {
    expect((await service.sandbox('POST', '/deliveries/dlv_none/resend')).status).toBe(404);
    await create();
    await emit();
    await settle();
    const [{ id } = { id: '' }] = await deliveries();
    await service.delete('/webhooks/1');
    expect((await deliveries())[0]?.webhook_id).toBeNull();
    expect((await service.sandbox('POST', `/deliveries/${id}/resend`)).status).toBe(409);
  });
});

describe('an agency', () => {
  let client: { account_id: string; api_key: string };

  beforeEach(async () => {
    client = await service.makeAccount({ name: 'Client', parent_account_id: service.accountId });
    await service.liftLimits(client.account_id);
  });

  const asClient = () => ({ key: client.api_key });

  // Proves rules webhooks.91, webhooks.92, webhooks.95, webhooks.98.
  it('receives events of sub-accounts with apply_to_sub_accounts, signed with its own secret, with the sub-account as user', async () => {
    const secret = (await create({ apply_to_sub_accounts: true, generate_signing_secret: true })).body.signing_secret as string;
    await emit('Replies', client.account_id);
    await settle();
    const [received] = receiver.take();
    expect(received?.body.user).toMatchObject({ id: client.account_id, name: 'Client' });
    expect(received && isSignedWith(secret, received)).toBe(true);
    expect(await deliveries(`account_id=${client.account_id}`)).toMatchObject([{ webhook_account_id: service.accountId, webhook_id: '1' }]);
    expect((await service.get('/webhooks', asClient())).body.webhooks).toEqual([]);
    expect(await health()).toMatchObject({ total_successes: 1, is_disabled: false });
    await service.put('/webhooks/1', { apply_to_sub_accounts: false });
    expect(await health()).toBeNull();
    await emit('Replies', client.account_id);
    await settle();
    expect(receiver.take()).toEqual([]);
  });

  // Proves rule webhooks.96.
  it('does not filter inherited deliveries by tags', async () => {
    await create({ subscribed_to: ['Chat Concluded'], subscribed_to_tags: ['tag_a'], apply_to_sub_accounts: true });
    await emit('Chat Concluded', client.account_id);
    await emit('Chat Concluded');
    await settle();
    expect(receiver.take().map(({ body }) => body.user.id as string)).toEqual([client.account_id]);
  });

  // Proves rules webhooks.93, webhooks.94.
  it('does not receive events that a subscription of the sub-account receives at the same URL, while that is on', async () => {
    await create({ apply_to_sub_accounts: true });
    await service.post('/webhooks', { url: receiver.url(), subscribed_to: ['Replies'] }, asClient());
    await emit('Replies', client.account_id);
    await emit('Deliveries', client.account_id);
    await settle();
    const all = await deliveries(`account_id=${client.account_id}`);
    expect(all.map(({ event, webhook_account_id }) => [event, webhook_account_id]).sort()).toEqual([
      ['Deliveries', service.accountId],
      ['Replies', client.account_id],
    ]);
    await service.put('/webhooks/1', { enabled: false }, asClient());
    receiver.take();
    await emit('Replies', client.account_id);
    await settle();
    expect(await deliveries(`account_id=${client.account_id}&limit=1`)).toMatchObject([{ webhook_account_id: service.accountId }]);
    expect(receiver.take()).toHaveLength(1);
  });

  // Proves rules webhooks.94, webhooks.98.
  it('is paused and reenabled by itself, whatever a sub-account does with its own subscription to the same URL', async () => {
    await create({ apply_to_sub_accounts: true });
    await failTenTimes();
    const own = await service.post('/webhooks', { url: receiver.url(), subscribed_to: ['Deliveries'] }, asClient());
    expect((await service.post(`/webhooks/${own.body.webhook_id}/reenable`, undefined, asClient())).status).toBe(200);
    expect(await received()).toBe(0);
    expect(await health('1', client.api_key)).toBeNull();
    // The own one is paused, so the agency's would receive its events, if it were not paused itself.
    await service.put('/webhooks/1', { subscribed_to: ['Replies'] }, asClient());
    await failTenTimes();
    expect(await health('1', client.api_key)).toMatchObject({ is_disabled: true });
    expect(await received()).toBe(0);
    await service.post('/webhooks/1/reenable');
    expect(await received()).toBe(1);
    expect(await health('1', client.api_key)).toMatchObject({ is_disabled: true });
    await service.post('/webhooks/1/reenable', undefined, asClient());
    expect(await received()).toBe(1);
    expect(await health('1', client.api_key)).toMatchObject({ is_disabled: false, total_successes: 1 });
  });

  // Proves rules webhooks.63, webhooks.111, webhooks.112.
  it('has the joined health of all accounts, and says whose deliveries are paused', async () => {
    const other = await service.makeAccount({ name: 'Other', parent_account_id: service.accountId });
    await create({ apply_to_sub_accounts: true });
    await emit();
    await emit('Replies', other.account_id);
    await settle();
    service.clock.now += 60_000;
    await failTenTimes();
    const { body } = await service.get('/webhooks/1/health');
    expect(body.health).toMatchObject({
      total_successes: 2,
      total_failures: 10,
      consecutive_failures: 10,
      is_disabled: false,
      disabled_at: null,
      last_failure: { event: 'Replies', status_code: 500 },
    });
    expect(Date.parse(body.health.last_failure.at)).toBeGreaterThan(Date.parse(body.health.last_success_at));
    const paused = { account_id: client.account_id, name: 'Client', disabled_at: expect.any(String), disabled_reason: expect.any(String) };
    expect([body.paused_count, body.paused_accounts]).toEqual([1, [paused]]);
    const { webhooks } = (await service.get('/webhooks?include=health')).body;
    expect(webhooks).toMatchObject([{ id: '1', health: body.health, paused_count: 1 }]);
    expect((await service.get('/webhooks')).body.webhooks[0]).not.toHaveProperty('health');
    expect((await service.get('/webhooks?include=secrets')).status).toBe(400);
    await service.post('/webhooks/1/reenable');
    expect((await service.get('/webhooks/1/health')).body).toMatchObject({ paused_count: 0, paused_accounts: [] });
  });

  // Proves rules webhooks.67, webhooks.93.
  it('compares URLs in normalised form', async () => {
    await create({ apply_to_sub_accounts: true });
    const url = receiver.url('/./hook#x').replace('http:', 'HTTP:');
    const { body } = await service.post('/webhooks', { url, subscribed_to: ['Replies'] }, asClient());
    expect(body.webhook.url).toBe(url);
    await emit('Replies', client.account_id);
    await settle();
    expect(receiver.take()).toHaveLength(1);
    await service.put('/webhooks/1', { url: receiver.url() }, asClient());
    expect(await health('1', client.api_key)).toMatchObject({ total_successes: 1 });
  });

  // Proves rules webhooks.98, webhooks.99.
  it('is auto-disabled per sub-account, and reenabled for all of them', async () => {
    await create({ apply_to_sub_accounts: true });
    const other = await service.makeAccount({ name: 'Other', parent_account_id: service.accountId });
    receiver.behaviour = 500;
    for (let round = 0; round < 10; round++) {
      await emit('Replies', client.account_id);
      await settle();
    }
    receiver.behaviour = 200;
    receiver.take();
    await emit('Replies', client.account_id);
    await emit('Replies', other.account_id);
    await emit('Replies');
    await settle();
    expect(
      receiver
        .take()
        .map(({ body }) => body.user.name as string)
        .sort(),
    ).toEqual(['Agency', 'Other']);
    await service.post('/webhooks/1/reenable');
    await emit('Replies', client.account_id);
    await settle();
    expect(receiver.take()).toHaveLength(1);
  });

  // Proves rule webhooks.61.
  it('makes no retries for a client after apply_to_sub_accounts is switched off', async () => {
    await service.sandbox('POST', '/clock', { frozen: true });
    receiver.behaviour = 500;
    await create({ apply_to_sub_accounts: true, retries_enabled: true });
    await emit('Replies', client.account_id);
    await emit();
    await settle();
    await service.put('/webhooks/1', { apply_to_sub_accounts: false });
    receiver.take();
    await service.sandbox('POST', '/clock/advance', { seconds: 60 });
    await service.sandbox('POST', '/clock', { frozen: false });
    expect(receiver.take().map(({ body }) => body.user.id as string)).toEqual([service.accountId]);
    expect(await deliveries(`account_id=${client.account_id}`)).toMatchObject([{ state: 'dropped', attempts: [{ attempt: 1 }] }]);
  });

  const failTenTimes = async () => {
    receiver.behaviour = 500;
    for (let round = 0; round < 10; round++) {
      await emit('Replies', client.account_id);
      await settle();
    }
    receiver.behaviour = 200;
    receiver.take();
  };

  const received = async () => {
    await emit('Replies', client.account_id);
    await settle();
    return receiver.take().length;
  };

  // Proves rule webhooks.99.
  it('delivers to its clients again after a URL change, as after reenable', async () => {
    await create({ apply_to_sub_accounts: true });
    await failTenTimes();
    await service.put('/webhooks/1', { url: receiver.url() });
    expect(await received()).toBe(0);
    for (const path of ['/elsewhere', '/hook']) await service.put('/webhooks/1', { url: receiver.url(path) });
    expect(await received()).toBe(1);
  });

  // Proves rule webhooks.100.
  it('deletes the health of its clients with the subscription, except for those with their own subscription', async () => {
    const other = await service.makeAccount({ parent_account_id: service.accountId });
    await service.post('/webhooks', { url: receiver.url(), subscribed_to: ['Replies'] }, { key: other.api_key });
    await create({ apply_to_sub_accounts: true });
    await emit('Replies', other.account_id);
    await failTenTimes();
    await service.delete('/webhooks/1');
    await create({ apply_to_sub_accounts: true });
    expect(await received()).toBe(1);
    expect(await health('1', other.api_key)).not.toBeNull();
  });

  // Proves rule webhooks.97.
  it('is required for apply_to_sub_accounts: the flag of another account does nothing', async () => {
    const subscription = { url: receiver.url(), subscribed_to: ['Replies'], apply_to_sub_accounts: true };
    expect((await service.post('/webhooks', subscription, asClient())).status).toBe(200);
    await emit('Replies', client.account_id);
    await emit();
    await settle();
    expect(receiver.take().map(({ body }) => body.user.id as string)).toEqual([client.account_id]);
  });

  // Proves rules conventions.73, conventions.74.
  it('acts on the subscriptions of a sub-account with sub_account_id', async () => {
    const sub = { sub_account_id: client.account_id };
    await service.post('/webhooks', { url: receiver.url(), subscribed_to: ['Reads'], ...sub });
    expect((await service.get('/webhooks', asClient())).body.webhooks).toHaveLength(1);
    expect((await service.get('/webhooks')).body.webhooks).toEqual([]);
    expect((await service.delete(`/webhooks/1?sub_account_id=${client.account_id}`)).status).toBe(200);
  });
});

describe('the list of deliveries', () => {
  // Proves rules sandbox.68, sandbox.69.
  it('is paginated, and can be filtered by account and subscription', async () => {
    await create({ name: 'a' });
    await create({ name: 'b', url: receiver.url('/b') });
    for (let count = 0; count < 3; count++) await emit();
    await settle();
    const account = `account_id=${service.accountId}`;
    expect(await deliveries(`${account}&webhook_id=2`)).toHaveLength(3);
    expect(await deliveries(`${account}&webhook_id=b`)).toHaveLength(3);
    expect(await deliveries(`${account}&webhook_id=9`)).toEqual([]);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await service.sandbox('GET', `/deliveries?${account}&limit=4${cursor && `&cursor=${cursor}`}`);
      seen.push(...(body.deliveries as { id: string }[]).map(({ id }) => id));
      cursor = (body.next_cursor as string | null) ?? '';
    } while (cursor);
    expect([seen.length, new Set(seen).size]).toEqual([6, 6]);
    expect((await service.sandbox('GET', '/deliveries?cursor=x')).status).toBe(400);
  });
});
