import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { it as base } from '../support/home-test.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { tries } from '../support/sweeps.ts';
import type { Home } from '../support/terminal-world.ts';

// Many accounts under the real rate limits. Only the waits of the program advance time; they drive both clocks.

const it = base.extend('env', { MSGCTL_PROFILE: 'agency' });
let server: TestServer;

it.beforeEach(async ({ home }) => {
  server = await startServer();
  home.stdin = server.apiKey;
  expect((await home.run('login', '--api-key-stdin', '--base-url', server.baseUrl, '-p', 'agency')).code).toBe(0);
});

afterEach(async () => {
  await server.close();
});

async function sandbox(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${new URL(server.baseUrl).origin}/sandbox${path}`, {
    method,
    headers: { authorization: `Bearer ${server.token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status).toBeLessThan(300);
  return await response.json();
}

const setClock = (home: Home) => sandbox('POST', '/clock', { now: new Date(home.now).toISOString(), frozen: true });

describe('many accounts', () => {
  it('take about as many requests and minutes under the rate limit as estimated', async ({ home }) => {
    const count = tries(44);
    const dir = join(home.path, 'accounts');
    for (let number = 0; number < count; number++) {
      const { account_id: id } = (await sandbox('POST', '/accounts', {
        name: `Client ${number}`,
        kind: 'standard',
        parent_account_id: server.accountId,
      })) as { account_id: string };
      const folder = join(dir, `client-${number}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'account.yaml'), `account: ${id}\n`);
      const agents = 'agents: [{ name: Sales }]\nrules: [{ type: keyword, channels: [chatapp], keywords: [price], agent: Sales }]\n';
      writeFileSync(join(folder, 'all.yaml'), `tags: [{ name: VIP }, { name: cold }]\nlists: [{ name: Readers }]\n${agents}`);
    }
    await setClock(home);
    let waited = 0;
    home.onSleep = async () => {
      const milliseconds = home.waits.at(-1) ?? 0;
      if (home.stderrSoFar().includes('The changes of')) waited += milliseconds;
      // A wait takes no time here: what other lanes have sent must be counted before the clock moves, in the window that it is for.
      for (let turn = 0; turn < 3; turn++) await sandbox('GET', '/clock');
      home.now += milliseconds;
      await setClock(home);
    };
    const { code, stderr } = await home.run('apply', dir, '--sub-account', 'all', '--yes', '--debug');
    expect(code).toBe(0);
    expect(stderr).not.toContain('-> 429');
    const [before = '', after = ''] = stderr.split('The changes of');
    expect(before).toMatch(/Reading the other \d+ accounts takes about [\d,]+ requests and [\d.]+ minutes?\./);
    const said = /take about ([\d,]+) requests and ([\d.]+) minutes/.exec(after) ?? [];
    const requests = after.split('\n').filter((line) => / -> \d{3} in /.test(line)).length;
    expect(Number(said[1]?.replace(',', '')) / requests).toBeCloseTo(1, 1);
    expect(Number(said[2]) / (waited / 60_000)).toBeGreaterThan(0.9);
    expect(Number(said[2]) / (waited / 60_000)).toBeLessThan(1.1);
  });
});
