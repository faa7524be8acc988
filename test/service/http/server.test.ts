import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen, type Server } from '../../../src/service/http/server.ts';

let server: Server;
let client: Socket;
let started = 0;

const answer = 'x'.repeat(200_000);

beforeEach(async () => {
  started = 0;
  server = await listen({ host: '127.0.0.1', port: 0, exposeSandbox: false, onError: () => {} });
  server.answerWith(async ({ query }) => {
    started++;
    await new Promise(setImmediate);
    return { status: 200, headers: { number: query.number ?? '' }, body: answer };
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

describe('pipelined requests', () => {
  it('whose answers are not read are answered a few at a time', async () => {
    client.pause();
    pipeline(5_000);
    let before: number;
    do {
      before = started;
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    } while (started === 0 || started > before);
    // What fits into the buffers of the connection has left; a few more answers wait in memory.
    expect(started).toBeLessThan(100);
  });

  it('are all answered, in their order', async () => {
    const numbers: string[] = [];
    let rest = '';
    client.on('data', (chunk: Buffer) => {
      rest += chunk.toString();
      numbers.push(...[...rest.matchAll(/\r\nnumber: (\d+)\r\n/g)].map(([, number = '']) => number));
      rest = rest.slice(-40).replace(/\r\nnumber: \d+\r\n[^]*/, '');
    });
    pipeline(300);
    await vi.waitFor(() => expect(numbers).toEqual(Array.from({ length: 300 }, (_, number) => String(number))), 10_000);
  });
});

it('disconnects a client that leaves an answer unread for a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  client.pause();
  pipeline(100);
  await vi.waitFor(() => expect(started).toBeGreaterThan(3));
  const closed = new Promise((resolve) => client.once('close', resolve));
  vi.advanceTimersByTime(59_000);
  expect(client.destroyed).toBe(false);
  vi.advanceTimersByTime(2_000);
  client.resume();
  await closed;
});
