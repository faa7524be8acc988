import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../errors.ts';
import type { Db } from './database.ts';
import type { Store } from './store.ts';

/** How many pieces of work at the most share a transaction. */
const batchSize = 128;

/** Does several pieces of work in one transaction: the outcome of each, in their order. An ApiError concerns its piece alone. */
export type BatchWork<Item, Result> = (db: Db, items: readonly Item[]) => Promise<(Result | ApiError)[]>;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Collects what arrives at the same time, or while an earlier batch is written, and does it in one transaction: what
 * every piece would read and write by itself, such as a balance, is then read and written once for all.
 */
export class Batches<Item, Result> {
  readonly #store: Store;
  readonly #waiting = new Map<string, Waiting<Item, Result>[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** @param key whose pieces may share a transaction; all of one key have the same `work` */
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
    // In the same step as the last look: who comes a step later begins anew.
    this.#waiting.delete(key);
  }

  async #do(batch: readonly Waiting<Item, Result>[], work: BatchWork<Item, Result>): Promise<void> {
    try {
      const items = batch.map(({ item }) => item);
      const outcomes = await this.#store.write((db) => work(db, items));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index] as Result | ApiError;
        if (outcome instanceof ApiError) reject(outcome);
        else resolve(outcome);
      }
    } catch (error) {
      // A store that is busy or gone refuses each alike; else one of them is the reason, and by themselves the others do not fail.
      if (batch.length === 1 || isUnavailable(error)) for (const { reject } of batch) reject(error);
      else for (const each of batch) await this.#do([each], work);
    }
  }
}

/** Whether the store, and not the work, is the reason: an answer of its own, or a failure of the way to it. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof ApiError) return true;
  const { code, message } = error as { code?: unknown; message?: string };
  return /^(E[A-Z]+|08...|53...|57...)$/.test(String(code)) || /timeout|terminated/i.test(message ?? '');
}
