import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../../support/server.ts';
import { Home } from '../../support/terminal-world.ts';
import { until } from '../../support/until.ts';

let server: TestServer;
let home: Home;

beforeAll(async () => {
  server = await startServer();
  home = new Home();
  home.env = { MSGCTL_API_KEY: server.apiKey, MSGCTL_BASE_URL: server.baseUrl, MSGCTL_SANDBOX_TOKEN: server.token };
});

afterAll(async () => {
  home.remove();
  await server.close();
});

const call = async (path: string, body: object, method = 'POST', token = server.token) =>
  await fetch(`${server.origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Makes a notification that credits are low. */
async function happen(): Promise<void> {
  await call(`/sandbox/accounts/${server.accountId}`, { credits: 100 }, 'PATCH');
  await call('/v1/contacts/send', { phone_number: '+14155550123', channel: 'chatapp', body: 'x' }, 'POST', server.apiKey);
}

it('notifications watch shows what happens until it is interrupted, and list and read show the rest', async () => {
  await call(`/sandbox/accounts/${server.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  const [noun, verb] = ['notifications', 'watch'];
  const watching = home.run(noun, verb, '-o', 'ndjson');
  const { interrupt } = home;
  const other = new Home();
  other.env = home.env;
  await until(() => home.stderrSoFar().includes('Ctrl-C'));
  // It shows what happens from now on, also before the stream has begun.
  await happen();
  await until(() => home.stdoutSoFar().includes('credits_low'));
  interrupt();
  const { code, stdout } = await watching;
  expect(code).toBe(0);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string });
  expect(rows.length).toBeGreaterThan(0);
  expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['credits_low']));
  // On a terminal, each is shown at once.
  const onTerminal = other.runOnTerminal(60, 'notifications', 'watch');
  const { interrupt: stop } = other;
  await until(() => other.stderrSoFar().includes('Ctrl-C'));
  await happen();
  await until(() => other.stdoutSoFar().includes('refused.'));
  expect(other.stdoutSoFar().replaceAll(/\u001b\[\d+m/g, '')).toMatch(
    /^\d\d:\d\d:\d\d {2}warning {2}The balance fell below the threshold of\n {19}the account\. Add/,
  );
  stop();
  await onTerminal;
  const listed = (await other.run('notifications', 'list', '--unread', 'true', '-o', 'json')).json;
  expect(listed.unread_count).toBe(listed.notifications.length);
  expect((await other.run('notifications', 'read', listed.notifications[0].id, '-o', 'json')).json.notification.read_at).not.toBeNull();
  expect((await other.run('notifications', 'read', '--all', '-o', 'json')).json.read).toBe(listed.unread_count - 1);
  expect((await other.run('notifications', 'read')).code).toBe(2);
  const status = (await other.run('status', '-o', 'json')).json;
  expect(status).toMatchObject({ notifications: { unread: 0 }, errors: { last_day: 0 } });
  other.remove();
}, 30_000);

it('api prints a stream as it comes, until it is interrupted or its reader is gone', async () => {
  const watcher = new Home();
  watcher.env = home.env;
  const watching = watcher.run('api', 'GET', '/notifications/stream');
  await until(() => watcher.stdoutSoFar() === ':\n\n');
  await call(`/sandbox/accounts/${server.accountId}`, { credits: 100_000 }, 'PATCH');
  await happen();
  await until(() => watcher.stdoutSoFar().includes('credits_low'));
  watcher.interrupt();
  const { code, stdout, stderr } = await watching;
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/\n\nid: ntf_\S+\nevent: notification\ndata: \{.*"kind":"credits_low".*\}\n\n$/);
  watcher.env = { ...home.env, MSGCTL_API_KEY: 'sk_wrong' };
  expect((await watcher.run('api', '/notifications/stream')).code).toBe(4);
  watcher.remove();
}, 30_000);
