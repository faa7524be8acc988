import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { healthRow, parseCondition, worstFirst } from '../../../src/cli/nouns/webhooks/health.ts';
import { signDelivery } from '../../../src/contract/areas/webhooks/signature.ts';
import { Receiver } from '../../support/receiver.ts';
import { Home } from '../../support/terminal-world.ts';

let receiver: Receiver;
let home: Home;

beforeAll(async () => {
  receiver = await Receiver.open();
});

afterAll(() => receiver.close());

beforeEach(() => {
  home = new Home();
  home.env = { MSGCTL_PROFILE: 'sandbox' };
  receiver.behaviour = 200;
  receiver.take();
});

afterEach(() => home.remove());

const webhooks = (...argv: string[]) => home.run('webhooks', ...argv);

const create = async (name: string, ...argv: string[]) => {
  const { code, json } = await webhooks('create', receiver.url(`/${name}`), '--events', 'replies', '--name', name, ...argv, '-o', 'json');
  expect(code).toBe(0);
  return json;
};

const trigger = async (times = 1) => {
  for (let count = 0; count < times; count++) expect((await home.run('sandbox', 'events', 'trigger', 'REPLIES')).code).toBe(0);
};

describe('webhooks', () => {
  it('are created, updated, enabled, disabled and deleted by id or name', async () => {
    const { webhook, signing_secret: secret } = await create('orders', '--generate-signing-secret', '--retries-enabled');
    expect([webhook.subscribed_to, secret]).toEqual([['Replies'], expect.stringMatching(/^whsec_/)]);
    expect((await webhooks('get', '1', '-o', 'json')).json.webhook).toMatchObject({ name: 'orders', retries_enabled: true });
    expect(
      (await webhooks('update', 'orders', '--events', 'Reads,task created', '--name', 'tasks', '-o', 'json')).json.webhook,
    ).toMatchObject({
      subscribed_to: ['Reads', 'Task Created'],
      name: 'tasks',
    });
    expect((await webhooks('disable', 'tasks', '-o', 'json')).json.webhook.enabled).toBe(false);
    expect((await webhooks('enable', '1', '-o', 'json')).json.webhook.enabled).toBe(true);
    expect((await webhooks('delete', 'tasks')).code).toBe(2);
    expect((await webhooks('delete', 'tasks', '--yes')).code).toBe(0);
    expect((await webhooks('get', 'tasks')).code).toBe(5);
    expect((await webhooks('events')).stdout.trim().split('\n')).toHaveLength(24);
  });

  it('show, rotate and remove their secret', async () => {
    await create('orders');
    expect((await webhooks('secret', 'show', 'orders', '-o', 'json')).json).toMatchObject({ signing_enabled: false, signing_secret: null });
    expect((await webhooks('secret', 'rotate', 'orders')).code).toBe(2);
    const { json } = await webhooks('secret', 'rotate', 'orders', '--yes', '-o', 'json');
    expect((await webhooks('secret', 'show', 'orders', '--query', 'signing_secret', '-o', 'tsv')).stdout.trim()).toBe(json.signing_secret);
    const traced = await webhooks('secret', 'show', 'orders', '--debug', '--query', 'signing_enabled');
    expect(traced.stderr).not.toContain(json.signing_secret);
    expect((await webhooks('secret', 'remove', 'orders', '--yes', '-o', 'json')).json.signing_enabled).toBe(false);
  });
});

describe('a test', () => {
  it('explains what failed, and exits 1', async () => {
    await create('orders');
    expect((await webhooks('test', 'orders')).code).toBe(0);
    receiver.behaviour = 302;
    const { code, stderr, stdout } = await webhooks('test', 'orders', '--event', 'Task Created');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Not delivered: The receiver answered 302\. .*without a redirect/)]);
    expect(stdout).toMatch(/failure_type +permanent/);
    // --query does not change the exit code.
    expect(await webhooks('test', 'orders', '--query', 'delivered', '-o', 'json')).toMatchObject({ code: 1, stdout: 'false\n' });
    const gone = await webhooks('test', 'orders', '-o', 'json');
    expect([gone.code, gone.json.delivered]).toEqual([1, false]);
  });

  it('exits 1 when it failed on one of several accounts, whichever is first', async () => {
    const ids: string[] = [];
    for (const name of ['broken', 'fine']) {
      const { json } = await home.run('accounts', 'create', name, '-o', 'json');
      const id = json.sub_account.id as string;
      ids.push(id);
      await create(name, '--name', 'orders', '--sub-account', id);
    }
    receiver.byPath.set('/broken', 500);
    for (const order of [ids, ids.toReversed()]) expect((await webhooks('test', '1', '--sub-account', order.join())).code).toBe(1);
    receiver.byPath.delete('/broken');
    expect((await webhooks('test', '1', '--sub-account', ids.join())).code).toBe(0);
  });

  it('takes the event from --input too', async () => {
    await create('orders');
    home.stdin = '{"event": "Reads"}';
    expect((await webhooks('test', 'orders', '--input', '-')).code).toBe(0);
    expect(receiver.take().at(-1)?.body).toMatchObject({ event: 'Reads' });
  });
});

describe('health', () => {
  it('shows every receiver, the worst first, and exits 3 when a condition holds', async () => {
    for (const name of ['fine', 'broken', 'off', 'idle']) await create(name);
    await webhooks('update', 'idle', '--events', 'Reads');
    receiver.byPath.set('/broken', 500);
    await webhooks('disable', 'off');
    await trigger(10);
    const { json } = await webhooks('health', '-o', 'json');
    expect(json.webhooks.map(({ name, state, success_rate }: Record<string, unknown>) => [name, state, success_rate])).toEqual([
      ['broken', 'disabled', 0],
      ['off', 'off', null],
      ['fine', 'ok', 100],
      ['idle', 'idle', null],
    ]);
    expect(json.webhooks[0]).toMatchObject({
      consecutive_failures: 10,
      last_failure: 'temporary: The receiver answered 500',
      since: expect.any(String),
    });
    const judged = await webhooks('health', '--fail-on', 'success<99%', '--fail-on', 'disabled');
    expect([judged.code, judged.stderr]).toEqual([3, 'Condition met: broken: success<99%\nCondition met: broken: disabled\n']);
    expect((await webhooks('health', '--fail-on', 'success<99%', '-o', 'json')).code).toBe(3);
    expect((await webhooks('health', '--fail-on', 'disabled', '--query', 'webhooks[].name', '-o', 'json')).code).toBe(3);
    expect((await webhooks('health', 'idle', '--fail-on', 'success<200%')).code).toBe(0);
    expect((await webhooks('health', 'fine', '--fail-on', 'disabled')).code).toBe(0);
    expect((await webhooks('health', 'broken', '--fail-on', 'failures>=10', '-o', 'json')).json.health.is_disabled).toBe(true);
    expect((await webhooks('health', 'broken', '--fail-on', 'failures>=10')).code).toBe(3);
    expect((await webhooks('health', '--sub-account', 'own,own', '--fail-on', 'disabled')).code).toBe(3);
    await webhooks('reenable', 'broken');
    expect((await webhooks('health', '--fail-on', 'disabled')).code).toBe(0);
    receiver.byPath.clear();
  });

  it('shows retries under way', async () => {
    await create('shop', '--retries-enabled');
    receiver.byPath.set('/shop', 500);
    await trigger(1);
    const { json } = await webhooks('health', '-o', 'json');
    expect(json.webhooks).toMatchObject([{ state: 'retrying', last_failure: 'temporary: The receiver answered 500' }]);
    expect(json.webhooks[0].since).not.toBeNull();
    expect((await webhooks('health', '--fail-on', 'retrying')).code).toBe(3);
    const doctor = await webhooks('doctor', 'shop', '-o', 'json');
    const record = doctor.json.checks.find(({ check }: { check: string }) => check === 'health');
    expect(record).toMatchObject({ status: 'warning', finding: expect.stringMatching(/^Attempt 1 failed: .* The next one is at 20/) });
    receiver.byPath.clear();
  });

  it.each(['success', 'success<', 'nonsense', 'success=99', '<99%'])('refuses the condition %j', async (condition) => {
    expect((await webhooks('health', '--fail-on', condition)).code).toBe(2);
  });

  it('sorts by state, then by the share of failures', () => {
    const webhook = { id: '1', name: 'x', url: 'https://x.example', enabled: true } as never;
    const row = (name: string, successes: number, failures: number, consecutive: number) => ({
      ...healthRow(webhook, {
        total_successes: successes,
        total_failures: failures,
        consecutive_failures: consecutive,
        is_disabled: false,
        last_failure: null,
      } as never),
      name,
    });
    const sorted = worstFirst([row('good', 10, 0, 0), row('bad', 1, 9, 0), row('failing', 9, 1, 1)]);
    expect(sorted.map(({ name }) => name)).toEqual(['failing', 'bad', 'good']);
    expect(parseCondition('success <= 10 %')(row('bad', 1, 9, 0))).toBe(true);
    expect(parseCondition('success<99.9%')(row('nearly', 9_995, 5, 0))).toBe(false);
  });
});

describe('doctor', () => {
  const examine = async (...argv: string[]) => {
    const { code, json } = await webhooks('doctor', 'it', ...argv, '-o', 'json');
    const checks = json.checks as { check: string; status: string; finding: string; fix: string | null }[];
    return { code, check: (name: string) => checks.find(({ check }) => check === name) };
  };

  it('finds a healthy receiver healthy', async () => {
    await create('it', '--generate-signing-secret', '--retries-enabled');
    await trigger();
    const { code, check } = await examine();
    expect(code).toBe(0);
    for (const name of ['switch', 'retries', 'name', 'health', 'delivery', 'signing', 'events'])
      expect(check(name)?.status, name).toBe('ok');
    expect(check('certificate')).toMatchObject({ status: 'warning', finding: expect.stringContaining('plain http') });
  });

  it('finds every problem, each with the command that fixes it', async () => {
    await create('it', '--events', 'channel connected', '--no-retries-enabled');
    receiver.behaviour = 500;
    await trigger(10);
    await webhooks('disable', 'it');
    const { code, check } = await examine();
    expect(code).toBe(1);
    expect(check('switch')).toMatchObject({ status: 'failed', fix: 'msgctl webhooks enable it' });
    expect(check('auto-disable')).toMatchObject({ status: 'failed', fix: 'msgctl webhooks reenable it' });
    expect(check('delivery')).toMatchObject({ status: 'failed', finding: expect.stringContaining('answered 500') });
    expect(check('signing')).toMatchObject({ status: 'warning', fix: 'msgctl webhooks secret rotate it' });
    expect(check('retries')).toMatchObject({ status: 'warning', fix: 'msgctl webhooks update it --retries-enabled' });
    expect(check('events')).toMatchObject({
      status: 'warning',
      finding: 'The service never emits Channel Connected.',
      fix: 'msgctl webhooks update it --events Replies',
    });
  });

  it('names the webhook so that the command fixes this one', async () => {
    await create('first');
    await create('1');
    const account = (await home.run('accounts', 'create', 'Client', '-o', 'json')).json.sub_account.id as string;
    await webhooks('create', receiver.url(), '--events', 'Replies', '--name=-x', '--sub-account', account);
    const fixOf = async (...argv: string[]) => {
      const { json } = await webhooks('doctor', ...argv, '-o', 'json');
      return (json.checks as { check: string; fix: string }[]).find(({ check }) => check === 'signing')?.fix;
    };
    expect(await fixOf('2')).toBe('msgctl webhooks secret rotate 2');
    expect(await fixOf('1', '--sub-account', account, '-p', 'sandbox')).toBe(
      `msgctl webhooks secret rotate 1 --profile sandbox --sub-account ${account}`,
    );
  });

  it('looks at names and certificates', async () => {
    await webhooks('create', 'https://no-such-name.invalid/', '--events', 'Replies', '--name', 'it');
    const nameless = await examine();
    expect(nameless.check('name')).toMatchObject({
      status: 'failed',
      finding: expect.stringMatching(/the host name (does not resolve|cannot be resolved right now)/),
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
    await webhooks('update', 'it', '--url', `https://localhost:${(server.address() as AddressInfo).port}/`);
    const untrusted = await examine();
    expect(untrusted.check('certificate')).toMatchObject({ status: 'failed', finding: expect.stringContaining('self-signed') });
    expect(untrusted.check('delivery')).toMatchObject({ status: 'failed', finding: expect.stringMatching(/certificate/) });
    server.close();
  });
});

describe('verify', () => {
  const secret = 'whsec_for_a_test';
  const body = '{"event": "Replies"}\n';

  const verify = async (timestamp: number, signature: string, text = body, given = secret) => {
    writeFileSync(join(home.path, 'body.json'), text);
    home.stdin = `${given}\n`;
    const { code, json, stdout, stderr } = await webhooks(
      'verify',
      '--secret-stdin',
      '--signature',
      signature,
      '--timestamp',
      String(timestamp),
      '--body',
      join(home.path, 'body.json'),
      '-o',
      'json',
    );
    expect(stdout + stderr).not.toContain(secret);
    return { code, ...(json as { genuine: boolean; fresh: boolean; age_seconds: number; finding: string }) };
  };

  it('accepts only genuine and fresh deliveries, and explains common mistakes', async () => {
    const now = home.now / 1000;
    expect(await verify(now, signDelivery(secret, now, body))).toMatchObject({ code: 0, genuine: true, fresh: true, age_seconds: 0 });
    expect(await verify(now - 300, signDelivery(secret, now - 300, body))).toMatchObject({ code: 0, fresh: true });
    expect(await verify(now - 301, signDelivery(secret, now - 301, body))).toMatchObject({
      code: 1,
      genuine: true,
      fresh: false,
      age_seconds: 301,
    });
    expect(await verify(now, signDelivery('another', now, body))).toMatchObject({
      code: 1,
      genuine: false,
      finding: expect.stringContaining('does not match: check that the raw body'),
    });
    expect((await verify(now, signDelivery(secret, now, body.trimEnd()))).finding).toContain('without the newline');
    expect((await verify(now, signDelivery(secret, now, body), body.trimEnd())).finding).toContain('with a newline');
    expect((await verify(now, signDelivery(secret, now, '{"event":"Replies"}'))).finding).toContain('compact JSON');
    expect((await verify(now * 1000, signDelivery(secret, now, body))).finding).toContain('milliseconds');
    expect((await verify(now, 'sha256=abc')).finding).toContain('v1=');
    expect((await webhooks('verify', '--secret-stdin', '--signature', 'x', '--timestamp', '1', '--body', '-')).code).toBe(2);
    expect((await webhooks('verify', '--signature', 'x')).stderr).toContain("Missing required option '--secret-stdin'");
  });
});

describe('deliveries of the sandbox', () => {
  it('are listed, shown and resent', async () => {
    await create('orders');
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
