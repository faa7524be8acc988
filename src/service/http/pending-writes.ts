import { setInterval } from 'node:timers';
import { readNow } from '../clock/state.ts';
import { KeyUsage, writeKeyUsage } from '../identity/key-usage.ts';
import type { Store } from '../store/store.ts';
import { returnUnused, type RateLimits } from './rate-limits.ts';
import { RequestLog, type RequestLogEntry, writeRequestLog } from './request-log.ts';

/**
 * The interval between flushes, in real milliseconds. Unused reservations of rate limits are returned after two intervals, which
 * must take less than a second.
 */
const flushInterval = 400;

/**
 * Data that requests collect in memory until the next flush: log entries, the last use of keys, and unused reservations of rate
 * limits.
 */
export class PendingWrites {
  readonly #store: Store;
  readonly #rateLimits: RateLimits;
  readonly #realNow: () => number;
  /** The maximum number of entries in the log. */
  readonly #keptRequests: number;
  readonly #log = new RequestLog();
  readonly #keyUsage = new KeyUsage();
  #last: Promise<unknown> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;

  /** @param keptRequests the maximum number of entries in the log @param onError called with errors of scheduled flushes */
  constructor(
    { store, rateLimits, realNow }: { store: Store; rateLimits: RateLimits; realNow: () => number },
    keptRequests: number,
    onError: (error: unknown) => void,
  ) {
    this.#store = store;
    this.#rateLimits = rateLimits;
    this.#realNow = realNow;
    this.#keptRequests = keptRequests;
    this.#timer = setInterval(() => void this.flush().catch(onError), flushInterval).unref();
  }

  /** Adds an entry to the request log. */
  addRequest(entry: RequestLogEntry): void {
    this.#log.add(entry);
  }

  /** Records the last use of a key. @param at epoch milliseconds */
  noteKeyUse(keyId: string, at: number): void {
    this.#keyUsage.note(keyId, at);
  }

  /** The last use of a key, if it has not been written yet. */
  lastUse(keyId: string): number | undefined {
    return this.#keyUsage.unwritten(keyId);
  }

  /**
   * Empties or replaces the store, and drops what was collected before. No flush runs meanwhile, because it would write that into
   * the new store. @returns what `replace` returns
   */
  replaceStore<T>(replace: () => Promise<T>): Promise<T> {
    return this.#next(async () => {
      const result = await replace();
      this.#clear();
      return result;
    });
  }

  #clear(): void {
    this.#rateLimits.clear();
    this.#log.clear();
    this.#keyUsage.clear();
  }

  /** Writes everything that was collected before the call. */
  flush(): Promise<void> {
    return this.#next(() => this.#write(false));
  }

  /** Writes everything for the last time. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#next(() => this.#write(true));
  }

  /** Flushes and replacements run one after the other, so that each flush writes all data collected before the call. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.catch(() => {}).then(work);
    this.#last = done;
    return done;
  }

  async #write(isLast: boolean): Promise<void> {
    if (isLast) await this.#rateLimits.settle();
    if (this.#log.isEmpty && this.#keyUsage.isEmpty && !this.#rateLimits.holdsUnused) return;
    const now = await this.#store.read((db) => readNow(db, this.#realNow()));
    // Collected before the transaction, because the transaction may be repeated.
    const unused = this.#rateLimits.collectUnused(now, isLast);
    const entries = this.#log.collect();
    const lastUse = this.#keyUsage.collect();
    const written = this.#store.write(
      async (db) => {
        await writeKeyUsage(db, lastUse);
        await writeRequestLog(db, entries, this.#keptRequests);
        await returnUnused(db, unused, now);
      },
      { isDurable: false },
    );
    await this.#rateLimits.trackReturn(written);
  }
}
