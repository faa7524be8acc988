import { setTimeout as sleep } from 'node:timers/promises';
import { iso, lastInstant } from '../../contract/time/instants.ts';
import { lockState, updateState } from '../clock/state.ts';
import { type ServiceState, serviceState } from '../clock/table.ts';
import { ApiError, invalidField } from '../errors.ts';
import type { Db } from '../store/database.ts';
import { locksRows } from '../store/prepared.ts';
import type { Store } from '../store/store.ts';
import type { Job, ToldFields } from './job.ts';
import type { LeasedJob, Leases } from './leases.ts';
import { freeJobs, hasAccount } from './queue.ts';

/** A job that ran during an advance of the clock. */
export interface Fired extends ToldFields {
  readonly kind: string;
  readonly id: string;
  readonly at: string;
}

const running = () => new ApiError(409, 'Another advance of the clock is running');

/** Advances a frozen clock. Meanwhile, no other runner leases jobs. */
export class ClockAdvance {
  readonly #store: Store;
  readonly #leases: Leases;
  readonly #realNow: () => number;
  #isRunning = false;

  constructor(store: Store, leases: Leases, realNow: () => number) {
    this.#store = store;
    this.#leases = leases;
    this.#realNow = realNow;
  }

  /** Whether this process is advancing the clock. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * Advances the clock. Stops at each instant at which a job falls due, and runs the job to completion.
   * @param untilLeased waits for a lease operation in progress
   * @param run runs a job to completion, and returns what is told of it
   * @throws ApiError 400 when the clock is not frozen, 409 while another advance is running
   */
  async run(
    seconds: number,
    untilLeased: () => Promise<void>,
    run: (job: Job) => Promise<ToldFields>,
  ): Promise<{ now: number; fired: Fired[] }> {
    const start = await this.#store.write((db) => this.#claim(db, seconds));
    this.#isRunning = true;
    try {
      await untilLeased();
      await this.#awaitLeases();
      const target = start + Math.round(seconds * 1000);
      const fired = await this.#fireUntil(target, run);
      await this.#store.write((db) => this.#updateClaimed(db, { clock_reading: target }));
      return { now: target, fired };
    } finally {
      this.#isRunning = false;
      await this.#store.write((db) => this.#updateClaimed(db, { advance_owner: null, advance_until: 0 }));
    }
  }

  /** Renews the claim on the clock, in a transaction. */
  async renew(db: Db): Promise<void> {
    if (this.#isRunning) await this.#updateClaimed(db, { advance_until: this.#leases.until });
  }

  async #claim(db: Db, seconds: number): Promise<number> {
    const state = await lockState(db);
    if (!state.clock_frozen)
      throw new ApiError(400, 'The clock is not frozen: freeze it first with {"frozen": true} or {"now": …}', { reason: 'clock_running' });
    if (state.clock_reading + seconds * 1000 > lastInstant) throw invalidField('seconds', `the clock cannot go beyond ${iso(lastInstant)}`);
    if (state.advance_until > this.#realNow()) throw running();
    await updateState(db, { advance_owner: this.#leases.owner, advance_until: this.#leases.until });
    return state.clock_reading;
  }

  /** Changes the state if this runner still holds the claim. */
  async #updateClaimed(db: Db, change: Partial<ServiceState>): Promise<void> {
    await db.updateTable('service_state').set(serviceState.encode(change)).where('advance_owner', '=', this.#leases.owner).execute();
  }

  /** Waits for all jobs that were leased before the advance. */
  async #awaitLeases(): Promise<void> {
    const isLeased = () =>
      this.#store.read((db) =>
        db
          .selectFrom('jobs')
          .select('id')
          .where('lease_owner', 'is not', null)
          .where('lease_until', '>', this.#realNow())
          .where(hasAccount)
          .limit(1)
          .executeTakeFirst(),
      );
    while (await isLeased()) await sleep(10);
  }

  async #fireUntil(target: number, run: (job: Job) => Promise<ToldFields>): Promise<Fired[]> {
    const fired: Fired[] = [];
    for (;;) {
      const step = await this.#store.write((db) => this.#step(db, target));
      if (!step) return fired;
      fired.push({ kind: step.job.kind, id: step.job.id, at: iso(step.instant), ...(await run(step.job)) });
    }
  }

  /** Advances the clock to the next job and leases the job; undefined when no job falls due by `target`. */
  async #step(db: Db, target: number): Promise<{ instant: number; job: LeasedJob } | undefined> {
    const { clock_reading: reading, hold, advance_owner: owner } = await lockState(db);
    // The claim looks expired to another process when the wall clock jumps.
    if (owner !== this.#leases.owner) throw running();
    const first = freeJobs(db, target, hold, this.#realNow()).limit(1);
    const next = await (locksRows(db) ? first.forUpdate('jobs') : first).executeTakeFirst();
    // The first job was deleted while this transaction waited for its lock.
    if (!next && (await first.executeTakeFirst())) return await this.#step(db, target);
    if (!next) return undefined;
    const instant = Math.max(reading, next.due_at);
    await updateState(db, { clock_reading: instant, advance_until: this.#leases.until });
    const [job] = await this.#leases.take(db, [next]);
    return job && { instant, job };
  }
}
