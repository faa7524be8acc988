import { foldedName, referenceName, referenceNameOf } from '../record-keys.ts';
import { referencesOf, refersTo } from '../references.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import { keptReason, type Referrer, referrersOf } from '../referrers.ts';
import type { Blocked, Change } from '../plan/plan.ts';
import { hasFields } from '../values.ts';
import { isRecordOf, staleOf } from './stale.ts';

/** Blocks changes that the service would refuse, deletions of records that others refer to, and changes that need those. */
export function withoutRefused(changes: readonly Change[], live: Live): { open: Change[]; blocked: Blocked[] } {
  const reasons = new Map<number, string>();
  const stale = staleOf(changes, live);
  // A change that will be a conflict removes no reference.
  const effective = changes.filter((change) => !stale.changed.includes(change));
  for (const change of changes) {
    const { number, kind, id, after, needs } = change;
    const found = live.records.get(kind)?.find((each) => each.id === id);
    const refused = found && after && !hasFields(found.fields, after) ? kinds[kind].refuses?.(after, found, live.bounds) : undefined;
    const isStopped = needs.some((need) => reasons.has(need));
    const reason =
      refused ??
      (isStopped ? 'it depends on a change that is blocked' : (whyKept(change, effective, live) ?? whyLost(change, changes, live)));
    if (reason !== undefined) reasons.set(number, reason);
  }
  return {
    open: changes.filter(({ number }) => !reasons.has(number)),
    blocked: changes.flatMap(({ number, kind, key }) => {
      const reason = reasons.get(number);
      return reason === undefined ? [] : [{ kind, key, reason }];
    }),
  };
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
