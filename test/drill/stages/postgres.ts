import { join } from 'node:path';
import { PostgresServer, type Stop } from '../../support/postgres-server.ts';
import type { Random } from '../../../src/service/areas/sandbox/history/random.ts';
import type { Disturbance, Stage } from '../stage.ts';

/** A PostgreSQL server that restarts, crashes and loses connections. */
export async function openPostgres(random: Random, folder: string): Promise<Stage> {
  const server = await PostgresServer.start();
  return {
    options: ['--data', join(folder, 'data'), '--database', server.url],
    disturbances: databaseDisturbances(random, server),
    query: (statement) => server.query(statement),
    remove: () => server.remove(),
  };
}

/** The failures of a PostgreSQL server. */
export function databaseDisturbances(random: Random, server: PostgresServer): Disturbance[] {
  const restart = async (how: Stop) => {
    await server.stop(how);
    await server.restart();
  };
  return [
    { name: 'a database backend killed', act: () => killBackend(random, server) },
    { name: 'all database connections ended', act: () => endConnections(server) },
    { name: 'the database restarted', act: () => restart('SIGINT') },
    { name: 'the database crashed', act: () => restart('SIGQUIT') },
    { name: 'the database killed', act: () => restart('SIGKILL') },
  ];
}

/** Kills the process of one connection. PostgreSQL then ends all connections and recovers. */
async function killBackend(random: Random, server: PostgresServer): Promise<void> {
  const backends = await server.query(
    "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() order by pid",
  );
  if (backends.length > 0) process.kill(random.pick(backends).pid as number, 'SIGKILL');
}

async function endConnections(server: PostgresServer): Promise<void> {
  await server.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
}
