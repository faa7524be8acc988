import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * A monotonic clock for measuring durations, in milliseconds. `performance` would require a module that takes too long to load
 * for a single command.
 */
export function stopwatch(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * The maximum duration of a turn of the event loop that counts as idle, in milliseconds. An idle turn takes 0.005, an accepted
 * connection 0.05.
 */
const idleTurn = 0.03;

/**
 * Waits for an idle turn of the event loop, at most as long as the last step took. A request takes several turns, and the event
 * loop accepts one connection per turn: with a step in each turn, other requests would pile up.
 * @param taken how long the last step took, in milliseconds
 */
export async function serveOthers(taken: number): Promise<void> {
  const end = stopwatch() + taken;
  let started: number;
  do {
    started = stopwatch();
    await nextTurn();
  } while (stopwatch() - started > idleTurn && stopwatch() < end);
}

/** The time after which a computation or a transaction lets other requests run, in milliseconds. */
export const stepTime = 10;

/**
 * Splits a computation into steps. @returns a function to call between its parts, which lets other requests run after each step
 */
export function stepByStep(): () => Promise<void> {
  let started = stopwatch();
  return async () => {
    const taken = stopwatch() - started;
    if (taken < stepTime) return;
    await serveOthers(taken);
    started = stopwatch();
  };
}

/**
 * Schedules long work, which is divided into steps. Only one step runs at a time, in its own turn of the event loop. Between two
 * steps, other requests are served and find a free database connection, however much long work there is.
 */
export class StepScheduler {
  /** The end of the last step in the queue. */
  #ended: Promise<unknown> = Promise.resolve();
  /** How long the last step took, in milliseconds. */
  #taken = 0;

  /** Runs a step after those that were queued before. A step must not wait for another step. */
  run<Result>(step: () => Promise<Result>): Promise<Result> {
    const running = this.#ended.then(() => serveOthers(this.#taken)).then(() => this.#time(step));
    this.#ended = running.catch(() => {});
    return running;
  }

  async #time<Result>(step: () => Promise<Result>): Promise<Result> {
    const started = stopwatch();
    try {
      return await step();
    } finally {
      this.#taken = stopwatch() - started;
    }
  }
}
