import { foldedName, keyOf, referenceName, referenceNameOf } from '../record-keys.ts';
import { referencesOf, refersTo } from '../references.ts';
import { kinds } from '../kinds.ts';
import type { KindName } from '../kind.ts';
import type { Live } from '../live.ts';
import type { Obstacles } from '../planner/obstacles.ts';
import { whyExcluded, whyNoRoom, whyUnwritable } from '../planner/bounds.ts';
import { keptReason, type Referrer, referrersOf } from '../referrers.ts';
import type { Blocked, Change } from '../plan/plan.ts';
import { hasFields } from '../values.ts';
import { isRecordOf, staleOf } from './stale.ts';

/**
 * Blocks changes that the service would refuse, deletions of records that others refer to, and changes that need those.
 * @param obstacles why records cannot be created, as the service says
 */
export function withoutRefused(changes: readonly Change[], live: Live, obstacles: Obstacles): { open: Change[]; blocked: Blocked[] } {
  const reasons = new Map<number, string>();
  const stale = staleOf(changes, live);
  // A change that will be a conflict removes no reference.
  const effective = changes.filter((change) => !stale.changed.includes(change));
  const counts = new Map<KindName, { made: number; deleted: number }>();
  for (const change of changes) {
    const { number, kind, action, needs } = change;
    const count = counts.get(kind) ?? { made: 0, deleted: 0 };
    const isStopped = needs.some((need) => reasons.has(need));
    const reason =
      whyRefused(change, live) ??
      (isStopped
        ? 'it depends on a change that is blocked'
        : (whyKept(change, effective, live) ?? whyLost(change, changes, live) ?? whyNotCreated(change, live, obstacles, count)));
    if (reason !== undefined) reasons.set(number, reason);
    else if (action === 'create') counts.set(kind, { ...count, made: count.made + 1 });
    else if (action === 'delete' && !stale.changed.includes(change) && !stale.missing.includes(change))
      counts.set(kind, { ...count, deleted: count.deleted + 1 });
  }
  return {
    open: changes.filter(({ number }) => !reasons.has(number)),
    blocked: changes.flatMap(({ number, kind, key, action, id }) => {
      const reason = reasons.get(number);
      // The activation of a recreated agent is blocked together with its creation.
      return reason === undefined || (action === 'update' && id === null) ? [] : [{ kind, key, reason }];
    }),
  };
}

/** Why the service would refuse the fields of a change; undefined if it would not. */
function whyRefused({ kind, action, id, after }: Change, live: Live): string | undefined {
  const excluded = whyExcluded(kind, live.bounds);
  if (excluded !== undefined || after === null) return excluded;
  const found = live.records.get(kind)?.find((each) => each.id === id);
  const isWritten = found ? !hasFields(found.fields, after) : action === 'create';
  return isWritten ? whyUnwritable(kind, after, found, live.bounds) : undefined;
}

/** Why a record cannot be created: the plan of the account has no room for it, or it has an obstacle. */
function whyNotCreated(
  { kind: name, action, name: fields }: Change,
  live: Live,
  obstacles: Obstacles,
  count: { readonly made: number; readonly deleted: number },
): string | undefined {
  const kind = kinds[name];
  const reason = action === 'create' ? (whyNoRoom(name, live, count) ?? obstacles.to({ kind: name, fields })) : undefined;
  const isThere = () => live.records.get(name)?.some((each) => keyOf(kind, each.fields) === keyOf(kind, fields)) === true;
  return reason === undefined || isThere() ? undefined : reason;
}

/**
 * Why a record that a run created cannot be deleted: another record refers to it, and the undo neither deletes that record nor
 * removes the reference. Undefined if it can be deleted.
 */
function whyKept(change: Change, changes: readonly Change[], live: Live): string | undefined {
  if (change.action !== 'delete') return undefined;
  const releasing = changes.filter((each) => each.action === 'delete' || releases(each, change));
  const isReleased = (referrer: Referrer) => releasing.some((each) => each.kind === referrer.kind && isRecordOf(each, referrer));
  const referrer = referrersOf(change, live).find(
    // The service deletes disabled rules together with their agent, and undo recreates them.
    (each) => each.fields.enabled !== false && !isReleased(each),
  );
  return referrer && keptReason(kinds[referrer.kind], referrer.fields);
}

/** Why a record cannot be recreated: the record that it belongs to is gone. Undefined if it can. */
function whyLost({ kind, action, name }: Change, changes: readonly Change[], live: Live): string | undefined {
  if (action !== 'create') return undefined;
  const missing = referencesOf(kinds[kind], name).find((target) => {
    const isTarget = (text: string) => foldedName(kinds[target.kind], text) === foldedName(kinds[target.kind], target.name);
    const isLive = live.rows.get(target.kind)?.some((row) => isTarget(referenceNameOf(kinds[target.kind], row, live.rows)));
    const isCreated = changes.some(
      (each) =>
        each.kind === target.kind &&
        (each.action === 'create' || each.action === 'rename') &&
        isTarget(referenceName(kinds[target.kind], { ...each.name, ...each.after })),
    );
    return isLive !== true && !isCreated;
  });
  return missing && `the ${kinds[missing.kind].noun} '${missing.name}' no longer exists`;
}

/** Whether a change removes a reference to a record. */
export function releases({ kind, before }: Change, target: Pick<Change, 'kind' | 'name'>): boolean {
  return refersTo(kinds[kind], before ?? {}, { kind: target.kind, name: referenceName(kinds[target.kind], target.name) });
}
