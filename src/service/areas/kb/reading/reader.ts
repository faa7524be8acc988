import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { FairSemaphore } from '../../../flow/shares.ts';
import { programOf } from '../../../flow/thread.ts';
import { Moved, ServiceStopping, Unreadable } from './document.ts';
import type { ReadResult, ReadTask, TaskKind, Tasks } from './read.ts';

/** The time limit for reading a document, in real milliseconds. */
const timeLimit = 30_000;

/** The bytes that are sent to a process at once. Other requests wait while they are sent: 50 MiB take a third of a second. */
const pieceLength = 64 * 1024;

/** How long an idle process is kept, in real milliseconds. Starting a process and loading its libraries is slow. */
const idleLimit = 5_000;

/** The result of a task that was not begun. */
const unreadableNow = { problem: 'It cannot be read now: try again' };

/**
 * The number of documents that are read at the same time. At least three, even on two cores, so that a single account can use two
 * of them.
 */
const places = Math.min(4, Math.max(3, availableParallelism()));

const program = fileURLToPath(programOf(import.meta.url, './child.ts', 'document-reader'));

/**
 * The processes that wait for a task. All services of this program share them, because a command, or a test, may open one service
 * after another.
 */
const idle: Process[] = [];

/** Reads documents, and whatever else comes from sites, in separate processes, so that malicious bytes can only harm their process. */
export class DocumentReader {
  readonly #timeLimit: number;
  readonly #reading = new Set<Process>();
  readonly #places = new FairSemaphore(places);
  #isClosed = false;

  /** @param milliseconds the time limit for reading a document */
  constructor(milliseconds = timeLimit) {
    this.#timeLimit = milliseconds;
  }

  /**
   * Reads bytes for an account.
   * @param kind what they are read as
   * @param pieces the bytes, in pieces of any length
   * @param task what is known of them
   * @throws Unreadable with a sentence that explains why they cannot be read, Moved when they are a page that leads to another one
   */
  async read<Kind extends TaskKind>(
    account: string,
    kind: Kind,
    pieces: readonly Uint8Array[],
    task: Tasks[Kind]['task'],
  ): Promise<Tasks[Kind]['result']> {
    const read = await this.#perform(account, { kind, task }, pieces);
    if ('problem' in read) throw new Unreadable(read.problem, read.code ? { code: read.code } : {});
    if ('movedTo' in read) throw new Moved(read.movedTo);
    return read.result;
  }

  /** Kills the processes that are reading. Their documents fail. */
  close(): void {
    this.#isClosed = true;
    for (const each of this.#reading) each.end();
  }

  async #perform<Kind extends TaskKind>(account: string, task: ReadTask<Kind>, pieces: readonly Uint8Array[]): Promise<ReadResult<Kind>> {
    return await this.#places.run(account, async () => {
      if (this.#isClosed) throw new ServiceStopping();
      const process = idle.pop() ?? new Process();
      this.#reading.add(process);
      const result = await process.perform(task, pieces, this.#timeLimit);
      this.#reading.delete(process);
      if (this.#isClosed) throw new ServiceStopping();
      if (!process.isEnded) idle.push(process);
      return result;
    });
  }
}

/** A process that reads one document at a time. */
class Process {
  readonly #child: ChildProcess;
  #settle: ((result: ReadResult) => void) | undefined;
  #idle: NodeJS.Timeout | undefined;
  isEnded = false;

  constructor() {
    const compileCache = getCompileCacheDir();
    // Clears the environment, because it contains secrets.
    this.#child = fork(program, [], {
      serialization: 'advanced',
      env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache },
      execArgv: ['--max-old-space-size=512', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (result: ReadResult) => this.#settle?.(result));
    this.#child.on('exit', () => {
      this.#leave();
      this.#settle?.({ problem: 'It needs too much memory to be read: split it into smaller documents', code: 'too_large' });
    });
    this.#child.on('error', () => {
      this.#leave();
      this.#settle?.(unreadableNow);
    });
  }

  async perform(task: ReadTask, pieces: readonly Uint8Array[], milliseconds: number): Promise<ReadResult> {
    clearTimeout(this.#idle);
    this.#child.ref();
    this.#child.channel?.ref();
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<ReadResult>((resolve) => {
        this.#settle = resolve;
        timer = setTimeout(() => {
          const advice = task.kind === 'document' ? ': split it into smaller documents' : '';
          resolve({ problem: `It takes more than ${milliseconds / 1000} seconds to read${advice}`, code: 'timeout' });
          this.end();
        }, milliseconds);
        this.#send(task, pieces).catch(() => {
          resolve(unreadableNow);
          // It would take the pieces that arrived for the beginning of the next document.
          this.end();
        });
      });
    } finally {
      clearTimeout(timer);
      this.#settle = undefined;
      // An idle process must not keep the program alive.
      this.#child.unref();
      this.#child.channel?.unref();
      if (!this.isEnded) this.#idle = setTimeout(() => this.end(), idleLimit).unref();
    }
  }

  /** Sends a task after its bytes. Others are served between two pieces. */
  async #send(task: ReadTask, pieces: readonly Uint8Array[]): Promise<void> {
    for (const bytes of pieces)
      for (let from = 0; from < bytes.length; from += pieceLength) await this.#sendMessage(bytes.subarray(from, from + pieceLength));
    await this.#sendMessage(task);
  }

  #sendMessage(message: Uint8Array | ReadTask): Promise<void> {
    return new Promise((resolve, reject) => this.#child.send(message, (error) => (error ? reject(error) : resolve())));
  }

  end(): void {
    this.#leave();
    this.#child.kill('SIGKILL');
  }

  /** Removes the process immediately from those that get further documents. */
  #leave(): void {
    clearTimeout(this.#idle);
    this.isEnded = true;
    const place = idle.indexOf(this);
    if (place >= 0) idle.splice(place, 1);
  }
}
