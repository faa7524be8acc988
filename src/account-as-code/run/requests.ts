import { limits } from '../../contract/limits.ts';
import { groupsOf } from './groups.ts';
import type { Kind, KindName, LiveRecord } from '../kind.ts';
import { channelKinds, kinds, neededKinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import { memberLimit } from '../kinds/members.ts';
import { nameFieldOf } from '../record-keys.ts';
import { referringKinds } from '../referrers.ts';
import type { Change, Plan } from '../plan/plan.ts';
import { isSame, pick } from '../values.ts';

/** The number of requests to apply a plan. For each write, it includes those that read the record before and after. */
export function requestsOf({ changes }: Plan, live: Live): number {
  const made: Change[] = [];
  let requests = 0;
  let previous: Change | undefined;
  for (const group of groupsOf(changes)) {
    const [first] = group;
    if (!first) continue;
    const kind = kinds[first.kind];
    const before = readRequests(kind, first, live, made);
    if (first.action === 'delete' && (previous?.action !== 'delete' || previous.kind !== first.kind))
      requests += referringRequests(kind, live, made);
    previous = first;
    made.push(...group.filter(({ action }) => action === 'create'));
    if (group.length > 1) requests += before + 1 + nearRequests(kind, first, live, made);
    else requests += before + writeRequests(kind, first, live) + (first.action === 'delete' ? 0 : afterRequests(kind, first, live, made));
  }
  return requests;
}

function readRequests(kind: Kind, change: Change, live: Live, made: readonly Change[]): number {
  return change.action !== 'create' && kind.reading.get ? 1 : nearRequests(kind, change, live, made);
}

function afterRequests(kind: Kind, change: Change, live: Live, made: readonly Change[]): number {
  return kind.reading.get && !kind.identity.hasNewId ? 1 : nearRequests(kind, change, live, made);
}

/** The number of requests that read the records among which one must be. */
function nearRequests(kind: Kind, { name }: Change, live: Live, made: readonly Change[]): number {
  if (!kind.reading.listNear) return listRequests(kind, live, made);
  const shared = pick(
    name,
    kind.identity.key.filter((field) => field !== nameFieldOf(kind)),
  );
  const isNear = (fields: LiveRecord['fields']) => isSame(pick(fields, Object.keys(shared)), shared);
  const known = (live.records.get(kind.name) ?? []).filter(({ fields }) => isNear(fields)).length;
  const fresh = made.filter((each) => each.kind === kind.name && isNear(each.name)).length;
  return pagesOf(kind, known + fresh);
}

/** The number of requests that read all records of a kind. */
function listRequests(kind: Kind, live: Live, made: readonly Change[]): number {
  const count = (name: KindName) => (live.rows.get(name)?.length ?? 0) + made.filter((each) => each.kind === name).length;
  return kind.reading.listRequests?.(count) ?? pagesOf(kind, count(kind.name));
}

/** The number of requests that read the records that refer to a kind, before records of that kind are deleted. */
function referringRequests({ name }: Kind, live: Live, made: readonly Change[]): number {
  const referring = referringKinds(name);
  if (referring.length === 0) return 0;
  const lists = neededKinds(referring).reduce((sum, each) => sum + listRequests(kinds[each], live, made), 0);
  return lists + (referring.some((each) => channelKinds.includes(each)) ? 2 : 1);
}

function pagesOf({ endpoints: [list] }: Kind, records: number): number {
  return list?.rows === undefined ? 1 : Math.max(1, Math.ceil(records / limits.pageSizeMax));
}

function writeRequests(kind: Kind, { action, id, kind: name }: Change, live: Live): number {
  if (action !== 'delete') return kind.writing.isRemade && action !== 'create' ? 2 : 1;
  const contacts = Number(live.records.get(name)?.find((each) => each.id === id)?.row.contact_count ?? 0);
  return kind.loss?.members ? 1 + Math.max(1, Math.ceil(Math.min(contacts, memberLimit) / limits.pageSizeMax)) : 1;
}
