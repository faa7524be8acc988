import { limits } from '../../contract/limits.ts';
import type { Db } from '../store/database.ts';
import { prepared } from '../store/prepared.ts';
import type { Store } from '../store/store.ts';

/** The length of a window, in milliseconds of the service's clock (Document 4, Rate limits). */
const windowLength = limits.rateWindowSeconds * 1000;

/** The most requests that a process reserves at once. */
const largestPortion = 64;

/** How long a window that the store had nothing left of is not asked for again, in real milliseconds. */
const exhaustedPause = 200;

/** What a bucket says to one more request. */
export interface Verdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, by the service's clock. */
  readonly resetsAt: number;
}

/** A bucket's window as this process knows it. */
interface Window {
  startedAt: number;
  /** What the store has granted of it, to all processes together, when it was last asked. */
  granted: number;
  /** What this process holds of that and has not used. */
  unspent: number;
  nextPortion: number;
  /** False once the only request that was counted in it was put back: then it has not begun. */
  begun: boolean;
  /** The limit that was used up, and until when (real time) there is no use in asking again. */
  exhausted: { limit: number; until: number } | null;
}

const storedWindow = prepared<{ bucket: string }, { started_at: number; granted: number }>((db, $) =>
  db.selectFrom('rate_windows').select(['started_at', 'granted']).where('bucket', '=', $.bucket),
);

/**
 * Counts requests in fixed windows that hold across all processes on one store. A process reserves a portion of a
 * window in the store, in growing and near the end of the window in shrinking portions, and counts it down in memory;
 * what it does not use it gives back. So never more than the limit is let through, and with one process exactly it.
 */
export class RateLimits {
  readonly #store: Store;
  readonly #realNow: () => number;
  readonly #windows = new Map<string, Window>();
  readonly #leases = new Map<string, Promise<void>>();

  constructor(store: Store, realNow: () => number) {
    this.#store = store;
    this.#realNow = realNow;
  }

  /** Takes one request out of a bucket's window at `now`, by the service's clock. */
  async count(bucket: string, limit: number, now: number): Promise<Verdict> {
    for (;;) {
      const verdict = this.countHeld(bucket, limit, now);
      if (verdict) return verdict;
      await this.#lease(bucket, limit, now);
    }
  }

  /** The same out of what this process holds; null when it must ask the store first. */
  countHeld(bucket: string, limit: number, now: number): Verdict | null {
    const window = this.#current(bucket, now);
    if (!window?.begun) return null;
    const used = window.granted - window.unspent;
    if (window.unspent > 0 && used < limit) {
      window.unspent--;
      return verdict(true, limit, used + 1, window);
    }
    const { exhausted } = window;
    const isUsedUp = window.unspent > 0 || (exhausted?.limit === limit && this.#realNow() < exhausted.until);
    return isUsedUp ? verdict(false, limit, limit, window) : null;
  }

  /** Puts a request back that another bucket refused: it does not count. */
  putBack(bucket: string, { resetsAt }: Verdict): void {
    const window = this.#windows.get(bucket);
    // The window that it was taken from may be over.
    if (window?.startedAt !== resetsAt - windowLength) return;
    window.unspent++;
    window.begun = window.unspent < window.granted;
  }

  /** Reads how much of a bucket's current window is used, by all processes; null when nothing was counted yet. */
  async used(db: Db, bucket: string, now: number): Promise<{ used: number; resetsAt: number } | null> {
    const [row] = await storedWindow(db, { bucket });
    if (!row || !isRunning(row.started_at, now)) return null;
    const own = this.#windows.get(bucket);
    const unspent = own?.startedAt === row.started_at ? own.unspent : 0;
    const used = row.granted - unspent;
    return used === 0 ? null : { used, resetsAt: row.started_at + windowLength };
  }

  /** Whether there is anything to give back. */
  get holdsUnspent(): boolean {
    for (const window of this.#windows.values()) if (window.unspent > 0) return true;
    return false;
  }

  /** Takes what is reserved and not used out of the windows, to be given back; and forgets windows that are over. */
  collectUnspent(now: number): Unspent[] {
    const unspent: Unspent[] = [];
    for (const [bucket, window] of this.#windows) {
      if (!isRunning(window.startedAt, now)) this.#windows.delete(bucket);
      if (window.unspent === 0) continue;
      unspent.push({ bucket, startedAt: window.startedAt, count: window.unspent });
      window.granted -= window.unspent;
      window.unspent = 0;
    }
    return unspent;
  }

  /** Forgets every window, as the store was emptied. */
  clear(): void {
    this.#windows.clear();
  }

  #current(bucket: string, now: number): Window | undefined {
    const window = this.#windows.get(bucket);
    return window && isRunning(window.startedAt, now) ? window : undefined;
  }

  /** Reserves a portion; requests that need one at the same time wait for the same. */
  #lease(bucket: string, limit: number, now: number): Promise<void> {
    let lease = this.#leases.get(bucket);
    if (!lease) {
      lease = this.#reserve(bucket, limit, now).finally(() => this.#leases.delete(bucket));
      this.#leases.set(bucket, lease);
    }
    return lease;
  }

  async #reserve(bucket: string, limit: number, now: number): Promise<void> {
    const known = this.#current(bucket, now);
    const wanted = known?.nextPortion ?? 1;
    const { startedAt, granted, portion } = await this.#store.write(async (db) => {
      const query = db.selectFrom('rate_windows').select(['started_at', 'granted']).where('bucket', '=', bucket);
      const row = await (this.#store.engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
      // What this process holds unused goes back first. A window that nothing was counted in begins anew.
      const own = row && known?.startedAt === row.started_at ? known.unspent : 0;
      const running = row !== undefined && isRunning(row.started_at, now) && row.granted > own;
      const before = running ? row.granted - own : 0;
      const left = Math.max(0, limit - before);
      const portion = Math.min(wanted, Math.ceil(left / 4));
      const window = { started_at: running ? row.started_at : now, granted: before + portion };
      if (portion > 0 || own > 0 || !running)
        await db
          .insertInto('rate_windows')
          .values({ bucket, ...window })
          .onConflict((conflict) => conflict.column('bucket').doUpdateSet(window))
          .execute();
      return { startedAt: window.started_at, granted: window.granted, portion };
    });
    this.#windows.set(bucket, {
      startedAt,
      granted,
      unspent: portion,
      begun: true,
      nextPortion: Math.min(wanted * 2, largestPortion),
      exhausted: portion === 0 ? { limit, until: this.#realNow() + exhaustedPause } : null,
    });
  }
}

/** What a process reserved of a window and did not use. */
export interface Unspent {
  readonly bucket: string;
  readonly startedAt: number;
  readonly count: number;
}

/** Gives back what was taken out of the windows, and removes windows that are long over, in a transaction. */
export async function giveBack(db: Db, unspent: readonly Unspent[], now: number): Promise<void> {
  await db
    .deleteFrom('rate_windows')
    .where('started_at', '<', now - 10 * windowLength)
    .execute();
  for (const { bucket, startedAt, count } of unspent)
    await db
      .updateTable('rate_windows')
      .set((eb) => ({ granted: eb('granted', '-', count) }))
      .where('bucket', '=', bucket)
      .where('started_at', '=', startedAt)
      .execute();
}

/** Whether a window goes on. One that begins far ahead is left from before the machine's clock was set back. */
function isRunning(startedAt: number, now: number): boolean {
  return Math.abs(now - startedAt) < windowLength;
}

function verdict(allowed: boolean, limit: number, used: number, window: Window): Verdict {
  return { allowed, limit, remaining: Math.max(0, limit - used), resetsAt: window.startedAt + windowLength };
}
