import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../support/receiver.ts';
import { Home } from '../../support/terminal-world.ts';

const secret = 'whsec_of_the_receiver';

let home: Home;
let receiver: Receiver;

beforeEach(async () => {
  home = new Home();
  home.now = Date.now();
  receiver = await Receiver.open();
  receiver.behaviour = good;
});

afterEach(async () => {
  await receiver.close();
  home.remove();
});

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly event: string };
}

/** What a receiver does that follows the documents. */
function statusOf({ headers, text }: Delivery): number {
  const timestamp = String(headers['x-webhook-timestamp']);
  const signature = `v1=${createHmac('sha256', secret).update(`${timestamp}.${text}`).digest('hex')}`;
  const isFresh = Math.abs(home.now / 1_000 - Number(timestamp)) <= 300;
  return headers['x-webhook-signature'] === signature && isFresh ? 204 : 401;
}

const good = (response: ServerResponse, delivery: Delivery) => void response.writeHead(statusOf(delivery)).end();

/** Certifies the receiver. @returns the exit code, the totals, and the status of each check */
async function certify(url = receiver.url()) {
  home.stdin = `${secret}\n`;
  const { code, stdout } = await home.run('webhooks', 'certify', url, '--secret-stdin', '-o', 'json');
  const answer = JSON.parse(stdout) as { checks: { check: string; status: string; received: string }[]; failed: number };
  const statuses = Object.fromEntries(answer.checks.map(({ check, status }) => [check, status]));
  const failed = answer.checks.filter(({ status }) => status === 'failed').map(({ check, received }) => [check, received]);
  return { code, statuses, failed, answer };
}

/** A receiver that is right but for some deliveries. */
const wrongWhen = (isWrong: (delivery: Delivery) => number | undefined) => (response: ServerResponse, delivery: Delivery) =>
  void response.writeHead(isWrong(delivery) ?? statusOf(delivery)).end();

it('a receiver that does what it should passes every check', async () => {
  const { code, statuses, answer } = await certify();
  expect([code, answer.failed]).toEqual([0, 0]);
  expect(new Set(Object.values(statuses))).toEqual(new Set(['ok']));
  expect(Object.keys(statuses)).toEqual([
    'delivery',
    'wrong signature',
    'old timestamp',
    'future timestamp',
    'repeated delivery',
    'order',
    'slow body',
    'attempt 2',
    'large payload',
    'events',
    '50 at once',
  ]);
  const deliveries = receiver.take();
  expect(new Set(deliveries.map(({ body }) => body.event as string)).size).toBe(24);
  expect(Math.max(...deliveries.map(({ text }) => text.length))).toBeGreaterThanOrEqual(64 * 1_024);
  expect(deliveries.filter(({ headers }) => headers['x-webhook-attempt'] === '2')).toHaveLength(1);
  for (const { headers } of deliveries)
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-webhook-event': expect.any(String) });
  const rules = readFileSync('docs/interface/webhooks.md', 'utf8');
  for (const { documented } of answer.checks as unknown as { documented: string }[]) {
    const [, rule] = /^docs\/interface\/webhooks\.md, rule (\d+)$/.exec(documented) ?? [];
    expect(rules).toContain(`\n${rule}. `);
  }
});

describe('a receiver', () => {
  const seen = new Set<unknown>();

  beforeEach(() => seen.clear());

  it.each([
    [
      'that checks no signature',
      () => 200,
      [
        ['wrong signature', '200'],
        ['old timestamp', '200'],
        ['future timestamp', '200'],
      ],
    ],
    [
      'that checks no timestamp',
      (delivery: Delivery) => {
        const shifted = { ...delivery, headers: { ...delivery.headers } };
        const now = home.now;
        home.now = Number(shifted.headers['x-webhook-timestamp']) * 1_000;
        const status = statusOf(shifted);
        home.now = now;
        return status;
      },
      [
        ['old timestamp', '204'],
        ['future timestamp', '204'],
      ],
    ],
    [
      'that refuses what it has',
      ({ headers: { 'x-webhook-delivery': id } }: Delivery) => {
        if (seen.has(id)) return 409;
        seen.add(id);
        return undefined;
      },
      [['repeated delivery', '409 (again)']],
    ],
    [
      'that takes first attempts only',
      ({ headers }: Delivery) => (headers['x-webhook-attempt'] === '1' ? undefined : 400),
      [['attempt 2', '400']],
    ],
    ['that takes small payloads only', ({ text }: Delivery) => (text.length < 60_000 ? undefined : 413), [['large payload', '413']]],
    [
      'that fails on an event',
      ({ body }: Delivery) => (['Replies', 'Reads'].includes(body.event) ? 500 : undefined),
      [['events', '500 (Replies, Reads)']],
    ],
    ['that redirects', () => 302, [['delivery', '302']]],
  ] as const)('%s fails the checks that are about it', async (_what, isWrong, expected) => {
    receiver.behaviour = wrongWhen(isWrong);
    const { code, failed } = await certify();
    expect(code).toBe(1);
    expect(failed).toEqual(expect.arrayContaining(expected.map((each) => [...each])));
    if (expected[0][0] !== 'delivery') expect(failed).toHaveLength(expected.length);
  });

  it('that does not answer fails after 10 seconds', async () => {
    receiver.behaviour = (response, delivery) => {
      if ((delivery as Delivery).body.event === 'Task Completed') setImmediate(() => home.expire(10_000));
      else good(response, delivery);
    };
    const { code, failed } = await certify();
    expect([code, failed[0]]).toEqual([1, ['order', 'no answer within 10 seconds (later event)']]);
  });

  it('that nobody runs is told once', async () => {
    const url = receiver.url();
    await receiver.close();
    const { code, statuses, failed } = await certify(url);
    expect([code, failed]).toEqual([1, [['delivery', expect.stringContaining('refused')]]]);
    expect(statuses).toMatchObject({ order: 'skipped', events: 'skipped' });
    receiver = await Receiver.open();
  });
});

it('without a secret sends no signature, and skips what is about signatures', async () => {
  receiver.behaviour = 200;
  const { code, json, stderr } = await home.run('webhooks', 'certify', receiver.url(), '-o', 'json');
  expect([code, stderr]).toEqual([0, '']);
  const skipped = (json.checks as { check: string; status: string }[])
    .filter(({ status }) => status === 'skipped')
    .map(({ check }) => check);
  expect(skipped).toEqual(['wrong signature', 'old timestamp', 'future timestamp']);
  for (const { headers } of receiver.take()) expect(headers).not.toHaveProperty('x-webhook-signature');
});

it('writes JUnit for CI, without what is secret in the URL', async () => {
  receiver.behaviour = wrongWhen(({ text }) => (text.length < 60_000 ? undefined : 413));
  const file = join(home.path, 'results.xml');
  home.stdin = secret;
  const { code, stdout } = await home.run('webhooks', 'certify', `${receiver.url()}?token=hush`, '--secret-stdin', '--junit', file);
  expect(code).toBe(1);
  const xml = readFileSync(file, 'utf8');
  expect(xml).toContain(`<testsuite name="${receiver.url()}" tests="11" failures="1"`);
  expect(xml).toContain('<failure message="expected 2xx within 10 seconds, got 413">');
  expect(xml + stdout).not.toMatch(/hush|whsec_/);
});

it.each([
  [
    'closes the connection midway',
    (response: ServerResponse) => void response.writeHead(200, { 'content-length': 100 }).write('four', () => response.destroy()),
  ],
  ['never ends its answer', (response: ServerResponse) => void response.writeHead(200).write('x', () => home.expire(10_000))],
])('a receiver that %s fails, as it does in production', async (_what, behaviour) => {
  receiver.behaviour = behaviour;
  const { code, failed } = await certify();
  expect([code, failed[0]?.[0]]).toEqual([1, 'delivery']);
});

it.each(['http://ada:secret@127.0.0.1/hook', 'ftp://ada:secret@shop.example/'])(
  'a password in the URL is refused and not repeated: %s',
  async (url) => {
    const { code, stderr } = await home.run('webhooks', 'certify', url);
    expect([code, stderr]).toEqual([2, expect.not.stringContaining('secret')]);
  },
);

it.each(['-', '/nowhere/results.xml', '/proc/results.xml'])(
  'results that cannot be written are an error before anything is sent: %s',
  async (path) => {
    const { code } = await home.run('webhooks', 'certify', receiver.url(), '--junit', path);
    expect([[1, 2].includes(code), receiver.take()]).toEqual([true, []]);
  },
);

it.each(['ftp://shop.example/', 'shop.example', '/hook', ''])('an address that is not http is exit 2: %j', async (address) => {
  expect(await home.run('webhooks', 'certify', address)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('This is not an http or https URL'),
  });
});
