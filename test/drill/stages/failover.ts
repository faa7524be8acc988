import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresServer } from '../../support/postgres-server.ts';
import type { Random } from '../../../src/service/areas/sandbox/history/random.ts';
import type { Stage } from '../stage.ts';

/** A PostgreSQL server with a synchronous replica, which takes over each time the server is killed. */
export async function openFailover(random: Random, folder: string): Promise<Stage> {
  let primary = await PostgresServer.start();
  let replica = await PostgresServer.startReplicaOf(primary);
  const failOver = async () => {
    const dead = primary;
    // The replica is paused briefly, so that anything acknowledged without it is lost with the primary.
    const [sender] = await dead.query('select pid from pg_stat_replication');
    process.kill(sender?.pid as number, 'SIGSTOP');
    await sleep(100 + random.below(200));
    await dead.stop('SIGKILL');
    await sleep(random.below(500));
    await replica.promote();
    primary = replica;
    await dead.remove();
    // The new replica uses the address of the dead server.
    replica = await PostgresServer.startReplicaOf(primary, dead.port);
  };
  return {
    options: [
      '--data',
      join(folder, 'data'),
      '--database',
      `postgres://msgctl@127.0.0.1:${primary.port},127.0.0.1:${replica.port}/postgres`,
    ],
    disturbances: [{ name: 'the primary killed and the replica promoted', act: failOver }],
    query: (statement) => primary.query(statement),
    remove: async () => {
      await replica.remove();
      await primary.remove();
    },
  };
}
