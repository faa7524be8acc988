import type { lookup } from 'node:dns';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Outbound } from '../../../src/service/network/outbound.ts';

// The addresses of a name are checked on connection, because they can change after the URL was saved.

let connections = 0;
const server = createServer((socket) => {
  connections++;
  socket.destroy();
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));

afterAll(() => server.close());

/** A resolver that returns these addresses for every name. */
const leadingTo = (...addresses: string[]) =>
  ((_name: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as unknown as typeof lookup;

const postTo = (url: string) =>
  ({ method: 'POST', url, headers: {}, body: '{}', most: 16_384, signal: AbortSignal.timeout(2_000) }) as const;

// Proves rule webhooks.25.
describe('a name that resolves to a private address on connection', () => {
  it.each([[['127.0.0.1']], [['93.184.216.34', '127.0.0.1']], [['::ffff:127.0.0.1']], [['10.0.0.1']], [[]]])(
    'is rejected: %j',
    async (addresses) => {
      const outbound = new Outbound({ allowPrivate: false }, leadingTo(...addresses));
      const { port } = server.address() as AddressInfo;
      await expect(outbound.send(postTo(`https://rebound.example:${port}/`))).rejects.toMatchObject({ name: 'RefusedAddress' });
      await outbound.close();
      expect(connections).toBe(0);
    },
  );
});

// Proves rule webhooks.114.
describe('interim answers', () => {
  const final = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  const interim = 'HTTP/1.1 100 Continue\r\n\r\n';

  /** A receiver that answers each request with these texts, one after the other. */
  async function open(...texts: string[]) {
    const requests: string[] = [];
    const receiver = createServer((socket) => {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('data', (data) => {
        requests.push(data.toString());
        void (async () => {
          for (const text of texts) {
            await new Promise((resolve) => socket.write(text, 'latin1', resolve));
            await new Promise((resolve) => setImmediate(resolve));
          }
        })();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const outbound = new Outbound({ allowPrivate: true });
    onTestFinished(async () => {
      await outbound.close();
      receiver.close();
    });
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const post = async () => {
      const { status, bytes } = await outbound.send(postTo(url));
      return { status, body: bytes.toString() };
    };
    return { post, requests };
  }

  it.each([
    ['together with the answer', [interim + final]],
    ['before the answer', [interim, final]],
    ['in pieces', [...(interim + final)]],
    ['several times', [interim, interim + interim, final]],
    ['with headers', ['HTTP/1.1 100 Continue\r\nserver: x\r\n\r\n', final]],
    ['with early hints', ['HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n', interim, final]],
    ['by an old server', ['HTTP/1.0 100 Continue\r\n\r\n', final]],
  ])('that are sent %s are skipped', async (_, texts) => {
    const { post, requests } = await open(...texts);
    // The connection is used again.
    for (let count = 1; count <= 3; count++) expect(await post()).toEqual({ status: 200, body: 'ok' });
    expect(requests).toHaveLength(3);
  });

  it('are not looked for in a body', async () => {
    const { post } = await open(`HTTP/1.1 200 OK\r\ncontent-length: ${interim.length}\r\n\r\n`, interim);
    expect(await post()).toEqual({ status: 200, body: interim });
  });

  it.each([
    ['no answer after them', [interim]],
    ['something else than HTTP', ['nonsense\r\n\r\n']],
    ['an interim answer without an end', ['HTTP/1.1 100 Continue\r\n', `x: ${'y'.repeat(20_000)}\r\n`]],
  ])('do not hide %s', async (_, texts) => {
    const { post } = await open(...texts);
    await expect(post()).rejects.toThrow();
  });
});
