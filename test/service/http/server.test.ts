import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen, type Server } from '../../../src/service/http/server.ts';
import type { OpenStream } from '../../../src/service/http/streams.ts';
import { until } from '../../support/until.ts';

let server: Server;
let client: Socket;
/** The client's connection, on the server side. */
let accepted: Socket;
let started = 0;
/** What requests are answered with, if it is a stream. */
let stream: OpenStream | undefined;
/** The remote address of the last request. */
let remoteAddress: string | undefined;

const answer = 'x'.repeat(200_000);

const onAccepted = (message: unknown) => void (accepted = (message as { socket: Socket }).socket);

beforeAll(() => subscribe('net.server.socket', onAccepted));

afterAll(() => void unsubscribe('net.server.socket', onAccepted));

beforeEach(async () => {
  started = 0;
  server = await listen({ host: '127.0.0.1', port: 0, exposeSandbox: false, onError: () => {} });
  stream = undefined;
  server.answerWith(async ({ query, remoteAddress: address }) => {
    if (stream) return { status: 200, headers: { number: '' }, body: [], stream };
    started++;
    remoteAddress = address;
    await new Promise(setImmediate);
    return { status: 200, headers: { number: query.number ?? '' }, body: [answer] };
  });
  client = connect(Number(new URL(server.origin).port), '127.0.0.1');
  client.on('error', () => {});
  await new Promise((resolve) => client.once('connect', resolve));
});

afterEach(async () => {
  vi.useRealTimers();
  client.destroy();
  await server.close(0);
});

const pipeline = (count: number) =>
  client.write(Array.from({ length: count }, (_, number) => `GET /v1/openapi.json?number=${number} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''));

/** Waits until no further response is started, because the buffers of the connection are full. */
async function untilFull(): Promise<void> {
  let before: number;
  do {
    before = started;
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  } while (started === 0 || started > before);
}

describe('pipelined requests', () => {
  // Proves rule conventions.81.
  it('are processed only a few at a time while the responses are not read', async () => {
    client.pause();
    pipeline(5_000);
    await untilFull();
    // A few more responses wait in memory.
    expect(started).toBeLessThan(100);
  });

  // Proves rule conventions.81.
  it('are all answered in order', async () => {
    const numbers: string[] = [];
    let rest = '';
    client.on('data', (chunk: Buffer) => {
      rest += chunk.toString();
      numbers.push(...[...rest.matchAll(/\r\nnumber: (\d+)\r\n/g)].map(([, number = '']) => number));
      rest = rest.slice(-40).replace(/\r\nnumber: \d+\r\n[^]*/, '');
    });
    pipeline(300);
    await until(() => numbers.length >= 300);
    expect(numbers).toEqual(Array.from({ length: 300 }, (_, number) => String(number)));
  });
});

// Proves rule rate-limits.23.
it('the address of a connection that was reset after its request is known', async () => {
  await until(() => accepted?.remotePort === client.localPort);
  // The operating system does not tell the address of such a connection.
  Object.defineProperty(accepted, 'remoteAddress', { value: undefined });
  pipeline(1);
  await until(() => started > 0);
  expect(remoteAddress).toBe('127.0.0.1');
});

// Proves rule conventions.80.
it('a client that does not read a response for a minute is disconnected', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  client.pause();
  pipeline(100);
  await untilFull();
  vi.advanceTimersByTime(59_000);
  expect(accepted.destroyed).toBe(false);
  vi.advanceTimersByTime(2_000);
  expect(accepted.destroyed).toBe(true);
});

// Proves rules conventions.6, conventions.18, conventions.26.
it.each([
  [400, 'an invalid request', 'HELLO\r\n\r\n'],
  [431, 'too large headers', `GET / HTTP/1.1\r\nhost: x\r\nlarge: ${'x'.repeat(100_000)}\r\n\r\n`],
  [417, 'an Expect header', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: a-miracle\r\nconnection: close\r\n\r\n'],
  [405, 'CONNECT', 'CONNECT shop.example:443 HTTP/1.1\r\nhost: x\r\n\r\n'],
])('the server returns %i in the envelope for %s', async (status, _what, sent) => {
  client.write(sent);
  let text = '';
  for await (const chunk of client) text += String(chunk);
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [first, ...lines] = head.split('\r\n');
  expect(first).toContain(`HTTP/1.1 ${status} `);
  expect(JSON.parse(body)).toEqual({ success: false, error: expect.any(String), error_code: status });
  expect(lines.map((line) => line.toLowerCase())).toEqual(
    expect.arrayContaining([
      'content-type: application/json; charset=utf-8',
      'cache-control: no-store',
      'x-content-type-options: nosniff',
      "content-security-policy: default-src 'none'; frame-ancestors 'none'",
      'referrer-policy: no-referrer',
    ]),
  );
});

// Proves rule conventions.80.
describe('the client of a stream that reads nothing', () => {
  it.each([
    ['while there is more to send', Infinity],
    ['when the stream has ended', 10_000_000],
  ])('loses its connection %s', async (_when, length) => {
    const end = vi.fn();
    const text = async function* () {
      for (let sent = 0; sent < length; sent += answer.length) yield answer;
    };
    stream = { text: text(), end };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    client.pause();
    client.write('GET /v1/notifications/stream HTTP/1.1\r\nhost: x\r\n\r\n');
    await until(() => vi.getTimerCount() > 0);
    vi.advanceTimersByTime(59_000);
    expect(accepted.destroyed).toBe(false);
    vi.advanceTimersByTime(2_000);
    await new Promise<void>((resolve) => (accepted.closed ? resolve() : void accepted.once('close', resolve)));
    await until(() => end.mock.calls.length > 0);
  });
});
