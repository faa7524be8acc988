import type { AccountPlan as Bounds } from '../../contract/plan.ts';
import { featureOf, type KindName } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';

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
