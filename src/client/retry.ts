import type { Method } from '../contract/endpoint.ts';

/** How often a call is tried in all. */
export const maxAttempts = 4;

/** The longest wait that the service may ask for, in seconds. */
export const longestWait = 60;

const passing = new Set([429, 500, 502, 503, 504]);

/** How one try of a call ended badly. */
export type Failure =
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfter: number | null; readonly clockFrozen: boolean }
  | { readonly kind: 'network'; readonly maybeSent: boolean };

/**
 * Decides whether and when a call is tried again.
 * A POST is never sent a second time when the first may have been carried out.
 * @param attempt how many tries there were
 * @param random from 0 up to 1, for the jitter
 * @returns the wait in milliseconds, or null to give up
 */
export function retryDelay(method: Method, failure: Failure, attempt: number, random: number): number | null {
  if (attempt >= maxAttempts) return null;
  const repeatable = method !== 'POST';
  if (failure.kind === 'network') return repeatable || !failure.maybeSent ? pause(attempt, random) : null;
  if (!passing.has(failure.status)) return null;
  // What was refused with 429 was not carried out.
  if (!repeatable && failure.status !== 429) return null;
  if (failure.retryAfter === null) return pause(attempt, random);
  if (failure.clockFrozen || failure.retryAfter > longestWait) return null;
  return failure.retryAfter * 1000 + random * 250;
}

function pause(attempt: number, random: number): number {
  return 250 * 2 ** (attempt - 1) * (0.5 + random);
}
