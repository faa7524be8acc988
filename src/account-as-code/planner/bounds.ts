import type { AccountPlan as Bounds } from '../../contract/plan.ts';
import { featureOf, type KindName, type LiveRecord } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import { keyOf, titleOf } from '../record-keys.ts';
import type { Fields } from '../values.ts';

/** Why the plan of the account excludes a kind; undefined if it does not. */
export function whyExcluded(name: KindName, bounds: Bounds): string | undefined {
  const feature = featureOf(kinds[name]);
  return feature === undefined || bounds[feature] ? undefined : `the plan does not include ${name}`;
}

/**
 * Why the plan of the account has no room for another record of a kind; undefined if it has.
 * @param made the number of records that are created before it
 * @param deleted the number of records that are deleted before it
 */
export function whyNoRoom(
  name: KindName,
  { bounds, rows }: Live,
  { made, deleted }: { readonly made: number; readonly deleted: number },
): string | undefined {
  const room = kinds[name].writing.room?.(rows.get(name) ?? [], bounds);
  if (!room || made < room.left + (room.isFreed ? deleted : 0)) return undefined;
  return room.reason;
}

/** Why a record cannot be created or changed, by its kind or by the plan of the account; undefined if it can. */
export function whyUnwritable(name: KindName, changed: Fields, live: LiveRecord | undefined, bounds: Bounds): string | undefined {
  const { refuses, exceeds } = kinds[name].writing;
  return refuses?.(changed, live) ?? exceeds?.(changed, live, bounds);
}

/** Why the plan of the account does not allow a configuration as a whole; undefined if it does. */
export function whyOverBounds(records: readonly { readonly kind: KindName; readonly fields: Fields }[], live: Live): string | undefined {
  for (const [name, own] of Map.groupBy(records, ({ kind }) => kind)) {
    const kind = kinds[name];
    const byKey = new Map(live.records.get(name)?.map((record) => [keyOf(kind, record.fields), record]));
    const found = own.map(({ fields }) => ({ fields, there: byKey.get(keyOf(kind, fields)) }));
    const made = found.filter(({ there }) => there === undefined).length;
    const reason = whyExcluded(name, live.bounds) ?? (made > 0 ? whyNoRoom(name, live, { made: made - 1, deleted: 0 }) : undefined);
    if (reason !== undefined) return reason;
    for (const { fields, there } of found) {
      const excess = kind.writing.exceeds?.(fields, there, live.bounds);
      if (excess !== undefined) return `the ${kind.noun} '${titleOf(kind, fields)}' cannot be applied: ${excess}`;
    }
  }
  return undefined;
}
