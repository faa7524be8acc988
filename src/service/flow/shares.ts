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
 * Whether somebody gets another place: those who have none get one while any is free, the others only while they have few beside the
 * free ones. So the stuck work of a few never occupies the last places.
 * @param share how many places somebody can have for each that is free: with 1 half of all, and the next half of the rest
 */
export function getsAnother(held: number, free: number, share: number): boolean {
  return held === 0 ? free > 0 : free > 1 && held < free * share;
}

/** Counts the places that somebody has, by name. */
export class Holders {
  readonly #counts: Map<string, number>;

  constructor(counts: ReadonlyMap<string, number> = new Map()) {
    this.#counts = new Map(counts);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, change: 1 | -1): void {
    const count = this.of(name) + change;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }

  copy(): Holders {
    return new Holders(this.#counts);
  }
}

/** The places that an account of a `FairSemaphore` can have for each that is free. Of 16 places, a single account has at most 12. */
const shareOfAccount = 3;

/** A semaphore whose places are shared fairly among accounts. A place that becomes free goes to the account with the fewest. */
export class FairSemaphore {
  #free: number;
  readonly #held = new Holders();
  #waiting: { readonly account: string; readonly enter: () => void }[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** How many places are free. */
  get free(): number {
    return this.#free;
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

  #mayEnter(account: string): boolean {
    return getsAnother(this.#held.of(account), this.#free, shareOfAccount);
  }

  #enter(account: string): void {
    this.#held.add(account, 1);
    this.#free--;
  }

  #leave(account: string): void {
    this.#held.add(account, -1);
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
      (best, each) => (best && this.#held.of(best.account) <= this.#held.of(each.account) ? best : each),
      undefined,
    );
  }
}
