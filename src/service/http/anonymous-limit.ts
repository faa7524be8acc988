import { limits } from '../../contract/limits.ts';
import { tooMany } from '../errors.ts';
import { networkOf } from '../network/addresses.ts';
import { WindowCounter } from './window-counter.ts';

/**
 * Limits the requests without a valid credential from one remote address, or one IPv6 network of 64 bits (rule rate-limits.23).
 */
export class AnonymousLimit {
  readonly #counter: WindowCounter;

  constructor(realNow: () => number) {
    this.#counter = new WindowCounter(realNow, limits.rateWindowSeconds * 1000);
  }

  /**
   * Counts a request.
   * @param address undefined for a request from within the process, which is not limited
   * @throws ApiError 429 above the limit
   */
  count(address: string | undefined): void {
    if (address === undefined) return;
    const seconds = this.#counter.count(networkOf(address), limits.anonymousRequestsPerMinute);
    if (seconds !== undefined) throw tooMany('Too many requests without a valid credential: wait for the seconds in Retry-After', seconds);
  }
}
