import { afterAll, beforeAll, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import { FakeModel } from '../../support/fake-model.ts';
import { Receiver } from '../../support/receiver.ts';

let model: FakeModel;
let receiver: Receiver;

beforeAll(async () => {
  model = await FakeModel.open();
  receiver = await Receiver.open();
});

afterAll(async () => {
  await model.close();
  await receiver.close();
});

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' });

it('the calls of an agent are shown wherever the conversation is', async ({ home }) => {
  Object.assign(home.env, { MSGCTL_AI_BASE_URL: model.settings.baseUrl, MSGCTL_AI_MODEL: 'm' });
  for (const words of [
    ['sandbox', 'channels', 'add', 'chatapp', '+14155550100'],
    ['agents', 'create', 'Ada'],
    ['agents', 'activate', 'Ada'],
    ['routing', 'defaults', 'set', 'chatapp', 'Ada'],
    ['functions', 'create', 'get_hours', receiver.url('/hours')],
    ['agents', 'functions', 'add', 'Ada', 'get_hours'],
  ])
    expect([words, (await home.run(...words)).code]).toEqual([words, 0]);
  receiver.byPath.set('/hours', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"open":9}'));
  model.says([['get_hours', {}]], 'At nine.');
  const call = /get_hours (?:→|->) \{"open":9\} \(\d+ ms\)/;
  home.stdin = 'When do you open?\n';
  const turn = JSON.parse((await home.run('sandbox', 'chat')).stdout) as { tool_calls: unknown; from: string };
  expect(turn.tool_calls).toMatchObject([{ name: 'get_hours', ok: true, result: { open: 9 } }]);
  const { from } = turn;
  const { messages } = (await home.run('contacts', 'messages', from, '-o', 'json')).json as { messages: { id: string }[] };
  expect(messages).toMatchObject([
    { body: 'At nine.' },
    { type: 'tool_use', tool: { name: 'get_hours', ok: true } },
    { body: 'When do you open?' },
  ]);
  expect((await home.runOnTerminal(80, 'contacts', 'messages', from)).stdout).toContain('get_hours → {"open":9}');
  expect((await home.runOnTerminal(80, 'messages', 'why', messages[0]?.id ?? '')).stdout).toMatch(call);
  receiver.byPath.set('/hours', 500);
  model.says([['get_hours', {}]], 'I do not know.');
  const inbound = await home.run('sandbox', 'inbound', from, 'When?', '-o', 'json');
  expect(inbound.json.tool_calls).toMatchObject([{ name: 'get_hours', ok: false, result: { code: 'http_5xx' } }]);
  const shown = await home.runOnTerminal(80, 'contacts', 'messages', from);
  expect(shown.stdout).toContain('get_hours → failed: {"code":"http_5xx"');
});
