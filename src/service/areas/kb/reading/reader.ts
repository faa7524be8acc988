import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { FairSemaphore } from '../../../semaphore.ts';
import { type PageLinks, type ReadDocument, ServiceStopping, Unreadable } from './document.ts';
import type { ReadResult, ReadTask } from './read.ts';

/** How long a document may take, in real milliseconds. */
const timeLimit = 30_000;

/** How long a process without work is kept, in real milliseconds: starting one and loading its libraries takes long. */
const idleLimit = 5_000;

/** How many documents are read at a time: on two cores three, so that an account that is alone has two of them. */
const places = Math.min(4, Math.max(3, availableParallelism()));

/** The program of the process: in the bundle, an entry of its own. */
const program = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './child.ts' : '../document-reader.mjs', import.meta.url));

/** Reads documents in processes of their own, so that a hostile one costs only its process. */
export class DocumentReader {
  readonly #timeLimit: number;
  readonly #idle: Process[] = [];
  readonly #all = new Set<Process>();
  readonly #places = new FairSemaphore(places);
  #isClosed = false;

  /** @param milliseconds how long a document may take */
  constructor(milliseconds = timeLimit) {
    this.#timeLimit = milliseconds;
  }

  /** Reads a document for an account. @throws Unreadable with a sentence that says why it cannot be read */
  async read(account: string, task: Omit<ReadTask, 'isForLinks'>): Promise<ReadDocument> {
    const result = await this.#perform(account, { ...task, isForLinks: false });
    if ('document' in result) return result.document;
    throw new Unreadable('problem' in result ? result.problem : 'It cannot be read');
  }

  /** Reads the links of a page for an account. @throws Unreadable */
  async links(account: string, task: Omit<ReadTask, 'isForLinks' | 'format'>): Promise<PageLinks> {
    const result = await this.#perform(account, { ...task, format: 'html', isForLinks: true });
    if ('links' in result) return result.links;
    throw new Unreadable('problem' in result ? result.problem : 'It cannot be read');
  }

  /** Ends the processes. What is being read fails. */
  close(): void {
    this.#isClosed = true;
    for (const each of this.#all) each.end();
  }

  async #perform(account: string, task: ReadTask): Promise<ReadResult> {
    return await this.#places.run(account, async () => {
      if (this.#isClosed) throw new ServiceStopping();
      const process = this.#idle.pop() ?? this.#start();
      const result = await process.perform(task, this.#timeLimit);
      if (this.#isClosed) throw new ServiceStopping();
      if (!process.isEnded) this.#idle.push(process);
      return result;
    });
  }

  #start(): Process {
    const started = new Process(() => {
      this.#all.delete(started);
      const place = this.#idle.indexOf(started);
      if (place >= 0) this.#idle.splice(place, 1);
    });
    this.#all.add(started);
    return started;
  }
}

/** A process that reads one document at a time. */
class Process {
  readonly #child: ChildProcess;
  #settle: ((result: ReadResult) => void) | undefined;
  #idle: NodeJS.Timeout | undefined;
  readonly #onEnd: () => void;
  isEnded = false;

  /** @param onEnd called when the process has ended */
  constructor(onEnd: () => void) {
    // Without the environment, which has secrets.
    this.#child = fork(program, [], {
      serialization: 'advanced',
      env: {},
      execArgv: ['--max-old-space-size=512', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#onEnd = onEnd;
    this.#child.on('message', (result: ReadResult) => this.#settle?.(result));
    const ended = () => {
      this.#leave();
      this.#settle?.({ problem: 'It needs too much memory to be read: split it into smaller documents' });
    };
    this.#child.on('exit', ended);
    this.#child.on('error', ended);
  }

  async perform(task: ReadTask, milliseconds: number): Promise<ReadResult> {
    clearTimeout(this.#idle);
    this.#child.ref();
    this.#child.channel?.ref();
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<ReadResult>((resolve) => {
        this.#settle = resolve;
        timer = setTimeout(() => {
          resolve({ problem: `It takes more than ${milliseconds / 1000} seconds to read: split it into smaller documents` });
          this.end();
        }, milliseconds);
        this.#child.send(task, (error) => {
          if (error) resolve({ problem: 'It cannot be read now: try again' });
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

  end(): void {
    this.#leave();
    this.#child.kill('SIGKILL');
  }

  /** Takes it out of those that get further documents, at once. */
  #leave(): void {
    clearTimeout(this.#idle);
    if (this.isEnded) return;
    this.isEnded = true;
    this.#onEnd();
  }
}
