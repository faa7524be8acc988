import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { parseFailOn } from '../../../src/cli/nouns/webhooks/health.ts';
import { healthRow, worstFirst } from '../../../src/cli/receivers/health.ts';
import { signDelivery } from '../../../src/contract/deliveries/signature.ts';
import { parse as parseYaml } from 'yaml';
import { it as base } from '../../support/home-test.ts';
import { Receiver } from '../../support/receiver.ts';
import type { Home } from '../../support/terminal-world.ts';

let receiver: Receiver;

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox' });

beforeAll(async () => {
  receiver = await Receiver.open();
});

afterAll(() => receiver.close());

beforeEach(() => {
  receiver.behaviour = 200;
  receiver.take();
});

const webhooks = (home: Home, ...argv: string[]) => home.run('webhooks', ...argv);

const create = async (home: Home, name: string, ...argv: string[]) => {
  const { code, json } = await webhooks(
    home,
    'create',
    receiver.url(`/${encodeURIComponent(name)}`),
    '--events',
    'replies',
    '--name',
    name,
    ...argv,
    '-o',
    'json',
  );
  expect(code).toBe(0);
  return json;
};

const trigger = async (home: Home, times = 1) => {
  for (let count = 0; count < times; count++) expect((await home.run('sandbox', 'events', 'trigger', 'REPLIES')).code).toBe(0);
};

describe('webhooks', () => {
  it('are created, updated, enabled, disabled and deleted by id or name', async ({ home }) => {
    const { webhook, signing_secret: secret } = await create(home, 'orders', '--generate-signing-secret', '--retries-enabled');
    expect([webhook.subscribed_to, secret]).toEqual([['Replies'], expect.stringMatching(/^whsec_/)]);
    expect((await webhooks(home, 'get', '1', '-o', 'json')).json.webhook).toMatchObject({ name: 'orders', retries_enabled: true });
    expect(
      (await webhooks(home, 'update', 'orders', '--events', 'Reads,task created', '--name', 'tasks', '-o', 'json')).json.webhook,
    ).toMatchObject({
      subscribed_to: ['Reads', 'Task Created'],
      name: 'tasks',
    });
    expect((await webhooks(home, 'disable', 'tasks', '-o', 'json')).json.webhook.enabled).toBe(false);
    expect((await webhooks(home, 'enable', '1', '-o', 'json')).json.webhook.enabled).toBe(true);
    expect((await webhooks(home, 'delete', 'tasks')).code).toBe(2);
    expect((await webhooks(home, 'delete', 'tasks', '--yes')).code).toBe(0);
    expect((await webhooks(home, 'get', 'tasks')).code).toBe(5);
    expect((await webhooks(home, 'events')).stdout.trim().split('\n')).toHaveLength(24);
  });

  it('show, rotate and remove their secret', async ({ home }) => {
    await create(home, 'orders');
    expect((await webhooks(home, 'secret', 'show', 'orders', '-o', 'json')).json).toMatchObject({
      signing_enabled: false,
      signing_secret: null,
    });
    expect((await webhooks(home, 'secret', 'rotate', 'orders')).code).toBe(2);
    const { json } = await webhooks(home, 'secret', 'rotate', 'orders', '--yes', '-o', 'json');
    expect((await webhooks(home, 'secret', 'show', 'orders', '--query', 'signing_secret', '-o', 'tsv')).stdout.trim()).toBe(
      json.signing_secret,
    );
    const traced = await webhooks(home, 'secret', 'show', 'orders', '--debug', '--query', 'signing_enabled');
    expect(traced.stderr).not.toContain(json.signing_secret);
    expect((await webhooks(home, 'secret', 'remove', 'orders', '--yes', '-o', 'json')).json.signing_enabled).toBe(false);
  });
});

describe('the state of a receiver', () => {
  const pause = async (home: Home) => {
    receiver.byPath.set('/shop', 500);
    await trigger(home, 10);
    receiver.byPath.clear();
  };

  it('is shown by list and get only in tables and when --fields names it', async ({ home }) => {
    await create(home, 'shop');
    await create(home, 'fine');
    await pause(home);
    const table = await webhooks(home, 'list');
    expect(table.stdout).toMatch(/^ID +NAME +STATE +URL/);
    expect(table.stdout).toMatch(/\n1 +shop +disabled /);
    expect(table.stdout).toMatch(/\n2 +fine +ok /);
    expect((await webhooks(home, 'get', 'shop')).stdout).toMatch(/\nstate +disabled\n/);
    expect((await webhooks(home, 'list', '--fields', 'name,state', '-o', 'json')).json.webhooks).toEqual([
      { name: 'fine', state: 'ok' },
      { name: 'shop', state: 'disabled' },
    ]);
    expect((await webhooks(home, 'get', 'shop', '--fields', 'state', '-o', 'json')).json).toEqual({ webhook: { state: 'disabled' } });
    expect((await webhooks(home, 'get', 'shop', '--fields', 'state', '-o', 'csv')).stdout).toBe('state\r\ndisabled\r\n');
    // The other formats print the answer of the API, and need one request.
    const { stderr, json } = await webhooks(home, 'list', '-o', 'json', '--debug');
    const answer = (await home.run('api', 'GET', '/webhooks')).json;
    expect({ success: true, ...json }).toEqual(answer);
    expect(stderr.match(/GET \/v1/g)).toHaveLength(1);
    expect((await webhooks(home, 'list', '-o', 'csv')).stdout.split('\r\n')[0]).toBe(
      'id,name,url,subscribed_to,enabled,retries_enabled,signing_enabled,apply_to_sub_accounts,subscribed_to_tags,created_at,signing_secret_created_at',
    );
    expect((await webhooks(home, 'list', '--fields', 'name')).stdout).not.toContain('disabled');
  });

  it('is listed for several accounts', async ({ home }) => {
    const account = (await home.run('accounts', 'create', 'Client', '-o', 'json')).json.sub_account.id as string;
    await create(home, 'theirs', '--sub-account', account);
    await create(home, 'ours');
    const { stdout } = await webhooks(home, 'list', '--sub-account', `own,${account}`);
    expect(stdout).toMatch(/^ACCOUNT +ID +NAME +STATE/);
    expect(stdout).toMatch(/Client +1 +theirs +idle/);
  });

  it('is shown by enable and update, which do not end a pause', async ({ home }) => {
    await create(home, 'shop');
    await pause(home);
    for (const argv of [
      ['enable', 'shop'],
      ['update', 'shop', '--enabled'],
    ]) {
      const { code, stdout, stderr } = await webhooks(home, ...argv);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/\nstate +disabled\n/)]);
      expect(stderr).toMatch(/^The webhook shop is turned on, but deliveries to its address are paused: 10 deliveries in a row failed; /);
      const [, command] = /\n(msgctl .*)\n$/.exec(stderr) ?? [];
      expect(command).toBe('msgctl webhooks reenable shop');
    }
    expect((await webhooks(home, 'enable', 'shop', '-o', 'json')).stderr).toBe('');
    expect((await webhooks(home, 'disable', 'shop')).stderr).toBe('');
    await webhooks(home, 'reenable', 'shop');
    expect(await webhooks(home, 'enable', 'shop')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/\nstate +unproven\n/),
    });
  });

  it('is said when a webhook is created for an address whose deliveries are paused', async ({ home }) => {
    await create(home, 'shop');
    await pause(home);
    const again = ['create', receiver.url('/shop'), '--events', 'Replies', '--name', 'again'];
    expect((await webhooks(home, ...again)).stderr).toMatch(
      /^The webhook again is turned on, but deliveries to its address are paused: [^]*msgctl webhooks reenable again\n$/,
    );
  });

  it('of an agency shows whose deliveries are paused, which the conditions see', async ({ home }) => {
    const account = (await home.run('accounts', 'create', 'Client', '-o', 'json')).json.sub_account.id as string;
    await webhooks(home, 'create', receiver.url('/shop'), '--events', 'Replies', '--name', 'shop', '--apply-to-sub-accounts');
    receiver.byPath.set('/shop', 500);
    for (let round = 0; round < 10; round++) await home.run('sandbox', 'events', 'trigger', 'Replies', account);
    receiver.byPath.clear();
    const { json, code } = await webhooks(home, 'health', '--fail-on', 'disabled', '-o', 'json');
    expect([code, json.webhooks]).toMatchObject([
      3,
      [
        {
          state: 'paused',
          total_failures: 10,
          disabled_at: null,
          paused_count: 1,
          paused_accounts: [expect.stringMatching(/^Client \(since 2/)],
        },
      ],
    ]);
    expect((await webhooks(home, 'list')).stdout).toMatch(/shop +paused/);
    expect((await home.run('status')).stdout).toMatch(/1 paused\n.*shop.*Client/s);
    const doctor = await webhooks(home, 'doctor', 'shop', '--fix', '--yes');
    expect(doctor.stdout).toMatch(/Deliveries of 1\s+sub-account are paused: Client \(since/);
    expect((await webhooks(home, 'health', '-o', 'json')).json.webhooks).toMatchObject([{ state: 'unproven', paused_count: 0 }]);
  });

  it('comes with a command for the same account', async ({ home }) => {
    const account = (await home.run('accounts', 'create', 'Client', '-o', 'json')).json.sub_account.id as string;
    await create(home, 'my shop', '--sub-account', account);
    receiver.byPath.set('/my%20shop', 500);
    for (let count = 0; count < 10; count++) await home.run('sandbox', 'events', 'trigger', 'Replies', account);
    receiver.byPath.clear();
    const { stderr } = await webhooks(home, 'enable', 'my shop', '--sub-account', account);
    expect(stderr).toContain(`\nmsgctl webhooks reenable 'my shop' --sub-account ${account}\n`);
  });
});

describe('webhooks test', () => {
  it('explains what failed, and exits 1', async ({ home }) => {
    await create(home, 'orders');
    expect((await webhooks(home, 'test', 'orders')).code).toBe(0);
    receiver.behaviour = 302;
    const { code, stderr, stdout } = await webhooks(home, 'test', 'orders', '--event', 'Task Created');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Not delivered: The receiver answered 302\. .*without a redirect/)]);
    expect(stdout).toMatch(/failure_type +permanent/);
    // --query does not change the exit code.
    expect(await webhooks(home, 'test', 'orders', '--query', 'delivered', '-o', 'json')).toMatchObject({ code: 1, stdout: 'false\n' });
    const gone = await webhooks(home, 'test', 'orders', '-o', 'json');
    expect([gone.code, gone.json.delivered]).toEqual([1, false]);
  });

  it('exits 1 when it failed on one of several accounts, whichever is first', async ({ home }) => {
    const ids: string[] = [];
    for (const name of ['broken', 'fine']) {
      const { json } = await home.run('accounts', 'create', name, '-o', 'json');
      const id = json.sub_account.id as string;
      ids.push(id);
      await create(home, name, '--name', 'orders', '--sub-account', id);
    }
    receiver.byPath.set('/broken', 500);
    for (const order of [ids, ids.toReversed()]) expect((await webhooks(home, 'test', '1', '--sub-account', order.join())).code).toBe(1);
    receiver.byPath.delete('/broken');
    expect((await webhooks(home, 'test', '1', '--sub-account', ids.join())).code).toBe(0);
  });

  it('accepts the event from --input', async ({ home }) => {
    await create(home, 'orders');
    home.stdin = '{"event": "Reads"}';
    expect((await webhooks(home, 'test', 'orders', '--input', '-')).code).toBe(0);
    expect(receiver.take().at(-1)?.body).toMatchObject({ event: 'Reads' });
  });
});

describe('webhooks health', () => {
  it('shows every receiver, the worst first, and exits 3 when a condition holds', async ({ home }) => {
    for (const name of ['fine', 'broken', 'off', 'idle']) await create(home, name);
    await webhooks(home, 'update', 'idle', '--events', 'Reads');
    receiver.byPath.set('/broken', 500);
    await webhooks(home, 'disable', 'off');
    await trigger(home, 10);
    const { json } = await webhooks(home, 'health', '-o', 'json');
    expect(json.webhooks.map(({ name, state, success_rate }: Record<string, unknown>) => [name, state, success_rate])).toEqual([
      ['broken', 'disabled', 0],
      ['off', 'off', null],
      ['fine', 'ok', 100],
      ['idle', 'idle', null],
    ]);
    expect(json.webhooks[0]).toMatchObject({
      consecutive_failures: 10,
      last_failure: 'temporary: The receiver answered 500',
      failed_at: expect.any(String),
      succeeded_at: null,
    });
    expect(json.webhooks[2]).toMatchObject({ failed_at: null, succeeded_at: expect.stringMatching(/^20/) });
    expect((await home.runOnTerminal(160, 'webhooks', 'health')).stdout).toMatch(/│ +100 % │/);
    const judged = await webhooks(home, 'health', '--fail-on', 'success<99%', '--fail-on', 'disabled');
    expect([judged.code, judged.stderr]).toEqual([
      3,
      expect.stringMatching(/Condition met: broken: success<99%\nCondition met: broken: disabled\n$/),
    ]);
    expect((await webhooks(home, 'health', '--fail-on', 'success<99%', '-o', 'json')).code).toBe(3);
    expect((await webhooks(home, 'health', '--fail-on', 'disabled', '--query', 'webhooks[].name', '-o', 'json')).code).toBe(3);
    expect((await webhooks(home, 'health', 'idle', '--fail-on', 'success<200%')).code).toBe(0);
    expect((await webhooks(home, 'health', 'fine', '--fail-on', 'disabled')).code).toBe(0);
    expect((await webhooks(home, 'health', 'broken', '--fail-on', 'failures>=10', '-o', 'json')).json.health.is_disabled).toBe(true);
    expect((await webhooks(home, 'health', 'broken', '--fail-on', 'failures>=10')).code).toBe(3);
    expect((await webhooks(home, 'health', '--sub-account', 'own,own', '--fail-on', 'disabled')).code).toBe(3);
    await webhooks(home, 'reenable', 'broken');
    expect((await webhooks(home, 'health', '--fail-on', 'disabled')).code).toBe(0);
    receiver.byPath.clear();
  });

  it('needs one request for many receivers', async ({ home }) => {
    for (let count = 1; count <= 30; count++) await create(home, `w${count}`);
    const { json, stderr } = await webhooks(home, 'health', '--debug', '-o', 'json');
    expect(json.webhooks).toHaveLength(30);
    expect(stderr.match(/GET \/v1\/webhooks\S* -> 200/g)).toEqual(['GET /v1/webhooks?include=health -> 200']);
  });

  it('reports the wait for the rate limit once, however many requests wait', async ({ home }) => {
    for (const path of ['/tasks', '/broadcasts', '/api-keys'])
      await home.run('sandbox', 'faults', 'add', '--path', path, '--status', '429', '--times', '1');
    const { code, stderr } = await home.run('status');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^The rate limit is used up; trying again in \d+\.\d s\n$/)]);
    expect(home.waits.length).toBeGreaterThan(1);
  });

  it('shows a failing receiver of a service that does not report retries', () => {
    const last = { at: '2027-01-01T00:00:00Z', event: 'Replies', failure_type: 'temporary', status_code: 500, error_message: 'x' };
    const webhook = { id: '1', name: 'x', url: 'https://x.example', enabled: true } as never;
    const health = { total_successes: 1, total_failures: 1, consecutive_failures: 1, is_disabled: false, last_failure: last } as never;
    expect(healthRow({ webhook, health, pausedCount: 0, paused: [], missed: 0, missedSince: null })).toMatchObject({
      state: 'failing',
      failed_at: last.at,
      next_attempt_at: null,
    });
  });

  it('shows retries under way', async ({ home }) => {
    await create(home, 'shop', '--retries-enabled');
    await trigger(home, 3);
    expect((await webhooks(home, 'health', '-o', 'json')).json.webhooks).toMatchObject([{ state: 'ok', success_rate: 100 }]);
    receiver.byPath.set('/shop', 500);
    await trigger(home, 1);
    const { json } = await webhooks(home, 'health', '-o', 'json');
    // The delivery that is being retried has not succeeded.
    expect(json.webhooks).toMatchObject([
      { state: 'retrying', success_rate: 75, total_successes: 3, last_failure: 'temporary: The receiver answered 500' },
    ]);
    expect(json.webhooks[0].failed_at).not.toBeNull();
    expect((await webhooks(home, 'health', '--fail-on', 'retrying')).code).toBe(3);
    receiver.byPath.clear();
  });

  it.for(['success', 'success<', 'nonsense', 'sucess<99', '<99%'])('refuses the condition %j', async (condition, { home }) => {
    expect((await webhooks(home, 'health', '--fail-on', condition)).code).toBe(2);
  });

  it('sorts by state, then by the rate of failures', async () => {
    const webhook = { id: '1', name: 'x', url: 'https://x.example', enabled: true } as never;
    const row = (name: string, successes: number, failures: number, consecutive: number) => ({
      ...healthRow({
        webhook,
        health: {
          total_successes: successes,
          total_failures: failures,
          consecutive_failures: consecutive,
          is_disabled: false,
          last_failure: null,
        } as never,
        pausedCount: 0,
        paused: [],
        missed: 0,
        missedSince: null,
      }),
      name,
    });
    const sorted = worstFirst([row('good', 10, 0, 0), row('bad', 1, 9, 0), row('failing', 9, 1, 1)]);
    expect(sorted.map(({ name }) => name)).toEqual(['failing', 'bad', 'good']);
    const holds = (text: string) => parseFailOn(text, { serviceTime: async () => 0, world: { env: {} } as never });
    expect(await holds('success <= 10 %')(row('bad', 1, 9, 0))).toBe(true);
    expect(await holds('success<99.9%')(row('nearly', 9_995, 5, 0))).toBe(false);
  });
});

describe('names of events', () => {
  it('are taken in any case, and all is every event of the service', async ({ home }) => {
    const every = (await webhooks(home, 'events', '-o', 'json')).json.events as string[];
    expect(every).toHaveLength(24);
    const made = await webhooks(home, 'create', receiver.url('/everything'), '--name', 'everything', '--events', 'ALL', '-o', 'json');
    const { webhook } = made.json;
    expect(webhook.subscribed_to).toEqual(every);
    const update = async (...events: string[]) =>
      (await webhooks(home, 'update', 'everything', '--events', ...events, '-o', 'json')).json.webhook;
    expect((await update('replies, THE SERVICE alerted')).subscribed_to).toEqual(['Replies', 'the service Alerted']);
    expect((await update('all')).subscribed_to).toEqual(every);
    receiver.take();
    expect((await webhooks(home, 'test', 'everything', '--event', 'tASK cREATED')).code).toBe(0);
    expect(receiver.take()[0]?.headers['x-webhook-event']).toBe('Task Created');
    expect((await webhooks(home, 'test', 'everything', '--event', 'task craeted')).stderr).toContain("Did you mean 'Task Created'?");
    expect((await webhooks(home, 'update', 'everything', '--events', 'all,Replies')).stderr).toContain('--events');
  });

  it('are listed as lines, and in every format', async ({ home }) => {
    const { stdout } = await webhooks(home, 'events');
    expect(stdout).toMatch(/^Contact Created\nthe service Alerted\n/);
    expect((await webhooks(home, 'events', '-o', 'csv')).stdout).toBe(`event\r\n${stdout.replaceAll('\n', '\r\n')}`);
    expect((await webhooks(home, 'events', '-o', 'tsv')).stdout).toBe(`event\n${stdout}`);
    expect((await webhooks(home, 'events', '-o', 'ndjson')).stdout.split('\n')[0]).toBe('"Contact Created"');
    expect((await webhooks(home, 'events', '--query', 'events[0]', '-o', 'tsv')).stdout).toBe('Contact Created\n');
    expect(parseYaml((await webhooks(home, 'events', '-o', 'yaml')).stdout)).toEqual({ events: stdout.trimEnd().split('\n') });
  });
});

describe('webhooks verify', () => {
  const secret = 'whsec_for_a_test';
  const body = '{"event": "Replies"}\n';

  const verify = async (home: Home, timestamp: number, signature: string, text = body, given = secret, ...more: string[]) => {
    writeFileSync(join(home.path, 'body.json'), text);
    home.stdin = `${given}\n`;
    const { code, json, stdout, stderr } = await webhooks(
      home,
      'verify',
      '--secret-stdin',
      '--signature',
      signature,
      '--timestamp',
      String(timestamp),
      '--body',
      join(home.path, 'body.json'),
      ...more,
      '-o',
      'json',
    );
    expect(stdout + stderr).not.toContain(secret);
    return { code, ...(json as { genuine: boolean; fresh: boolean; age_seconds: number; finding: string }) };
  };

  it('accepts only genuine and fresh deliveries, and explains common mistakes', async ({ home }) => {
    home.hasStore = false;
    const now = home.now / 1000;
    expect(await verify(home, now, signDelivery(secret, now, body))).toMatchObject({ code: 0, genuine: true, fresh: true, age_seconds: 0 });
    expect(await verify(home, now - 300, signDelivery(secret, now - 300, body))).toMatchObject({ code: 0, fresh: true });
    expect(await verify(home, now - 301, signDelivery(secret, now - 301, body))).toMatchObject({
      code: 1,
      genuine: true,
      fresh: false,
      age_seconds: 301,
    });
    expect(await verify(home, now, signDelivery('another', now, body))).toMatchObject({
      code: 1,
      genuine: false,
      finding: expect.stringContaining('does not match: check that the raw body'),
    });
    expect((await verify(home, now, signDelivery(secret, now, body.trimEnd()))).finding).toContain('without the newline');
    expect((await verify(home, now, signDelivery(secret, now, body), body.trimEnd())).finding).toContain('with a newline');
    expect((await verify(home, now, signDelivery(secret, now, '{"event":"Replies"}'))).finding).toContain('compact JSON');
    expect((await verify(home, now * 1000, signDelivery(secret, now, body))).finding).toContain('milliseconds');
    expect((await verify(home, now, 'sha256=abc')).finding).toContain('v1=');
    expect((await webhooks(home, 'verify', '--secret-stdin', '--signature', 'x', '--timestamp', '1', '--body', '-')).code).toBe(2);
    expect((await webhooks(home, 'verify', '--signature', 'x')).stderr).toContain(
      "Missing required options '--secret-stdin', '--timestamp <seconds>' and '--body <file>'",
    );
  });
});

describe('the clock of webhooks verify', () => {
  const secret = 'whsec_for_a_test';
  const at = Date.parse('2039-01-10T12:30:00Z') / 1000;

  const verify = async (home: Home, ...more: string[]) => {
    writeFileSync(join(home.path, 'body.json'), 'x');
    home.stdin = secret;
    const given = ['--signature', signDelivery(secret, at, 'x'), '--timestamp', String(at), '--body', join(home.path, 'body.json')];
    return await webhooks(home, 'verify', '--secret-stdin', ...given, '-o', 'json', ...more);
  };

  it('is that of the service, of --at, and without a service that of this machine', async ({ home }) => {
    home.hasStore = false;
    expect((await verify(home)).json).toMatchObject({ genuine: true, fresh: false });
    expect(existsSync(join(home.path, '.local')), 'a store').toBe(false);
    expect((await verify(home, '--at', '2039-01-10T12:34:00Z')).json).toMatchObject({ fresh: true, age_seconds: 240 });
    expect((await verify(home, '--at', '2039-01-10T12:36:00Z')).code).toBe(1);
    expect((await verify(home, '--at', 'someday')).stderr).toContain('--at');
    await home.run('sandbox', 'clock', 'freeze', '2039-01-10T12:31:00Z');
    expect((await verify(home)).json).toMatchObject({ genuine: true, fresh: true, age_seconds: 60 });
    expect((await verify(home, '--at', 'now')).json).toMatchObject({ fresh: true, age_seconds: 60 });
    home.env = {};
    expect((await verify(home)).json).toMatchObject({ fresh: false });
  });

  it('is that of this machine where the service refuses to tell its own', async ({ home }) => {
    await home.run('sandbox', 'clock', 'freeze', '2039-01-10T12:31:00Z');
    home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_API_KEY: 'mk_wrong' };
    home.now = at * 1000;
    expect((await verify(home)).json).toMatchObject({ fresh: true, age_seconds: 0 });
  });
});

describe('deliveries of the sandbox', () => {
  it('are listed, shown and resent', async ({ home }) => {
    await create(home, 'orders');
    receiver.behaviour = 503;
    writeFileSync(join(home.path, 'data.yaml'), 'message:\n  id: msg_of_mine\n');
    await home.run('sandbox', 'events', 'trigger', 'Replies', '--data', join(home.path, 'data.yaml'));
    const { json } = await home.run('sandbox', 'deliveries', 'list', '--webhook', 'orders', '-o', 'json');
    const [delivery] = json.deliveries as { id: string; state: string }[];
    expect(delivery?.state).toBe('failed');
    const shown = await home.run('sandbox', 'deliveries', 'show', delivery?.id ?? '');
    expect(shown.stdout).toMatch(/^dlv_\S+ {2}Replies {2}failed\n1 {2}\S+ {2}503 temporary {2}\d+ ms {2}answered 503\n\n\{.*msg_of_mine/);
    receiver.behaviour = 200;
    expect((await home.run('sandbox', 'deliveries', 'resend', delivery?.id ?? '', '-o', 'json')).json).toEqual({ delivered: true });
    expect((await home.run('sandbox', 'deliveries', 'show', 'dlv_none')).code).toBe(5);
    expect((await home.run('sandbox', 'events', 'trigger', 'Nothing')).code).toBe(2);
  });
});

/** The lines of a screen that can be copied and run. */
const commandsIn = (text: string) => text.split('\n').filter((line) => line.trim().startsWith('msgctl'));

describe('webhooks deliveries', () => {
  it('are listed with their last answers, shown, and resent by their id alone', async ({ home }) => {
    await create(home, 'other');
    await create(home, 'orders');
    receiver.behaviour = 503;
    await trigger(home);
    receiver.behaviour = 200;
    await home.run('sandbox', 'events', 'trigger', 'Replies');
    const listed = await webhooks(home, 'deliveries', 'orders', '-o', 'json');
    expect(listed.json.deliveries).toMatchObject([
      { event: 'Replies', state: 'delivered', attempts: 1, last: { status_code: 200 } },
      { event: 'Replies', state: 'failed', attempts: 1, last: { status_code: 503, failure_type: 'temporary' } },
    ]);
    const ids = (listed.json.deliveries as { id: string }[]).map(({ id }) => id);
    const failed = (await webhooks(home, 'deliveries', 'orders', '--failed', '-o', 'json')).json.deliveries as { id: string }[];
    expect(failed.map(({ id }) => id)).toEqual([ids[1]]);
    expect((await webhooks(home, 'deliveries', 'orders', '--since', '1h', '--event', 'reads', '-o', 'json')).json.deliveries).toEqual([]);
    expect((await webhooks(home, 'deliveries', 'orders', '--failed', '--state', 'queued')).code).toBe(2);
    expect((await webhooks(home, 'deliveries', 'nobody')).code).toBe(5);
    const screen = (await home.runOnTerminal(80, 'webhooks', 'deliveries', 'orders', '--failed')).stdout;
    expect(screen).toMatch(/OCCURRED.*EVENT.*STATE.*ANSWER.*ID/);
    expect(screen).toMatch(/503 temporary .* dlv_/);
    const shown = await webhooks(home, 'deliveries', 'show', ids[1] ?? '');
    expect(shown.stdout).toMatch(
      /^dlv_\S+ {2}Replies {2}failed\n1 {2}\S+ {2}503 temporary {2}\d+ ms {2}answered 503\n\n\{"event":"Replies"/,
    );
    const { json, code } = await webhooks(home, 'deliveries', 'resend', ids[1] ?? '', '-o', 'json');
    expect([code, json]).toEqual([0, { delivered: true }]);
    receiver.behaviour = 404;
    const refused = await webhooks(home, 'deliveries', 'resend', ids[1] ?? '');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Not delivered: The receiver answered 404.')]);
    for (const verb of ['show', 'resend']) expect((await webhooks(home, 'deliveries', verb, 'dlv_none')).code).toBe(5);
  });

  it('of a webhook that is named show or resend are listed by its id', async ({ home }) => {
    await create(home, 'show');
    await trigger(home);
    expect((await webhooks(home, 'deliveries', '1', '-o', 'json')).json.deliveries).toHaveLength(1);
  });
});

describe('webhooks replay', () => {
  // The replay needs real time.
  it.beforeEach(({ home }) => {
    home.onSleep = () => sleep(100);
  });

  it('sends what was missed, which health, doctor and --dry-run tell before', async ({ home }) => {
    await create(home, 'orders', '--retries-enabled', '--generate-signing-secret');
    await webhooks(home, 'disable', 'orders');
    await trigger(home, 3);
    const off = await webhooks(home, 'replay', 'orders', '--since', '1h');
    expect([off.code, off.stderr]).toEqual([6, expect.stringContaining('msgctl webhooks enable orders')]);
    const early = await webhooks(home, 'replay', 'orders', '--since', '1h', '--dry-run');
    expect([early.code, early.stderr]).toEqual([0, 'orders is off. Before the replay: `msgctl webhooks enable orders`\n']);
    await webhooks(home, 'enable', 'orders');
    const { stderr } = await webhooks(home, 'health', 'orders');
    expect(stderr).toMatch(/^orders: 3 events missed since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\n/);
    const doctor = await webhooks(home, 'doctor');
    expect(doctor.stdout).toMatch(/3 events missed since \S+/);
    expect(commandsIn(doctor.stdout)).toEqual(commandsIn(stderr));
    const dry = await webhooks(home, 'replay', 'orders', '--since', '1h', '--dry-run');
    expect([dry.stdout, dry.stderr]).toEqual([expect.stringContaining('A replay to orders would send 3 deliveries'), '']);
    expect(receiver.take()).toEqual([]);
    const [command = ''] = commandsIn(stderr);
    const sent = await home.run(...command.split(' ').slice(1), '-o', 'json');
    expect([sent.code, sent.json.replay]).toEqual([
      0,
      expect.objectContaining({ status: 'completed', queued: 3, delivered: 3, failed: 0 }),
    ]);
    expect(receiver.take()).toHaveLength(3);
    const nothing = await webhooks(home, 'replay', 'orders', '--since', '1h');
    expect([nothing.code, nothing.stderr]).toEqual([0, expect.stringContaining('Nothing to replay to orders')]);
    expect((await webhooks(home, 'health', 'orders')).stderr).toBe('');
  });

  it('shows its progress, and exits 8 when deliveries fail again', async ({ home }) => {
    await create(home, 'orders');
    receiver.behaviour = 404;
    await trigger(home, 2);
    expect((await webhooks(home, 'replay', 'orders', '--since', '1h', '--missed', '--dry-run', '-o', 'json')).json).toMatchObject({
      failed: 0,
      missed: 0,
      queued: 0,
    });
    const all = await home.runOnTerminal(80, 'webhooks', 'replay', 'orders', '--since', '1h', '--failed');
    expect(all.code).toBe(8);
    expect(all.stderr).toMatch(/\[[█░]+\] +\d+ % +\d of 2 deliveries/);
    expect(commandsIn(all.stderr)).toEqual(['msgctl webhooks deliveries orders --failed']);
    receiver.take();
    receiver.behaviour = (response) => response.writeHead(receiver.received.length % 2 === 0 ? 200 : 404).end();
    expect((await webhooks(home, 'replay', 'orders', '--since', '1h')).code).toBe(8);
    for (const wrong of [
      ['--failed', '--missed'],
      ['--since', 'someday'],
      ['--since', '40d'],
    ])
      expect((await webhooks(home, 'replay', 'orders', '--since', '1h', ...wrong)).code).toBeGreaterThan(0);
    expect((await webhooks(home, 'replay', 'orders')).stderr).toContain('--since');
  });

  it('is applied by doctor --fix once the receiver is on again', async ({ home }) => {
    await create(home, 'orders', '--retries-enabled', '--generate-signing-secret');
    await webhooks(home, 'disable', 'orders');
    await trigger(home, 2);
    await webhooks(home, 'enable', 'orders');
    receiver.take();
    expect((await webhooks(home, 'doctor', '--fix', '--yes')).code).toBe(0);
    await home.run('sandbox', 'settle');
    expect(receiver.take()).toHaveLength(2);
  });
});

describe('a service without deliveries', () => {
  it('is answered with a sentence and the next best command', async ({ home }) => {
    const webhook = {
      ...{ id: '1', name: 'orders', url: 'https://shop.example/hook', subscribed_to: ['Replies'], subscribed_to_tags: [] },
      ...{ created_at: '2027-01-01T00:00:00Z', signing_enabled: false, signing_secret_created_at: null, retries_enabled: false },
      ...{ enabled: true, apply_to_sub_accounts: false },
    };
    const server = createServer((request, response) => {
      const isList = /^\/v1\/webhooks(\?.*)?$/.test(request.url ?? '');
      const body = isList ? { success: true, webhooks: [webhook] } : { success: false, error: 'Not found', error_code: 404 };
      response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    home.env = { MSGCTL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, MSGCTL_API_KEY: 'mk_1', TZ: 'UTC' };
    try {
      for (const [words, sentence] of [
        [['deliveries', 'orders'], 'The service does not list deliveries'],
        [['deliveries', 'show', 'dlv_1'], 'The service does not show deliveries'],
        [['deliveries', 'resend', 'dlv_1'], 'The service does not show deliveries'],
        [['replay', 'orders', '--since', '2027-01-01'], 'The service does not replay deliveries'],
        [['replay', 'orders', '--since', '2027-01-01', '--dry-run'], 'The service does not replay deliveries'],
      ] as const) {
        const { code, stderr } = await webhooks(home, ...words);
        expect([code, stderr]).toEqual([5, expect.stringContaining(sentence)]);
        expect(stderr).toContain('msgctl webhooks health');
      }
    } finally {
      server.close();
    }
  });
});

describe('a new signing secret', () => {
  const secretOf = (text: string) => /^.*\bwhsec_[\w-]{40,}(?=\s|$)/m.test(text);

  it.for([40, 60, 80, 120])('is shown whole on a terminal of %i columns', async (columns, { home }) => {
    const one = await home.runOnTerminal(
      columns,
      'webhooks',
      'create',
      receiver.url('/one'),
      '--events',
      'Replies',
      '--generate-signing-secret',
    );
    expect(secretOf(one.stdout)).toBe(true);
    expect(secretOf((await home.runOnTerminal(columns, 'webhooks', 'secret', 'show', '1')).stdout)).toBe(true);
  });

  it.for([60, 80, 120])('of several accounts is shown whole on a terminal of %i columns, with its account', async (columns, { home }) => {
    for (const name of ['Client 1', 'Client 2']) expect((await home.run('accounts', 'create', name)).code).toBe(0);
    const create = ['webhooks', 'create', receiver.url('/many'), '--events', 'Replies', '--name', 'many', '--generate-signing-secret'];
    const created = await home.runOnTerminal(columns, ...create, '--sub-account', 'Client*', '--yes');
    const rotated = await home.runOnTerminal(columns, 'webhooks', 'secret', 'rotate', 'many', '--sub-account', 'Client*', '--yes');
    for (const { code, stdout, stderr } of [created, rotated]) {
      expect(code, stderr).toBe(0);
      expect(stdout.match(/whsec_[\w-]{40,}(?=\s|$)/gm)).toHaveLength(2);
      for (const name of ['Client 1', 'Client 2']) expect(stdout).toContain(name);
      expect(stderr).not.toContain('hidden');
    }
    const key = await home.runOnTerminal(columns, 'keys', 'create', '--label', 'x', '--section', 'Tags');
    expect(key.stdout).toMatch(/sk_[\w-]{40,}(?=\s|$)/m);
  });
});
