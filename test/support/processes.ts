import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { makePostgresDatabase } from './stores.ts';
import { isLongSweep } from './sweeps.ts';

/** The line that a server prints when it is ready. */
export interface Ready {
  readonly base_url: string;
  readonly sandbox_url: string;
  readonly sandbox_token: string | null;
  readonly account_id: string;
  readonly api_key: string | null;
}

export const program = new URL('../../bin/msgctl.js', import.meta.url).pathname;

/**
 * The engines for tests of processes: in `npm run test:all`, PostgreSQL too if MSGCTL_TEST_DATABASE_URL is set. What locks and
 * leases do on PostgreSQL is also tested in process, by the tests of the store and the jobs.
 */
export const engines = ['sqlite', ...(isLongSweep && process.env.MSGCTL_TEST_DATABASE_URL ? ['postgres'] : [])];

/** A Node in the path that is too old for the program, if there is one. */
export const olderNode = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .find((file) => existsSync(file) && /^v(1[89]|2[013]|22\.(1?\d|2[0-2]))\./.test(execFileSync(file, ['-v']).toString()));

/** Sends a request to a server like any other client. */
export async function call(
  url: string,
  key: string | null,
  method: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** The output of a process so far. */
export interface Output {
  stdout: string;
  stderr: string;
}

/** Collects the output of a process from now on. */
export function outputOf(child: ChildProcess): Output {
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) child[stream]?.on('data', (chunk: Buffer) => (output[stream] += chunk.toString()));
  return output;
}

/** Waits until a process has printed a text on stderr. */
export async function untilSaid(text: string, child: ChildProcess, output: Output): Promise<void> {
  while (!output.stderr.includes(text)) await once(child.stderr as Readable, 'data');
}

/** The environment for a process that runs a script before the program. */
export function preloading(script: string): { NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

/** Sends a signal to a process and waits until the process has ended. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** A folder with a home for real processes. It ends those that are still running. */
export class Workplace {
  readonly path = mkdtempSync(join(tmpdir(), 'msgctl-process-'));
  readonly #children = new Set<ChildProcess>();
  readonly #databases: (() => Promise<void>)[] = [];

  /** The options for servers that share a store of this workplace on the given engine. */
  async databaseOptions(engine: string): Promise<string[]> {
    const own = ['--data', join(this.path, 'data')];
    if (engine === 'sqlite') return own;
    const { address, remove } = await makePostgresDatabase();
    this.#databases.push(remove);
    return [...own, '--database', address];
  }

  /** Starts the program. */
  start(argv: readonly string[], env: Record<string, string> = {}, node = process.execPath): ChildProcess {
    const child = spawn(node, [program, ...argv], {
      env: { PATH: process.env.PATH, HOME: this.path, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    child.on('exit', () => this.#children.delete(child));
    return child;
  }

  /** Runs the program to its end. */
  async run(
    argv: readonly string[],
    env: Record<string, string> = {},
    node?: string,
  ): Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }> {
    const child = this.start(argv, env, node);
    child.stdin?.end();
    const output = outputOf(child);
    return await new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, ...output })));
  }

  /** Starts a server and waits until it is ready. */
  async serve(
    argv: readonly string[],
    env: Record<string, string> = {},
    node = process.execPath,
  ): Promise<{ child: ChildProcess; ready: Ready; exited: Promise<number | null> }> {
    const child = this.start(['serve', '--port', '0', '-o', 'json', ...argv], env, node);
    const output = outputOf(child);
    const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
    const ready = await new Promise<Ready>((resolve, reject) => {
      if (child.stdout) createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line) as Ready));
      void exited.then((code) => reject(new Error(`The server ended with ${code}: ${output.stderr}`)));
    });
    return { child, ready, exited };
  }

  /** Runs a server that a failpoint kills. It takes up what is left to do at once, so that it may be killed before it is ready. */
  async serveUntilKilled(argv: readonly string[], failpoint: string): Promise<void> {
    const { signal, stderr } = await this.run(['serve', '--port', '0', ...argv], { MSGCTL_FAILPOINT: failpoint });
    if (signal !== 'SIGKILL') throw new Error(`The failpoint ${failpoint} did not kill the server: ${stderr}`);
  }

  async remove(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    for (const remove of this.#databases) await remove();
    rmSync(this.path, { recursive: true, force: true });
  }
}
