import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import { Receiver } from '../../support/receiver.ts';
import { startServer } from '../../support/server.ts';
import type { Home } from '../../support/terminal-world.ts';

let receiver: Receiver;

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox' });

beforeAll(async () => {
  receiver = await Receiver.open();
});

afterAll(() => receiver.close());

beforeEach(() => {
  receiver.behaviour = 200;
  receiver.byPath.clear();
  receiver.take();
});

const webhooks = (home: Home, ...argv: string[]) => home.run('webhooks', ...argv);

const create = async (home: Home, name: string, ...argv: string[]) => {
  const { code } = await webhooks(
    home,
    'create',
    receiver.url(`/${encodeURIComponent(name)}`),
    '--events',
    'replies',
    '--name',
    name,
    ...argv,
  );
  expect(code).toBe(0);
};

const client = async (home: Home, name: string) => (await home.run('accounts', 'create', name, '-o', 'json')).json.sub_account.id as string;

const trigger = async (home: Home, times = 1, ...account: string[]) => {
  for (let count = 0; count < times; count++) expect((await home.run('sandbox', 'events', 'trigger', 'REPLIES', ...account)).code).toBe(0);
};

interface Check {
  readonly webhook: string | null;
  readonly check: string;
  readonly status: string;
  readonly finding: string;
  readonly fix: string | null;
  readonly fixed?: boolean;
}

const examine = async (home: Home, ...argv: string[]) => {
  const { code, json, stderr } = await webhooks(home, 'doctor', ...argv, '-o', 'json');
  const checks = json.checks as Check[];
  return { code, checks, stderr, check: (name: string) => checks.find(({ check }) => check === name) };
};

/** The command lines that can be copied. */
const commandsIn = (text: string) => text.split('\n').filter((line) => line.trim().startsWith('msgctl'));

/** Runs a line as a shell would. */
const runLine = async (home: Home, line: string) => {
  const words = execFileSync('sh', ['-c', `printf '%s\\n' ${line}`])
    .toString()
    .trimEnd()
    .split('\n');
  return await home.run(...words.slice(1));
};

describe('the checks of doctor', () => {
  it('pass for a healthy receiver', async ({ home }) => {
    await create(home, 'it', '--generate-signing-secret', '--retries-enabled');
    await trigger(home);
    const { code, check } = await examine(home, 'it');
    expect(code).toBe(0);
    for (const name of ['switch', 'retries', 'name', 'health', 'delivery', 'signing', 'events'])
      expect(check(name)?.status, name).toBe('ok');
    expect(check('certificate')).toMatchObject({ status: 'warning', finding: expect.stringContaining('plain http') });
  });

  it('find every problem, with the command that fixes it', async ({ home }) => {
    await create(home, 'it', '--events', 'channel connected', '--no-retries-enabled');
    receiver.behaviour = 500;
    await trigger(home, 10);
    await webhooks(home, 'disable', 'it');
    const { code, check } = await examine(home, 'it');
    expect(code).toBe(1);
    expect(check('switch')).toMatchObject({ status: 'warning', fix: 'msgctl webhooks enable it' });
    expect(check('auto-disable')).toMatchObject({ status: 'failed', fix: 'msgctl webhooks reenable it' });
    expect(check('delivery')).toMatchObject({
      status: 'failed',
      finding: expect.stringContaining('answered 500'),
      fix: 'msgctl webhooks test it',
    });
    expect(check('signing')).toMatchObject({ status: 'warning', fix: 'msgctl webhooks secret rotate it --yes' });
    expect(check('retries')).toMatchObject({ status: 'warning', fix: 'msgctl webhooks update it --retries-enabled' });
    expect(check('events')).toMatchObject({
      status: 'warning',
      finding: 'The service never emits Channel Connected.',
      fix: 'msgctl webhooks update it --events Replies',
    });
  });

  it('report retries under way with the answer of the receiver', async ({ home }) => {
    await create(home, 'shop', '--retries-enabled');
    receiver.byPath.set('/shop', 500);
    await trigger(home);
    expect((await examine(home, 'shop')).check('health')).toMatchObject({
      status: 'warning',
      finding: expect.stringMatching(
        /^Attempt 1 failed: The receiver answered 500 \(temporary\), at 20\S+Z\. The receiver said: "answered 500"\. The next one is at 20\S+Z\.$/,
      ),
    });
  });

  it('name the webhook unambiguously in each command', async ({ home }) => {
    await create(home, 'first');
    await create(home, '\u202ex');
    const account = await client(home, 'Client');
    await webhooks(home, 'create', receiver.url(), '--events', 'Replies', '--name=-x', '--sub-account', account);
    const fixOf = async (...argv: string[]) => (await examine(home, ...argv)).check('signing')?.fix;
    expect(await fixOf('2')).toBe('msgctl webhooks secret rotate 2 --yes');
    expect(await fixOf('1', '--sub-account', account, '-p', 'sandbox')).toBe(
      `msgctl webhooks secret rotate 1 --yes --profile sandbox --sub-account ${account}`,
    );
    await home.run('accounts', 'use', account);
    expect(await fixOf('2', '--sub-account', 'own')).toBe('msgctl webhooks secret rotate 2 --yes --sub-account own');
  });

  it('examine host names and certificates', async ({ home }) => {
    await webhooks(home, 'create', 'https://no-such-name.invalid/', '--events', 'Replies', '--name', 'it');
    const nameless = await examine(home, 'it');
    expect(nameless.check('name')).toMatchObject({
      status: 'failed',
      finding: expect.stringMatching(/the host name (does not resolve|cannot be resolved right now)/),
      fix: 'Correct the address with `msgctl webhooks update it --url URL`.',
    });
    const [key, certificate] = ['key.pem', 'cert.pem'].map((name) => join(home.path, name)) as [string, string];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, '-days', '1', '-subj', '/CN=localhost'],
      {
        stdio: 'ignore',
      },
    );
    const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await webhooks(home, 'update', 'it', '--url', `https://localhost:${(server.address() as AddressInfo).port}/`);
    const untrusted = await examine(home, 'it');
    expect(untrusted.check('certificate')).toMatchObject({
      status: 'failed',
      finding: expect.stringContaining('self-signed: NODE_EXTRA_CA_CERTS'),
    });
    expect(untrusted.check('delivery')).toMatchObject({
      status: 'failed',
      finding: expect.stringMatching(/certificate is self-signed: NODE_EXTRA_CA_CERTS/),
    });
    server.close();
  });

  it('continue when the key may not send a test delivery', async ({ home }) => {
    await create(home, 'it');
    const { api_key: key } = (await home.run('keys', 'create', '--section', 'Webhooks,System', '-o', 'json')).json;
    home.env = { ...home.env, MSGCTL_API_KEY: key };
    const { code, check } = await examine(home, 'it');
    expect(code).toBe(0);
    expect(check('delivery')).toMatchObject({ status: 'warning', finding: expect.stringMatching(/^No test delivery was sent: /) });
    expect(check('health')?.status).toBe('ok');
  });
});

describe('doctor for people', () => {
  it('shows failures first, then warnings, then passed checks in one line', async ({ home }) => {
    await create(home, 'shop', '--generate-signing-secret');
    receiver.behaviour = 500;
    await trigger(home, 10);
    const { code, stdout } = await webhooks(home, 'doctor', 'shop');
    expect(code).toBe(1);
    const normal = stdout.replaceAll(receiver.url(''), 'http://receiver').replace(/20\S+Z/g, 'THEN');
    expect(normal).toMatchInlineSnapshot(`
      "shop  http://receiver/shop

      ✗ The test delivery failed: The receiver answered 500 (temporary). The receiver failed. Look in its log for the reason. Then test it again.
      msgctl webhooks test shop

      ✗ Deliveries are paused: 10 deliveries in a row failed; the last: The receiver answered 500 (temporary). They were paused at THEN. The receiver said: "answered 500". Once the receiver works, enable them again.
      msgctl webhooks reenable shop

      ! The address uses plain http. Only a sandbox delivers to it. Give the receiver an https address.

      ! 0 % of 10 deliveries succeeded.

      ! Failed deliveries are not retried: a short outage loses events.
      msgctl webhooks update shop --retries-enabled

      Passed: host name, turned on, signature, events.
      "
    `);
  });

  it('prints remedies that can be copied and run unchanged', async ({ home }) => {
    const account = await client(home, 'Client');
    await create(home, "Joe's shop", '--sub-account', account);
    receiver.behaviour = 500;
    await trigger(home, 10, account);
    const { stdout } = await webhooks(home, 'doctor', '--sub-account', `own,${account}`);
    receiver.behaviour = 200;
    const commands = commandsIn(stdout);
    expect(commands.length).toBeGreaterThanOrEqual(4);
    for (const command of commands) {
      expect(command).toMatch(/^msgctl webhooks \S/);
      expect(command).toContain(`--sub-account ${account}`);
      const { code, stderr } = await runLine(home, command);
      expect([code, command], stderr).toEqual([0, command]);
    }
    expect((await webhooks(home, 'health', '--sub-account', account, '-o', 'json')).json.webhooks).toMatchObject([{ state: 'unproven' }]);
    expect(commandsIn((await webhooks(home, 'doctor', '--sub-account', `own,${account}`)).stdout)).toEqual([]);
  });

  it('fits into the window, and never breaks a command', async ({ home }) => {
    await create(home, 'a webhook with a name that is longer than a narrow window');
    receiver.behaviour = 500;
    await trigger(home, 10);
    for (const columns of [60, 80, 120]) {
      const { stdout } = await home.runOnTerminal(columns, 'webhooks', 'doctor');
      const lines = stdout.split('\n');
      expect(lines).toContain("msgctl webhooks reenable 'a webhook with a name that is longer than a narrow window'");
      const [, ...texts] = lines.filter((line) => !line.startsWith('msgctl'));

      for (const line of texts) expect(line.replace(/\u001b\[\d+m/g, '').length).toBeLessThanOrEqual(columns);
      expect(stdout).not.toContain('…');
    }
  });

  it('uses only ASCII on a terminal without Unicode', async ({ home }) => {
    await create(home, 'shop');
    receiver.behaviour = 500;
    for (const [name, value] of Object.entries({ LANG: 'C', TERM: 'dumb' })) {
      home.env = { MSGCTL_PROFILE: 'sandbox', [name]: value };
      expect((await home.runOnTerminal(80, 'webhooks', 'doctor', 'shop')).stdout).toMatch(/^[\x20-\x7e\n\u001b]*$/);
    }
  });

  it('does not let a receiver control the terminal', async ({ home }) => {
    await create(home, 'shop');
    receiver.behaviour = (response) => {
      response.writeHead(500);
      response.end('\u001b[2Jgone\nmsgctl accounts delete all');
    };
    await trigger(home, 10);
    const { stdout } = await webhooks(home, 'doctor', 'shop');

    expect(stdout).not.toMatch(/\u001b/);
    expect(commandsIn(stdout).join()).not.toContain('accounts');
    expect(stdout).toContain('The receiver said: "[2Jgone msgctl accounts delete all".');
  });

  it('leaves out the answer of the receiver without a sandbox token', async ({ home }) => {
    const server = await startServer();
    home.env = { MSGCTL_BASE_URL: server.baseUrl, MSGCTL_API_KEY: server.apiKey };
    await create(home, 'shop');
    home.env = { ...home.env, MSGCTL_SANDBOX_TOKEN: server.token };
    receiver.behaviour = 500;
    const me = (await home.run('whoami', '-o', 'json')).json.account_id as string;
    for (let count = 0; count < 10; count++) await home.run('sandbox', 'events', 'trigger', 'Replies', me);
    await home.run('sandbox', 'settle');
    expect((await webhooks(home, 'doctor')).stdout).toContain('The receiver said: "answered 500"');
    delete home.env.MSGCTL_SANDBOX_TOKEN;
    const { code, stdout } = await webhooks(home, 'doctor');
    expect([code, stdout]).toEqual([1, expect.stringContaining('10 deliveries in a row failed')]);
    expect(stdout).not.toContain('The receiver said');
    home.env = { ...home.env, MSGCTL_SANDBOX_TOKEN: 'wrong' };
    expect((await webhooks(home, 'doctor')).stdout).not.toContain('The receiver said');
    await server.close();
  });
});

describe('doctor without a name', () => {
  it('examines every receiver that needs attention, and no other', async ({ home }) => {
    for (const name of ['fine', 'off', 'broken', 'retried']) await create(home, name, '--retries-enabled');
    await webhooks(home, 'update', 'broken', '--no-retries-enabled');
    await webhooks(home, 'disable', 'off');
    receiver.byPath.set('/broken', 500);
    receiver.byPath.set('/retried', 503);
    await trigger(home, 10);
    receiver.take();
    const { code, checks } = await examine(home);
    expect(code).toBe(1);
    expect([...new Set(checks.map(({ webhook }) => webhook))]).toEqual(['broken', 'retried', 'off', null]);
    expect(checks.filter(({ webhook }) => webhook === 'off')).toEqual([
      {
        webhook: 'off',
        url: receiver.url('/off'),
        check: 'switch',
        status: 'warning',
        finding: 'The webhook is disabled: nothing is delivered.',
        fix: 'msgctl webhooks enable off',
      },
      {
        webhook: 'off',
        url: receiver.url('/off'),
        check: 'missed',
        status: 'warning',
        finding: expect.stringMatching(/^10 events missed since \S+Z\.$/),
        fix: expect.stringMatching(/^msgctl webhooks replay off --since \S+Z --missed$/),
      },
    ]);
    expect(checks.at(-1)).toEqual({
      webhook: null,
      url: null,
      check: 'receivers',
      status: 'ok',
      finding: 'The others need no attention: 1 ok.',
      fix: null,
    });
    expect(
      receiver
        .take()
        .filter(({ body }) => body.test === true)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['/broken', '/retried']);
  });

  it('exits 0 for a webhook that was switched off, with and without its name, and names the command', async ({ home }) => {
    await create(home, 'off', '--generate-signing-secret', '--retries-enabled');
    await webhooks(home, 'disable', 'off');
    for (const status of [200, 500]) {
      receiver.behaviour = status;
      for (const argv of [[], ['off']]) {
        const { code, stdout } = await webhooks(home, 'doctor', ...argv);
        expect([code, stdout]).toEqual([
          0,
          expect.stringContaining('! The webhook is disabled: nothing is delivered.\nmsgctl webhooks enable off\n'),
        ]);
        expect(stdout).not.toContain('✗');
      }
    }
    const { code, stderr } = await webhooks(home, 'doctor', '--fix', '--yes');
    expect([code, stderr]).toEqual([0, 'Not run: msgctl webhooks enable off: the webhook may have been turned off on purpose\n']);
    expect((await webhooks(home, 'get', 'off', '-o', 'json')).json.webhook.enabled).toBe(false);
  });

  it('mentions --fix', async ({ home }) => {
    await create(home, 'shop', '--retries-enabled');
    receiver.behaviour = 500;
    await trigger(home);
    const mention = 'To run these commands, each after a question:';
    expect((await webhooks(home, 'doctor')).stderr).toBe(`${mention}\nmsgctl webhooks doctor --fix\n`);
    expect((await webhooks(home, 'doctor', 'shop')).stderr).toBe(`${mention}\nmsgctl webhooks doctor shop --fix\n`);
    await webhooks(home, 'secret', 'rotate', 'shop', '--yes');
    expect((await webhooks(home, 'doctor', 'shop')).stderr).toBe('');
  });

  it('exits 0 when every receiver is healthy or there is none', async ({ home }) => {
    expect(await webhooks(home, 'doctor')).toMatchObject({ code: 0, stdout: 'The account has no webhooks.\n' });
    await create(home, 'fine');
    await trigger(home);
    expect(await webhooks(home, 'doctor')).toMatchObject({ code: 0, stdout: 'No receiver needs attention: 1 ok.\n' });
    await webhooks(home, 'disable', 'fine');
    expect((await webhooks(home, 'doctor')).stdout).toMatch(/is disabled: nothing is delivered.*There are no other receivers\.\n$/s);
  });

  it('does not say that a receiver that missed events needs no attention', async ({ home }) => {
    await create(home, 'shop');
    await webhooks(home, 'disable', 'shop');
    await trigger(home, 2);
    await webhooks(home, 'enable', 'shop');
    const { stdout } = await webhooks(home, 'doctor');
    expect(stdout).toMatch(/! 2 events missed since [^]*There are no other receivers\.\n$/);
  });

  it('names the account of each receiver with several accounts', async ({ home }) => {
    const [first, second] = [await client(home, 'First'), await client(home, 'Second')];
    for (const account of [first, second]) await create(home, 'shop', '--sub-account', account, '--retries-enabled');
    receiver.behaviour = 500;
    await trigger(home, 1, first);
    receiver.behaviour = 200;
    await trigger(home, 1, second);
    receiver.behaviour = 500;
    const { code, stdout } = await webhooks(home, 'doctor', '--sub-account', 'all');
    expect(code).toBe(1);
    expect(stdout).toContain(`First: shop  ${receiver.url('/shop')}\n`);
    expect(stdout).toContain(`\nmsgctl webhooks test shop --sub-account ${first}\n`);
    expect(stdout).toContain(`Second: No receiver needs attention: 1 ok.\n`);
    const { json } = await webhooks(home, 'doctor', '--sub-account', 'all', '-o', 'json');
    expect(json.checks).toContainEqual(
      expect.objectContaining({
        sub_account_id: first,
        webhook: 'shop',
        check: 'delivery',
        fix: `msgctl webhooks test shop --sub-account ${first}`,
      }),
    );
    const { stdout: table } = await webhooks(home, 'doctor', '--sub-account', 'all', '--fields', 'webhook,status', '-o', 'csv');
    expect(table.split('\r\n')[0]).toBe('webhook,status');
  });
});

describe('doctor --fix', () => {
  const breakShop = async (home: Home) => {
    await create(home, 'shop');
    receiver.behaviour = 500;
    await trigger(home, 10);
    await webhooks(home, 'disable', 'shop');
    receiver.behaviour = 200;
  };

  it('needs a terminal or --yes', async ({ home }) => {
    await breakShop(home);
    receiver.take();
    const dry = await webhooks(home, 'doctor', 'shop', '--fix', '--dry-run');
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/^POST \/v1\/webhooks\/shop\/test\n/)]);
    const { code, stdout, stderr } = await webhooks(home, 'doctor', '--fix');
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('--yes')]);
    expect(receiver.take()).toEqual([]);
  });

  it('carries out every remedy with --yes but for switching on what was switched off, and says what it did', async ({ home }) => {
    await breakShop(home);
    const { code, stdout, stderr } = await webhooks(home, 'doctor', 'shop', '--fix', '--yes');
    expect(code).toBe(0);
    expect(stderr.trim().split('\n')).toEqual([
      'Done: msgctl webhooks reenable shop',
      'Not run: msgctl webhooks enable shop: the webhook may have been turned off on purpose',
      'Done: msgctl webhooks update shop --retries-enabled',
      'Done: msgctl webhooks secret rotate shop --yes',
    ]);
    expect(stdout).toContain(
      '! The webhook is disabled: nothing is delivered.\nmsgctl webhooks enable shop\nNot run: the webhook may have been turned off on purpose.\n',
    );
    expect(stdout.split('\n').filter((line) => line.startsWith('msgctl'))).toEqual(['msgctl webhooks enable shop']);
    expect((await webhooks(home, 'get', 'shop', '-o', 'json')).json.webhook).toMatchObject({
      enabled: false,
      retries_enabled: true,
      signing_enabled: true,
    });
    expect((await webhooks(home, 'health', '-o', 'json')).json.webhooks).toMatchObject([{ state: 'off' }]);
    await webhooks(home, 'enable', 'shop');
    expect((await webhooks(home, 'health', '-o', 'json')).json.webhooks).toMatchObject([{ state: 'unproven' }]);
  });

  it('reports in JSON which checks were fixed, and exits 1 if problems remain', async ({ home }) => {
    await breakShop(home);
    receiver.behaviour = 500;
    const { code, check } = await examine(home, 'shop', '--fix', '--yes');
    expect(code).toBe(1);
    // A receiver that still fails would be paused again, so the pause is not fixed.
    expect(check('auto-disable')).toMatchObject({
      status: 'failed',
      fixed: false,
      left_out: 'deliveries would be paused again while the receiver fails',
    });
    expect(check('delivery')).toMatchObject({ status: 'failed', fixed: false, left_out: 'the receiver must be fixed first' });
    expect(check('certificate')).toMatchObject({ status: 'warning', fixed: false, left_out: 'no command can do this' });
    expect(check('retries')).toMatchObject({ fixed: true, left_out: null });
    expect(check('name')).not.toHaveProperty('fixed');
    expect(check('switch')).toMatchObject({ status: 'warning', fixed: false, left_out: 'the webhook may have been turned off on purpose' });
    expect(check('switch')).not.toHaveProperty('remedy');
  });

  it('reports a remedy that the service refuses, and exits 1', async ({ home }) => {
    await breakShop(home);
    await home.run('sandbox', 'faults', 'add', '--method', 'POST', '--path', '/webhooks/shop/signing-secret', '--status', '503');
    const { code, stderr } = await webhooks(home, 'doctor', 'shop', '--fix', '--yes');
    // A refused remedy counts even if it is for a warning.
    expect(code).toBe(1);
    expect(stderr).toMatch(/\nNot done: msgctl webhooks secret rotate shop --yes: .+\n$/);
    await home.run('sandbox', 'faults', 'clear');
    expect((await webhooks(home, 'doctor', 'shop', '--fix', '--yes')).code).toBe(0);
  });
});
