import { readNow } from '../clock/state.ts';
import { ApiError } from '../errors.ts';
import type { Db } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import type { Finish, Job } from './job.ts';

/** How many jobs at most end in one transaction. Alone, each would contend for the same counters. */
const endedAtOnce = 64;

/** After how many attempts a failing job is given up. */
const maxAttempts = 10;

/** How long a failed job waits before its next attempt, in milliseconds of the service's clock. */
export function backoff(attempts: number): number {
  return Math.min(1000 * 2 ** (attempts - 1), 300_000);
}

/** A job that has run, with whoever waits until its end is written. */
interface Ended {
  readonly job: Job;
  readonly finish: Finish | undefined;
  readonly isLarge: boolean;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Writes the ends of one runner's jobs: those that end at the same time share a transaction. */
export class Endings {
  readonly #store: Store;
  readonly #owner: string;
  readonly #realNow: () => number;
  readonly #waiting: Ended[] = [];
  #writing: Promise<void> | null = null;

  /** @param owner of the jobs' leases */
  constructor(store: Store, owner: string, realNow: () => number) {
    this.#store = store;
    this.#owner = owner;
    this.#realNow = realNow;
  }

  /** Removes a job from the queue and finishes it, in one transaction. Resolves once that is durable. */
  async end(job: Job, finish: Finish | undefined, isLarge: boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ job, finish, isLarge, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Makes a failed job due again later, or gives it up after its last attempt. */
  async postpone(job: Job, error: unknown): Promise<void> {
    // A store that is busy says nothing about the job.
    const isGivenUp = job.attempt >= maxAttempts && !(error instanceof ApiError && error.status === 503);
    await this.#store.write(async (db) => {
      const dueAt = (await readNow(db, this.#realNow())) + backoff(job.attempt);
      await db
        .updateTable('jobs')
        .set({ lease_owner: null, lease_until: 0, due_at: dueAt, failure: isGivenUp ? String((error as Error).message) : null })
        .where('id', '=', job.id)
        .where('lease_owner', '=', this.#owner)
        .execute();
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#write(this.#waiting.splice(0, this.#nextCount()));
    // In the same step as the last check: a job that ends one step later starts anew.
    this.#writing = null;
  }

  /** How many of the waiting ends are written next: the small ones before the first large one, or that one alone. */
  #nextCount(): number {
    const large = this.#waiting.slice(0, endedAtOnce).findIndex(({ isLarge }) => isLarge);
    return large < 0 ? endedAtOnce : Math.max(1, large);
  }

  async #write(ended: readonly Ended[]): Promise<void> {
    try {
      await this.#store.write(async (db) => {
        const now = await readNow(db, this.#realNow());
        for (const each of ended) await this.#writeOne(db, each, now);
      });
      for (const { resolve } of ended) resolve();
    } catch (error) {
      // One of them failed; alone, the others do not.
      if (ended.length === 1) ended[0]?.reject(error);
      else for (const each of ended) await this.#write([each]);
    }
  }

  async #writeOne(db: Db, { job, finish }: Ended, now: number): Promise<void> {
    const { numDeletedRows } = await db
      .deleteFrom('jobs')
      .where('id', '=', job.id)
      .where('lease_owner', '=', this.#owner)
      .executeTakeFirst();
    // Another process took the job over, or its account was deleted: this run does not count.
    if (numDeletedRows === 0n) return;
    await finish?.(db, now);
  }
}
