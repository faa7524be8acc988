import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../../support/processes.ts';
import { RemoteAccount } from '../../support/remote-account.ts';
import { startServer, type TestServer } from '../../support/server.ts';

// A server whose clock is elsewhere than that of this machine, and a user without its sandbox token.

let server: TestServer;
let account: RemoteAccount;

beforeAll(async () => {
  server = await startServer({ clock: Date.parse('2039-01-10T00:30:00Z') });
  account = await RemoteAccount.make(server);
  const { account_id: id } = await account.other('GET', '/health');
  const sandbox = `${new URL(server.baseUrl).origin}/sandbox/accounts/${String(id)}`;
  await call(`${sandbox}/channels`, server.token, 'POST', { channel: 'sms', identity: '+4930901820' });
  await call(sandbox, server.token, 'PATCH', { credits: 100 });
  await account.other('POST', '/contacts/send', { channel: 'sms', phone_number: '+14155550123', body: 'x' });
});

afterAll(async () => {
  account.home.remove();
  await server.close();
});

it('the days of figures are those of the service (rule conventions.61)', async () => {
  for (const days of [[], ['--from', '30d'], ['--from', '2039-01-10'], ['--from', 'today'], ['--from', 'this-month']]) {
    const { code, json } = await account.home.run('analytics', 'summary', ...days, '-o', 'json');
    expect([days, code, json.by_date.at(-1)]).toEqual([days, 0, expect.objectContaining({ date: '2039-01-10', sent: 1 })]);
  }
  const { json } = await account.home.run('analytics', 'credits', '--from', '7d', '-o', 'json');
  expect(json.records.length).toBeGreaterThan(0);
});

it('an export ends today, by the clock of the service', async () => {
  for (const dataset of ['credits', 'series', 'sessions']) {
    const out = join(account.home.path, `${dataset}.ndjson`);
    const given = ['--dataset', dataset, '--checkpoint', `${out}.state`, '--out', out];
    expect((await account.home.run('analytics', 'export', ...given)).code).toBe(0);
    expect(JSON.parse(readFileSync(`${out}.manifest.json`, 'utf8'))).toMatchObject({ window: { to: '2039-01-10' } });
  }
});
