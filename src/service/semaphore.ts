/** Limits how much work is done at the same time. Other work waits, in the order of the calls. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs work when a place is free. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

/**
 * A semaphore whose places are shared fairly among accounts. An account gets another place while it has fewer than three times
 * the number of free places, and gets the last place only if it has none. Of 16 places, a single account holds at most 12; of 3,
 * at most 2. A place that becomes free goes to the account with the fewest places.
 */
export class FairSemaphore {
  #free: number;
  readonly #held = new Map<string, number>();
  #waiting: { readonly account: string; readonly enter: () => void }[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Runs an account's work when a place is free for it.
   * @param signal ends the waiting. @throws its reason, when it is aborted before the work begins
   */
  async run<Result>(account: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.#mayEnter(account)) this.#enter(account);
    else await this.#wait(account, signal);
    try {
      return await work();
    } finally {
      this.#leave(account);
    }
  }

  async #wait(account: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve: enter, reject } = Promise.withResolvers<void>();
    const waiting = { account, enter };
    const leave = () => {
      this.#waiting = this.#waiting.filter((each) => each !== waiting);
      reject(signal?.reason as Error);
    };
    this.#waiting.push(waiting);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  #heldBy(account: string): number {
    return this.#held.get(account) ?? 0;
  }

  #mayEnter(account: string): boolean {
    const held = this.#heldBy(account);
    return held === 0 ? this.#free > 0 : this.#free > 1 && held < 3 * this.#free;
  }

  #enter(account: string): void {
    this.#held.set(account, this.#heldBy(account) + 1);
    this.#free--;
  }

  #leave(account: string): void {
    const left = this.#heldBy(account) - 1;
    if (left > 0) this.#held.set(account, left);
    else this.#held.delete(account);
    this.#free++;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { account: entering, enter } = next;
      this.#waiting = this.#waiting.filter((each) => each !== next);
      this.#enter(entering);
      enter();
    }
  }

  /** Chooses the next in line: of those that may enter, the first of the account with the fewest places. */
  #next() {
    const allowed = this.#waiting.filter(({ account }) => this.#mayEnter(account));
    return allowed.reduce<(typeof allowed)[number] | undefined>(
      (best, each) => (best && this.#heldBy(best.account) <= this.#heldBy(each.account) ? best : each),
      undefined,
    );
  }
}
