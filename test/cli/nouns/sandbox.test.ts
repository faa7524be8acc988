import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startServer, type TestServer } from '../../support/server.ts';
import { Home } from '../../support/terminal-world.ts';

let server: TestServer;
let home: Home;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

beforeEach(() => {
  home = new Home();
  home.env = { MSGCTL_BASE_URL: server.baseUrl, MSGCTL_API_KEY: server.apiKey, MSGCTL_SANDBOX_TOKEN: server.token };
});

afterEach(() => home.remove());

it.each([
  [['accounts', 'get']],
  [['accounts', 'update', '--credits', '500']],
  [['members', 'add', '--name', 'Ada', '--email', 'ada@shop.example']],
  [['channels', 'add', 'chatapp', '+14155550100']],
  [['events', 'trigger', 'Replies']],
])('with the values of the ready line, sandbox %j acts on the account of the key', async (words) => {
  const { code, stderr } = await home.run('sandbox', ...words);
  expect([code, stderr.split('\n')[0]]).toEqual([0, expect.not.stringContaining('Error')]);
});

it('shows the waiting jobs by kind', async () => {
  home.env = { MSGCTL_PROFILE: 'sandbox' };
  await home.run('sandbox', 'jobs', 'hold', 'all');
  await home.run('webhooks', 'create', 'http://127.0.0.1:9/hook', '--events', 'Replies');
  await home.run('sandbox', 'events', 'trigger', 'Replies');
  const { stdout } = await home.run('sandbox', 'jobs', 'show');
  expect(stdout).toBe('hold     all\nwaiting  webhook_delivery: 1\n');
  expect((await home.run('sandbox', 'jobs', 'show', '-o', 'json')).json.waiting).toEqual({ webhook_delivery: 1 });
});

it('says which secret is wrong', async () => {
  home.env.MSGCTL_API_KEY = 'mk_wrong';
  expect((await home.run('sandbox', 'accounts', 'get')).code).toBe(4);
  expect((await home.run('sandbox', 'accounts', 'get', server.accountId)).code).toBe(0);
});
