import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { programOf, Thread } from '../flow/thread.ts';
import type { PagesLeft } from './checkpoint-thread.ts';

/**
 * Number of WAL pages that triggers a background checkpoint. Not smaller, because long work changes the same pages repeatedly.
 */
const logPages = 4_000;

/** Number of WAL pages from which a commit makes the checkpoint itself, because the thread cannot keep up or has failed. */
export const longestLogPages = 16_000;

/** The memory limit of the thread, in MiB. */
const memoryMebibytes = 32;

const program = programOf(import.meta.url, './checkpoint-thread.ts', 'checkpoint-thread');

/**
 * Checkpoints the write-ahead log (WAL) in a separate thread, because writing many pages waits for the disk. In a commit, it
 * would block the event loop.
 */
export class Checkpoints {
  readonly #file: string;
  /** Reads the number of pages in the WAL, and how many of them have been checkpointed. */
  readonly #state: StatementSync;
  #thread: Promise<Thread<'checkpoint', PagesLeft>> | null = null;
  #isCheckpointing = false;
  #isClosed = false;
  /** The number of pages that the last checkpoint left, because a long read still needs them or because it failed. */
  #left = 0;

  constructor(file: string, database: DatabaseSync) {
    this.#file = file;
    this.#state = database.prepare('pragma wal_checkpoint(noop)');
  }

  /**
   * Starts a checkpoint if the WAL is long. Call it after a commit. It also runs after a checkpoint, because of writes in the
   * meantime.
   */
  checkpointLongLog(): void {
    if (this.#isCheckpointing) return;
    const uncheckpointed = this.#uncheckpointedPages();
    this.#left = Math.min(this.#left, uncheckpointed);
    if (uncheckpointed - this.#left < logPages) return;
    this.#isCheckpointing = true;
    this.#thread ??= Thread.start(program, memoryMebibytes, this.#file);
    this.#thread
      .then((thread) => thread.ask('checkpoint'))
      .then(
        (left) => this.#end(left),
        () => this.#fail(),
      );
  }

  /** The next checkpoint, once the WAL has grown again, starts a new thread. */
  #fail(): void {
    this.#thread = null;
    this.#isCheckpointing = false;
    if (!this.#isClosed) this.#left = this.#uncheckpointedPages();
  }

  #end(left: PagesLeft): void {
    this.#isCheckpointing = false;
    if (this.#isClosed) return;
    this.#left = left;
    this.checkpointLongLog();
  }

  /** 0 when the file cannot be read. Commits report such errors. */
  #uncheckpointedPages(): number {
    try {
      const { log, checkpointed } = this.#state.get() as { log: number; checkpointed: number };
      return log - checkpointed;
    } catch {
      return 0;
    }
  }

  /** Terminates the thread after its current statement. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = await this.#thread?.catch(() => null);
    await thread?.end();
  }
}
