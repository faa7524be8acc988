import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../errors.ts';
import { done, failed, Together, unlessRefused } from '../flow/together.ts';
import type { Db } from './database.ts';
import { type Store, StoreBusy } from './store.ts';

/** The maximum number of items that share a transaction. */
const batchSize = 128;

/**
 * Does the work for several items in one transaction. @returns the results, in order. An ApiError as a result fails only its item
 */
export type BatchWork<Item, Result> = (db: Db, items: readonly Item[]) => Promise<(Result | ApiError)[]>;

interface Batched<Item, Result> {
  readonly item: Item;
  readonly work: BatchWork<Item, Result>;
}

/**
 * Collects items that arrive at the same time, or while an earlier batch is being written, and does their work in one
 * transaction. Shared data, such as a balance, is then read and written only once.
 */
export class Batches<Item, Result> {
  readonly #together: Together<Batched<Item, Result>, Result>;

  /** @param accountOf the account that an item's work changes */
  constructor(store: Store, accountOf: (item: Item) => string) {
    this.#together = new Together({
      pause: () => nextTurn(),
      count: () => batchSize,
      work: async (take) => {
        // Items are taken as late as possible, because more arrive while the transaction begins.
        const items = () => take().map(({ item }) => item);
        const work = (db: Db) => (take()[0] as Batched<Item, Result>).work(db, items());
        const results = await store.write(work, { accounts: () => [...new Set(items().map(accountOf))] });
        return results.map((result) => (result instanceof ApiError ? failed(result) : done(result)));
      },
      // Perhaps only one of the accounts is busy. Those of the others do not wait for it again.
      again: (error, batched) => {
        const ofAccounts = [...Map.groupBy(batched, ({ item }) => accountOf(item)).values()];
        return error instanceof StoreBusy && ofAccounts.length > 1 ? ofAccounts : unlessRefused(error);
      },
    });
  }

  /** Does the work for an item. @param key items with the same key may share a transaction, and must have the same `work` */
  async run(key: string, item: Item, work: BatchWork<Item, Result>): Promise<Result> {
    return await this.#together.run({ item, work }, key);
  }
}
