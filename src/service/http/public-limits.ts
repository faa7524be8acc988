import { tooMany } from '../errors.ts';
import { networkOf } from '../network/addresses.ts';
import { WindowCounter } from './window-counter.ts';

declare module '../parts.ts' {
  interface Parts {
    readonly publicLimits: PublicLimits;
  }
}

const minute = 60_000;
const hour = 60 * minute;

/** What is counted on public pages, by whom, and how often it may happen in which time. */
const counted = {
  'messages of an address': { most: 60, length: minute },
  'visitors of an address': { most: 30, length: hour },
  'bookings of an address': { most: 10, length: hour },
  'messages of a visitor': { most: 10, length: minute },
} as const;

/** The limits of public pages, counted by each server in real time (rule widgets.14). */
export class PublicLimits {
  readonly #counters: Readonly<Record<keyof typeof counted, WindowCounter>>;

  constructor(realNow: () => number) {
    const entries = Object.entries(counted).map(([what, { length }]) => [what, new WindowCounter(realNow, length)]);
    this.#counters = Object.fromEntries(entries) as Record<keyof typeof counted, WindowCounter>;
  }

  /**
   * Counts what an address or a visitor does.
   * @param who an address, of which a client may control a network; undefined for a request from within the process, which is not limited
   * @throws ApiError 429 above the limit
   */
  count(what: keyof typeof counted, who: string | undefined): void {
    if (who === undefined) return;
    const seconds = this.#counters[what].count(networkOf(who), counted[what].most);
    if (seconds !== undefined) throw tooMany(`There are too many ${what}: wait for the seconds in Retry-After`, seconds);
  }
}
