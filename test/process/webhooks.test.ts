import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished } from 'vitest';
import { signDelivery } from '../../src/contract/deliveries/signature.ts';
import { call, engines, outputOf, type Ready, Workplace } from '../support/processes.ts';
import { Receiver } from '../support/receiver.ts';
import { isLongSweep } from '../support/sweeps.ts';
import { until } from '../support/until.ts';
import { it } from '../support/workplace-test.ts';

// Real processes are killed at failpoints and in the middle of their work: nothing that was acknowledged is lost.
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.open();
});

afterAll(() => receiver.close());

beforeEach(() => {
  receiver.behaviour = 200;
  receiver.take();
});

const databaseOptions = async (workplace: Workplace, engine: string) => [
  '--allow-private-receivers',
  ...(await workplace.databaseOptions(engine)),
];

const subscribe = (ready: Ready, key = ready.api_key) =>
  call(`${ready.base_url}/webhooks`, key, 'POST', { url: receiver.url(), subscribed_to: ['Replies'], retries_enabled: true });

const trigger = async (ready: Ready) =>
  String(
    (await call(`${ready.sandbox_url}/accounts/${ready.account_id}/events`, ready.sandbox_token, 'POST', { event: 'Replies' })).body
      .event_id,
  );

const control = (ready: Ready, method: string, path: string, body?: unknown) =>
  call(`${ready.sandbox_url}${path}`, ready.sandbox_token, method, body);

/** Waits until a server has nothing left to do. */
async function settle(ready: Ready): Promise<void> {
  expect((await control(ready, 'POST', '/settle')).status).toBe(200);
}

const arrived = () => new Set(receiver.received.map(({ body }) => body.event_id as string));

describe.each(engines)('a killed process on %s', (engine) => {
  it.for(['request.committed', 'delivery.leased', 'delivery.sent'])('loses no event at %s', async (point, { workplace }) => {
    const options = await databaseOptions(workplace, engine);
    const first = await workplace.serve(options);
    await subscribe(first.ready);
    first.child.kill('SIGTERM');
    await first.exited;
    const drilled = await workplace.serve(options, { MSGCTL_FAILPOINT: `${point}:2` });
    const acknowledged: string[] = [];
    for (let count = 0; count < 3; count++) {
      const id = await trigger(drilled.ready).catch(() => null);
      if (id) acknowledged.push(id);
    }
    expect(await drilled.exited).toBeNull();
    const before = receiver.received.length;
    const second = await workplace.serve(options);
    await settle(second.ready);
    for (const id of acknowledged) expect(arrived()).toContain(id);
    // A delivery that was sent but not recorded is sent again with the same attempt number.
    const attempts = receiver.received.map(({ headers }) => headers['x-webhook-attempt']);
    expect(new Set(attempts)).toEqual(new Set(['1']));
    if (point === 'delivery.sent') expect(receiver.received.length).toBeGreaterThan(before);
    const { deliveries } = (await control(second.ready, 'GET', '/deliveries')).body as unknown as { deliveries: { state: string }[] };
    expect(deliveries.map(({ state }) => state)).toEqual(deliveries.map(() => 'delivered'));
  });

  it('loses none of hundreds of deliveries shared with another process, and repeats no attempt concurrently', async ({ workplace }) => {
    const lanes = 20;
    const ofLane = isLongSweep ? 50 : 15;
    const options = await databaseOptions(workplace, engine);
    const first = await workplace.serve(options);
    const key = first.ready.api_key;
    await subscribe(first.ready, key);
    await control(first.ready, 'POST', '/jobs', { hold: 'all' });
    const second = await workplace.serve(options);
    const servers = [first.ready, second.ready];
    /** The number of attempts under way for each delivery, which must never be two. */
    const underWay = new Map<string, number>();
    let most = 0;
    receiver.behaviour = (response, { headers }) => {
      const id = String(headers['x-webhook-delivery']);
      underWay.set(id, (underWay.get(id) ?? 0) + 1);
      most = Math.max(most, underWay.get(id) ?? 0);
      // Delays the answer, so that many attempts are under way at once.
      setTimeout(() => {
        underWay.set(id, (underWay.get(id) ?? 1) - 1);
        response.writeHead(200).end();
      }, 5);
    };
    const acknowledged: string[] = [];
    await Promise.all(
      Array.from({ length: lanes }, async (_, lane) => {
        for (let count = 0; count < ofLane; count++) acknowledged.push(await trigger(servers[lane % 2] as Ready));
      }),
    );
    expect(acknowledged).toHaveLength(lanes * ofLane);
    const killed = new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (receiver.received.length < (lanes * ofLane) / 5) return;
        clearInterval(timer);
        first.child.kill('SIGKILL');
        resolve();
      }, 1);
    });
    await control(second.ready, 'POST', '/jobs', { hold: [] });
    await killed;
    await first.exited;
    // The leases of the killed process are released when a process starts.
    const third = await workplace.serve(options);
    await settle(third.ready);
    await settle(second.ready);
    const there = arrived();
    expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
    expect(most).toBe(1);
  });
});

describe('webhooks listen', () => {
  const start = (workplace: Workplace, ...argv: string[]) => {
    const child = workplace.start(['webhooks', 'listen', '--port', '0', '-o', 'ndjson', '--profile', 'sandbox', ...argv]);
    const lines: Record<string, unknown>[] = [];
    if (child.stdout)
      createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as Record<string, unknown>));
    const address = new Promise<string>((resolve) =>
      child.stderr?.on('data', (chunk: Buffer) => {
        const [url] = /http:\/\/127\.0\.0\.1:\d+\//.exec(chunk.toString()) ?? [];
        if (url) resolve(url);
      }),
    );
    const exited = new Promise((resolve) => child.on('exit', resolve));
    return { child, lines, address, exited };
  };

  const run = async (workplace: Workplace, ...argv: string[]) => {
    const { code, stdout, stderr } = await workplace.run([...argv, '--profile', 'sandbox']);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };

  const subscriptions = async (workplace: Workplace) =>
    (JSON.parse(await run(workplace, 'webhooks', 'list', '-o', 'json')) as { webhooks: { name: string }[] }).webhooks;

  it('subscribes itself, shows genuine deliveries, marks duplicates and removes its webhook', async ({ workplace }) => {
    const { child, lines, address, exited } = start(workplace);
    await address;
    await run(workplace, 'sandbox', 'events', 'trigger', 'Replies', '--quiet');
    const id = (await run(workplace, 'sandbox', 'deliveries', 'list', '--query', 'deliveries[0].id', '-o', 'tsv')).trim();
    await run(workplace, 'sandbox', 'deliveries', 'resend', id, '--quiet');
    expect(lines).toMatchObject([
      { event: 'Replies', delivery_id: id, attempt: 1, genuine: true, fresh: true, duplicate: false, answered: 200 },
      { event: 'Replies', delivery_id: id, attempt: 2, genuine: true, duplicate: true, answered: 200 },
    ]);
    child.kill('SIGINT');
    expect(await exited).toBe(0);
    expect(await subscriptions(workplace)).toEqual([]);
  });

  it('shows the signing secret of its webhook on stderr, in text and in JSON', async ({ workplace }) => {
    const said = async (child: ReturnType<typeof workplace.start>, what: RegExp) => {
      const output = outputOf(child);
      await until(() => what.test(output.stderr));
      return output.stderr;
    };
    const { child } = start(workplace);
    const [, secret = ''] = /^Signing secret: (whsec_\S+)$/m.exec(await said(child, /Signing secret: \S+\n/)) ?? [];
    const [own] = await subscriptions(workplace);
    expect(await run(workplace, 'webhooks', 'secret', 'show', own?.name ?? '', '-o', 'json')).toContain(`"${secret}"`);
    const inJson = workplace.start(['webhooks', 'listen', '--port', '0', '-o', 'json', '--profile', 'sandbox']);
    expect(JSON.parse(await said(inJson, /\}\n/))).toEqual({
      event: 'listening',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
      signing_secret: expect.stringMatching(/^whsec_/),
    });
  });

  it('names the option of serve that allows a receiver on this machine', async ({ workplace }) => {
    const { ready } = await workplace.serve(['--data', ':memory:']);
    const env = { MSGCTL_BASE_URL: ready.base_url, MSGCTL_API_KEY: ready.api_key ?? '' };
    const { code, stderr } = await workplace.run(['webhooks', 'listen', '--port', '0'], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('msgctl serve --allow-private-receivers')]);
    const open = await workplace.serve(['--data', ':memory:', '--allow-private-receivers']);
    const child = workplace.start(['webhooks', 'listen', '--port', '0'], {
      MSGCTL_BASE_URL: open.ready.base_url,
      MSGCTL_API_KEY: open.ready.api_key ?? '',
    });
    const output = outputOf(child);
    await until(() => output.stderr.includes('Signing secret: whsec_'));
  });

  it('refuses forged and stale deliveries', async ({ workplace }) => {
    const secret = 'whsec_of_a_test';
    writeFileSync(join(workplace.path, 'secret'), `${secret}\n`);
    const { lines, address } = start(workplace, '--secret-file', join(workplace.path, 'secret'));
    const url = await address;
    const send = async (timestamp: number, signature: string) =>
      (
        await fetch(url, {
          method: 'POST',
          headers: { 'x-webhook-delivery': `dlv_${timestamp}`, 'x-webhook-timestamp': String(timestamp), 'x-webhook-signature': signature },
          body: '{}',
        })
      ).status;
    const now = Math.floor(new Date().getTime() / 1000);
    expect(await send(now, signDelivery(secret, now, '{}'))).toBe(200);
    expect(await send(now, signDelivery('another', now, '{}'))).toBe(401);
    expect(await send(now - 301, signDelivery(secret, now - 301, '{}'))).toBe(401);
    expect(lines.map(({ genuine, fresh }) => [genuine, fresh])).toEqual([
      [true, true],
      [false, null],
      [true, false],
    ]);
  });

  it('forwards deliveries and returns the answer, so that a failure is retried', async ({ workplace }) => {
    receiver.behaviour = 503;
    const { lines, address } = start(workplace, '--forward', receiver.url('/app'));
    await address;
    await run(workplace, 'sandbox', 'events', 'trigger', 'Replies', '--quiet');
    expect(lines).toMatchObject([{ forward_status: 503, answered: 503, duplicate: false }]);
    receiver.behaviour = 200;
    const id = (await run(workplace, 'sandbox', 'deliveries', 'list', '--query', 'deliveries[0].id', '-o', 'tsv')).trim();
    await run(workplace, 'sandbox', 'deliveries', 'resend', id, '--quiet');
    expect(lines[1]).toMatchObject({ forward_status: 200, answered: 200, duplicate: false });
    expect(receiver.take().map(({ path }) => path)).toEqual(['/app', '/app']);
  });

  it.for([
    ['http://127.0.0.1:1/', 'the connection was refused: no server listens there'],
    ['https://127.0.0.1:2/', 'the connection was refused: no server listens there'],
  ] as const)('says why it cannot forward to %s', async ([url, reason], { workplace }) => {
    const { child, lines, address } = start(workplace, '--forward', url);
    const output = outputOf(child);
    await address;
    await run(workplace, 'sandbox', 'events', 'trigger', 'Replies', '--quiet');
    expect(lines).toMatchObject([{ forward_status: 502, answered: 502 }]);
    await until(() => output.stderr.includes(`Not forwarded to ${url}: ${reason}\n`));
  });

  it('skips interim answers of the receiver that it forwards to', async ({ workplace }) => {
    const answer = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n';
    const early = createServer((socket) => socket.once('data', () => socket.write(answer)));
    await once(early.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void early.close());
    const { lines, address } = start(workplace, '--forward', `http://127.0.0.1:${(early.address() as AddressInfo).port}/app`);
    await address;
    await run(workplace, 'sandbox', 'events', 'trigger', 'Replies', '--quiet');
    expect(lines).toMatchObject([{ forward_status: 204, answered: 204 }]);
  });

  it('forwards nothing that a page in a browser sends', async ({ workplace }) => {
    const { address } = start(workplace, '--forward', receiver.url('/app'));
    const url = await address;
    const origin = { origin: 'https://elsewhere.example' };
    expect((await fetch(url)).status).toBe(405);
    expect((await fetch(url, { method: 'OPTIONS', headers: origin })).status).toBe(405);
    expect((await fetch(url, { method: 'POST', headers: origin, body: '{}' })).status).toBe(403);
    expect(receiver.take()).toEqual([]);
  });

  it('removes its webhook when its reader closes the pipe', async ({ workplace }) => {
    const { child, address, exited } = start(workplace);
    await address;
    child.stdout?.destroy();
    for (let count = 0; count < 2; count++) await run(workplace, 'sandbox', 'events', 'trigger', 'Replies', '--quiet');
    expect(await exited).toBe(0);
    expect(await subscriptions(workplace)).toEqual([]);
  });

  it('removes the webhook of a listener that was killed before', async ({ workplace }) => {
    const first = start(workplace);
    await first.address;
    first.child.kill('SIGKILL');
    await first.exited;
    expect(await subscriptions(workplace)).toHaveLength(1);
    // The new listener uses the same port.
    const second = start(workplace, '--port', new URL(await first.address).port);
    await second.address;
    expect(await subscriptions(workplace)).toHaveLength(1);
    second.child.kill('SIGTERM');
    await second.exited;
    expect(await subscriptions(workplace)).toEqual([]);
  });
});
