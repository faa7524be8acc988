import { readNow } from '../clock/state.ts';
import { ApiError } from '../errors.ts';
import { done, Together } from '../flow/together.ts';
import type { Db } from '../store/database.ts';
import { alsoHas, isAmong } from '../store/is-among.ts';
import { prepared } from '../store/prepared.ts';
import type { Store } from '../store/store.ts';
import type { Finish, Job, JobDefinition, SharedFinish } from './job.ts';

/** The maximum number of jobs that end in one transaction. Separate transactions would contend for the same counters. */
const endedAtOnce = 64;

/** The number of attempts after which a failing job is given up. */
const maxAttempts = 10;

/** The delay before the next attempt of a job, in milliseconds (rule sandbox.31). */
function backoff(attempts: number): number {
  // Capped, because a busy store does not count as a failure, so the number of attempts is unlimited.
  return 1000 * 2 ** Math.min(attempts - 1, 8);
}

/** A job that has run. */
interface Ended {
  readonly job: Job;
  readonly finish: Finish | SharedFinish | undefined;
  readonly isLarge: boolean;
  readonly isDurable: boolean;
}

/** Stores the end of a runner's jobs. Jobs that end at the same time share a transaction. */
export class Endings {
  readonly #store: Store;
  readonly #owner: string;
  readonly #realNow: () => number;
  readonly #together = new Together<Ended, void>({
    count: nextCount,
    work: (take) => this.#write(take()),
    // Whatever went wrong, one of them can be the cause.
    again: () => 'each alone',
  });

  /** @param owner the owner of the jobs' leases */
  constructor(store: Store, owner: string, realNow: () => number) {
    this.#store = store;
    this.#owner = owner;
    this.#realNow = realNow;
  }

  /** Removes a job from the queue and finishes it, in one transaction. Resolves once the transaction is durable. */
  async end(
    job: Job,
    finish: Finish | SharedFinish | undefined,
    { isLarge, isDurable = true }: Pick<JobDefinition, 'isLarge' | 'isDurable'>,
  ): Promise<void> {
    await this.#together.run({ job, finish, isLarge: isLarge?.(job) ?? false, isDurable });
  }

  /** Removes a job from the queue, within a transaction. @returns false when it is not leased by this owner any more */
  async remove(db: Db, id: string): Promise<boolean> {
    return (await removeJobs(db, { ids: JSON.stringify([id]), owner: this.#owner })).length > 0;
  }

  /** Lets any process run a job of this owner. @param waitUntil the earliest time, in real epoch milliseconds */
  async release(id: string, waitUntil = 0): Promise<void> {
    await this.#store.write((db) =>
      db
        .updateTable('jobs')
        .set({ lease_owner: null, lease_until: waitUntil })
        .where('id', '=', id)
        .where('lease_owner', '=', this.#owner)
        .execute(),
    );
  }

  /**
   * Reschedules a failed job by the service's clock. After its last attempt, gives the job up and applies the changes of `giveUp`.
   * A busy or unreachable store is not a failure of the job: it stays due, and waits in real time, because the clock may be frozen.
   */
  async postpone(job: Job, error: unknown, giveUp: Finish | undefined): Promise<void> {
    if (error instanceof ApiError && error.status === 503) return await this.release(job.id, this.#realNow() + backoff(job.attempt));
    const isGivenUp = job.attempt >= maxAttempts;
    await this.#store.write(
      async (db) => {
        const now = await readNow(db, this.#realNow());
        const failure = isGivenUp ? String((error as Error).message) : null;
        const { numUpdatedRows } = await db
          .updateTable('jobs')
          .set({ lease_owner: null, lease_until: 0, due_at: now + backoff(job.attempt), failure })
          .where('id', '=', job.id)
          .where('lease_owner', '=', this.#owner)
          .executeTakeFirst();
        // If not updated, another process has taken over the job.
        if (isGivenUp && numUpdatedRows > 0n) await giveUp?.(db, now);
      },
      { accounts: isGivenUp && giveUp && job.accountId !== null ? [job.accountId] : [] },
    );
  }

  async #write(ended: readonly Ended[]): Promise<PromiseSettledResult<void>[]> {
    const others = ended.flatMap(({ finish }) => (typeof finish === 'object' ? finish.accounts : []));
    const accounts = [...new Set([...ended.flatMap(({ job }) => job.accountId ?? []), ...others])];
    await this.#store.write(
      async (db) => {
        const now = await readNow(db, this.#realNow());
        await this.#writeTogether(db, ended, now);
      },
      { accounts, isDurable: ended.some(({ isDurable }) => isDurable) },
    );
    return ended.map(() => done(undefined));
  }

  async #writeTogether(db: Db, ended: readonly Ended[], now: number): Promise<void> {
    const ids = JSON.stringify(ended.map(({ job }) => job.id));
    // A job is missing when another process took it over, or its account was deleted. This run then has no effect.
    const removed = new Set((await removeJobs(db, { ids, owner: this.#owner })).map(({ id }) => id));
    const shared = new Map<SharedFinish['finishAll'], unknown[]>();
    for (const { job, finish } of ended) {
      if (!removed.has(job.id) || !finish) continue;
      if (typeof finish === 'function') await finish(db, now);
      else shared.set(finish.finishAll, [...(shared.get(finish.finishAll) ?? []), finish.result]);
    }
    for (const [finishAll, results] of shared) await finishAll(db, results, now);
  }
}

/** The number of ends to write next: either the small ones before the first large one, or a single large one. */
function nextCount(waiting: readonly Ended[]): number {
  const large = waiting.slice(0, endedAtOnce).findIndex(({ isLarge }) => isLarge);
  return large < 0 ? endedAtOnce : Math.max(1, large);
}

const removeJobs = prepared<{ ids: string; owner: string }, { id: string }>((db, $) =>
  db
    .deleteFrom('jobs')
    .where(isAmong(db, 'id', $.ids))
    .where(alsoHas(db, 'lease_owner', $.owner))
    .returning('id'),
);
