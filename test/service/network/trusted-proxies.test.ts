import { expect, it } from 'vitest';
import { TrustedProxies } from '../../../src/service/network/trusted-proxies.ts';

// Proves rule widgets.18.
it.for([
  [[], '10.0.0.1', '203.0.113.9', '10.0.0.1'],
  [['10.0.0.0/8'], '10.0.0.1', undefined, '10.0.0.1'],
  [['10.0.0.0/8'], '10.0.0.1', '203.0.113.9', '203.0.113.9'],
  [['10.0.0.0/8'], '192.0.2.1', '203.0.113.9', '192.0.2.1'],
  // What the client wrote itself stands before what the proxies added.
  [['10.0.0.0/8'], '10.0.0.1', '198.51.100.1, 203.0.113.9, 10.0.0.7', '203.0.113.9'],
  [['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  [['10.0.0.1'], '10.0.0.1', 'unknown', '10.0.0.1'],
  [['10.0.0.1'], '10.0.0.1', '203.0.113.9, <script>', '10.0.0.1'],
  [['10.0.0.1'], '::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
  [['::ffff:192.168.0.0/112'], '192.168.7.1', '203.0.113.9', '203.0.113.9'],
  [['10.0.0.1'], '10.0.0.1', '203.0.113.9:1000', '203.0.113.9'],
  [['10.0.0.1'], '10.0.0.1', '[2001:db9::5]:1000', '2001:db9::5'],
  [['2001:db8::/32'], '2001:db8::1', '[2001:db9::5]', '2001:db9::5'],
] as const)('with %j, a connection from %s that was forwarded for %j is from %s', ([networks, connection, forwarded, client]) => {
  expect(new TrustedProxies(networks).clientOf(connection, forwarded)).toBe(client);
});
