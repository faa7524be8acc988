import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { end, type Ready, Workplace } from '../support/processes.ts';

/** Time limit for a server to become ready again, in milliseconds. */
const restartLimit = 60_000;

/** The servers of a drill, which share one store. */
export class Servers {
  /** A folder for everything that the drill stores. It is deleted with the servers. */
  readonly folder: string;
  /** The errors that the servers reported, and how often. */
  readonly errors = new Map<string, number>();
  readonly #workplace = new Workplace();
  readonly #running: { child: ChildProcess; ready: Ready }[] = [];
  #options: readonly string[] = [];

  constructor() {
    this.folder = this.#workplace.path;
  }

  /** Starts servers. Returns what the first one printed; it created the store. */
  async start(count: number, options: readonly string[]): Promise<Ready> {
    this.#options = [...options, '--quiet', '--allow-private-receivers'];
    for (let index = 0; index < count; index++) this.#running[index] = await this.#serve();
    return this.#at(0).ready;
  }

  get count(): number {
    return this.#running.length;
  }

  /** The addresses of the API and of the sandbox. A killed server keeps its addresses. */
  ready(index: number): Ready {
    return this.#at(index).ready;
  }

  async kill(index: number): Promise<void> {
    await end(this.#at(index).child, 'SIGKILL');
  }

  /** Restarts a killed server. Retries while the database is down. */
  async restart(index: number): Promise<void> {
    const deadline = performance.now() + restartLimit;
    for (;;) {
      try {
        this.#running[index] = await this.#serve();
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(100);
      }
    }
  }

  /** Whether a server has ended by itself. */
  get hasEnded(): boolean {
    return this.#running.some(({ child }) => child.exitCode !== null || child.signalCode !== null);
  }

  /** Shuts a server down gracefully. Returns its exit code. */
  async stop(index: number): Promise<number | null> {
    const { child } = this.#at(index);
    await end(child, 'SIGTERM');
    return child.exitCode;
  }

  remove(): Promise<void> {
    return this.#workplace.remove();
  }

  #at(index: number) {
    const server = this.#running[index];
    if (!server) throw new Error(`There is no server ${index}`);
    return server;
  }

  #noteError(line: string): void {
    const text = line.startsWith('{"event":"error"') ? (JSON.parse(line) as { stack: string }).stack : line;
    this.errors.set(text, (this.errors.get(text) ?? 0) + 1);
  }

  async #serve(): Promise<{ child: ChildProcess; ready: Ready }> {
    const { child, ready } = await this.#workplace.serve(this.#options);
    if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => this.#noteError(line));
    return { child, ready };
  }
}
