import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Lets long work take turns. The work is divided into steps. One step of all such work runs at a time, each in a turn of
 * the event loop of its own, so that the other requests are served in between and find a free connection to the
 * database, however much long work there is.
 */
export class Turns {
  /** The end of the last step that was asked for. */
  #ended: Promise<unknown> = Promise.resolve();

  /** Runs a step after those that were asked for before. A step must not wait for another one. */
  run<Result>(step: () => Promise<Result>): Promise<Result> {
    const running = this.#ended.then(() => nextTurn()).then(step);
    this.#ended = running.catch(() => {});
    return running;
  }
}
