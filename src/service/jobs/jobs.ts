import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { insertMany } from '../store/bulk.ts';
import { iso, lastInstant, readClock } from '../clock/clock.ts';
import { ApiError } from '../errors.ts';
import { newId } from '../identity/secrets.ts';
import { Lanes } from './lanes.ts';
import type { JobsTable, ServiceStateTable } from '../store/schema.ts';
import { type Hold, readState, updateState } from '../clock/state.ts';
import type { Db, Store } from '../store/store.ts';

/** How long a lease lasts without a heartbeat, in real milliseconds: longer than any request that a job makes. */
const leaseLength = 60_000;

const heartbeat = leaseLength / 4;

/** How often the store is asked for jobs that other processes made, in real milliseconds. */
const pollInterval = 500;

/** How many jobs a process runs at the same time. */
const concurrency = 256;

/** How many jobs at the most end in one transaction: alone, each would contend for the same counters. */
const endedAtOnce = 64;

/** Kinds whose end is hundreds of records. */
const largeKinds: ReadonlySet<string> = new Set(['broadcast']);

/** How many jobs of a lane are looked for at a time, where the lanes are searched one by one. */
const laneStep = 16;

/** After how many attempts a job that fails on its own account is given up. */
const maxAttempts = 10;

/** How long a failed job waits before its next attempt, in milliseconds of the service's clock. */
export function backoff(attempts: number): number {
  return Math.min(1000 * 2 ** (attempts - 1), 300_000);
}

/** A job that is being run. */
export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly accountId: string | null;
  readonly payload: unknown;
  readonly dueAt: number;
  /** 1 on the first attempt. */
  readonly attempt: number;
}

/**
 * Runs a job of one kind. It may run again after a crash, so it must be idempotent. What it returns is carried out in
 * the transaction that ends the job: both happen or none does.
 */
export type JobHandler = (job: Job) => Promise<Finish | undefined>;

/** What ends a job, in its transaction. */
type Finish = (db: Db) => Promise<void>;

export type JobHandlers = Readonly<Record<string, JobHandler>>;

/** Work to be done in the background. */
export interface NewJob {
  readonly kind: string;
  /** Jobs of one lane, such as a receiver's address, share a part of the runner; the kind unless given. */
  readonly lane?: string;
  readonly accountId: string | null;
  readonly payload: unknown;
  /** By the service's clock. */
  readonly dueAt: number;
}

/** Queues jobs, in the transaction of the change that causes them. */
export async function enqueueAll(db: Db, jobs: readonly NewJob[]): Promise<void> {
  await insertMany(db, 'jobs', jobs.map(jobRow));
}

/** Queues one job. Returns its id. */
export async function enqueue(db: Db, job: NewJob): Promise<string> {
  const row = jobRow(job);
  await insertMany(db, 'jobs', [row]);
  return row.id;
}

function jobRow({ kind, lane = kind, accountId, payload, dueAt }: NewJob) {
  return {
    id: newId('job'),
    kind,
    lane,
    account_id: accountId,
    payload: JSON.stringify(payload),
    due_at: dueAt,
    attempts: 0,
    lease_until: 0,
  };
}

/** Counts the jobs that wait or run, by kind. */
export async function countJobs(db: Db): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('jobs')
    .select((eb) => ['kind', eb.fn.countAll<number>().as('count')])
    .where('failure', 'is', null)
    .groupBy('kind')
    .orderBy('kind')
    .execute();
  return Object.fromEntries(rows.map((row) => [row.kind, row.count]));
}

/** A job that an advance of the clock ran. */
export interface Fired {
  readonly kind: string;
  readonly id: string;
  readonly at: string;
}

/** Leases due jobs from the store and runs them, in this process. */
export class JobRunner {
  readonly #store: Store;
  readonly #handlers: JobHandlers;
  readonly #realNow: () => number;
  readonly #report: (error: unknown) => void;
  /** Names this process: a lease of a process that is gone is taken back. */
  readonly #owner = `${hostname()}/${process.pid}/${randomUUID()}`;
  readonly #running = new Map<string, Promise<void>>();
  readonly #lanes = new Lanes(concurrency);
  /** Jobs that ended, and are not yet written down. */
  readonly #ended: Ended[] = [];
  #recording: Promise<void> | null = null;
  #advancing = false;
  #stopped = false;
  #timer: NodeJS.Timeout | null = null;
  #pumping: Promise<void> | null = null;
  /** Whether something was queued while the present look for jobs was under way. */
  #again = false;
  readonly #heartbeat: NodeJS.Timeout;
  #started = false;
  #looping = false;
  #finished = 0;

  /** @param report is told what goes wrong in the background */
  constructor(store: Store, handlers: JobHandlers, realNow: () => number, report: (error: unknown) => void) {
    this.#store = store;
    this.#handlers = handlers;
    this.#realNow = realNow;
    this.#report = report;
    liveOwners.add(this.#owner);
    this.#heartbeat = setInterval(() => void this.#beat().catch(report), heartbeat).unref();
  }

  /** Takes back the leases of this machine's processes that are gone. */
  async recover(): Promise<void> {
    const owners = await this.#store.read((db) =>
      db.selectFrom('jobs').select('lease_owner').distinct().where('lease_owner', 'is not', null).execute(),
    );
    const dead = owners.map((row) => row.lease_owner).filter((owner) => owner !== null && isDead(owner));
    if (dead.length > 0) await this.#store.write((db) => this.#releaseWhere(db, dead as string[]));
    const { advance_owner: advancing } = await this.#store.read((db) =>
      db.selectFrom('service_state').select('advance_owner').executeTakeFirstOrThrow(),
    );
    if (advancing !== null && isDead(advancing))
      await this.#store.write((db) => updateState(db, { advance_owner: null, advance_until: 0 }));
  }

  /** Begins to run jobs as they fall due. */
  start(): void {
    this.#started = true;
    this.wake();
  }

  /** Looks for due jobs now: something was queued. */
  wake(): void {
    if (this.#stopped || !this.#started) return;
    if (this.#looping) this.#again = true;
    else this.#loopIn(0);
  }

  /** Takes no more jobs, lets those in hand end for `grace` real milliseconds, and releases the rest. */
  async stop(grace: number): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#pumping;
    await Promise.race([Promise.all(this.#running.values()), sleep(grace, undefined, { ref: false })]);
    clearInterval(this.#heartbeat);
    liveOwners.delete(this.#owner);
    if (this.#running.size > 0 || this.#advancing) await this.#store.write((db) => this.#releaseWhere(db, [this.#owner]));
  }

  /**
   * Waits until no job is due at the clock's present reading, held ones excepted, and runs those that nobody runs.
   * @param patience how long to wait, in real milliseconds
   * @returns how many jobs this process ended meanwhile, and whether all are done
   */
  async drain(patience: number): Promise<{ jobsRun: number; drained: boolean }> {
    const before = this.#finished;
    const deadline = this.#realNow() + patience;
    for (;;) {
      await this.#pump();
      const isDue = await this.#store.read((db) => this.#hasDue(db, 'any'));
      if (!isDue && this.#running.size === 0) return { jobsRun: this.#finished - before, drained: true };
      if (this.#realNow() >= deadline) return { jobsRun: this.#finished - before, drained: false };
      await Promise.race([...this.#running.values(), sleep(20)]);
    }
  }

  /**
   * Moves a frozen clock forward, stopping at each instant at which a job falls due and running it to its end.
   * @throws ApiError 400 when the clock is not frozen, 409 while another advance runs
   */
  async advance(seconds: number): Promise<{ now: number; fired: Fired[] }> {
    const start = await this.#store.write((db) => this.#claimAdvance(db, seconds));
    this.#advancing = true;
    try {
      await this.#awaitOthers();
      const target = start + Math.round(seconds * 1000);
      const fired = await this.#fireUntil(target);
      await this.#store.write((db) => this.#updateClaim(db, { clock_reading: target }));
      return { now: target, fired };
    } finally {
      this.#advancing = false;
      await this.#store.write((db) => this.#updateClaim(db, { advance_owner: null, advance_until: 0 }));
      this.wake();
    }
  }

  /** Changes the state as long as the advance of the clock is this process's. */
  async #updateClaim(db: Db, change: Partial<ServiceStateTable>): Promise<void> {
    await db.updateTable('service_state').set(change).where('advance_owner', '=', this.#owner).execute();
  }

  async #fireUntil(target: number): Promise<Fired[]> {
    const fired: Fired[] = [];
    for (;;) {
      const step = await this.#store.write(async (db) => {
        const { clock, hold } = await readState(db);
        const next = await freeJobs(db, target, hold, this.#realNow()).limit(1).executeTakeFirst();
        if (!next) return null;
        const instant = Math.max(clock.clock_reading, next.due_at);
        await updateState(db, { clock_reading: instant, advance_until: this.#realNow() + leaseLength });
        const [job] = await this.#lease(db, [next]);
        return { instant, job: job as LeasedJob };
      });
      if (!step) return fired;
      fired.push({ kind: step.job.kind, id: step.job.id, at: iso(step.instant) });
      await this.#run(step.job);
    }
  }

  async #claimAdvance(db: Db, seconds: number): Promise<number> {
    const query = db.selectFrom('service_state').selectAll();
    const state = await (this.#store.engine === 'postgres' ? query.forUpdate() : query).executeTakeFirstOrThrow();
    if (state.clock_frozen === 0) throw new ApiError(400, 'The clock is not frozen: freeze it first with {"frozen": true} or {"now": …}');
    if (state.clock_reading + seconds * 1000 > lastInstant) throw new ApiError(400, `seconds: the clock ends at ${iso(lastInstant)}`);
    if (state.advance_until > this.#realNow()) throw new ApiError(409, 'Another advance of the clock is running');
    await updateState(db, { advance_owner: this.#owner, advance_until: this.#realNow() + leaseLength });
    return state.clock_reading;
  }

  /** Jobs that were taken before the advance began end before it moves the clock. */
  async #awaitOthers(): Promise<void> {
    await this.#pumping;
    for (;;) {
      const leased = await this.#store.read((db) =>
        db
          .selectFrom('jobs')
          .select('id')
          .where('lease_owner', 'is not', null)
          .where('lease_until', '>', this.#realNow())
          .limit(1)
          .executeTakeFirst(),
      );
      if (!leased) return;
      await sleep(10);
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
      await this.#pump();
      pause = await this.#untilNextDue();
    } catch (error) {
      this.#report(error);
    }
    this.#looping = false;
    if (!this.#stopped) this.#loopIn(this.#again ? 0 : pause);
  }

  async #untilNextDue(): Promise<number> {
    // The end of a job looks for the next.
    if (this.#lanes.free === 0) return pollInterval;
    return await this.#store.read(async (db) => {
      const { clock, hold } = await readState(db);
      if (clock.clock_frozen === 1) return pollInterval;
      const next = await freeJobs(db, Number.MAX_SAFE_INTEGER, hold, this.#realNow()).limit(1).executeTakeFirst();
      const wait = next ? next.due_at - readClock(clock, this.#realNow()) : pollInterval;
      return Math.min(Math.max(wait, 1), pollInterval);
    });
  }

  /** Starts as many due jobs as there is room for; one look at a time. */
  async #pump(): Promise<void> {
    this.#pumping ??= this.#leaseAndRun().finally(() => (this.#pumping = null));
    await this.#pumping;
  }

  async #leaseAndRun(): Promise<void> {
    if (this.#lanes.free === 0 || this.#advancing || this.#stopped) return;
    // Looking first keeps an idle process from writing.
    if (!(await this.#store.read((db) => this.#hasDue(db, 'free')))) return;
    const jobs = await this.#store.write(async (db) => {
      const { isAdvanced, hold, now } = await this.#readClock(db);
      if (isAdvanced) return [];
      return await this.#lease(db, await this.#choose(db, now, hold));
    });
    for (const job of jobs) void this.#track(job);
  }

  /** The due jobs to run next: in their order, but none of a lane that has its share. */
  async #choose(db: Db, now: number, hold: Hold): Promise<JobRow[]> {
    const plan = this.#lanes.plan();
    const chosen: JobRow[] = [];
    const locked = (query: ReturnType<typeof freeJobs>) =>
      (this.#store.engine === 'postgres' ? query.forUpdate().skipLocked() : query).execute();
    const rows = await locked(freeJobs(db, now, hold, this.#realNow()).limit(plan.free));
    for (const row of rows) if (!this.#running.has(row.id) && plan.take(row.lane)) chosen.push(row);
    // Behind what a full lane has waiting, which may be a million, the others' are looked for lane by lane.
    if (plan.refused.size === 0 || plan.free === 0) return chosen;
    const lanes = await this.#waitingLanes(db);
    for (const lane of lanes) {
      if (plan.free === 0) break;
      if (plan.refused.has(lane)) continue;
      const known = new Set(chosen.filter((row) => row.lane === lane).map(({ id }) => id));
      const next = await locked(
        freeJobs(db, now, hold, this.#realNow())
          .where('lane', '=', lane)
          .limit(laneStep + known.size),
      );
      for (const row of next) if (!known.has(row.id) && !this.#running.has(row.id) && plan.take(row.lane)) chosen.push(row);
    }
    return chosen;
  }

  /** The lanes that have jobs: each is found by one step in the index, however many jobs it has. */
  async #waitingLanes(db: Db): Promise<string[]> {
    const { rows } = await sql<{ lane: string }>`
      with recursive waiting (lane) as (
        select min(lane) from jobs where failure is null
        union all
        select (select min(lane) from jobs where failure is null and lane > waiting.lane) from waiting where waiting.lane is not null)
      select lane from waiting where lane is not null`.execute(db);
    return rows.map(({ lane }) => lane);
  }

  /** The clock's reading, and whether somebody is advancing it: then nobody else takes jobs. */
  async #readClock(db: Db): Promise<{ isAdvanced: boolean; hold: Hold; now: number }> {
    const { clock, hold } = await readState(db);
    const { advance_until } = await db.selectFrom('service_state').select('advance_until').executeTakeFirstOrThrow();
    return { isAdvanced: advance_until > this.#realNow(), hold, now: readClock(clock, this.#realNow()) };
  }

  /** Whether a job is due: one that is free to be taken, or any, those that run somewhere included. */
  async #hasDue(db: Db, which: 'free' | 'any'): Promise<boolean> {
    const { hold, now } = await this.#readClock(db);
    const due = which === 'free' ? freeJobs(db, now, hold, this.#realNow()) : dueJobs(db, now, hold);
    return (await due.limit(1).executeTakeFirst()) !== undefined;
  }

  async #lease(db: Db, rows: readonly JobRow[]): Promise<LeasedJob[]> {
    if (rows.length === 0) return [];
    await db
      .updateTable('jobs')
      .set((eb) => ({ lease_owner: this.#owner, lease_until: this.#realNow() + leaseLength, attempts: eb('attempts', '+', 1) }))
      .where(
        'id',
        'in',
        rows.map(({ id }) => id),
      )
      .execute();
    return rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      lane: row.lane,
      accountId: row.account_id,
      payload: JSON.parse(row.payload) as unknown,
      dueAt: row.due_at,
      attempt: row.attempts + 1,
    }));
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
    this.wake();
  }

  /** Runs a job to its end: done and gone, due again later, or given up. */
  async #run(job: Job): Promise<void> {
    try {
      const handler = this.#handlers[job.kind];
      if (!handler) throw new Error(`No handler for jobs of the kind '${job.kind}'`);
      await this.#end(job, await handler(job));
    } catch (error) {
      this.#report(error);
      await this.#store.write((db) => this.#postpone(db, job, error));
    }
    this.#finished++;
  }

  /** Writes down that a job ended, and what it leaves: those that end at the same time in one transaction. */
  async #end(job: Job, finish: Finish | undefined): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#ended.push({ job, finish, resolve, reject });
      this.#recording ??= this.#recordEnded();
    });
  }

  async #recordEnded(): Promise<void> {
    while (this.#ended.length > 0) await this.#record(this.#ended.splice(0, this.#endTogether()));
    // In the same step as the last look: who comes a step later must find nobody at it, and begin.
    this.#recording = null;
  }

  /** How many of those that ended are written together: a part of a broadcast is enough by itself. */
  #endTogether(): number {
    const large = this.#ended.slice(0, endedAtOnce).findIndex(({ job }) => largeKinds.has(job.kind));
    return large < 0 ? endedAtOnce : Math.max(1, large);
  }

  async #record(ended: readonly Ended[]): Promise<void> {
    try {
      await this.#store.write(async (db) => {
        for (const { job, finish } of ended) await this.#recordOne(db, job, finish);
      });
      for (const { resolve } of ended) resolve();
    } catch (error) {
      // One of them failed: by themselves the others do not.
      if (ended.length === 1) ended[0]?.reject(error);
      else for (const each of ended) await this.#record([each]);
    }
  }

  async #recordOne(db: Db, job: Job, finish: Finish | undefined): Promise<void> {
    const ended = await db.deleteFrom('jobs').where('id', '=', job.id).where('lease_owner', '=', this.#owner).executeTakeFirst();
    // Somebody else took it over, or its account is gone: then this run does not count.
    if (ended.numDeletedRows === 0n) return;
    await finish?.(db);
  }

  async #postpone(db: Db, job: Job, error: unknown): Promise<void> {
    const { clock } = await readState(db);
    const dueAt = readClock(clock, this.#realNow()) + backoff(job.attempt);
    await db
      .updateTable('jobs')
      .set({
        lease_owner: null,
        lease_until: 0,
        due_at: dueAt,
        // What a busy store refused is tried until it gets its turn.
        failure:
          job.attempt >= maxAttempts && !(error instanceof ApiError && error.status === 503) ? String((error as Error).message) : null,
      })
      .where('id', '=', job.id)
      .where('lease_owner', '=', this.#owner)
      .execute();
  }

  async #beat(): Promise<void> {
    if (this.#running.size === 0 && !this.#advancing) return;
    const until = this.#realNow() + leaseLength;
    await this.#store.write(async (db) => {
      if (this.#advancing) await this.#updateClaim(db, { advance_until: until });
      await db
        .updateTable('jobs')
        .set({ lease_until: until })
        .where('lease_owner', '=', this.#owner)
        .where('lease_until', '>', 0)
        .execute();
    });
  }

  async #releaseWhere(db: Db, owners: string[]): Promise<void> {
    await db.updateTable('jobs').set({ lease_owner: null, lease_until: 0 }).where('lease_owner', 'in', owners).execute();
  }
}

/** The jobs that fall due by an instant, in their order, held ones left out. */
function dueJobs(db: Db, by: number, hold: Hold) {
  const query = db.selectFrom('jobs').selectAll().where('failure', 'is', null).where('due_at', '<=', by).orderBy('due_at').orderBy('seq');
  if (hold === 'all') return query.where('seq', '<', 0);
  return hold.length > 0 ? query.where('kind', 'not in', hold) : query;
}

/** Those of them that nobody runs. */
function freeJobs(db: Db, by: number, hold: Hold, realNow: number) {
  return dueJobs(db, by, hold).where('lease_until', '<=', realNow);
}

/** A job that ended, and who waits until that is written down. */
interface Ended {
  readonly job: Job;
  readonly finish: Finish | undefined;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

type LeasedJob = Job & { readonly lane: string };

type JobRow = Pick<JobsTable, 'id' | 'kind' | 'lane' | 'account_id' | 'payload' | 'due_at' | 'attempts'>;

/** The runners of this process. */
const liveOwners = new Set<string>();

/** Whether a lease's owner was a process of this machine that is gone. */
function isDead(owner: string): boolean {
  const [host, pid] = owner.split('/');
  if (host !== hostname()) return false;
  if (Number(pid) === process.pid) return !liveOwners.has(owner);
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
