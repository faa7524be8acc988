/** The maximum number of keys with a window. Beyond it, the oldest windows are dropped. */
const keysMax = 100_000;

interface Window {
  readonly startedAt: number;
  count: number;
}

/** Counts by keys, in windows of real time that begin with the first count. Each process counts for itself, in memory. */
export class WindowCounter {
  readonly #realNow: () => number;
  /** In milliseconds. */
  readonly #length: number;
  /** Ordered by the start of the windows. */
  readonly #windows = new Map<string, Window>();

  constructor(realNow: () => number, length: number) {
    this.#realNow = realNow;
    this.#length = length;
  }

  /** Counts once for a key. @returns the seconds to wait, if it has been counted more often than `most` in its window */
  count(key: string, most: number): number | undefined {
    const now = this.#realNow();
    const window = this.#current(key, now);
    window.count++;
    if (window.count <= most) return undefined;
    return Math.max(1, Math.ceil((window.startedAt + this.#length - now) / 1000));
  }

  #current(key: string, now: number): Window {
    const known = this.#windows.get(key);
    if (known && Math.abs(now - known.startedAt) < this.#length) return known;
    this.#windows.delete(key);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size >= keysMax && oldest !== undefined) this.#windows.delete(oldest);
    const window = { startedAt: now, count: 0 };
    this.#windows.set(key, window);
    return window;
  }
}
