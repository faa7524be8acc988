import { describe, expect } from 'vitest';
import { makeRequest } from '../../../src/service/http/request.ts';
import { it } from '../../support/service-test.ts';
import { epoch, TestService } from '../../support/test-service.ts';

const limit = 6_000;

/** Sends the same request repeatedly from a remote address. @returns how often each status was returned, and the last response */
async function send(service: TestService, target: string, remoteAddress: string, times: number, key?: string) {
  const statuses: Record<number, number> = {};
  let last: Awaited<ReturnType<typeof service.service.fetch>> | undefined;
  for (let number = 0; number < times; number++) {
    last = await service.service.fetch(
      makeRequest({
        method: 'GET',
        target: target,
        remoteAddress,
        header: (name) => (name === 'authorization' && key !== undefined ? `Bearer ${key}` : undefined),
        readBody: async () => new Uint8Array(),
      }),
    );
    statuses[last.status] = (statuses[last.status] ?? 0) + 1;
  }
  return { statuses, last };
}

// Proves rules rate-limits.23, rate-limits.24 and rate-limits.25.
describe('requests without a valid credential', () => {
  // Proves rule health.5.
  it('share a limit per address in real time, whatever they request', async ({ service }) => {
    const address = '203.0.113.7';
    await service.sandbox('POST', '/clock', { frozen: true });
    for (const [target, status, times] of [
      ['/v1/openapi.json', 200, 2_000],
      ['/v1/tags', 401, 1_500],
      ['/v1/nowhere', 401, 1_000],
      ['/l/nowhere', 404, 500],
      ['/sandbox/.well-known/jwks.json', 200, 500],
      ['/sandbox/clock', 401, 500],
    ] as const)
      expect([target, (await send(service, target, address, times)).statuses]).toEqual([target, { [status]: times }]);
    for (const target of ['/v1/openapi.json', '/v1/tags', '/l/nowhere', '/sandbox/.well-known/jwks.json', '/sandbox/clock']) {
      const { statuses, last } = await send(service, target, address, 1);
      expect([target, statuses, last?.headers['retry-after'], last?.headers['sandbox-clock']]).toEqual([
        target,
        { 429: 1 },
        '60',
        undefined,
      ]);
      expect(JSON.parse(last?.body.join('') ?? '')).toMatchObject({ success: false, error_code: 429 });
    }
    expect((await send(service, '/v1/tags', address, 1, service.key)).statuses).toEqual({ 200: 1 });
    // Valid credentials neither count nor are limited.
    expect((await send(service, '/v1/openapi.json', address, 1, service.key)).statuses).toEqual({ 200: 1 });
    expect((await send(service, '/v1/openapi.json', address, 1, 'mk_wrong')).statuses).toEqual({ 429: 1 });
    expect((await send(service, '/v1/openapi.json', '203.0.113.8', limit, service.key)).statuses).toEqual({ 200: limit });
    expect((await send(service, '/v1/openapi.json', '203.0.113.8', 1)).statuses).toEqual({ 200: 1 });
    service.clock.now = epoch + 59_999;
    expect((await send(service, '/v1/openapi.json', address, 1)).last?.headers['retry-after']).toBe('1');
    service.clock.now = epoch + 60_000;
    expect((await send(service, '/v1/openapi.json', address, 1)).statuses).toEqual({ 200: 1 });
  });

  it('are counted per IPv4 address and per IPv6 network', async ({ service }) => {
    expect((await send(service, '/v1/tags', '::ffff:203.0.113.9', limit)).statuses).toEqual({ 401: limit });
    expect((await send(service, '/v1/tags', '203.0.113.9', 1)).statuses).toEqual({ 429: 1 });
    expect((await send(service, '/v1/tags', '2001:db8:1:2:a::1', limit)).statuses).toEqual({ 401: limit });
    expect((await send(service, '/v1/tags', '2001:db8:1:2:b::2', 1)).statuses).toEqual({ 429: 1 });
    expect((await send(service, '/v1/tags', '2001:db8:1:3:a::1', 1)).statuses).toEqual({ 401: 1 });
  });
});
