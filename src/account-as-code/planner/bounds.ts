import { counted } from '../../contract/counted.ts';
import type { Plan as Bounds } from '../../contract/plan.ts';
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
  const own = rows.get(name) ?? [];
  if (name === 'agents' && own.length + made - deleted >= bounds.max_agents)
    return `the plan allows ${counted(bounds.max_agents, 'agent')}`;
  if (name !== 'sources') return undefined;
  const waiting = own.filter(({ status }) => status === 'queued' || status === 'processing').length;
  if (waiting + made < bounds.pending_pages) return undefined;
  return `the limit of waiting pages is ${bounds.pending_pages}: try again when they are imported`;
}
