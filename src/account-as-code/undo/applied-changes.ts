import { idAfter, isSamePart, partOf, referenceName, titleOf } from '../record-keys.ts';
import { keyFields, type Kind, type LiveRecord, normalised } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import { fieldsReferringTo, mapReferences, refersTo, type Target } from '../references.ts';
import { differing, type Fields, isSame, omit, pick, stableText } from '../values.ts';
import type { Intent, Run } from '../run/journal.ts';
import { idsMadeBy, idText } from '../run/runs.ts';

/** The result of one change of a run. */
export interface AppliedChange {
  readonly intent: Intent;
  readonly id: string | null;
  /** The record after the change; null if it was deleted. */
  readonly fieldsAfter: Fields | null;
}

/**
 * The results of the changes of a run, each after what its deletion removed from other records.
 * @param others the other runs on the account. Records that they created do not belong to this run.
 */
export function appliedChanges(run: Run, others: readonly Run[], live: Live): AppliedChange[] {
  const elsewhere = idsMadeBy(others);
  const applied = withoutOwn(run.intents.flatMap((intent) => appliedChangeOf(intent, run, live, elsewhere)));
  return applied.flatMap((each) => [...removedReferences(each.intent, live), each]);
}

/**
 * The result of a change. If its response was lost, the live state decides whether it was made.
 * @param elsewhere the records that other runs created
 */
export function appliedChangeOf(intent: Intent, run: Run, live: Live, elsewhere: ReadonlySet<string>): AppliedChange[] {
  const outcome = run.outcomes.get(intent.number);
  if (outcome?.result === 'failed') return [];
  if (outcome?.result === 'done') return [{ intent, id: outcome.id, fieldsAfter: outcome.fieldsAfter }];
  const kind = kinds[intent.kind];
  const records = (live.records.get(intent.kind) ?? []).filter(({ id }) => id === intent.id || !elsewhere.has(idText(intent.kind, id)));
  const isNew = intent.id === null || (kind.identity.hasNewId === true && intent.action !== 'delete');
  const known = outcome?.id ?? (isNew ? null : idAfter(kind, intent.id, intent.after));
  const found = records.find((each) => (known === null ? isAdopted(intent, run, each) : each.id === known));
  if (intent.action === 'delete') return found ? [] : [{ intent, id: null, fieldsAfter: null }];
  if (found && (outcome || isWritten(intent, found))) return [{ intent, id: found.id, fieldsAfter: found.fields }];
  // The record was deleted in order to be recreated, but that did not happen.
  const isGone = kind.writing.isRemade === true && intent.fieldsBefore !== null && !records.some((each) => isNamed(intent, each));
  return isGone ? [{ intent: { ...intent, action: 'delete' }, id: null, fieldsAfter: null }] : [];
}

function isNamed({ name }: Intent, { fields }: LiveRecord): boolean {
  return isSame(pick(fields, Object.keys(name)), name);
}

/**
 * Whether a record is the result of an unfinished creation: it has the same key and fields and did not exist before. The run
 * checked keys right before the creation, and recorded the ids of all rules. Timestamps are not compared, because the clocks of
 * the service and this machine may differ.
 */
function isAdopted(intent: Intent, { rules }: Run, record: LiveRecord): boolean {
  return !rules.includes(record.id) && isNamed(intent, record) && isWritten(intent, record);
}

/** Whether a record has the fields that the first call of a change wrote. */
function isWritten({ kind, action, after }: Intent, { fields }: LiveRecord): boolean {
  // Only the digest of a secret is known.
  const isSecret = (value: unknown) => /"!(env|secret)"/.test(JSON.stringify(value));
  const later = action === 'create' ? kinds[kind].writing.completion?.fields : undefined;
  return differing(after ?? {}, fields).every((field) => isSecret(after?.[field]) || later?.includes(field) === true);
}

/**
 * Merges the run's later changes to records that it created into their creations, so that undoing a creation deletes the record
 * in its last state.
 */
function withoutOwn(applied: readonly AppliedChange[]): AppliedChange[] {
  const recordOf = ({ intent: { kind, name }, id }: AppliedChange) => `${kind}\0${id ?? ''}\0${stableText(partOf(kinds[kind], name))}`;
  const own = new Set(applied.filter(({ intent, id }) => intent.action === 'create' && id !== null).map(recordOf));
  const last = new Map(applied.map((each, index) => [recordOf(each), { index, fields: each.fieldsAfter }]));
  return applied.flatMap((each, index) => {
    if (!own.has(recordOf(each))) return [each];
    if (each.intent.action !== 'create') return [];
    const { index: end, fields } = last.get(recordOf(each)) ?? { index, fields: null };
    const renames = applied.slice(index + 1, end).filter(({ intent }) => intent.action === 'rename');
    return [{ ...each, fieldsAfter: fields ? withFormerNames(kinds[each.intent.kind], fields, renames) : each.fieldsAfter }];
  });
}

/** The fields of a record with the names that its references had before these renames, which are undone before the record is deleted. */
function withFormerNames(kind: Kind, fields: Fields, renames: readonly AppliedChange[]): Fields {
  if (renames.length === 0) return fields;
  const former = mapReferences(kind, fields, (target, name) => {
    const ofTarget = renames.filter(({ intent }) => intent.kind === target).toReversed();
    return ofTarget.reduce((known, { intent: { fieldsBefore, after } }) => {
      const before = fieldsBefore ?? {};
      return known === referenceName(kinds[target], { ...before, ...after }) ? referenceName(kinds[target], before) : known;
    }, name);
  });
  return normalised(kind, former);
}

/**
 * What a deletion removed from the records that referred to the deleted one, as changes that the run made before the deletion.
 * The records that were deleted come last, so that an undo recreates them first: others may refer to them.
 */
function removedReferences(intent: Intent, live: Live): AppliedChange[] {
  const deleted = { kind: intent.kind, name: referenceName(kinds[intent.kind], intent.name), id: intent.id };
  const removed = (intent.referrers ?? []).flatMap(({ kind: kindName, id, fields }): AppliedChange[] => {
    const kind = kinds[kindName];
    const of = {
      ...intent,
      kind: kindName,
      key: titleOf(kind, fields),
      name: pick(fields, kind.identity.key),
      id,
      members: [],
      referrers: [],
    };
    const isRecord = (each: LiveRecord) => each.id === id && isSamePart(kind, each.fields, fields);
    const found = live.records.get(kindName)?.find(isRecord);
    if (!found)
      return kind.references?.isDeletedWithReference ? [{ intent: { ...of, fieldsBefore: fields }, id: null, fieldsAfter: null }] : [];
    const after = restoredReferences(kind, fields, found.fields, deleted);
    const fieldsBefore = { ...found.fields, ...after };
    // Keys are restored by themselves, because they are there again as soon as the records that they refer to are.
    const keys = pick(after, Object.keys(keyFields(kind)));
    return [omit(after, Object.keys(keys)), keys].flatMap((part) =>
      Object.keys(part).length === 0
        ? []
        : [{ intent: { ...of, action: 'update', fieldsBefore, after: part }, id, fieldsAfter: found.fields }],
    );
  });
  return removed.toSorted((one, other) => Number(one.fieldsAfter === null) - Number(other.fieldsAfter === null));
}

/**
 * The fields that restore the references of a record to a deleted one. Other values in these fields stay as they are now.
 * @param was the fields before the deletion
 * @param now the current fields, with or without the id of the deleted record
 */
function restoredReferences(kind: Kind, was: Fields, now: Fields, deleted: Target & { readonly id: string | null }): Fields {
  const replaced = mapReferences(kind, now, (target, name) => (target === deleted.kind && name === deleted.id ? deleted.name : name));
  const names = fieldsReferringTo(kind, was, deleted).map((field) => {
    const [old, current] = [was[field], replaced[field]];
    if (!Array.isArray(old)) return [field, current ?? old] as const;
    const lost = (old as unknown[]).filter((item) => refersTo(kind, { [field]: [item] }, deleted));
    const kept = Array.isArray(current) ? (current as unknown[]) : [];
    return [field, refersTo(kind, { [field]: kept }, deleted) ? kept : [...kept, ...lost]] as const;
  });
  const fields = { ...now, ...Object.fromEntries(names) };
  const whole = normalised(kind, fields);
  return Object.fromEntries(names.filter(([field]) => !isSame(whole[field], now[field])).map(([field]) => [field, whole[field]]));
}
