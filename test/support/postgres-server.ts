import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, existsSync, globSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { end } from './processes.ts';

/** The folder with the programs of the newest installed version of PostgreSQL. */
const programs = globSync('/usr/lib/postgresql/*/bin/initdb')
  .map((file) => dirname(file))
  .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  .at(-1);

/** Whether PostgreSQL is installed, so that a server can be created. */
export const hasPostgres = programs !== undefined;

/**
 * The signals that stop a server: SIGINT for a fast shutdown, SIGQUIT for an immediate shutdown without a checkpoint as in a
 * crash, and SIGKILL to kill all of its processes.
 */
export type Stop = 'SIGINT' | 'SIGQUIT' | 'SIGKILL';

/** A temporary PostgreSQL server with its own folder and port. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  #process: ChildProcess | null = null;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
  }

  /**
   * Creates and starts a server.
   * @param syncs whether it syncs to disk, like any other server. Without that it is faster, and loses nothing but when the machine fails
   */
  static async start({ syncs = true } = {}): Promise<PostgresServer> {
    const server = new PostgresServer(makeFolder(), await freePort());
    runProgram('initdb', ['-D', server.#data, '-U', 'msgctl', '-A', 'trust'], server.#folder);
    appendFileSync(
      join(server.#data, 'postgresql.conf'),
      `max_connections = 200\nlisten_addresses = '127.0.0.1'\nfsync = ${syncs ? 'on' : 'off'}\n`,
    );
    await server.restart();
    return server;
  }

  /**
   * Creates and starts a streaming replica of a server. From then on, the primary acknowledges only what the replica has
   * written.
   */
  static async startReplicaOf(primary: PostgresServer, port?: number): Promise<PostgresServer> {
    const server = new PostgresServer(makeFolder(), port ?? (await freePort()));
    runProgram('pg_basebackup', ['-D', server.#data, '-d', primary.url, '-R', '-X', 'stream', '-c', 'fast'], server.#folder);
    // The copy includes the primary's setting, but has no replica for which it could wait.
    appendFileSync(join(server.#data, 'postgresql.auto.conf'), "synchronous_standby_names = ''\n");
    await server.restart();
    await primary.query("alter system set synchronous_standby_names = '*'");
    await primary.query('select pg_reload_conf()');
    while ((await primary.query("select from pg_stat_replication where sync_state = 'sync'")).length === 0) await sleep(50);
    return server;
  }

  get url(): string {
    return `postgres://msgctl@127.0.0.1:${this.port}/postgres`;
  }

  /** The process id of the server's main process (postmaster). */
  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  /** Restarts a stopped server and waits until it accepts connections. */
  async restart(): Promise<void> {
    for (;;) {
      const log = openSync(join(this.#folder, 'log'), 'a');
      const child = spawn(program('postgres'), ['-D', this.#data, '-p', `${this.port}`, '-k', this.#folder], {
        ...account,
        cwd: this.#folder,
        stdio: ['ignore', log, log],
        // Ctrl-C in the terminal must only reach the program that created the server, which then removes it.
        detached: true,
      });
      this.#process = child;
      while (child.exitCode === null && child.signalCode === null) {
        if (await this.query('select').then(Boolean, () => false)) return;
        await sleep(50);
      }
      // The processes of a killed server take a moment to end, and until then hold its shared memory.
      if (!this.log().includes('shared memory block')) throw new Error(this.log());
      await sleep(50);
    }
  }

  async stop(how: Stop): Promise<void> {
    // Kills all processes, so that connections and replication end immediately, as when a machine fails.
    if (how === 'SIGKILL') spawnSync('kill', ['-KILL', ...this.processes().map(String)]);
    if (this.#process) await end(this.#process, how);
  }

  /** The ids of all processes of the server; empty if it is stopped. */
  processes(): number[] {
    const children = `/proc/${this.pid}/task/${this.pid}/children`;
    return existsSync(children) ? [this.pid, ...readFileSync(children, 'utf8').split(' ').filter(Boolean).map(Number)] : [];
  }

  /** Promotes a replica to a primary. */
  async promote(): Promise<void> {
    await this.query('select pg_promote()');
  }

  /** Runs a statement on a separate connection. */
  async query(statement: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 5000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  /** The end of the server's log, for error messages. */
  log(): string {
    return readFileSync(join(this.#folder, 'log'), 'utf8').slice(-4000);
  }

  /** Stops the server and deletes its files. */
  async remove(): Promise<void> {
    await this.stop('SIGQUIT');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The user that runs the PostgreSQL programs, because they refuse to run as root. */
export const account: { uid?: number; gid?: number } =
  process.getuid?.() === 0 ? { uid: idOf('postgres', '-u'), gid: idOf('postgres', '-g') } : {};

function idOf(user: string, which: string): number {
  return Number(spawnSync('id', [which, user], { encoding: 'utf8' }).stdout);
}

/** Creates a temporary folder that the PostgreSQL programs can write to. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'msgctl-postgres-'));
  if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid);
  return folder;
}

function program(name: string): string {
  const file = join(programs ?? '', name);
  if (!existsSync(file)) throw new Error(`PostgreSQL's ${name} is not installed`);
  return file;
}

function runProgram(name: string, argv: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(program(name), argv, { ...account, cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
}

/** Finds a free port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
