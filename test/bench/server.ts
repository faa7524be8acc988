import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { PostgresServer } from '../support/postgres-server.ts';
import type { Ready, Workplace } from '../support/processes.ts';

/** A server to be measured. */
export interface MeasuredServer {
  readonly child: ChildProcess;
  readonly ready: Ready;
  readonly port: number;
}

/** Starts a server with the given options, in addition to those of all measurements. */
export async function startServer(
  workplace: Workplace,
  options: readonly string[],
  environment: Record<string, string> = {},
): Promise<MeasuredServer> {
  const { child, ready } = await workplace.serve(['--quiet', '--allow-private-receivers', ...options], environment);
  return { child, ready, port: Number(new URL(ready.base_url).port) };
}

/** The options for a server on a new embedded store. */
export function embeddedStore(workplace: Workplace): string[] {
  return ['--data', join(workplace.path, randomBytes(6).toString('hex'))];
}

/** The options for servers on a new database. With `port`, they connect to that port instead of the database server's own. */
export async function postgresStore(workplace: Workplace, database: PostgresServer, port = database.port): Promise<string[]> {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  await database.query(`create database ${name}`);
  const address = new URL(database.url);
  address.port = `${port}`;
  address.pathname = name;
  return [...embeddedStore(workplace), '--database', address.href];
}

/** The engines, each with the options for servers on a new store. */
export async function newStores(workplace: Workplace, database: PostgresServer | null): Promise<[engine: string, options: string[]][]> {
  return [
    ['SQLite', embeddedStore(workplace)],
    ...(database ? [['PostgreSQL', await postgresStore(workplace, database)] as [string, string[]]] : []),
  ];
}
