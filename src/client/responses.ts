import { idempotencyHeader, replayedHeader } from '../contract/idempotency.ts';
import { retryAfter } from '../contract/time/retry-after.ts';
import type { TransportResponse } from './transport.ts';

// What the headers and the status of a response tell beside its answer.

/** The last response to a request. */
export interface Response extends TransportResponse {
  /** Whether this attempt or an earlier one may have been carried out. */
  readonly isMaybeDone: boolean;
}

/** The statuses of checks that come before the keys of requests are looked at. */
const unsettled = new Set([400, 401, 403, 429]);

/** Whether a response tells what has become of all attempts: it is that of the first, or no attempt before it was carried out. */
export function settles({ status, headers }: TransportResponse): boolean {
  return (
    headers[replayedHeader] !== undefined ||
    (headers[idempotencyHeader] !== undefined && status >= 300 && status < 500 && !unsettled.has(status))
  );
}

/** When the service allows another attempt. */
export function readRetryHeaders({ headers }: TransportResponse): { readonly retryAfter: number | null; readonly clockFrozen: boolean } {
  return { retryAfter: retryAfter(headers), clockFrozen: headers['sandbox-clock'] === 'frozen' };
}
