import { ApiError } from '../errors.ts';

/** Does the work of some items together. */
export interface SharedWork<Item, Result> {
  /**
   * Does the work. What it throws concerns all items, and nothing took effect.
   * @param take takes the items at the first call. Items that arrive before it are among them
   * @returns the outcome of each item, in order. Items at the end without an outcome wait for the next time
   */
  readonly work: (take: () => readonly Item[]) => Promise<readonly PromiseSettledResult<Result>[]>;
  /** The number of waiting items to take, at least 1. */
  readonly count: (waiting: readonly Item[]) => number;
  /** Waits before items are taken, so that more can arrive. */
  readonly pause?: () => Promise<void>;
  /** How to go on when the work of several items has thrown. By default `unlessRefused`. */
  readonly again?: (error: unknown, items: readonly Item[]) => Again<Item>;
}

/** How to go on: all items fail; each is tried alone, one after the other; or these groups are tried at the same time. */
export type Again<Item> = 'never' | 'each alone' | readonly (readonly Item[])[];

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Lets items that arrive meanwhile share work that costs the same for one as for many, such as a transaction. Items with the same
 * key are worked on one group after the other, in the order in which they arrived. When the work of a group fails, it is done again
 * for each item alone, so that the others succeed.
 */
export class Together<Item, Result> {
  readonly #shared: SharedWork<Item, Result>;
  /** A queue exists while its items are worked on. */
  readonly #queues = new Map<string, Waiting<Item, Result>[]>();
  readonly #drains = new Map<string, Promise<void>>();

  constructor(shared: SharedWork<Item, Result>) {
    this.#shared = shared;
  }

  /** Does the work of an item. @param key only items with the same key are worked on together */
  run(item: Item, key = ''): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject };
      const queue = this.#queues.get(key);
      if (queue) return void queue.push(waiting);
      const fresh = [waiting];
      this.#queues.set(key, fresh);
      this.#drains.set(key, this.#drain(key, fresh));
    });
  }

  /** Resolves once nothing is waiting or worked on. */
  async idle(): Promise<void> {
    while (this.#drains.size > 0) await Promise.all(this.#drains.values());
  }

  async #drain(key: string, queue: Waiting<Item, Result>[]): Promise<void> {
    const { count, pause } = this.#shared;
    while (queue.length > 0) {
      if (pause) await pause();
      let group: readonly Waiting<Item, Result>[] | undefined;
      const take = () => (group ??= queue.splice(0, count(queue.map(({ item }) => item))));
      queue.unshift(...(await this.#do(take)));
    }
    // Deleted without an await after the last check, so that an item that arrives later starts a new queue.
    this.#queues.delete(key);
    this.#drains.delete(key);
  }

  /** Does the work of a group. @returns the items that wait for the next time */
  async #do(take: () => readonly Waiting<Item, Result>[]): Promise<readonly Waiting<Item, Result>[]> {
    try {
      const outcomes = await this.#shared.work(() => take().map(({ item }) => item));
      const group = take();
      if (outcomes.length === 0) throw new Error('No item was worked on');
      for (const [index, outcome] of outcomes.entries()) settle(group[index] as Waiting<Item, Result>, outcome);
      return group.slice(outcomes.length);
    } catch (error) {
      return await this.#doAgain(take(), error);
    }
  }

  async #doAgain(group: readonly Waiting<Item, Result>[], error: unknown): Promise<readonly Waiting<Item, Result>[]> {
    const { again = unlessRefused } = this.#shared;
    const items = group.map(({ item }) => item);
    const how = group.length === 1 ? 'never' : again(error, items);
    if (how === 'never') {
      for (const { reject } of group) reject(error);
      return [];
    }
    if (how !== 'each alone')
      return (await Promise.all(how.map((some) => this.#do(() => group.filter(({ item }) => some.includes(item)))))).flat();
    // All at once, they would fill the connections to the database and wait for the same rows.
    for (const waiting of group) await this.#do(() => [waiting]);
    return [];
  }
}

function settle<Item, Result>({ resolve, reject }: Waiting<Item, Result>, outcome: PromiseSettledResult<Result>): void {
  if (outcome.status === 'fulfilled') resolve(outcome.value);
  else reject(outcome.reason);
}

/** Tries each item alone, unless the error is not of one of them: the store is busy, or cannot be reached. */
export function unlessRefused(error: unknown): 'never' | 'each alone' {
  return error instanceof ApiError ? 'never' : 'each alone';
}

/** The outcome of an item whose work was done. */
export function done<Result>(value: Result): PromiseFulfilledResult<Result> {
  return { status: 'fulfilled', value };
}

/** The outcome of an item whose work failed, while that of the others was done. */
export function failed(reason: unknown): PromiseRejectedResult {
  return { status: 'rejected', reason };
}
