import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import type { PagesLeft } from './checkpoint-thread.ts';

/** The pages of the write-ahead log from which on they are moved into the database. Long work changes the same pages again. */
const logPages = 4_000;

/** The pages from which on a commit moves them itself: the thread does not keep up, or fails. */
export const longestLogPages = 16_000;

/** The memory of the thread, in MiB. */
const memoryMebibytes = 32;

/** The program of the thread: in the bundle, an entry of its own. */
const program = new URL(import.meta.url.endsWith('.ts') ? './checkpoint-thread.ts' : '../checkpoint-thread.mjs', import.meta.url);

/**
 * Moves the write-ahead log into the database, in a thread of its own, because this waits for the disk for as long as it
 * takes to write many pages. In a commit, it would block the event loop.
 */
export class Checkpoints {
  readonly #file: string;
  /** Reads how many pages the log has, and how many of them were moved. */
  readonly #state: StatementSync;
  #thread: Promise<Worker> | null = null;
  #isMoving = false;
  #isClosed = false;
  /** The pages that the last move left, because a long read still needs them, or because it failed. */
  #left = 0;

  constructor(file: string, database: DatabaseSync) {
    this.#file = file;
    this.#state = database.prepare('pragma wal_checkpoint(noop)');
  }

  /** Has the log moved when it is long. To be called after a commit, and after a move: others wrote meanwhile. */
  moveLongLog(): void {
    if (this.#isMoving) return;
    const unmoved = this.#unmovedPages();
    this.#left = Math.min(this.#left, unmoved);
    if (unmoved - this.#left < logPages) return;
    this.#isMoving = true;
    this.#thread ??= this.#start();
    this.#thread.then(
      (thread) => thread.postMessage('move'),
      () => this.#fail(),
    );
  }

  /** The next move, when the log has grown again, gets a new thread. */
  #fail(): void {
    this.#thread = null;
    this.#isMoving = false;
    if (!this.#isClosed) this.#left = this.#unmovedPages();
  }

  #end(left: PagesLeft): void {
    this.#isMoving = false;
    if (this.#isClosed) return;
    this.#left = left;
    this.moveLongLog();
  }

  /** 0 when the file cannot be read, which the commits report. */
  #unmovedPages(): number {
    try {
      const { log, checkpointed } = this.#state.get() as { log: number; checkpointed: number };
      return log - checkpointed;
    } catch {
      return 0;
    }
  }

  async #start(): Promise<Worker> {
    const { Worker } = await import('node:worker_threads');
    const thread = new Worker(program, { workerData: this.#file, resourceLimits: { maxOldGenerationSizeMb: memoryMebibytes } });
    thread.on('message', (left: PagesLeft) => this.#end(left));
    thread.on('error', () => this.#fail());
    thread.unref();
    return thread;
  }

  /** Ends the thread, after the statement that it runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = await this.#thread?.catch(() => null);
    await thread?.terminate();
  }
}
