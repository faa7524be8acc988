import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tries } from '../../support/sweeps.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { forwarding } from '../../support/stores.ts';
import { TestService } from '../../support/test-service.ts';

// Data that is read and then written must stay consistent with concurrent requests in two processes.

let first: TestService;
let second: TestService;

beforeAll(async () => {
  first = await TestService.open();
  second = await TestService.on(first.database, {}, first);
  await first.liftLimits();
});

afterAll(async () => {
  await second.service.close();
  await first.close();
});

const which = (index: number) => (index % 2 === 0 ? first : second);

const times = <Result>(count: number, act: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)));

const credits = async (id: string) => (await first.sandbox('GET', `/accounts/${id}`)).body.account.credits as number;

// Proves rule accounts.9.
it('no credits are lost if a sub-account is deleted during a transfer to it', async () => {
  for (let round = 0; round < tries(4); round++) {
    const { account_id, api_key: key } = await first.makeAccount({ kind: 'agency' });
    await first.liftLimits(account_id);
    const { id } = (await first.post('/subaccounts', { name: 'short-lived' }, { key })).body.sub_account as { id: string };
    const answers = await times(5, (index) =>
      index === 2
        ? which(index).delete(`/subaccounts/${id}`, { key })
        : which(index).post(`/subaccounts/${id}/credits`, { amount: 100 }, { key }),
    );
    for (const { status } of answers) expect([200, 404]).toContain(status);
    expect(await credits(account_id)).toBe(1000);
  }
});

// Proves rule conventions.24.
it('creating a record on a sub-account that is being deleted succeeds or returns 404, never 500', async () => {
  for (let round = 0; round < tries(4); round++) {
    const { id } = (await first.post('/subaccounts', { name: 'short-lived' })).body.sub_account as { id: string };
    const answers = await times(6, (index) =>
      index === 3 ? first.delete(`/subaccounts/${id}`) : which(index).post('/lists', { name: 'x', sub_account_id: id }, { key: first.key }),
    );
    for (const { status } of answers) expect([200, 201, 404]).toContain(status);
  }
});

// Proves rule conventions.24.
it.each([
  ['a contact', '/contacts', { phone_number: '+14155550123' }],
  ['a message', '/contacts/send', { channel: 'chatapp', phone_number: '+14155550123', body: 'x' }],
])('creating %s returns 404 if the account is deleted after the request was admitted', async (_what, path, body) => {
  const { account_id: id, api_key: key } = await first.makeAccount({ parent_account_id: first.accountId });
  await first.sandbox('POST', `/accounts/${id}/channels`, { channel: 'chatapp', identity: '+14155550199' });
  const opened = await first.database.open();
  const late: Store = {
    ...forwarding(opened),
    write: async (work, options) => {
      const { accounts = [] } = options ?? {};
      if ((typeof accounts === 'function' ? accounts() : accounts).includes(id))
        expect((await first.delete(`/subaccounts/${id}`)).status).toBe(200);
      return await opened.write(work, options);
    },
  };
  const third = await TestService.on(first.database, { store: late }, first);
  expect((await third.post(path, body, { key })).status).toBe(404);
  const rows = await first.database.open();
  expect(await rows.read((db) => db.selectFrom('contacts').select('id').where('account_id', '=', id).execute())).toEqual([]);
  if (first.database.file) await rows.close();
  await third.service.close();
});

// Proves rule sandbox.84.
it('concurrently added faults are all kept, and hit the given number of times', async () => {
  await times(10, (index) => which(index).sandbox('POST', '/faults', { match: { path: `/nowhere${index}` }, status: 500 }));
  expect((await first.sandbox('GET', '/faults')).body.faults).toHaveLength(10);
  await first.sandbox('DELETE', '/faults');
  await first.sandbox('POST', '/faults', { match: { path: '/health' }, status: 503, times: 3 });
  const answers = await times(12, (index) => which(index).get('/health', { key: first.key }));
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(3);
});

// Proves rules keys.3, sandbox.39.
it('concurrent rotations leave one main key, and no request fails', async () => {
  const { account_id } = await first.makeAccount();
  const answers = await times(6, (index) => which(index).sandbox('POST', `/accounts/${account_id}/main-key`));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  const works = await times(6, (index) => first.get('/health', { key: answers[index]?.body.api_key as string }));
  expect(works.filter(({ status }) => status === 200)).toHaveLength(1);
});

// Proves rule tags.2.
it('only one of several concurrent tags gets a name', async () => {
  const ids: string[] = [];
  for (const name of ['w', 'x', 'y', 'z']) ids.push((await first.post('/tags', { name })).body.tag.id as string);
  const answers = await times(4, (index) => which(index).put(`/tags/${ids[index]}`, { name: 'same' }, { key: first.key }));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
});

// Proves rule sandbox.35.
it('concurrent changes of different fields of a plan are all kept', async () => {
  const { account_id } = await first.makeAccount();
  const changes = [{ max_agents: 3 }, { pending_pages: 7 }, { webhooks: false }];
  await times(3, (index) => which(index).sandbox('PATCH', `/accounts/${account_id}`, { plan: changes[index] }));
  expect((await first.sandbox('GET', `/accounts/${account_id}`)).body.account.plan).toMatchObject({
    max_agents: 3,
    pending_pages: 7,
    webhooks: false,
  });
});

// Proves rule sandbox.15.
it('the clock never goes back with concurrent changes', async () => {
  await first.sandbox('POST', '/clock', { frozen: true });
  const base = Date.parse((await first.sandbox('GET', '/clock')).body.now as string);
  const answers = await times(6, (index) =>
    which(index).sandbox('POST', '/clock', { now: new Date(base + 1000 - index * 100).toISOString() }),
  );
  const acknowledged = answers.filter(({ status }) => status === 200).map(({ body }) => Date.parse(body.now as string));
  expect(Date.parse((await first.sandbox('GET', '/clock')).body.now as string)).toBe(Math.max(...acknowledged));
  await first.sandbox('POST', '/clock', { frozen: false });
});

describe('a reset', () => {
  // Proves rule sandbox.9.
  it('leaves one account after concurrent resets', async () => {
    const answers = await times(3, (index) => which(index).sandbox('POST', '/reset'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const works = await times(3, (index) => first.get('/health', { key: answers[index]?.body.api_key as string }));
    expect(works.filter(({ status }) => status === 200)).toHaveLength(1);
    const store = await first.database.open();
    expect(await store.read((db) => db.selectFrom('accounts').select('name').execute())).toHaveLength(1);
    await store.close();
  });
});
