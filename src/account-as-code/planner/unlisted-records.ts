import { definedFields } from '../../contract/defined-fields.ts';
import { foldedName, referenceName, titleOf } from '../record-keys.ts';
import { type Kind, type KindName, kindNames, type LiveRecord } from '../kind.ts';
import { referencesOf, refersTo } from '../references.ts';
import { kinds } from '../kinds.ts';
import { keptReason, referringKinds } from '../referrers.ts';
import type { Blocked, Plan } from '../plan/plan.ts';
import { hideAddresses } from '../plan/shown.ts';
import { pick } from '../values.ts';
import type { Matched } from './matched.ts';
import type { Draft } from './order.ts';
import { undoOf } from './undo-of.ts';

/** The result for the live records of a kind that are not in the files. */
export interface UnlistedRecords {
  readonly deletions: readonly Draft[];
  readonly kept: Plan['kept'];
  /** Records that are not deleted because others refer to them. */
  readonly blocked: readonly Blocked[];
}

/**
 * Deletes or keeps the live records that are not in the files. Must be called for referring kinds first, because a record that
 * is kept keeps the records that it refers to.
 * @param before the creations and updates of the plan, and the deletions of referring kinds
 */
export function planUnlisted(kind: Kind, matched: Matched, before: readonly Draft[]): UnlistedRecords {
  const rest = matched.unmatched(kind.name);
  const pruned = matched.deletable(kind.name);
  const reasonOf = reasonsToKeep(kind, matched, pruned);
  const blocked = new Map(
    pruned.flatMap((live) => {
      const reason = reasonOf(live);
      return reason === undefined ? [] : [[live, { kind: kind.name, key: titleOf(kind, live.fields), reason }] as const];
    }),
  );
  for (const live of blocked.keys()) matched.kept.add(live);
  const deleted = pruned.filter((live) => !blocked.has(live));
  const referring = referringKinds(kind.name);
  const earlier = before.filter((draft) => draft.live && referring.includes(draft.kind));
  return {
    deletions: deleted.map((live) => deletionOf(kind, live, earlier)),
    kept: rest.filter((each) => !deleted.includes(each)).map(({ fields }) => ({ kind: kind.name, key: titleOf(kind, fields) })),
    blocked: [...blocked.values()],
  };
}

function deletionOf(kind: Kind, live: LiveRecord, earlier: readonly Draft[]): Draft {
  return {
    kind: kind.name,
    key: titleOf(kind, live.fields),
    name: pick(live.fields, kind.identity.key),
    action: 'delete',
    id: live.id,
    before: hideAddresses(kind, definedFields(live.fields)),
    after: null,
    undo: undoOf(kind, 'delete', {}, live),
    step: kind.writing.step,
    needs: earlier.filter((draft) => releases(draft, kind.name, live)),
    order: 0,
    live,
  };
}

/** Whether a change removes a reference to a record. */
function releases({ kind, before, after }: Draft, name: KindName, live: LiveRecord): boolean {
  const target = { kind: name, name: referenceName(kinds[name], live.fields) };
  return refersTo(kinds[kind], before ?? {}, target) && !refersTo(kinds[kind], after ?? {}, target);
}

/**
 * Why records of a kind cannot be deleted: the records that remain refer to them, or they keep themselves.
 * @param pruned those to delete
 * @returns the reason of one of them; undefined if it can be deleted
 */
export function reasonsToKeep(kind: Kind, matched: Matched, pruned: readonly LiveRecord[]): (live: LiveRecord) => string | undefined {
  const reasons = new Map<string, string>();
  for (const name of pruned.length === 0 ? [] : kindNames)
    for (const fields of matched.fieldsAfterPlan(name)) {
      // The service deletes disabled rules together with their agent, and undo recreates them.
      if (fields.enabled === false && !matched.names.includes(name)) continue;
      for (const reference of referencesOf(kinds[name], fields))
        if (reference.kind === kind.name) reasons.set(foldedName(kind, reference.name), keptReason(kinds[name], fields));
    }
  return (live) => reasons.get(foldedName(kind, referenceName(kind, live.fields))) ?? kind.writing.keeps?.(live);
}

/** Where the plan of the account has no room for all new records of a kind, others are deleted before they are created. */
export function limitRecords(drafts: readonly Draft[], { names, live }: Matched): void {
  for (const name of names) {
    const room = kinds[name].writing.room?.(live.rows.get(name) ?? [], live.bounds);
    if (!room?.isFreed) continue;
    const own = drafts.filter(({ kind }) => kind === name);
    const made = own.filter(({ action }) => action === 'create');
    const first = own.filter(({ action }) => action === 'delete').slice(0, Math.max(0, made.length - room.left));
    for (const creation of made) for (const deletion of first) if (!creation.needs.includes(deletion)) creation.needs.push(deletion);
  }
}
