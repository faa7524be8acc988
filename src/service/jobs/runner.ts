import { setTimeout as sleep } from 'node:timers/promises';
import { readClock } from '../clock/clock.ts';
import { lockStateShared, readState } from '../clock/state.ts';
import type { Db } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { ApiError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { ClockAdvance, type Fired } from './advance.ts';
import { chooseJobs } from './choose.ts';
import { Endings } from './endings.ts';
import type { Job, JobDefinition, JobDefinitions } from './job.ts';
import { Lanes } from './lanes.ts';
import { leaseLength, type LeasedJob, Leases, releaseLeases } from './leases.ts';
import { dueJobs, enqueueLeased, freeJobs, type NewJob } from './queue.ts';

/** The interval at which the leases of running jobs are renewed, in real milliseconds. */
const heartbeat = leaseLength / 4;

/** The interval at which the store is checked for jobs of other processes, in real milliseconds. */
const pollInterval = 500;

/** How long to wait for a store that cannot be reached, in real milliseconds. */
const storePause = 250;

/** The maximum number of jobs that a process runs at the same time. Most of them wait for another server. */
const concurrency = 512;

/** Leases due jobs from the store and runs them in this process. */
export class JobRunner {
  readonly #parts: Parts;
  readonly #store: Store;
  readonly #definitions: JobDefinitions;
  readonly #realNow: () => number;
  readonly #report: (error: unknown) => void;
  readonly #leases: Leases;
  readonly #endings: Endings;
  readonly #advance: ClockAdvance;
  readonly #lanes = new Lanes(concurrency);
  /** The running jobs, by id. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #heartbeat: NodeJS.Timeout;
  #finished = 0;
  #started = false;
  #stopped = false;
  /** Whether the running jobs were released. Their results no longer have any effect here. */
  #isOver = false;
  #timer: NodeJS.Timeout | null = null;
  #looping = false;
  /** Whether a job was queued while the loop was looking for jobs. */
  #again = false;
  #leasing: Promise<void> | null = null;
  /** The time, by the service's clock, at which all due jobs were refused a place. They wait until another job ends. */
  #refusedAt: number | null = null;

  /** @param report called for errors in the background */
  constructor(parts: Parts, definitions: JobDefinitions, report: (error: unknown) => void) {
    const { store, realNow } = parts;
    this.#parts = parts;
    this.#store = store;
    this.#definitions = definitions;
    this.#realNow = realNow;
    this.#report = report;
    this.#leases = new Leases(realNow);
    this.#endings = new Endings(store, this.#leases.owner, realNow);
    this.#advance = new ClockAdvance(store, this.#leases, realNow);
    this.#heartbeat = setInterval(() => void this.#beat().catch(report), heartbeat).unref();
  }

  /** Identifies this process, for whether what it has claimed is abandoned. See `isDead`. */
  get owner(): string {
    return this.#leases.owner;
  }

  /** Starts running jobs as they fall due. */
  start(): void {
    this.#started = true;
    this.wake();
  }

  /** Looks for due jobs immediately. Call it after a job was queued. */
  wake(): void {
    if (this.#stopped || !this.#started) return;
    if (this.#looping) this.#again = true;
    else this.#loopIn(0);
  }

  /** Stops leasing jobs, waits up to `grace` real milliseconds for the running jobs, and releases the rest. */
  async stop(grace: number): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#leasing;
    await Promise.race([Promise.all(this.#running.values()), sleep(grace, undefined, { ref: false })]);
    this.#isOver = true;
    clearInterval(this.#heartbeat);
    this.#leases.end();
    if (this.#running.size > 0 || this.#advance.isRunning) await this.#store.write((db) => releaseLeases(db, [this.#leases.owner]));
  }

  /**
   * Runs the due jobs until none is due at the clock's current time, or the runner is stopped. Held jobs do not run.
   * @param timeout the timeout, in real milliseconds
   * @returns the number of jobs that ran in this process, and whether no job is due any more
   */
  async drain(timeout: number): Promise<{ jobsRun: number; drained: boolean }> {
    const before = this.#finished;
    const deadline = this.#realNow() + timeout;
    for (;;) {
      if (this.#stopped) return { jobsRun: this.#finished - before, drained: false };
      await this.#leaseDue();
      const isDue = await this.#store.read((db) => this.#hasDue(db, 'any'));
      if (!isDue && this.#running.size === 0) return { jobsRun: this.#finished - before, drained: true };
      if (this.#realNow() >= deadline) return { jobsRun: this.#finished - before, drained: false };
      await Promise.race([...this.#running.values(), sleep(20)]);
    }
  }

  /**
   * Queues a job that this process does itself, by `perform`. If the process dies, another one runs the job.
   * @returns the id of the job
   */
  async begin(db: Db, job: NewJob): Promise<string> {
    return await enqueueLeased(db, job, this.#leases);
  }

  /**
   * Performs a job that was begun, after its transaction. If the work fails, the runner runs the job.
   * @param work must remove the job, by `finish`
   */
  async perform<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    this.#leases.hold(id);
    const performing = work();
    this.#running.set(
      id,
      performing.then(
        () => {},
        () => {},
      ),
    );
    try {
      return await performing;
    } catch (error) {
      void this.#untilStored(() => this.#endings.release(id))
        .then(() => this.wake())
        .catch(this.#report);
      throw error;
    } finally {
      this.#leases.letGo(id);
      this.#running.delete(id);
    }
  }

  /** Removes a job that was begun, in the transaction that ends its work. @returns false when another process runs it by now */
  async finish(db: Db, id: string): Promise<boolean> {
    return await this.#endings.remove(db, id);
  }

  /** Advances a frozen clock; see `ClockAdvance.run`. */
  async advance(seconds: number): Promise<{ now: number; fired: Fired[] }> {
    try {
      return await this.#advance.run(
        seconds,
        async () => {
          await this.#leasing;
        },
        async (job) => {
          await this.#run(job);
          const definition = this.#definitions[job.kind] as JobDefinition | undefined;
          return (await definition?.told?.(job, this.#parts)) ?? {};
        },
      );
    } finally {
      this.wake();
    }
  }

  #loopIn(milliseconds: number): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#loop(), milliseconds);
  }

  async #loop(): Promise<void> {
    this.#looping = true;
    this.#again = false;
    let pause = pollInterval;
    try {
      await this.#leaseDue();
      pause = await this.#untilNextDue();
    } catch (error) {
      this.#report(error);
    }
    this.#looping = false;
    if (!this.#stopped) this.#loopIn(this.#again ? 0 : pause);
  }

  async #untilNextDue(): Promise<number> {
    // Without a free place, only the end of a job needs to wake the loop.
    if (this.#lanes.free === 0) return pollInterval;
    return await this.#store.read(async (db) => {
      const state = await readState(db);
      if (state.clock_frozen) return pollInterval;
      const next = await freeJobs(db, Number.MAX_SAFE_INTEGER, state.hold, this.#realNow())
        .where('due_at', '>', this.#refusedAt ?? Number.MIN_SAFE_INTEGER)
        .limit(1)
        .executeTakeFirst();
      const wait = next ? next.due_at - readClock(state, this.#realNow()) : pollInterval;
      return Math.min(Math.max(wait, 1), pollInterval);
    });
  }

  /** Leases as many due jobs as there are free places, and starts them. Concurrent calls share one query. */
  async #leaseDue(): Promise<void> {
    this.#leasing ??= this.#leaseOnce().finally(() => (this.#leasing = null));
    await this.#leasing;
  }

  async #leaseOnce(): Promise<void> {
    this.#refusedAt = null;
    this.#lanes.setFull([]);
    if (this.#lanes.free === 0 || this.#advance.isRunning || this.#stopped) return;
    // An idle process only reads.
    if (!(await this.#store.read((db) => this.#hasDue(db, 'free')))) return;
    const lease = async (db: Db) => {
      // The shared lock delays clock changes, holds and advances until the leases are written.
      const state = await lockStateShared(db);
      const isAdvanced = state.advance_until > this.#realNow();
      const due = { now: readClock(state, this.#realNow()), hold: state.hold, realNow: this.#realNow() };
      const isRunning = (id: string) => this.#running.has(id);
      const plan = this.#lanes.plan();
      const chosen = isAdvanced ? [] : await chooseJobs(db, due, plan, isRunning);
      return { jobs: await this.#leases.take(db, chosen), now: due.now, full: plan.full };
    };
    // The embedded store loses a commit only when the machine stops, and then the process that holds the leases is gone too.
    const { jobs, now, full } = await this.#store.write(lease, { isDurable: this.#store.engine !== 'sqlite' });
    this.#lanes.setFull(full);
    if (jobs.length === 0) this.#refusedAt = now;
    for (const job of jobs) void this.#track(job);
  }

  /** Whether a job is due: only one that is not leased, or any. */
  async #hasDue(db: Db, which: 'free' | 'any'): Promise<boolean> {
    const state = await readState(db);
    const now = readClock(state, this.#realNow());
    const due = which === 'free' ? freeJobs(db, now, state.hold, this.#realNow()) : dueJobs(db, now, state.hold);
    return (await due.limit(1).executeTakeFirst()) !== undefined;
  }

  async #track(job: LeasedJob): Promise<void> {
    this.#lanes.enter(job.lane);
    const run = this.#run(job)
      .catch(this.#report)
      .finally(() => {
        this.#lanes.leave(job.lane);
        this.#running.delete(job.id);
      });
    this.#running.set(job.id, run);
    await run;
    if (this.#lanes.needsMore(job.lane)) this.wake();
  }

  /** Runs a job. Afterwards, it is removed from the queue, rescheduled, or given up. */
  async #run(job: Job): Promise<void> {
    this.#leases.hold(job.id);
    // A store can contain jobs of kinds that this version does not know.
    const definition = this.#definitions[job.kind] as JobDefinition | undefined;
    try {
      if (!definition) throw new Error(`Unknown kind of job: '${job.kind}'`);
      await this.#endings.end(job, await definition.run(job, this.#parts), definition);
      definition.ended?.(job, this.#parts);
    } catch (error) {
      if (this.#isOver) return;
      // What a stop cuts off runs again.
      if (!this.#stopped) this.#report(error);
      await this.#untilStored(() => this.#endings.postpone(job, error, definition?.giveUp?.(job)));
    } finally {
      this.#leases.letGo(job.id);
    }
    this.#finished++;
  }

  /**
   * Repeats a write about a job while the store cannot be reached, so that the job does not stay leased for a minute afterwards.
   */
  async #untilStored(write: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 503) throw error;
      }
      await sleep(storePause, undefined, { ref: false });
    }
  }

  async #beat(): Promise<void> {
    if (this.#running.size === 0 && !this.#advance.isRunning) return;
    await this.#store.write(async (db) => {
      await this.#advance.renew(db);
      await this.#leases.renew(db);
    });
  }
}
