import type { Worker } from 'node:worker_threads';

/** Where the program of a thread or process is: a module of its own, which is an entry of the bundle. */
export function programOf(url: string, source: string, built: string): URL {
  return new URL(url.endsWith('.ts') ? source : `../${built}.mjs`, url);
}

/** A thread with a limit of memory. What it does neither blocks the service nor takes its memory. */
export class Thread<Question, Answer> {
  readonly #worker: Worker;
  #pending: PromiseWithResolvers<Answer> | undefined;
  #failure: Error | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.unref();
    worker.on('message', (answer: Answer) => this.#pending?.resolve(answer));
    worker.on('error', (error: Error) => this.#fail(error));
    worker.on('exit', () => this.#fail(new Error('The thread has ended')));
  }

  /** @param data what the program finds in `workerData` */
  static async start<Question, Answer>(program: URL, mebibytes: number, data?: unknown): Promise<Thread<Question, Answer>> {
    // Loaded on first use, because most commands start no thread.
    const { Worker } = await import('node:worker_threads');
    return new Thread(new Worker(program, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: mebibytes } }));
  }

  /** Asks one question at a time. @throws OutOfMemory, the error of the thread, or that it has ended */
  async ask(question: Question): Promise<Answer> {
    if (this.#failure) throw this.#failure;
    const pending = (this.#pending = Promise.withResolvers<Answer>());
    this.#worker.ref();
    this.#worker.postMessage(question);
    return await pending.promise.finally(() => this.#worker.unref());
  }

  /** The processor time that the thread has used, in milliseconds. @throws Error when it has ended */
  async processorTime(): Promise<number> {
    const { user, system } = await this.#worker.cpuUsage();
    return (user + system) / 1_000;
  }

  /** Terminates the thread after its current statement. A question that it has not answered fails. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#failure ??= (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY' ? new OutOfMemory() : error;
    this.#pending?.reject(this.#failure);
  }
}

/** A thread reached its limit of memory. */
export class OutOfMemory extends Error {
  constructor() {
    super('The thread needs too much memory');
  }
}
