import { expect } from 'vitest';
import { it } from '../../support/service-test.ts';
import { TestService } from '../../support/test-service.ts';
import { engine } from '../../support/stores.ts';

const isEmbedded = engine === 'sqlite';

const load = async (service: TestService, store: Buffer) =>
  await service.call('POST', '/sandbox/store', undefined, { key: service.token, raw: store });

const save = async (service: TestService) => Buffer.from((await service.sandbox('GET', '/store')).body.store as string, 'base64');

// Proves rules sandbox.115, sandbox.116.
it.runIf(isEmbedded)('a saved store has everything, the clock and what is due too', async ({ service }) => {
  await service.sandbox('POST', '/clock', { frozen: true });
  const { contact } = (await service.post('/contacts', { phone_number: '+14155550123', first_name: 'Ada' })).body;
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'sms', identity: '+14155550100' });
  const inbound = { channel: 'sms', from: '+14155550123', text: 'Is the terrace open?' };
  await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, inbound);
  await service.post('/tasks', { title: 'Call back' });
  await service.sandbox('POST', '/jobs', { hold: ['session_end'] });
  const { now } = (await service.sandbox('GET', '/clock')).body;
  const before = await read(service);
  const store = await save(service);
  // Everything changes after it.
  await service.sandbox('POST', '/jobs', { hold: [] });
  await service.call('DELETE', `/v1/contacts/${contact.id}`);
  await service.post('/tags', { name: 'Later' });
  await service.sandbox('POST', '/clock/advance', { seconds: 200_000 });
  expect(await read(service)).not.toEqual(before);
  const { status, body } = await load(service, store);
  expect([status, body]).toEqual([200, { success: true, account_id: service.accountId, now }]);
  expect(await read(service)).toEqual(before);
  // The index of words is made again.
  expect((await service.get('/messages?search=terrace')).body.messages).toHaveLength(1);
  expect((await service.sandbox('POST', '/jobs', { hold: [] })).status).toBe(200);
  await service.sandbox('POST', '/clock/advance', { seconds: 200_000 });
  expect((await service.get('/chat-sessions')).body.chat_sessions).toMatchObject([{ concluded_at: expect.any(String) }]);
});

/** What the account has, as its answers show it. */
async function read(service: TestService): Promise<unknown> {
  const paths = ['/contacts', '/messages?search=open', '/chat-sessions', '/tasks', '/tags', '/channels', '/users/me'];
  return await Promise.all(paths.map(async (path) => [path, (await service.get(path)).body]));
}

// Proves rule sandbox.117.
it.runIf(isEmbedded)('a loaded store is reached with the main key and the token of before, and not with its own', async ({ service }) => {
  const other = await TestService.open();
  try {
    await other.post('/tags', { name: 'Of the other' });
    const store = await save(other);
    const { account_id: id } = (await load(service, store)).body;
    expect(id).toBe(other.accountId);
    expect((await service.get('/tags')).body.tags).toMatchObject([{ name: 'Of the other' }]);
    expect((await service.get('/users/me')).body.user).toMatchObject({ id });
    expect((await service.get('/tags', { key: other.key })).status).toBe(401);
    expect((await service.sandbox('GET', '/clock', undefined, { key: other.token })).status).toBe(401);
    // It can be loaded again, and also where it comes from.
    expect((await load(service, store)).status).toBe(200);
    expect((await load(other, await save(service))).status).toBe(200);
    expect((await other.get('/tags')).status).toBe(200);
  } finally {
    await other.close();
  }
});

// Proves rule sandbox.118.
it.runIf(isEmbedded)('what is no saved store is refused, and nothing changes', async ({ service }) => {
  await service.post('/tags', { name: 'Stays' });
  const store = await save(service);
  const damaged = Buffer.concat([store.subarray(0, 100), Buffer.alloc(store.length - 100, 1)]);
  const cutOff = Buffer.concat([store.subarray(0, store.length - 100_000), Buffer.alloc(100_000)]);
  for (const bytes of [Buffer.alloc(0), Buffer.from('garbage'), damaged, cutOff, store.subarray(0, 20_000)]) {
    const { status, body } = await load(service, bytes);
    expect([bytes.length, status, body.error]).toEqual([bytes.length, 400, expect.stringContaining('not a saved store')]);
  }
  expect((await service.get('/tags')).body.tags).toContainEqual(expect.objectContaining({ name: 'Stays' }));
});

// Proves rule sandbox.119.
it.runIf(!isEmbedded)('a store on PostgreSQL is neither saved nor loaded', async ({ service }) => {
  const refused = { status: 409, body: { error: expect.stringContaining('pg_dump') } };
  expect(await service.sandbox('GET', '/store')).toMatchObject(refused);
  expect(await load(service, Buffer.from('x'))).toMatchObject(refused);
});
