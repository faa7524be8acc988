import type { lookup } from 'node:dns';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

// Proves rule webhooks.25.
describe('a name that resolves to a private address on connection', () => {
  it.each([[['127.0.0.1']], [['93.184.216.34', '127.0.0.1']], [['::ffff:127.0.0.1']], [['10.0.0.1']], [[]]])(
    'is rejected: %j',
    async (addresses) => {
      const outbound = new Outbound(false, 2_000, leadingTo(...addresses));
      const { port } = server.address() as AddressInfo;
      await expect(outbound.post(`https://rebound.example:${port}/`, {}, '{}')).rejects.toMatchObject({ name: 'RefusedAddress' });
      await outbound.close();
      expect(connections).toBe(0);
    },
  );
});
