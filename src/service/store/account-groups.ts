import { done, failed, Together } from '../flow/together.ts';
import type { Db } from './database.ts';
import { dbIn, type PostgresTransaction } from './postgres-client.ts';
import type { WriteOptions } from './store.ts';

/** The maximum number of transactions that share a commit. Up to 64 savepoints in a transaction are cheap for PostgreSQL. */
const groupSize = 32;

interface AccountWork {
  readonly account: string;
  readonly work: (db: Db) => Promise<unknown>;
}

type Transact = <Result>(work: (transaction: PostgresTransaction) => Promise<Result>, options: WriteOptions) => Promise<Result>;

/**
 * Lets transactions of an account share a commit. They cannot run concurrently, because each locks the row of the account until
 * its commit is on the disk. So transactions that arrive in the meantime run next as a group, sequentially, each under a
 * savepoint.
 */
export class AccountGroups {
  readonly #together: Together<AccountWork, unknown>;

  constructor(transact: Transact) {
    const commit = async (take: () => readonly AccountWork[]) => {
      const group = take();
      const [{ account }] = group as [AccountWork];
      const outcomesIn = async (transaction: PostgresTransaction) => {
        const outcomes: PromiseSettledResult<unknown>[] = [];
        for (const { work } of group)
          outcomes.push(group.length === 1 ? done(await work(dbIn(transaction))) : await underSavepoint(transaction, work));
        return outcomes;
      };
      // When the connection is lost, the changes may have taken effect: the error is an ApiError then, so that they are not repeated.
      return await transact(outcomesIn, { accounts: [account] });
    };
    this.#together = new Together({ work: commit, count: () => groupSize });
  }

  /** Runs a transaction on an account. Resolves once it is durable. */
  async run<Result>(account: string, work: (db: Db) => Promise<Result>): Promise<Result> {
    return (await this.#together.run({ account, work }, account)) as Result;
  }
}

/** Runs one transaction of a group. */
async function underSavepoint(
  transaction: PostgresTransaction,
  work: (db: Db) => Promise<unknown>,
): Promise<PromiseSettledResult<unknown>> {
  transaction.send('savepoint one');
  try {
    const value = await work(dbIn(transaction));
    transaction.send('release savepoint one');
    return done(value);
  } catch (error) {
    // PostgreSQL refuses every statement after a failed one, so the whole group fails.
    if (transaction.failure !== undefined) throw error;
    transaction.send('rollback to savepoint one');
    transaction.send('release savepoint one');
    return failed(error);
  }
}
