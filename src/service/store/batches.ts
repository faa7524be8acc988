import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../errors.ts';
import type { Db } from './database.ts';
import { KeyedQueues } from './keyed-queues.ts';
import { type Store, StoreBusy } from './store.ts';

/** The maximum number of items that share a transaction. */
const batchSize = 128;

/**
 * Does the work for several items in one transaction. @returns the results, in order. An ApiError as a result fails only its item
 */
export type BatchWork<Item, Result> = (db: Db, items: readonly Item[]) => Promise<(Result | ApiError)[]>;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Collects items that arrive at the same time, or while an earlier batch is being written, and does their work in one
 * transaction. Shared data, such as a balance, is then read and written only once.
 */
export class Batches<Item, Result> {
  readonly #store: Store;
  readonly #accountOf: (item: Item) => string;
  readonly #waiting = new KeyedQueues<Waiting<Item, Result>>();

  /** @param accountOf the account that an item's work changes */
  constructor(store: Store, accountOf: (item: Item) => string) {
    this.#store = store;
    this.#accountOf = accountOf;
  }

  /** Does the work for an item. @param key items with the same key may share a transaction, and must have the same `work` */
  run(key: string, item: Item, work: BatchWork<Item, Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.add(key, { item, resolve, reject }, (waiting) => nextTurn().then(() => this.#doNext(waiting, work)));
    });
  }

  /** Does the work for waiting items, and removes them from the queue. */
  async #doNext(waiting: Waiting<Item, Result>[], work: BatchWork<Item, Result>): Promise<void> {
    let taken: readonly Waiting<Item, Result>[] | undefined;
    // Items are taken as late as possible, because more arrive while the transaction begins. A repeated transaction has the same
    // items.
    const take = () => (taken ??= waiting.splice(0, batchSize));
    const accounts = () => [...new Set(take().map(({ item }) => this.#accountOf(item)))];
    const items = () => take().map(({ item }) => item);
    try {
      const outcomes = await this.#store.write((db) => work(db, items()), { accounts });
      settle(take(), outcomes);
    } catch (error) {
      const failed = take();
      // Perhaps only one of the accounts is busy.
      if (error instanceof StoreBusy && accounts().length > 1) return await this.#doApart(failed, work);
      // If the store is busy or unreachable, every item fails. Otherwise one item is the cause: each item is then repeated
      // individually, so that the others succeed.
      if (failed.length === 1 || error instanceof ApiError) for (const { reject } of failed) reject(error);
      else for (const each of failed) await this.#doNext([each], work);
    }
  }

  /** Does the work for items in a separate transaction for each account. */
  async #doApart(items: readonly Waiting<Item, Result>[], work: BatchWork<Item, Result>): Promise<void> {
    const ofAccounts = Map.groupBy(items, ({ item }) => this.#accountOf(item));
    await Promise.all(
      [...ofAccounts.values()].map(async (waiting) => {
        while (waiting.length > 0) await this.#doNext(waiting, work);
      }),
    );
  }
}

function settle<Item, Result>(items: readonly Waiting<Item, Result>[], outcomes: readonly (Result | ApiError)[]): void {
  for (const [index, { resolve, reject }] of items.entries()) {
    const outcome = outcomes[index] as Result | ApiError;
    if (outcome instanceof ApiError) reject(outcome);
    else resolve(outcome);
  }
}
