import { ApiError } from '../errors.ts';
import type { Db } from './database.ts';
import { KeyedQueues } from './keyed-queues.ts';
import { dbIn, type PostgresTransaction } from './postgres-client.ts';
import type { WriteOptions } from './store.ts';

/** The maximum number of transactions that share a commit. Up to 64 savepoints in a transaction are cheap for PostgreSQL. */
const groupSize = 32;

interface Waiting {
  readonly work: (db: Db) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

type Transact = <Result>(work: (transaction: PostgresTransaction) => Promise<Result>, options: WriteOptions) => Promise<Result>;

/**
 * Lets transactions of an account share a commit. They cannot run concurrently, because each locks the row of the account until
 * its commit is on the disk. So transactions that arrive in the meantime run next as a group, sequentially, each under a
 * savepoint.
 */
export class AccountGroups {
  readonly #transact: Transact;
  readonly #waiting = new KeyedQueues<Waiting>();

  constructor(transact: Transact) {
    this.#transact = transact;
  }

  /** Runs a transaction on an account. Resolves once it is durable. */
  run<Result>(account: string, work: (db: Db) => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const next = { work, resolve: resolve as (value: unknown) => void, reject };
      this.#waiting.add(account, next, (waiting) => this.#commit(account, waiting.splice(0, groupSize)));
    });
  }

  async #commit(account: string, group: readonly Waiting[]): Promise<void> {
    const [first, ...others] = group;
    if (first && others.length === 0) return await this.#commitOne(account, first);
    try {
      const settled = await this.#transact(
        async (transaction) => {
          const outcomes: (() => void)[] = [];
          for (const waiting of group) outcomes.push(await runUnderSavepoint(transaction, waiting));
          return outcomes;
        },
        { accounts: [account] },
      );
      for (const settle of settled) settle();
    } catch (error) {
      // The store is busy, or the connection was lost. In the latter case the changes may have taken effect, so they must not be
      // repeated.
      if (error instanceof ApiError) return group.forEach(({ reject }) => reject(error));
      // A statement that was sent without awaiting its result has failed, so the transaction was rolled back. Each then runs in
      // its own transaction.
      for (const waiting of group) await this.#commitOne(account, waiting);
    }
  }

  async #commitOne(account: string, { work, resolve, reject }: Waiting): Promise<void> {
    await this.#transact((transaction) => work(dbIn(transaction)), { accounts: [account] }).then(resolve, reject);
  }
}

/** Runs one transaction of a group. @returns a function that settles the caller's promise, to be called after the commit */
async function runUnderSavepoint(transaction: PostgresTransaction, { work, resolve, reject }: Waiting): Promise<() => void> {
  transaction.send('savepoint one');
  try {
    const value = await work(dbIn(transaction));
    transaction.send('release savepoint one');
    return () => resolve(value);
  } catch (error) {
    // PostgreSQL refuses every statement after a failed one, so the whole group fails.
    if (transaction.failure !== undefined) throw error;
    transaction.send('rollback to savepoint one');
    transaction.send('release savepoint one');
    return () => reject(error);
  }
}
