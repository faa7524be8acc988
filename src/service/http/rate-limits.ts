import { type RawBuilder, sql } from 'kysely';
import { compareTexts } from '../../contract/text/compare-texts.ts';
import { limits } from '../../contract/limits.ts';
import type { Db } from '../store/database.ts';
import { prepared, preparedChange } from '../store/prepared.ts';
import type { Store } from '../store/store.ts';

/** The length of a window, in milliseconds of the service's clock (rule rate-limits.1). */
const windowLength = limits.rateWindowSeconds * 1000;

/** The maximum number of requests that a process reserves at a time. */
const largestPortion = 64;

/** When this many requests of a full portion are left, the next portion is reserved, so that no request has to wait for it. */
const refillAt = largestPortion / 2;

/** How often the number of used requests is read at most. */
const readAttempts = 10;

/** How long the store is not asked again about a used-up window, in real milliseconds. */
const exhaustedPause = 200;

/** Whether a bucket allows a request, and the state of its window afterwards. */
export interface Verdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, by the service's clock. */
  readonly resetsAt: number;
}

/** A bucket's window, as known to this process. */
interface Window {
  startedAt: number;
  /** The number of requests that all processes had reserved when this process last asked the store. */
  granted: number;
  /** The number of requests that this process has reserved but not used. */
  unused: number;
  /** The size of the last reservation. */
  portion: number;
  nextPortion: number;
  /** The number of requests that were counted since unused ones were last returned. */
  countedLately: number;
  /** False when the only request in it was uncounted: the window has then not started. */
  isStarted: boolean;
  /** The used-up limit, and the real time until which the store is not asked again. */
  exhausted: { limit: number; until: number } | null;
}

const storedWindow = prepared<{ bucket: string }, { started_at: number; granted: number }>((db, $) =>
  db.selectFrom('rate_windows').select(['started_at', 'granted']).where('bucket', '=', $.bucket),
);

/**
 * Counts requests in fixed windows that all processes on a store share. A process reserves a portion of a window in the store,
 * counts it down in memory, and reserves the next portion before it is used up. Portions grow, and shrink near the limit. Unused
 * requests are returned. The limit is never exceeded; with a single process it is exact.
 */
export class RateLimits {
  readonly #store: Store;
  readonly #realNow: () => number;
  readonly #windows = new Map<string, Window>();
  readonly #reservations = new Map<string, Promise<void>>();
  /** The last transaction that returns unused requests. */
  #returning: Promise<unknown> = Promise.resolve();
  /** How many reservations and returns have begun. */
  #storeChanges = 0;

  constructor(store: Store, realNow: () => number) {
    this.#store = store;
    this.#realNow = realNow;
  }

  /** Counts a request in the bucket's window at `now`, by the service's clock. */
  async count(bucket: string, limit: number, now: number): Promise<Verdict> {
    for (;;) {
      const verdict = this.countHeld(bucket, limit, now);
      if (verdict) return verdict;
      await this.#reserveOnce(bucket, limit, now);
    }
  }

  /** Counts a request within the current reservation of this process; undefined when the store must be asked first. */
  countHeld(bucket: string, limit: number, now: number): Verdict | undefined {
    const window = this.#current(bucket, now);
    if (!window?.isStarted) return undefined;
    const used = window.granted - window.unused;
    if (window.unused > 0 && used < limit) {
      window.unused--;
      window.countedLately++;
      // If this fails, the request that later finds nothing reserved tries again.
      if (window.unused === refillAt && window.portion === largestPortion) this.#reserveOnce(bucket, limit, now).catch(() => {});
      return verdict(true, limit, used + 1, window);
    }
    const { exhausted } = window;
    const isUsedUp = window.unused > 0 || (exhausted?.limit === limit && this.#realNow() < exhausted.until);
    return isUsedUp ? verdict(false, limit, limit, window) : undefined;
  }

  /** Uncounts a request that another bucket refused. */
  uncount(bucket: string, { resetsAt }: Verdict): void {
    const window = this.#windows.get(bucket);
    // The window in which it was counted may have ended.
    if (window?.startedAt !== resetsAt - windowLength) return;
    window.unused++;
    window.isStarted = window.unused < window.granted;
  }

  /**
   * Reads how many requests all processes used in a bucket's current window, outside of a transaction; undefined when no request
   * has been counted yet. While this process reserves or returns requests, its numbers differ from those in the store, so it waits
   * and reads again.
   */
  async readUsed(bucket: string, now: number): Promise<{ used: number; resetsAt: number } | undefined> {
    for (let attempt = 1; ; attempt++) {
      await Promise.allSettled([this.#returning, this.#reservations.get(bucket)]);
      const changes = this.#storeChanges;
      const found = await this.#store.read((db) => this.used(db, bucket, now));
      if (changes === this.#storeChanges || attempt === readAttempts) return found;
    }
  }

  /** Remembers the transaction that returns what `collectUnused` removed. */
  async trackReturn(transaction: Promise<void>): Promise<void> {
    this.#returning = transaction;
    await transaction;
  }

  /** Reads how many requests were used, by the numbers that the store and this process have at the moment. */
  async used(db: Db, bucket: string, now: number): Promise<{ used: number; resetsAt: number } | undefined> {
    const [row] = await storedWindow(db, { bucket });
    if (!row || !isRunning(row.started_at, now)) return undefined;
    const own = this.#windows.get(bucket);
    const unused = own?.startedAt === row.started_at ? own.unused : 0;
    const used = row.granted - unused;
    return used === 0 ? undefined : { used, resetsAt: row.started_at + windowLength };
  }

  /** Whether this process has unused reservations. */
  get holdsUnused(): boolean {
    for (const window of this.#windows.values()) if (window.unused > 0) return true;
    return false;
  }

  /** Waits for reservations in progress. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#reservations.values());
  }

  /**
   * Removes unused reservations from the windows, so that they can be returned to the store, and removes ended windows.
   * @param isLast whether to return all of them. Otherwise each window keeps as many as it counted since the last call, because
   * it will soon need them
   */
  collectUnused(now: number, isLast = false): UnusedRequests[] {
    const unused: UnusedRequests[] = [];
    for (const [bucket, window] of this.#windows) {
      const hasEnded = !isRunning(window.startedAt, now);
      if (hasEnded) this.#windows.delete(bucket);
      const count = window.unused - (isLast || hasEnded ? 0 : window.countedLately);
      window.countedLately = 0;
      // A reservation in progress ends with the numbers in the store, which do not include what would be returned here.
      if (count <= 0 || this.#reservations.has(bucket)) continue;
      unused.push({ bucket, startedAt: window.startedAt, count });
      this.#storeChanges++;
      window.granted -= count;
      window.unused -= count;
    }
    return unused;
  }

  /** Removes every window, after the store was emptied. */
  clear(): void {
    this.#windows.clear();
  }

  #current(bucket: string, now: number): Window | undefined {
    const window = this.#windows.get(bucket);
    return window && isRunning(window.startedAt, now) ? window : undefined;
  }

  /** Reserves a portion. Concurrent requests share the reservation. */
  #reserveOnce(bucket: string, limit: number, now: number): Promise<void> {
    let reservation = this.#reservations.get(bucket);
    if (!reservation) {
      reservation = this.#reserve(bucket, limit, now).finally(() => this.#reservations.delete(bucket));
      this.#reservations.set(bucket, reservation);
    }
    return reservation;
  }

  async #reserve(bucket: string, limit: number, now: number): Promise<void> {
    this.#storeChanges++;
    const known = this.#current(bucket, now);
    const wanted = known?.nextPortion ?? 1;
    const returned = known && !known.isStarted ? known.unused : 0;
    const values = { bucket, limit, now, wanted, knownStart: known?.startedAt ?? -1, unused: returned };
    // The SQL statement returns the unused portion. A window without a counted request restarts.
    if (known) {
      known.granted -= returned;
      known.unused -= returned;
    }
    const [row] = await this.#store.write((db) => reservePortion(db, values), { isDurable: false });
    if (!row) throw new Error('No window was written');
    const { started_at: startedAt, granted, portion } = row;
    const current = this.#windows.get(bucket);
    const kept = current?.startedAt === startedAt ? current : undefined;
    this.#windows.set(bucket, {
      startedAt,
      granted,
      unused: portion + (kept?.unused ?? 0),
      isStarted: true,
      portion,
      countedLately: kept?.countedLately ?? 0,
      nextPortion: Math.min(wanted * 2, largestPortion),
      exhausted: portion === 0 ? { limit, until: this.#realNow() + exhaustedPause } : null,
    });
  }
}

/**
 * Reserves a portion of a bucket's window in a single statement, so that no process waits for the transaction of another. The
 * unused portion of this process is returned first. A window without a counted request restarts.
 */
const reservePortion = prepared<
  { bucket: string; limit: number; now: number; wanted: number; knownStart: number; unused: number },
  { started_at: number; granted: number; portion: number }
>((db, $) => ({
  compile: () => {
    // PostgreSQL would treat an untyped parameter as a 32-bit integer.
    const bigint = (parameter: number) => sql`cast(${parameter} as bigint)`;
    const own = sql`case when rate_windows.started_at = ${$.knownStart} then ${bigint($.unused)} else 0 end`;
    const isRunning = sql`abs(${bigint($.now)} - rate_windows.started_at) < ${sql.lit(windowLength)} and rate_windows.granted > ${own}`;
    const before = sql`case when ${isRunning} then rate_windows.granted - ${own} else 0 end`;
    const portionAfter = (used: RawBuilder<unknown>) => {
      const quarter = sql`(case when ${bigint($.limit)} > ${used} then ${bigint($.limit)} - ${used} else 0 end + 3) / 4`;
      return sql`case when ${bigint($.wanted)} < ${quarter} then ${bigint($.wanted)} else ${quarter} end`;
    };
    const first = portionAfter(sql`0`);
    const portion = portionAfter(sql`(${before})`);
    return sql<{ started_at: number; granted: number; portion: number }>`
      insert into rate_windows (bucket, started_at, granted, portion) values (${$.bucket}, ${$.now}, ${first}, ${first})
      on conflict (bucket) do update set
        started_at = case when ${isRunning} then rate_windows.started_at else excluded.started_at end,
        granted = (${before}) + (${portion}),
        portion = ${portion}
      returning started_at, granted, portion`.compile(db);
  },
}));

/** The unused part of a reservation. */
interface UnusedRequests {
  readonly bucket: string;
  readonly startedAt: number;
  readonly count: number;
}

/** Returns unused reservations in a transaction, and deletes old windows. */
export async function returnUnused(db: Db, unused: readonly UnusedRequests[], now: number): Promise<void> {
  await db
    .deleteFrom('rate_windows')
    .where('started_at', '<', now - 10 * windowLength)
    .execute();
  // Sorted, so that two processes cannot deadlock.
  for (const each of unused.toSorted((a, b) => compareTexts(a.bucket, b.bucket))) await returnToWindow(db, each);
}

const returnToWindow = preparedChange<UnusedRequests>((db, $) =>
  db
    .updateTable('rate_windows')
    .set((eb) => ({ granted: eb('granted', '-', $.count) }))
    .where('bucket', '=', $.bucket)
    .where('started_at', '=', $.startedAt),
);

/** Whether a window is still open. A window that starts far in the future was created before the clock was set back. */
function isRunning(startedAt: number, now: number): boolean {
  return Math.abs(now - startedAt) < windowLength;
}

function verdict(allowed: boolean, limit: number, used: number, window: Window): Verdict {
  return { allowed, limit, remaining: Math.max(0, limit - used), resetsAt: window.startedAt + windowLength };
}
