import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TestService } from '../../support/test-service.ts';
import { until } from '../../support/until.ts';
import { WatchedStream, watchStream } from '../../support/watched-stream.ts';

let service: TestService;
const opened: WatchedStream[] = [];

beforeEach(async () => {
  service = await TestService.open();
  await service.liftLimits();
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
});

afterEach(async () => {
  for (const { stream } of opened.splice(0)) stream.end();
  await service.close();
});

async function watch(key = service.key, lastEventId?: string, on = service, query = ''): Promise<WatchedStream | number> {
  const watched = await watchStream(on, `/notifications/stream${query}`, key, lastEventId);
  if (typeof watched === 'object') opened.push(watched);
  return watched;
}

const open = async (...args: Parameters<typeof watch>) => (await watch(...args)) as WatchedStream;

/** Makes a notification. @returns its id */
async function happen(): Promise<string> {
  await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 100 });
  await service.post('/contacts/send', { phone_number: '+14155550123', channel: 'chatapp', body: 'x' });
  return (await service.get('/notifications?limit=1')).body.notifications[0].id as string;
}

// Proves rules notifications.12, notifications.13, notifications.14, notifications.15.
it('sends what comes after the connection, or after the last record, from whatever server', async () => {
  const before = await happen();
  const other = await TestService.on(service.database, {}, service);
  const [here, there] = [await open(), await open(service.key, undefined, other)];
  const [first, second] = [await happen(), await happen()];
  await until(() => here.ids.length === 2 && there.ids.length === 2);
  expect([here.ids, there.ids]).toEqual([
    [first, second],
    [first, second],
  ]);
  const [, data = ''] = /event: notification\ndata: (.+)\n\n/.exec(here.text) ?? [];
  expect(JSON.parse(data)).toEqual((await service.get('/notifications')).body.notifications[1]);
  const again = await open(service.key, first, other);
  const all = await open(service.key, 'ntf_gone');
  await until(() => again.ids.length === 1 && all.ids.length === 3);
  expect([again.ids, all.ids]).toEqual([[second], [before, first, second]]);
  await other.service.close();
  await until(() => there.isEnded && again.isEnded);
});

// Proves rule notifications.12.
it('sends what happens on its own account alone', async () => {
  const { api_key: client } = await service.makeAccount();
  const [own, others] = [await open(), await open(client)];
  const id = await happen();
  await until(() => own.ids.length === 1);
  const again = await open(client, 'ntf_gone');
  await until(() => again.text.length > 0);
  expect([own.ids, others.ids, again.ids]).toEqual([[id], [], []]);
});

// Proves rule notifications.16.
it('ends with its credential', async () => {
  const { key, api_key: scoped } = (await service.post('/api-keys', { scopes: { tags: ['Notifications'] } })).body;
  const person = await service.signIn([]);
  const { account_id: id, api_key: client } = await service.makeAccount();
  const [ofKey, ofPerson, ofClient, stays] = [await open(scoped), await open(person), await open(client), await open()];
  await service.delete(`/api-keys/${key.id}`);
  const owner = await service.signIn([], { role: 'owner' });
  const members = (await service.get('/team', { key: owner })).body.members as { id: string; role: string }[];
  await service.delete(`/team/${members.find(({ role }) => role === 'member')?.id}`, { key: owner });
  await service.sandbox('PATCH', `/accounts/${id}`, { plan: { api_access: false } });
  await until(() => ofKey.isEnded && ofPerson.isEnded && ofClient.isEnded);
  expect(stays.isEnded).toBe(false);
});

// Proves rule notifications.16.
it('ends with the choice of a person and with the account', async () => {
  const email = `p${Math.random().toString(36).slice(2)}@test.example`;
  const elsewhere = (await service.makeAccount()).account_id;
  const join = async (account: string) =>
    (await service.sandbox('POST', `/accounts/${account}/members`, { name: 'Ann', email, permissions: [] })).body.id_token as string;
  const token = await join(service.accountId);
  await join(elsewhere);
  const agency = await service.makeAccount({ kind: 'agency' });
  const client = await service.makeAccount({ parent_account_id: agency.account_id });
  const [ofPerson, ofClient, ofAgency, stays] = [await open(token), await open(client.api_key), await open(agency.api_key), await open()];
  await service.post('/team/switch', { account_id: elsewhere }, { key: token });
  await service.delete(`/subaccounts/${client.account_id}`, { key: agency.api_key });
  await until(() => ofPerson.isEnded && ofClient.isEnded);
  expect([ofAgency.isEnded, stays.isEnded]).toEqual([false, false]);
  await service.sandbox('POST', '/reset');
  await until(() => ofAgency.isEnded && stays.isEnded);
});

// Proves rule notifications.13.
it('begins after the query `after`, unless Last-Event-ID is sent', async () => {
  const [first, second, third] = [await happen(), await happen(), await happen()];
  const opened = [
    await open(service.key, undefined, service, `?after=${first}`),
    await open(service.key, second, service, `?after=${first}`),
  ];
  await until(() => opened[0]?.ids.length === 2 && opened[1]?.ids.length === 1);
  expect(opened.map(({ ids }) => ids)).toEqual([[second, third], [third]]);
});

// Proves rule notifications.15.
it('sends a comment at the beginning, and every 15 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const stream = await open();
    await until(() => stream.text === ':\n\n');
    vi.advanceTimersByTime(14_000);
    await until(async () => true);
    expect(stream.text).toBe(':\n\n');
    await happen();
    vi.advanceTimersByTime(900);
    await until(() => stream.ids.length === 1);
    expect(stream.text).not.toMatch(/\n:\n\n$/);
    vi.advanceTimersByTime(200);
    await until(() => stream.text.endsWith('\n\n:\n\n'));
  } finally {
    vi.useRealTimers();
  }
});

// Proves rule notifications.16.
it('ends when its key or its ID token expires', async () => {
  const expires_at = new Date(service.clock.now + 600_000).toISOString();
  const { api_key: key } = (await service.post('/api-keys', { expires_at, scopes: { tags: ['Notifications'] } })).body;
  const [ofKey, ofPerson, stays] = [await open(key), await open(await service.signIn([])), await open()];
  service.clock.now += 700_000;
  await until(() => ofKey.isEnded);
  expect(ofPerson.isEnded).toBe(false);
  service.clock.now += 2 * 3_600_000;
  await until(() => ofPerson.isEnded);
  expect(stays.isEnded).toBe(false);
});

// Proves rule notifications.17.
it('is refused beyond 20 of an account, until one ends', async () => {
  const all = await Promise.all(Array.from({ length: 22 }, () => watch()));
  expect(all.filter((each) => each === 429)).toHaveLength(2);
  (all.find((each) => each instanceof WatchedStream) as WatchedStream).stream.end();
  expect(await watch()).toBeInstanceOf(WatchedStream);
});
