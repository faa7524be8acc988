import { setImmediate as nextTurn } from 'node:timers/promises';

/** A clock that only measures, in milliseconds. `performance` would load a module that takes a single command too long. */
export function stopwatch(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The longest turn of the event loop in which nobody was served, in milliseconds. An idle one takes 0.005, an accepted connection 0.05. */
const idleTurn = 0.03;

/**
 * Waits until a turn of the event loop served nobody, at most as long as the last step took. A request takes several turns,
 * and the event loop accepts one connection a turn: with a step in each turn, the requests of others would pile up.
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

/** The time after which work that computes, or a transaction, lets others be served, in milliseconds. */
export const stepTime = 10;

/** Divides work that computes into steps. @returns a function to be called between its parts, which serves others after each step */
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
 * Lets long work take turns. The work is divided into steps. One step of all such work runs at a time, in a turn of the
 * event loop of its own. Between two steps the other requests are served, and find a free connection to the database,
 * however much long work there is.
 */
export class Turns {
  /** The end of the last step that was asked for. */
  #ended: Promise<unknown> = Promise.resolve();
  /** How long the last step took, in milliseconds. */
  #taken = 0;

  /** Runs a step after those that were asked for before. A step must not wait for another one. */
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
