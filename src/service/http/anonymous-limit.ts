import { limits } from '../../contract/limits.ts';
import { ApiError } from '../errors.ts';
import { networkOf } from '../network/addresses.ts';

/** The length of a window, in milliseconds of real time. */
const windowLength = limits.rateWindowSeconds * 1000;

/** The maximum number of networks with a window. Beyond it, the oldest windows are dropped. */
const networksMax = 100_000;

interface Window {
  readonly startedAt: number;
  count: number;
}

/**
 * Limits the requests without a valid credential from one remote address, or one IPv6 network of 64 bits (rule rate-limits.23).
 * Each process counts them separately, in memory.
 */
export class AnonymousLimit {
  readonly #realNow: () => number;
  /** Ordered by the start of the windows. */
  readonly #windows = new Map<string, Window>();

  constructor(realNow: () => number) {
    this.#realNow = realNow;
  }

  /**
   * Counts a request.
   * @param address undefined for a request from within the process, which is not limited
   * @throws ApiError 429 above the limit
   */
  count(address: string | undefined): void {
    if (address === undefined) return;
    const now = this.#realNow();
    const network = networkOf(address);
    const window = this.#current(network, now);
    window.count++;
    if (window.count <= limits.anonymousRequestsPerMinute) return;
    const seconds = Math.max(1, Math.ceil((window.startedAt + windowLength - now) / 1000));
    throw new ApiError(
      429,
      'Too many requests without a valid credential: wait for the seconds in Retry-After',
      {},
      {
        'retry-after': String(seconds),
      },
    );
  }

  #current(network: string, now: number): Window {
    const known = this.#windows.get(network);
    if (known && Math.abs(now - known.startedAt) < windowLength) return known;
    this.#windows.delete(network);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size >= networksMax && oldest !== undefined) this.#windows.delete(oldest);
    const window = { startedAt: now, count: 0 };
    this.#windows.set(network, window);
    return window;
  }
}
