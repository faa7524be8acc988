import { afterEach, expect, it, vi } from 'vitest';
import { listenForMetrics } from '../../src/service/metrics/listen.ts';
import { createMetrics } from '../../src/service/metrics/metrics.ts';
import { Receiver } from '../support/receiver.ts';
import { startServer, type TestServer } from '../support/server.ts';

const anyPort = { host: '127.0.0.1', port: 0 };

let server: TestServer | undefined;
let receiver: Receiver | undefined;

afterEach(async () => {
  vi.useRealTimers();
  await server?.close();
  await receiver?.close();
  server = receiver = undefined;
});

async function call(path: string, method = 'GET', body?: object, root = server?.baseUrl ?? '', key = server?.apiKey ?? '') {
  const response = await fetch(root + path, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects by asserting it
  return (await response.json()) as any;
}

const control = async (path: string, method = 'GET', body?: object) =>
  await call(path, method, body, `${server?.origin}/sandbox`, server?.token);

/** The samples of the metrics that are ours, by name and labels. */
async function samples(): Promise<{ values: Record<string, number>; text: string; type: string | null }> {
  const response = await fetch(`${server?.metricsOrigin}/metrics`);
  const text = await response.text();
  const lines = text.split('\n').filter((line) => line.startsWith('msgctl_'));
  const values = Object.fromEntries(lines.map((line) => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)?.[0])]));
  return { values, text, type: response.headers.get('content-type') };
}

// Proves rules serve.66, serve.67.
it('the metrics tell of requests, deliveries, jobs, streams and the store, and name nobody', async () => {
  receiver = await Receiver.open();
  receiver.byPath.set('/bad', 500);
  server = await startServer({ metrics: anyPort, clock: Date.parse('2027-03-01T12:00:00Z') });
  await call('/webhooks', 'POST', { url: receiver.url(), subscribed_to: ['Contact Created'] });
  await call('/webhooks', 'POST', { url: receiver.url('/bad'), subscribed_to: ['Contact Created'] });
  const { contact } = await call('/contacts', 'POST', { phone_number: '+14155550123', first_name: 'Ada' });
  await call(`/contacts/${contact.id}`);
  await call('/contacts/con_missing');
  await call('/nowhere');
  await fetch(`${server.origin}/pages/nothing.js`);
  await control('/settle', 'POST', {});
  const { values, text, type } = await samples();
  expect(type).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(values).toMatchObject({
    'msgctl_request_duration_seconds_count{operation="webhooks.create",status="200"}': 2,
    'msgctl_request_duration_seconds_count{operation="contacts.get",status="200"}': 1,
    'msgctl_request_duration_seconds_count{operation="contacts.get",status="404"}': 1,
    'msgctl_request_duration_seconds_count{operation="unknown",status="404"}': 1,
    'msgctl_request_duration_seconds_count{operation="page",status="404"}': 1,
    'msgctl_request_duration_seconds_count{operation="sandbox.settle",status="200"}': 1,
    'msgctl_delivery_attempts_total{outcome="delivered"}': 1,
    'msgctl_delivery_attempts_total{outcome="temporary"}': 1,
    'msgctl_store_duration_seconds_count{kind="write"}': expect.any(Number),
    msgctl_streams_open: 0,
    msgctl_model_connections: 0,
    'msgctl_build_info{version="test"}': 1,
  });
  for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes']) expect(text).toContain(`\n${name} `);
  for (const hidden of [contact.id, 'Ada', '4155550123', server.accountId, server.apiKey, receiver.url()])
    expect(text).not.toContain(hidden);
});

// Proves rule serve.66.
it('the metrics tell which jobs are due and which are held', async () => {
  receiver = await Receiver.open();
  server = await startServer({ metrics: anyPort, clock: Date.parse('2027-03-01T12:00:00Z') });
  await call('/webhooks', 'POST', { url: receiver.url(), subscribed_to: ['Contact Created'] });
  await control('/jobs', 'POST', { hold: ['webhook_delivery'] });
  await call('/contacts', 'POST', { phone_number: '+14155550123' });
  const { values } = await samples();
  expect(values).toMatchObject({
    'msgctl_jobs_held{kind="webhook_delivery"}': 1,
    'msgctl_jobs_due{kind="webhook_delivery"}': 0,
  });
});

// Proves rule serve.66.
it('the metrics tell how many streams are open', async () => {
  server = await startServer({ metrics: anyPort });
  const watched = new AbortController();
  const stream = await fetch(`${server.baseUrl}/notifications/stream`, {
    headers: { authorization: `Bearer ${server.apiKey}` },
    signal: watched.signal,
  });
  expect(stream.status).toBe(200);
  expect((await samples()).values).toMatchObject({ msgctl_streams_open: 1 });
  watched.abort();
});

// Proves rule serve.68.
it('/ready answers 200 while the store answers, and 503 when it fails or does not answer within a second', async () => {
  const metrics = createMetrics('test');
  let ask: () => Promise<unknown> = async () => {};
  const { origin, close } = await listenForMetrics(
    anyPort,
    metrics,
    () => ask(),
    () => {},
  );
  const ready = async () => (await fetch(`${origin}/ready`)).status;
  try {
    expect(await ready()).toBe(200);
    ask = () => Promise.reject(new Error('gone'));
    expect(await ready()).toBe(503);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    ask = () => {
      void Promise.resolve().then(() => vi.advanceTimersByTime(1_000));
      return new Promise(() => {});
    };
    expect(await ready()).toBe(503);
    expect((await fetch(`${origin}/other`)).status).toBe(404);
    expect((await fetch(`${origin}/metrics`, { method: 'POST' })).status).toBe(405);
  } finally {
    close();
  }
});

// Proves rule serve.66.
it('a port that is taken is an error before anything is served', async () => {
  server = await startServer({ metrics: anyPort });
  const port = Number(new URL(server.metricsOrigin ?? '').port);
  await expect(startServer({ metrics: { host: '127.0.0.1', port } })).rejects.toThrow(`Cannot serve metrics on 127.0.0.1:${port}`);
});
