import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { returnUnused, RateLimits } from '../../../src/service/http/rate-limits.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { forwarding } from '../../support/stores.ts';
import { tries } from '../../support/sweeps.ts';
import { epoch, TestService } from '../../support/test-service.ts';

let service: TestService;

beforeEach(async () => {
  service = await TestService.open();
});

afterEach(() => service.close());

/** Returns unused requests. They are collected before the transaction, because it may run again. */
const returnTo = (store: Store, unused: ReturnType<RateLimits['collectUnused']>, now: number) =>
  store.write((db) => returnUnused(db, unused, now));

const statuses = async (count: number, key?: string) => {
  const answers = [];
  for (let index = 0; index < count; index++) answers.push(await service.get('/health', key === undefined ? {} : { key }));
  return answers;
};

// Proves rules rate-limits.20, rate-limits.21.
it('a flush and a reservation do not return the same requests', async () => {
  const opened = await service.database.open();
  const gate = Promise.withResolvers<undefined>();
  let isHeld = false;
  const slow: Store = {
    ...forwarding(opened),
    write: async (work, options) => {
      if (isHeld) await gate.promise;
      return await opened.write(work, options);
    },
  };
  const [first, second] = [new RateLimits(slow, () => epoch), new RateLimits(opened, () => epoch)];
  const limit = 20;
  const allowed = async (limits: RateLimits) => Number((await limits.count('bucket', limit, epoch)).allowed);
  // A reserved request that was not used.
  first.uncount('bucket', await first.count('bucket', limit, epoch));
  let used = 0;
  for (let count = 0; count < 10; count++) used += await allowed(second);
  isHeld = true;
  const counting = allowed(first);
  const unused = first.collectUnused(epoch);
  isHeld = false;
  gate.resolve(undefined);
  used += await counting;
  await returnTo(opened, unused, epoch);
  for (let count = 0; count < 40; count++) used += (await allowed(first)) + (await allowed(second));
  expect(used).toBeLessThanOrEqual(limit);
  if (service.database.file) await opened.close();
});

describe('the rate limit window of a key', () => {
  // Proves rules rate-limits.1, rate-limits.2, rate-limits.14, rate-limits.15, rate-limits.16, rate-limits.19
  // and rule conventions.29.
  it('allows exactly 300 requests of the main key, then returns 429 until it ends', async () => {
    const answers = await statuses(301);
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(300).fill(200), 429]);
    expect(answers[0]?.headers).toMatchObject({ 'ratelimit-limit': '300', 'ratelimit-remaining': '299', 'ratelimit-reset': '60' });
    expect(answers[299]?.headers['ratelimit-remaining']).toBe('0');
    expect(answers[300]?.headers).toMatchObject({ 'retry-after': '60', 'ratelimit-remaining': '0' });
    service.clock.now += 59_999;
    expect((await service.get('/health')).headers['retry-after']).toBe('1');
    service.clock.now += 1;
    expect((await service.get('/health')).status).toBe(200);
  });

  // Proves rule rate-limits.1.
  it('starts with its first request', async () => {
    service.clock.now += 30_000;
    expect((await service.get('/health')).headers['ratelimit-reset']).toBe('60');
    service.clock.now += 20_500;
    expect((await service.get('/health')).headers['ratelimit-reset']).toBe('40');
  });

  // Proves rule rate-limits.3.
  it('is separate for each scoped key', async () => {
    const { body } = await service.post('/api-keys', { scopes: { rate_limit_per_min: 5 } });
    expect((await statuses(6, body.api_key)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await service.get('/health')).status).toBe(200);
  });

  // Proves rules rate-limits.4, credentials.18, accounts.22.
  it('is separate for each signed-in member, with the limit of the main key', async () => {
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { key_requests_per_minute: 2 } });
    const [ann, bob] = [await service.signIn([]), await service.signIn([])];
    for (const key of [ann, bob, service.key])
      expect((await statuses(3, key)).map(({ status, headers }) => [status, headers['ratelimit-limit']])).toEqual([
        [200, '2'],
        [200, '2'],
        [429, '2'],
      ]);
  });

  // Proves rules rate-limits.8, rate-limits.11.
  it('counts each request that passes it, even if that fails later', async () => {
    await service.get('/nowhere');
    await service.post('/tags', {});
    await service.get('/health', { key: 'mk_wrong' });
    const { body } = await service.get('/api-keys/usage');
    expect(body.usage.used).toBe(3);
  });

  // Proves rule rate-limits.7.
  it('continues after a key rotation', async () => {
    await statuses(10);
    const { body } = await service.post('/api-keys/rotate');
    service.key = body.api_key as string;
    expect((await service.get('/api-keys/usage')).body.usage.used).toBe(12);
  });

  // Proves rules rate-limits.12, rate-limits.17.
  it('does not end while the clock is frozen, which a header reports', async () => {
    await service.sandbox('POST', '/clock', { frozen: true });
    const answers = await statuses(301);
    service.clock.now += 120_000;
    const refused = await service.get('/health');
    expect(answers[300]?.status).toBe(429);
    expect(refused.headers).toMatchObject({ 'retry-after': '60', 'sandbox-clock': 'frozen' });
    await service.sandbox('POST', '/clock/advance', { seconds: 60 });
    expect((await service.get('/health')).status).toBe(200);
  });
});

describe('the rate limit of an account', () => {
  // Proves rules rate-limits.5, rate-limits.6, rate-limits.9, rate-limits.16, accounts.22, conventions.79.
  it('applies to all its keys, and rejected requests count for no key', async () => {
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { account_requests_per_minute: 20 } });
    const { body } = await service.post('/api-keys', {});
    expect((await statuses(10)).every(({ status }) => status === 200)).toBe(true);
    const rest = await statuses(10, body.api_key as string);
    expect(rest.map(({ status }) => status)).toEqual([...Array<number>(9).fill(200), 429]);
    expect(rest[9]?.headers['ratelimit-limit']).toBe('20');
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { account_requests_per_minute: 1200 } });
    expect((await service.get('/api-keys/usage')).body.usage.used).toBe(12);
  });
});

// Proves rule keys.14.
it('key usage is zero after the window has ended, with the end of a window that starts now', async () => {
  await statuses(3);
  const owner = await service.signIn([], { role: 'owner' });
  const usage = async () => (await service.get('/api-keys/usage', { key: owner })).body;
  const end = (from: number) => new Date(from + 60_000).toISOString();
  expect(await usage()).toMatchObject({ usage: { used: 3, remaining: 297, window_resets_at: end(service.clock.now) } });
  service.clock.now += 60_000;
  expect(await usage()).toMatchObject({ usage: { used: 0, window_resets_at: end(service.clock.now) }, note: expect.any(String) });
});

// Proves rules rate-limits.10, keys.14.
it('a request rejected by the account limit does not start a window of the key', async () => {
  await service.sandbox('POST', '/clock', { frozen: true });
  await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { account_requests_per_minute: 1 } });
  const owner = await service.signIn([], { role: 'owner' });
  expect((await service.get('/health', { key: owner })).status).toBe(200);
  expect((await service.get('/health')).status).toBe(429);
  await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { account_requests_per_minute: 1200 } });
  expect((await service.get('/api-keys/usage', { key: owner })).body).toMatchObject({ usage: { used: 0 }, note: expect.any(String) });
  await service.sandbox('POST', '/clock/advance', { seconds: 40 });
  expect((await service.get('/health')).headers).toMatchObject({ 'ratelimit-reset': '60', 'ratelimit-remaining': '299' });
});

// Proves rule rate-limits.22.
it("rate limits continue when the machine's clock is set back", async () => {
  await statuses(300);
  service.clock.now -= 3_600_000;
  expect((await service.get('/health')).status).toBe(200);
});

// Proves rules rate-limits.20, rate-limits.21.
it('the limit is never exceeded by several processes, which return unused reservations', async () => {
  const second = await TestService.on(service.database, {}, service);
  const through = { first: 0, second: 0 };
  for (let index = 0; index < 400; index++) {
    const which = index % 3 === 0 ? 'second' : 'first';
    const answer = await (which === 'first' ? service : second).get('/health');
    if (answer.status === 200) through[which]++;
  }
  const total = through.first + through.second;
  expect(total).toBeLessThanOrEqual(300);
  expect(total).toBeGreaterThan(200);
  await second.service.close();
  const left = [];
  for (let index = 0; index < 100; index++) {
    service.clock.now += 10;
    left.push((await service.get('/health')).status);
  }
  expect(total + left.filter((status) => status === 200).length).toBe(300);
});

// Proves rules rate-limits.20, rate-limits.21.
it('the limit is exact for any order of requests, returned reservations and time', async () => {
  const store = await service.database.open();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.record({ process: fc.nat(1), act: fc.constantFrom('take', 'take', 'take', 'return', 'wait') }), { maxLength: 120 }),
      async (limit, acts) => {
        const bucket = `test:${run++}`;
        let now = epoch;
        const processes = [new RateLimits(store, () => now), new RateLimits(store, () => now)];
        let startedAt: number | null = null;
        let used = 0;
        for (const { process, act } of acts) {
          const limits = processes[process] as RateLimits;
          if (act === 'wait') now += 7_000;
          else if (act === 'return') await returnTo(store, limits.collectUnused(now), now);
          else {
            const verdict = await limits.count(bucket, limit, now);
            if (startedAt === null || now >= startedAt + 60_000) {
              // A new window starts with the first request after the old one has ended.
              startedAt = now;
              used = 0;
            }
            if (verdict.allowed) used++;
            expect(verdict.resetsAt).toBe(startedAt + 60_000);
          }
          expect(used).toBeLessThanOrEqual(limit);
        }
        for (const limits of processes) await returnTo(store, limits.collectUnused(now, true), now);
        const counted = await store.read((db) => (processes[0] as RateLimits).used(db, bucket, now));
        if (counted) expect(counted.used).toBe(used);
      },
    ),
    { numRuns: tries(20) },
  );
  await store.close();
});

it('the next reservation is made before the last one is used up', async () => {
  const opened = await service.database.open();
  const limits = new RateLimits(opened, () => epoch);
  // Reservations of 1, 2, 4 and so on, up to a full one of 64, of which half is used.
  for (let count = 0; count < 63 + 32; count++) await limits.count('bucket', 10_000, epoch);
  await limits.settle();
  const held = Array.from({ length: 32 + 32 }, () => limits.countHeld('bucket', 10_000, epoch)?.allowed);
  expect(held).not.toContain(undefined);
  await limits.settle();
  if (service.database.file) await opened.close();
});

// Proves rules rate-limits.20, rate-limits.21.
it('as many reserved requests are kept as were counted recently, and all are returned at the end', async () => {
  const opened = await service.database.open();
  const limits = new RateLimits(opened, () => epoch);
  const unused = (isLast?: boolean) => limits.collectUnused(epoch, isLast).map(({ count }) => count);
  for (let count = 0; count < 63 + 10; count++) await limits.count('bucket', 10_000, epoch);
  // 54 of the full reservation are left, and 73 were counted.
  expect(unused()).toEqual([]);
  await limits.count('bucket', 10_000, epoch);
  expect(unused()).toEqual([52]);
  expect(unused()).toEqual([1]);
  await limits.count('bucket', 10_000, epoch);
  expect(unused(true)).toEqual([63]);
  if (service.database.file) await opened.close();
});

// Proves rule rate-limits.19.
it('the number of used requests is exact while unused ones are being returned', async () => {
  const opened = await service.database.open();
  const limits = new RateLimits(opened, () => epoch);
  for (let count = 0; count < 80; count++) await limits.count('bucket', 10_000, epoch);
  limits.collectUnused(epoch);
  await limits.count('bucket', 10_000, epoch);
  const unused = limits.collectUnused(epoch);
  expect(unused).toHaveLength(1);
  const gate = Promise.withResolvers<undefined>();
  const returning = limits.trackReturn(gate.promise.then(() => returnTo(opened, unused, epoch)));
  const used = limits.readUsed('bucket', epoch);
  // A read of the store in the meantime.
  await opened.read((db) => limits.used(db, 'bucket', epoch));
  gate.resolve(undefined);
  await returning;
  expect(await used).toMatchObject({ used: 81 });
  if (service.database.file) await opened.close();
});

// Proves rules rate-limits.19, rate-limits.20.
it('the limit is exact when requests, reservations and returns overlap', async () => {
  const store = await service.database.open();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 200, max: 900 }),
      fc.array(fc.record({ process: fc.nat(1), burst: fc.integer({ min: 1, max: 80 }), returns: fc.boolean() }), { maxLength: 30 }),
      async (limit, acts) => {
        const bucket = `overlapping:${run++}`;
        const processes = [new RateLimits(store, () => epoch), new RateLimits(store, () => epoch)];
        let used = 0;
        for (const { process, burst, returns } of acts) {
          const limits = processes[process] as RateLimits;
          const counting = Promise.all(Array.from({ length: burst }, () => limits.count(bucket, limit, epoch)));
          const unused = returns ? limits.collectUnused(epoch) : [];
          const [verdicts] = await Promise.all([counting, returnTo(store, unused, epoch)]);
          used += verdicts.filter(({ allowed }) => allowed).length;
          expect(used).toBeLessThanOrEqual(limit);
        }
        for (const limits of processes) {
          await limits.settle();
          await returnTo(store, limits.collectUnused(epoch, true), epoch);
        }
        const counted = await store.read((db) => (processes[0] as RateLimits).used(db, bucket, epoch));
        expect(counted?.used ?? 0).toBe(used);
      },
    ),
    { numRuns: tries(20) },
  );
  if (service.database.file) await store.close();
});
