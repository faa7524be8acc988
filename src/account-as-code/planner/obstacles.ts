import type { Caller } from '../../contract/call.ts';
import { inParallel } from '../../contract/in-parallel.ts';
import { type KindName, readsAtOnce } from '../kind.ts';
import { keyOf } from '../record-keys.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Fields } from '../values.ts';

/** A record that may have to be created. */
interface Wanted {
  readonly kind: KindName;
  readonly fields: Fields;
}

/** Why records cannot be created, although the live account does not show it. */
export class Obstacles {
  readonly #reasons: ReadonlyMap<string, string>;

  constructor(found: readonly (readonly [Wanted, string])[] = []) {
    this.#reasons = new Map(found.map(([record, reason]) => [textOf(record), reason]));
  }

  /** Why a record cannot be created; undefined if it can. */
  to(record: Wanted): string | undefined {
    return this.#reasons.get(textOf(record));
  }
}

/**
 * Asks the service for the obstacles of the records that are not live.
 * @param names the kinds to plan
 * @throws the errors of the client
 */
export async function findObstacles(
  client: Caller,
  records: readonly Wanted[],
  live: Live,
  names: readonly KindName[],
): Promise<Obstacles> {
  const keys = new Map(names.map((name) => [name, new Set(live.records.get(name)?.map(({ fields }) => keyOf(kinds[name], fields)))]));
  const fresh = records.filter(
    ({ kind, fields }) => kinds[kind].writing.obstacle && keys.get(kind)?.has(keyOf(kinds[kind], fields)) === false,
  );
  const found = await inParallel(
    fresh,
    readsAtOnce,
    async (record) => [record, await kinds[record.kind].writing.obstacle?.(client, record.fields)] as const,
  );
  return new Obstacles(found.flatMap(([record, reason]) => (reason === undefined ? [] : [[record, reason] as const])));
}

function textOf({ kind, fields }: Wanted): string {
  return `${kind}\0${keyOf(kinds[kind], fields)}`;
}
