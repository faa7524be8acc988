import type { Client } from '../client/client.ts';
import { inParallel } from '../client/in-parallel.ts';
import type { FileRecord } from './files/configuration.ts';
import { type KindName, readsAtOnce } from './kind.ts';
import { keyOf } from './record-keys.ts';
import { kinds } from './kinds.ts';
import type { Live } from './live.ts';

/** Why records of the files cannot be created, although the live account does not show it. */
export type Obstacles = ReadonlyMap<FileRecord, string>;

/**
 * Asks the service for the obstacles of the records that are not live yet.
 * @param names the kinds to plan
 * @throws the errors of the client
 */
export async function findObstacles(
  client: Client,
  records: readonly FileRecord[],
  live: Live,
  names: readonly KindName[],
): Promise<Obstacles> {
  const keys = new Map(names.map((name) => [name, new Set(live.records.get(name)?.map(({ fields }) => keyOf(kinds[name], fields)))]));
  const fresh = records.filter(({ kind, fields }) => kinds[kind].obstacle && keys.get(kind)?.has(keyOf(kinds[kind], fields)) === false);
  const found = await inParallel(
    fresh,
    readsAtOnce,
    async (record) => [record, await kinds[record.kind].obstacle?.(client, record.fields)] as const,
  );
  return new Map(found.flatMap(([record, reason]) => (reason === undefined ? [] : [[record, reason]])));
}
