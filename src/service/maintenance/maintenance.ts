import { setTimeout as sleep } from 'node:timers/promises';
import { readClock } from '../clock/clock.ts';
import { readState } from '../clock/state.ts';
import type { Failpoint } from '../drills/failpoint.ts';
import type { Db } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import type { StepScheduler } from '../flow/steps.ts';
import type { MaintenanceTask } from './task.ts';

/** The interval at which tasks are checked for work, in real milliseconds. */
const interval = 1_000;

/**
 * The length of the pause between two steps, as a multiple of the last step's duration. Maintenance thus takes a quarter of the
 * time.
 */
const pauseShare = 3;

/** After a step of maintenance was committed, before the next one begins. */
export const maintenanceFailpoints = ['maintenance.step'] as const;

declare module '../drills/failpoint.ts' {
  interface FailpointNames {
    maintenance: (typeof maintenanceFailpoints)[number];
  }
}

/** Runs the tasks in the background, in real time. Tasks that depend on the service's clock rest while it is frozen. */
export class Maintenance {
  readonly #store: Store;
  readonly #tasks: readonly MaintenanceTask[];
  readonly #scheduler: StepScheduler;
  readonly #realNow: () => number;
  readonly #failpoint: Failpoint;
  readonly #report: (error: unknown) => void;
  readonly #stopping = new AbortController();
  #looping: Promise<void> = Promise.resolve();
  #isStarted = false;

  /** @param report called for errors in the background */
  constructor(
    parts: { readonly store: Store; readonly scheduler: StepScheduler; readonly realNow: () => number; readonly failpoint: Failpoint },
    tasks: readonly MaintenanceTask[],
    report: (error: unknown) => void,
  ) {
    this.#store = parts.store;
    this.#scheduler = parts.scheduler;
    this.#realNow = parts.realNow;
    this.#failpoint = parts.failpoint;
    this.#tasks = tasks;
    this.#report = report;
  }

  /** Starts checking for work at regular intervals. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#looping = this.#loop();
  }

  /** Stops after the current step. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looping;
  }

  /** Does all work that is currently due. */
  async run(): Promise<void> {
    for (const task of this.#tasks) if (await this.#isDue(task)) await this.#finish(task);
  }

  async #loop(): Promise<void> {
    while (await this.#pause(interval)) await this.run().catch(this.#report);
  }

  async #finish(task: MaintenanceTask): Promise<void> {
    let position: number | undefined = 0;
    for (;;) {
      const from: number = position;
      let started = 0;
      position = await this.#scheduler.run(() => {
        started = performance.now();
        // Need not be durable: a step that is lost in a crash is repeated.
        return this.#store.write((db) => this.#step(db, task, from), { isDurable: false });
      });
      if (position === undefined) return;
      this.#failpoint('maintenance.step');
      if (!(await this.#pause(pauseShare * (performance.now() - started)))) return;
    }
  }

  #isDue(task: MaintenanceTask): Promise<boolean> {
    return this.#store.read(async (db) => {
      const now = await this.#readNow(db, task);
      return now !== undefined && (await task.isDue(db, now));
    });
  }

  async #step(db: Db, task: MaintenanceTask, position: number): Promise<number | undefined> {
    const now = await this.#readNow(db, task);
    return now === undefined ? undefined : await task.step(db, now, position);
  }

  /** The time of the service's clock; undefined while it is frozen and the task depends on it. */
  async #readNow(db: Db, { ignoresClock }: MaintenanceTask): Promise<number | undefined> {
    const state = await readState(db);
    return state.clock_frozen && !ignoresClock ? undefined : readClock(state, this.#realNow());
  }

  /** @returns false when maintenance has been stopped */
  async #pause(milliseconds: number): Promise<boolean> {
    await sleep(milliseconds, undefined, { signal: this.#stopping.signal }).catch(() => {});
    return !this.#stopping.signal.aborted;
  }
}
