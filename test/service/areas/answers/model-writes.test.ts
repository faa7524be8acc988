import { afterEach, beforeEach, expect, it } from 'vitest';
import { builtIn } from '../../../../src/service/areas/answers/built-in.ts';
import type { AnswerRequest } from '../../../../src/service/areas/answers/writer.ts';
import { TestService } from '../../../support/test-service.ts';
import { until } from '../../../support/until.ts';

// What happens to the job of a message while a model writes the reply.

let service: TestService;
let account: string;
let inbound: ReturnType<TestService['sandbox']>;
/** The calls to the model that have begun; each ends when it is told to. */
let calls: { answer: () => void; fail: () => void }[];

const writer = {
  ...builtIn,
  provider: 'model.example',
  isLocal: false,
  answer: async (request: AnswerRequest) => {
    await new Promise<void>((resolve, reject) => calls.push({ answer: resolve, fail: () => reject(new Error('no disk space')) }));
    return await builtIn.answer(request);
  },
};

beforeEach(async () => {
  calls = [];
  service = await TestService.open({ writer });
  account = (await service.post('/subaccounts', { name: 'Shop' })).body.sub_account.id;
  await service.sandbox('PATCH', `/accounts/${account}`, { credits: 100 });
  await service.sandbox('POST', `/accounts/${account}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  const { agent_id: agent } = (await service.post('/agents', { name: 'Ada', sub_account_id: account })).body;
  await service.post(`/agents/${agent}/entry-points`, { type: 'channel_default', channels: ['chatapp'], sub_account_id: account });
  inbound = service.sandbox('POST', `/accounts/${account}/inbound`, { channel: 'chatapp', from: '+14155550123', text: 'Hello' });
  await until(() => calls.length === 1);
});

afterEach(() => service.close());

const waiting = async () => (await service.sandbox('GET', '/jobs')).body.waiting;

const messages = async (contact: string) =>
  (await service.get(`/contacts/${contact}/messages?sub_account_id=${account}`)).body.messages as { id: string; sender: string }[];

it('settle waits for the reply, and the runner does not ask again even if the clock jumps beyond the lease', async () => {
  expect(await waiting()).toMatchObject({ comment_reply: 1 });
  service.clock.now += 61_000;
  let isSettled = false;
  const settled = service.sandbox('POST', '/settle').finally(() => (isSettled = true));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([calls.length, isSettled]).toEqual([1, false]);
  calls[0]?.answer();
  const { reply, contact_id: contact } = (await inbound).body;
  expect(reply).toMatchObject({ source: 'greeting' });
  expect((await settled).status).toBe(200);
  expect(calls.length).toBe(1);
  expect(await messages(contact)).toMatchObject([{ sender: 'ai' }, { sender: 'contact' }]);
  expect(await waiting()).not.toHaveProperty('comment_reply');
});

it('a request that fails leaves the reply to the runner at once', async () => {
  calls[0]?.fail();
  expect((await inbound).status).toBe(500);
  const settled = service.sandbox('POST', '/settle');
  await until(() => calls.length === 2);
  calls[1]?.answer();
  expect((await settled).status).toBe(200);
  const { contacts } = (await service.get(`/contacts?sub_account_id=${account}`)).body;
  expect(await messages(contacts[0].id)).toMatchObject([{ sender: 'ai' }, { sender: 'contact' }]);
});

// Proves rule answers.38.
it('replies to a contact are sent in the order of its messages, whichever is written first', async () => {
  const write = (text: string, from = '+14155550123') =>
    service.sandbox('POST', `/accounts/${account}/inbound`, { channel: 'chatapp', from, text });
  const second = write('Are you open?');
  await until(() => calls.length === 2);
  const other = write('Hello', '+14155550124');
  await until(() => calls.length === 3);
  const third = write('Hello?');
  await until(() => calls.length === 4);
  for (const index of [3, 2, 1]) calls[index]?.answer();
  // The reply to another contact does not wait.
  expect((await other).body.reply).not.toBeNull();
  calls[0]?.fail();
  expect((await inbound).status).toBe(500);
  const replies = [(await second).body.reply.message_id, (await third).body.reply.message_id];
  const sent = await messages((await second).body.contact_id);
  expect(sent.filter(({ sender }) => sender === 'ai').map(({ id }) => id)).toEqual(replies.toReversed());
});

it('an advance does not wait for the reply of an account that was deleted meanwhile', async () => {
  expect((await service.delete(`/subaccounts/${account}`)).status).toBe(200);
  await service.sandbox('POST', '/clock', { frozen: true });
  expect((await service.sandbox('POST', '/clock/advance', { seconds: 1 })).status).toBe(200);
  calls[0]?.answer();
  expect((await inbound).status).toBe(404);
  expect((await service.sandbox('POST', '/settle')).status).toBe(200);
  expect(calls.length).toBe(1);
});
