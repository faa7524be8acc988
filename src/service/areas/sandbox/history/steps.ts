import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Engine } from '../../../store/store.ts';
import { type Conflict, type HistorySource, StepMaker } from './maker.ts';
import type { DraftStep } from './step.ts';

/** The number of messages up to which making the steps takes less time than starting a thread. */
const fewMessages = 10_000;

/** The program of the thread, which is a separate entry in the bundle. */
const program = new URL(import.meta.url.endsWith('.ts') ? './maker-thread.ts' : '../maker-thread.mjs', import.meta.url);

/** What the thread makes. */
export interface ThreadTask {
  readonly source: HistorySource;
  readonly engine: Engine;
}

/** A step to make. */
export interface StepTask {
  readonly number: number;
  readonly conflict?: Conflict | undefined;
}

/** The steps of a history, in order. */
export interface Steps {
  next(): Promise<DraftStep>;
  /** Makes the latest step again. */
  again(conflict: Conflict): Promise<DraftStep>;
  close(): Promise<void>;
}

/** Starts to make the steps of a history: in a thread of its own when there are many. */
export function startSteps(source: HistorySource, engine: Engine): Steps {
  return source.plan.messages > fewMessages ? new StepThread({ source, engine }) : new StepsInPlace(source);
}

/** Makes the steps when they are asked for. */
class StepsInPlace implements Steps {
  readonly #maker: StepMaker;
  #number = -1;

  constructor(source: HistorySource) {
    this.#maker = new StepMaker(source);
  }

  next(): Promise<DraftStep> {
    return this.#maker.make(++this.#number);
  }

  again(conflict: Conflict): Promise<DraftStep> {
    return this.#maker.make(this.#number, conflict);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Makes the steps in a thread, each while the one before is written. */
class StepThread implements Steps {
  readonly #worker: Worker;
  #number = -1;
  /** The step after the latest one. */
  #ahead: Promise<DraftStep>;

  constructor(task: ThreadTask) {
    this.#worker = new Worker(program, { workerData: task });
    this.#ahead = this.#ask({ number: 0 });
  }

  async next(): Promise<DraftStep> {
    const step = await this.#ahead;
    this.#number++;
    this.#askAhead(step);
    return step;
  }

  async again(conflict: Conflict): Promise<DraftStep> {
    // The step ahead is based on the one that has to be made again.
    await this.#ahead;
    const step = await this.#ask({ number: this.#number, conflict });
    this.#askAhead(step);
    return step;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #askAhead({ isLast }: DraftStep): void {
    if (!isLast) this.#ahead = this.#ask({ number: this.#number + 1 });
    // A failure is reported by whoever waits for the step.
    this.#ahead.catch(() => {});
  }

  /** @throws Error when the thread fails */
  async #ask(task: StepTask): Promise<DraftStep> {
    this.#worker.postMessage(task);
    const [step] = (await once(this.#worker, 'message')) as [DraftStep];
    return step;
  }
}
