import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { ServiceUnavailable } from '../errors.ts';
import type { ReadResult, ReadTask } from './read-thread.ts';

/** The maximum number of threads. More would take processor time from the requests of others. */
const threadsMax = 2;

/** How long threads without work are kept, in milliseconds. */
const idleTime = 60_000;

/** The memory limit of a thread, in MiB. */
const memoryMebibytes = 512;

interface Pending {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Runs long reads of an embedded store in threads, so that they occupy no turns of the event loop and use a second processor. Each
 * thread does a part of every task.
 */
export class ReadThreads {
  readonly #file: string;
  readonly #program: URL;
  readonly #count = Math.min(threadsMax, availableParallelism());
  #threads: ReadThread[] | null = null;
  #running = 0;
  #idle: NodeJS.Timeout | undefined;

  /**
   * @param file the file of the database
   * @param program what the threads run; it calls `answerTasks`
   */
  constructor(file: string, program: URL) {
    this.#file = file;
    this.#program = program;
  }

  /**
   * Gives a task to all threads.
   * @param input what can be copied to another thread
   * @returns the answer of each thread for its part
   * @throws ServiceUnavailable when a thread fails or is closed
   */
  async run<Answer>(input: unknown): Promise<Answer[]> {
    clearTimeout(this.#idle);
    this.#running++;
    try {
      const threads = await this.#start();
      return await Promise.all(
        threads.map((thread, index) => thread.run({ input, part: { index, count: threads.length } }) as Promise<Answer>),
      );
    } finally {
      if (--this.#running === 0) this.#idle = setTimeout(() => void this.close(), idleTime).unref();
    }
  }

  /** Ends the threads. Their tasks fail. The next task starts new threads. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const threads = this.#threads ?? [];
    this.#threads = null;
    await Promise.all(threads.map((thread) => thread.close()));
  }

  /** The running threads. A thread that has failed is replaced. */
  async #start(): Promise<ReadThread[]> {
    const { Worker } = await import('node:worker_threads');
    const make = () =>
      new ReadThread(new Worker(this.#program, { workerData: this.#file, resourceLimits: { maxOldGenerationSizeMb: memoryMebibytes } }));
    const known = this.#threads ?? Array.from({ length: this.#count }, make);
    return (this.#threads = known.map((thread) => (thread.hasEnded ? make() : thread)));
  }
}

/** A thread and the tasks that it has not answered. */
class ReadThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #latest = 0;
  #hasEnded = false;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.unref();
    worker.on('message', (result: ReadResult) => this.#settle(result));
    worker.on('error', (error: Error) => this.#fail(error));
    worker.on('exit', () => this.#fail(new Error('the thread has ended')));
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  run(task: Omit<ReadTask, 'id'>): Promise<unknown> {
    const id = ++this.#latest;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...task } satisfies ReadTask);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle({ id, ...result }: ReadResult): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if ('answer' in result) pending?.resolve(result.answer);
    else pending?.reject(new ServiceUnavailable(`Cannot read the store: ${result.problem}`));
  }

  #fail(cause: Error): void {
    this.#hasEnded = true;
    for (const { reject } of this.#pending.values()) reject(new ServiceUnavailable(`Cannot read the store: ${cause.message}`, { cause }));
    this.#pending.clear();
  }
}
