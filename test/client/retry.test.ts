import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Failure, longestWait, maxAttempts, retryDelay } from '../../src/client/retry.ts';

const answer = (status: number, more: Partial<Extract<Failure, { kind: 'answer' }>> = {}): Failure => ({
  kind: 'answer',
  status,
  retryAfter: null,
  clockFrozen: false,
  ...more,
});

const failures = fc.oneof(
  fc.record({ kind: fc.constant('network' as const), maybeSent: fc.boolean(), isFinal: fc.boolean() }),
  fc.record({
    kind: fc.constant('answer' as const),
    status: fc.integer({ min: 400, max: 599 }),
    retryAfter: fc.option(fc.nat(200)),
    clockFrozen: fc.boolean(),
  }),
);

describe('a failed call', () => {
  it('is never retried if it is a POST that may have been carried out', () => {
    fc.assert(
      fc.property(failures, fc.integer({ min: 1, max: 5 }), (failure, attempt) => {
        const done = failure.kind === 'network' ? failure.maybeSent : failure.status !== 429;
        if (done) expect(retryDelay('POST', failure, attempt, 0.5)).toBeNull();
      }),
    );
  });

  it('is retried if the method is idempotent', () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH'] as const) {
      for (const status of [429, 500, 502, 503, 504]) expect(retryDelay(method, answer(status), 1, 0.5)).toBe(250);
      expect(retryDelay(method, { kind: 'network', maybeSent: true, isFinal: false }, 1, 0.5)).toBe(250);
    }
    expect(retryDelay('POST', { kind: 'network', maybeSent: false, isFinal: false }, 1, 0.5)).toBe(250);
  });

  it('is not retried if the network error is final', () => {
    expect(retryDelay('GET', { kind: 'network', maybeSent: true, isFinal: true }, 1, 0.5)).toBeNull();
  });

  it('is not retried if the service would answer the same again', () => {
    for (const status of [400, 401, 402, 403, 404, 409, 410, 422, 501]) expect(retryDelay('GET', answer(status), 1, 0.5)).toBeNull();
  });

  it('is retried after Retry-After, unless that exceeds a minute or the clock is frozen', () => {
    expect(retryDelay('GET', answer(429, { retryAfter: 7 }), 1, 0)).toBe(7000);
    expect(retryDelay('POST', answer(429, { retryAfter: longestWait }), 1, 0)).toBe(60_000);
    expect(retryDelay('GET', answer(429, { retryAfter: longestWait + 1 }), 1, 0)).toBeNull();
    expect(retryDelay('GET', answer(429, { retryAfter: 1, clockFrozen: true }), 1, 0)).toBeNull();
  });

  it('is retried a limited number of times, with growing, jittered delays', () => {
    expect(retryDelay('GET', answer(500), maxAttempts, 0.5)).toBeNull();
    const pauses = [1, 2, 3].map((attempt) => retryDelay('GET', answer(500), attempt, 0.5));
    expect(pauses).toEqual([250, 500, 1000]);
    expect(retryDelay('GET', answer(500), 1, 0)).not.toBe(retryDelay('GET', answer(500), 1, 0.9));
  });
});
