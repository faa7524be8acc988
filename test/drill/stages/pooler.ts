import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { account, freePort, makeFolder, PostgresServer } from '../../support/postgres-server.ts';
import { end } from '../../support/processes.ts';
import type { Random } from '../../../src/service/areas/sandbox/history/random.ts';
import type { Stage } from '../stage.ts';
import { databaseDisturbances } from './postgres.ts';

/** Additional address parameters: pgBouncer 1.18 does not keep named statements in transaction mode. */
const poolerParameters = '?prepared_statements=off';

/** Whether pgBouncer is installed. */
export const hasPooler = spawnSync('pgbouncer', ['--version']).status === 0;

/** A PostgreSQL server behind pgBouncer, which gives each transaction any free connection. */
export async function openPooler(random: Random, folder: string): Promise<Stage> {
  const server = await PostgresServer.start();
  const pooler = new Pooler(server, await freePort());
  await pooler.start();
  return {
    options: ['--data', join(folder, 'data'), '--database', pooler.url],
    disturbances: [...databaseDisturbances(random, server), { name: 'the pooler killed', act: () => pooler.restart() }],
    query: (statement) => server.query(statement),
    remove: async () => {
      await pooler.remove();
      await server.remove();
    },
  };
}

/** A pgBouncer in transaction mode. */
class Pooler {
  readonly url: string;
  readonly #port: number;
  readonly #folder = makeFolder();
  readonly #settings = join(this.#folder, 'pgbouncer.ini');
  #process: ChildProcess | null = null;

  constructor(server: PostgresServer, port: number) {
    this.#port = port;
    this.url = `postgres://msgctl@127.0.0.1:${port}/postgres${poolerParameters}`;
    writeFileSync(
      this.#settings,
      `[databases]
postgres = host=127.0.0.1 port=${server.port} user=msgctl
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
server_login_retry = 0.1
`,
    );
  }

  async start(): Promise<void> {
    const child = spawn('pgbouncer', ['-q', this.#settings], { ...account, cwd: this.#folder, stdio: 'ignore', detached: true });
    this.#process = child;
    while (!(await this.#isListening())) {
      if (child.exitCode !== null) throw new Error(`pgBouncer ended with ${child.exitCode}`);
      await sleep(20);
    }
  }

  async restart(): Promise<void> {
    await this.#kill();
    await this.start();
  }

  async remove(): Promise<void> {
    await this.#kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #kill(): Promise<void> {
    if (this.#process) await end(this.#process, 'SIGKILL');
  }

  async #isListening(): Promise<boolean> {
    const socket = connect(this.#port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }
}
