import type { RequestMethod } from '../contract/endpoint.ts';

/** The maximum number of attempts of a call, including the first. */
export const maxAttempts = 4;

/** The maximum number of attempts of a POST that may have been carried out, which its key allows to send again. */
export const maxKeyedAttempts = 6;

/** How long a call waits for the first request with its key, in milliseconds. */
export const longestWork = 120_000;

/** The longest `Retry-After` for which a call is retried, in seconds. */
export const longestWait = 60;

/** Statuses of failures that may be temporary. */
const transientStatuses = new Set([429, 500, 502, 503, 504]);

/** Why one attempt of a call failed. */
export type Failure =
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfter: number | null; readonly clockFrozen: boolean }
  | { readonly kind: 'network'; readonly maybeSent: boolean; readonly isFinal: boolean };

/**
 * Decides whether and when to retry a call. A POST that may have been carried out is sent again only with a key.
 * @param attempt the number of attempts so far
 * @param random from 0 up to 1, for the jitter
 * @param isKeyed whether it has an idempotency key that the service honours, or may honour
 * @returns the wait in milliseconds; null to give up
 */
export function retryDelay(method: RequestMethod, failure: Failure, attempt: number, random: number, isKeyed = false): number | null {
  if (attempt >= (isKeyed ? maxKeyedAttempts : maxAttempts)) return null;
  const repeatable = method !== 'POST' || isKeyed;
  if (failure.kind === 'network') return !failure.isFinal && (repeatable || !failure.maybeSent) ? pause(attempt, random) : null;
  if (!transientStatuses.has(failure.status)) return null;
  // A request that was refused with 429 was not carried out.
  if (!repeatable && failure.status !== 429) return null;
  if (failure.retryAfter === null) return pause(attempt, random);
  if (failure.clockFrozen || failure.retryAfter > longestWait) return null;
  return failure.retryAfter * 1000 + random * 250;
}

function pause(attempt: number, random: number): number {
  return 250 * 2 ** (attempt - 1) * (0.5 + random);
}
