import type { Action, Kind, KindName } from '../kind.ts';
import { foldedName, idOf, referenceName, referenceNameOf, titleOf } from '../record-keys.ts';
import { mapReferences, referencesOf } from '../references.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Change } from '../plan/plan.ts';
import { hideAddresses } from '../plan/shown.ts';
import { type Fields, hiddenLike, isSame, pick } from '../values.ts';
import type { SecretFields } from './secret-fields.ts';
import type { AppliedChange } from './applied-changes.ts';
import { releases } from './blocking.ts';

/** The context for reversing a change. */
export interface UndoContext {
  readonly number: number;
  /** The numbers of the changes that recreate records, by kind and name. */
  readonly restored: ReadonlyMap<string, number>;
  readonly live: Live;
  readonly isKnown: (kind: KindName, name: string) => boolean;
  readonly secrets: SecretFields;
}

/** The change that reverses a change of a run; undefined if there is nothing to reverse. */
export function reversalOf(
  { intent, id, fieldsAfter }: AppliedChange,
  { number, restored, live, isKnown, secrets }: UndoContext,
): Change | undefined {
  const { kind: kindName, action, fieldsBefore, after } = intent;
  const kind = kinds[kindName];
  // If a run wrote a field from the environment, all values of the field are secrets.
  const written = secrets.of(intent);
  const hidden = (fields: Fields) => hiddenLike(hideAddresses(kind, fields), written) as Fields;
  const change = (
    word: Action,
    fields: Fields,
    values: { before: Fields | null; after: Fields | null; undo: Change['undo']; id: string | null },
  ): Change => ({
    number,
    kind: kindName,
    key: titleOf(kind, fields),
    action: word,
    needs: needsOf(kindName, values.after, restored),
    name: pick(fields, kind.identity.key),
    ...values,
    before: values.before && hidden(values.before),
    after: values.after && hidden(values.after),
  });
  if (action === 'create')
    return fieldsAfter === null
      ? undefined
      : change('delete', fieldsAfter, { before: pick(fieldsAfter, Object.keys(after ?? {})), after: null, undo: 'new_id', id });
  if (fieldsBefore === null) return undefined;
  const alive = mapReferences(kind, fieldsBefore, (target, name) => (isKnown(target, name) ? name : undefined));
  if (action === 'delete') {
    const isThere = canSurviveDeletion(kind) && live.rows.get(kindName)?.some((row) => idOf(kind, row) === intent.id) === true;
    const after = withoutEmpty(alive);
    return change('create', fieldsBefore, { before: null, after, undo: 'exact', id: isThere ? intent.id : null });
  }
  if (action === 'touch' || fieldsAfter === null) return undefined;
  const fields = Object.keys(after ?? {}).filter(
    (field) => !isSame(alive[field], fieldsAfter[field]) && kind.loss?.irreversible?.includes(field) !== true,
  );
  if (fields.length === 0) return undefined;
  const before = pick(fieldsAfter, fields);
  const back = Object.fromEntries(fields.map((field) => [field, alive[field] ?? null]));
  const isRenamed = kind.identity.key.some((field) => fields.includes(field));
  return change(isRenamed ? 'rename' : 'update', fieldsBefore, { before, after: back, undo: 'exact', id });
}

/** The numbers of the changes that remove references to a deleted record. If they fail, the record is not deleted. */
export function releasesOf({ kind, name }: Change, earlier: readonly Change[]): number[] {
  return earlier.filter((each) => releases(each, { kind, name })).map(({ number }) => number);
}

/** The numbers of the changes that recreate the records to which a recreated record refers. */
function needsOf(kind: KindName, after: Fields | null, restored: ReadonlyMap<string, number>): number[] {
  const numbers = referencesOf(kinds[kind], after ?? {}).flatMap(({ kind: target, name }) => restored.get(`${target}\0${name}`) ?? []);
  return [...new Set(numbers)].sort((one, other) => one - other);
}

function withoutEmpty(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

/** Returns whether a name will exist when the run is undone, or belongs to a record that was deleted before the run. */
export function knownNames(applied: readonly AppliedChange[], live: Live): UndoContext['isKnown'] {
  const known = new Set<string>();
  const text = (kind: KindName, name: string) => `${kind}\0${foldedName(kinds[kind], name)}`;
  for (const [kind, rows] of live.rows) for (const row of rows) known.add(text(kind, referenceNameOf(kinds[kind], row, live.rows)));
  for (const [kind, records] of live.records) for (const { fields } of records) known.add(text(kind, referenceName(kinds[kind], fields)));
  for (const { intent } of applied)
    if (intent.fieldsBefore) known.add(text(intent.kind, referenceName(kinds[intent.kind], intent.fieldsBefore)));
  return (kind, name) => known.has(text(kind, name));
}

/** Whether a record can still exist after a deletion: one of several campaigns only loses that campaign. */
function canSurviveDeletion({ identity }: Kind): boolean {
  return identity.dividedBy !== undefined;
}

/** A deleted record that is activated last, such as an agent, is recreated inactive. */
export function withoutActivation(change: Change): Change {
  if (!isActivatedLast(change) || change.action !== 'create') return change;
  return { ...change, after: { ...change.after, active: false } };
}

/** Activates recreated records after everything that they need exists. */
export function activationsOf(applied: readonly AppliedChange[], reversals: readonly Change[]): Change[] {
  const wereActive = new Set(
    applied.flatMap(({ intent }) => (isActivatedLast(intent) && intent.fieldsBefore?.active !== false ? intent.key : [])),
  );
  return reversals
    .filter((change) => isActivatedLast(change) && change.action === 'create' && wereActive.has(change.key))
    .map((creation, index) => ({
      ...creation,
      number: reversals.length + index + 1,
      action: 'update',
      needs: [creation.number],
      before: { active: false },
      after: { active: true },
    }));
}

function isActivatedLast({ kind }: Pick<Change, 'kind'>): boolean {
  return kinds[kind].writing.isActivatedLast === true;
}
