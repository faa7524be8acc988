import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../errors.ts';
import type { Db } from './database.ts';
import type { Store } from './store.ts';

/** The maximum number of items that share a transaction. */
const batchSize = 128;

/** Does the work of several items in one transaction. @returns their results in order; an ApiError as a result fails only its item */
export type BatchWork<Item, Result> = (db: Db, items: readonly Item[]) => Promise<(Result | ApiError)[]>;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Collects items that arrive at the same time, or while an earlier batch is written, and does their work in one
 * transaction. Shared data, such as a balance, is then read and written once.
 */
export class Batches<Item, Result> {
  readonly #store: Store;
  readonly #accountOf: (item: Item) => string;
  readonly #waiting = new Map<string, Waiting<Item, Result>[]>();

  /** @param accountOf the account that an item's work changes */
  constructor(store: Store, accountOf: (item: Item) => string) {
    this.#store = store;
    this.#accountOf = accountOf;
  }

  /** Does the work of an item. @param key items with the same key may share a transaction; they have the same `work` */
  run(key: string, item: Item, work: BatchWork<Item, Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const waiting = this.#waiting.get(key);
      const piece = { item, resolve, reject };
      if (waiting) waiting.push(piece);
      else {
        const fresh = [piece];
        this.#waiting.set(key, fresh);
        void this.#drain(key, fresh, work);
      }
    });
  }

  async #drain(key: string, waiting: Waiting<Item, Result>[], work: BatchWork<Item, Result>): Promise<void> {
    while (waiting.length > 0) {
      await nextTurn();
      await this.#do(waiting.splice(0, batchSize), work);
    }
    // Deleted without an await after the last check, so that an item that arrives later starts a new batch.
    this.#waiting.delete(key);
  }

  async #do(batch: readonly Waiting<Item, Result>[], work: BatchWork<Item, Result>): Promise<void> {
    try {
      const items = batch.map(({ item }) => item);
      const accounts = [...new Set(items.map(this.#accountOf))];
      const outcomes = await this.#store.write((db) => work(db, items), { accounts });
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index] as Result | ApiError;
        if (outcome instanceof ApiError) reject(outcome);
        else resolve(outcome);
      }
    } catch (error) {
      // If the store is busy or unreachable, every item fails. Otherwise one item is the cause, and the others succeed one by one.
      if (batch.length === 1 || error instanceof ApiError) for (const { reject } of batch) reject(error);
      else for (const each of batch) await this.#do([each], work);
    }
  }
}
