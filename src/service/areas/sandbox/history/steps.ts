import { Worker } from 'node:worker_threads';
import type { Engine } from '../../../store/store.ts';
import { type Conflict, type HistorySource, StepMaker } from './maker.ts';
import type { DraftStep } from './step.ts';

/** The number of messages up to which making the steps takes less time than starting a thread. */
const fewMessages = 10_000;

/** The memory limit of the thread, in MiB: enough for the contacts of the longest history. Without one, it could end the process. */
const memoryMebibytes = 2_048;

/** The program of the thread, which is a separate entry in the bundle. */
const program = new URL(import.meta.url.endsWith('.ts') ? './maker-thread.ts' : '../maker-thread.mjs', import.meta.url);

/** What a thread makes the steps from, and for which engine. */
export interface ThreadSource {
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
  /** The step that was made last, by `next` or by `again`. */
  readonly latest: DraftStep;
  next(): Promise<void>;
  /** Makes the latest step again. */
  again(conflict: Conflict): Promise<void>;
  close(): Promise<void>;
}

/** Starts to make the steps of a history: in a thread of its own when there are many. */
export async function startSteps(source: HistorySource, engine: Engine): Promise<Steps> {
  const steps = source.plan.messages > fewMessages ? new StepThread({ source, engine }) : new StepsInPlace(source);
  await steps.next();
  return steps;
}

/** Makes the steps when they are asked for. */
class StepsInPlace implements Steps {
  readonly #maker: StepMaker;
  #number = -1;
  #latest: DraftStep | undefined;

  constructor(source: HistorySource) {
    this.#maker = new StepMaker(source);
  }

  get latest(): DraftStep {
    return this.#latest as DraftStep;
  }

  async next(): Promise<void> {
    this.#latest = await this.#maker.make(++this.#number);
  }

  async again(conflict: Conflict): Promise<void> {
    this.#latest = await this.#maker.make(this.#number, conflict);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Makes the steps in a thread, each while the one before is written. */
class StepThread implements Steps {
  readonly #worker: Worker;
  #number = -1;
  #latest: DraftStep | undefined;
  /** The step after the latest one. */
  #ahead: Promise<DraftStep>;
  #pending: { readonly resolve: (step: DraftStep) => void; readonly reject: (error: Error) => void } | undefined;
  #failure: Error | undefined;

  constructor(source: ThreadSource) {
    this.#worker = new Worker(program, { workerData: source, resourceLimits: { maxOldGenerationSizeMb: memoryMebibytes } });
    this.#worker.on('message', (step: DraftStep) => this.#pending?.resolve(step));
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('The thread that makes the history has ended')));
    this.#ahead = this.#ask({ number: 0 });
  }

  get latest(): DraftStep {
    return this.#latest as DraftStep;
  }

  async next(): Promise<void> {
    this.#latest = await this.#ahead;
    this.#number++;
    this.#askAhead(this.#latest);
  }

  async again(conflict: Conflict): Promise<void> {
    // The step ahead is based on the one that has to be made again.
    await this.#ahead;
    this.#latest = await this.#ask({ number: this.#number, conflict });
    this.#askAhead(this.#latest);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #askAhead({ isLast }: DraftStep): void {
    if (!isLast) this.#ahead = this.#ask({ number: this.#number + 1 });
    // A failure is reported by whoever waits for the step.
    this.#ahead.catch(() => {});
  }

  /** Asks for a step, one at a time. @throws Error when the thread fails or has ended */
  async #ask(task: StepTask): Promise<DraftStep> {
    if (this.#failure) throw this.#failure;
    return await new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#worker.postMessage(task);
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#pending?.reject(this.#failure);
  }
}
