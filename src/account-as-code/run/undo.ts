import type { Intent, Run } from './journal.ts';
import {
  type Action,
  foldedName,
  idAfter,
  isSamePart,
  type KindName,
  kindNames,
  type LiveRecord,
  mapReferences,
  partOf,
  referenceNameOf,
  referencesOf,
  titleOf,
} from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import { withIdsNow } from './ids-now.ts';
import { MadeAgain } from './made-again.ts';
import { idsMadeBy, idText } from './runs.ts';
import { answerersAfterUndo } from './undo-answers.ts';
import { namesTarget, withoutRefused } from './undo-blocking.ts';
import { namedAgain, namingKinds } from '../namers.ts';
import { type Change, knownRules, type Plan } from '../plan/plan.ts';
import { touchNote } from '../planner/precedence.ts';
import { hideAddresses } from '../plan/shown.ts';
import { staleNotes } from './undo-stale.ts';
import { restorePrecedence } from './undo-precedence.ts';
import { differing, type Fields, hiddenLike, isSame, pick, stableText, withSecrets } from '../values.ts';

/** The plan that undoes a run, and the contacts of the tags and lists that it restores. */
export interface UndoPlan {
  readonly plan: Plan;
  readonly members: ReadonlyMap<number, readonly string[]>;
}

/** The result of one change of a run. */
interface Made {
  readonly intent: Intent;
  readonly id: string | null;
  /** The record after the change; null if it was deleted. */
  readonly left: Fields | null;
}

/**
 * Plans the undo of a run: the reverse of each change, last change first.
 * @param others the other runs on the account. Records that they created do not belong to this run, and parts that they already
 * undid are not undone again.
 */
export function undoPlan(undone: Run, live: Live, others: readonly Run[] = []): UndoPlan {
  const run = withIdsNow(undone, others, live);
  const elsewhere = idsMadeBy(others);
  const own = withoutOwn(run.intents.flatMap((intent) => madeOf(intent, run, live, elsewhere)));
  const madeAgain = new MadeAgain(run, others, live);
  const made = own.flatMap((each) => [...lostWith(each.intent, live), each]);
  const isKnown = knownNames(made, live);
  const members = new Map<number, readonly string[]>();
  const opposites: Change[] = [];
  /** The changes that restore rules, by the id of the rule before the run. */
  const rules = new Map<string, Change>();
  const restored = new Map<string, number>();
  for (const { intent, id, left } of [...made].reverse()) {
    const number = opposites.length + 1;
    const taken = opposite(intent, id, left, { number, restored, live, isKnown });
    if (!taken || madeAgain.has(taken, intent)) continue;
    const change = withoutActivation(taken.action === 'delete' ? { ...taken, needs: releasesOf(taken, opposites) } : taken);
    opposites.push(change);
    if (change.kind === 'rules' && intent.id !== null) rules.set(intent.id, change);
    if (change.action === 'create') restored.set(`${change.kind}\0${String(change.name[kinds[change.kind].key[0] ?? ''])}`, number);
    if (intent.members && intent.members.length > 0) members.set(number, intent.members);
  }
  const { open, blocked } = withoutRefused([...opposites, ...activationsOf(made, opposites)], live);
  const { ordered, touches } = restorePrecedence(
    open,
    rules,
    madeAgain.identified({ rules: run.rules, intents: [...run.intents, ...made.map(({ intent }) => intent)] }),
    live,
  );
  const numbers = new Map(ordered.map(({ number }, index) => [number, index + 1]));
  const changes = ordered.map((change, index) => ({
    ...change,
    number: index + 1,
    needs: change.needs.map((need) => numbers.get(need) as number),
  }));
  const plan: Plan = {
    version: 1,
    account: run.account,
    changes,
    kept: [],
    blocked,
    answers: answerersAfterUndo(changes, live),
    notes: [
      ...live.notes,
      ...staleNotes(changes, live),
      ...notesOf(made),
      ...(touches > 0 ? [touchNote(touches, 'all have the order again that they had before the run')] : []),
    ],
    deletions: { count: changes.filter(({ action }) => action === 'delete').length, reasons: [] },
    salt: run.run,
    rules: knownRules(changes, live.rows),
  };
  return { plan, members: new Map([...members].map(([number, contacts]) => [numbers.get(number) as number, contacts])) };
}

/** The kinds that a run changed, including those that its deletions removed references from. */
export function changedKinds({ intents }: Run): Set<KindName> {
  return new Set(intents.flatMap(({ kind, namers = [] }) => [kind, ...namers.map((namer) => namer.kind)]));
}

/** The kinds that can refer to records that a run created. */
export function namingKindsOf({ intents }: Run): Set<KindName> {
  return new Set(intents.filter(({ action }) => action === 'create').flatMap(({ kind }) => namingKinds(kind)));
}

/**
 * What a deletion removed from the records that referred to the deleted one, as changes that the run made before the deletion.
 */
function lostWith(intent: Intent, live: Live): Made[] {
  const deleted = { kind: intent.kind, name: String(intent.name[kinds[intent.kind].key[0] ?? '']), id: intent.id };
  return (intent.namers ?? []).flatMap(({ kind: kindName, id, fields }): Made[] => {
    const kind = kinds[kindName];
    const of = { ...intent, kind: kindName, key: titleOf(kind, fields), name: pick(fields, kind.key), id, members: [], namers: [] };
    const isIt = (each: LiveRecord) => each.id === id && isSamePart(kind, each.fields, fields);
    const found = live.records.get(kindName)?.find(isIt);
    if (!found) return kind.isTakenAlong ? [{ intent: { ...of, image: fields }, id: null, left: null }] : [];
    const after = namedAgain(kind, fields, found.fields, deleted);
    return [{ intent: { ...of, action: 'update', image: { ...found.fields, ...after }, after }, id, left: found.fields }];
  });
}

/** Returns whether a name will exist when the run is undone, or belongs to a record that was deleted before the run. */
function knownNames(made: readonly Made[], live: Live): Around['isKnown'] {
  const known = new Set<string>();
  const text = (kind: KindName, name: string) => `${kind}\0${foldedName(kinds[kind], name)}`;
  for (const [kind, rows] of live.rows) for (const row of rows) known.add(text(kind, referenceNameOf(kinds[kind], row, live.rows)));
  for (const { intent } of made) if (intent.image) known.add(text(intent.kind, String(intent.image[kinds[intent.kind].key[0] ?? ''])));
  return (kind, name) => known.has(text(kind, name));
}

/**
 * Merges the run's later changes to records that it created into their creations, so that undoing a creation deletes the record
 * in its last state.
 */
function withoutOwn(made: readonly Made[]): Made[] {
  const keyOfMade = ({ intent: { kind, name }, id }: Made) => `${kind}\0${id ?? ''}\0${stableText(partOf(kinds[kind], name))}`;
  const own = new Set(made.filter(({ intent, id }) => intent.action === 'create' && id !== null).map(keyOfMade));
  const last = new Map(made.map((each) => [keyOfMade(each), each.left]));
  return made
    .filter((each) => each.intent.action === 'create' || !own.has(keyOfMade(each)))
    .map((each) => (own.has(keyOfMade(each)) ? { ...each, left: last.get(keyOfMade(each)) ?? each.left } : each));
}

/** A deleted agent is recreated inactive. */
function withoutActivation(change: Change): Change {
  if (change.kind !== 'agents' || change.action !== 'create') return change;
  return { ...change, after: { ...change.after, active: false } };
}

/** Activates recreated agents after everything that they need exists. */
function activationsOf(made: readonly Made[], opposites: readonly Change[]): Change[] {
  const wereActive = new Set(made.flatMap(({ intent }) => (intent.kind === 'agents' && intent.image?.active !== false ? intent.key : [])));
  return opposites
    .filter(({ kind, action, key }) => kind === 'agents' && action === 'create' && wereActive.has(key))
    .map((creation, index) => ({
      ...creation,
      number: opposites.length + index + 1,
      action: 'update',
      needs: [creation.number],
      before: { active: false },
      after: { active: true },
    }));
}

/** The result of a change. If its response was lost, the live state decides whether it was made. */
function madeOf(intent: Intent, run: Run, live: Live, elsewhere: ReadonlySet<string>): Made[] {
  const outcome = run.outcomes.get(intent.number);
  if (outcome?.result === 'failed') return [];
  if (outcome?.result === 'done') return [{ intent, id: outcome.id, left: outcome.left }];
  const kind = kinds[intent.kind];
  const records = (live.records.get(intent.kind) ?? []).filter(({ id }) => id === intent.id || !elsewhere.has(idText(intent.kind, id)));
  const isNew = intent.id === null || (kind.hasNewId === true && intent.action !== 'delete');
  const known = outcome?.id ?? (isNew ? null : idAfter(kind, intent.id, intent.after));
  const found = records.find((each) => (known === null ? isAdopted(intent, run, each) : each.id === known));
  if (intent.action === 'delete') return found ? [] : [{ intent, id: null, left: null }];
  if (found && (outcome || hasWritten(intent, found))) return [{ intent, id: found.id, left: found.fields }];
  // The record was deleted in order to be recreated, but that did not happen.
  const isGone = kind.isRemade === true && intent.image !== null && !records.some((each) => isNamed(intent, each));
  return isGone ? [{ intent: { ...intent, action: 'delete' }, id: null, left: null }] : [];
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
  return !rules.includes(record.id) && isNamed(intent, record) && hasWritten(intent, record);
}

/** Whether a record has the fields that the first call of a change wrote. */
function hasWritten({ kind, action, after }: Intent, { fields }: LiveRecord): boolean {
  // Only the digest of a secret is known.
  const isSecret = (value: unknown) => /"!(env|secret)"/.test(JSON.stringify(value));
  const later = action === 'create' ? kinds[kind].completion?.fields : undefined;
  return differing(after ?? {}, fields).every((field) => isSecret(after?.[field]) || later?.includes(field) === true);
}

/** The context for reversing a change. */
interface Around {
  readonly number: number;
  /** The numbers of the changes that recreate records, by kind and name. */
  readonly restored: ReadonlyMap<string, number>;
  readonly live: Live;
  readonly isKnown: (kind: KindName, name: string) => boolean;
}

function opposite(intent: Intent, id: string | null, left: Fields | null, { number, restored, live, isKnown }: Around): Change | undefined {
  const { kind: kindName, action, image, after } = intent;
  const kind = kinds[kindName];
  // If the run wrote a field from the environment, its previous and current values are secrets too.
  const secrets = withSecrets(after ?? {});
  const hidden = (fields: Fields) => hiddenLike(hideAddresses(kind, fields), secrets) as Fields;
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
    name: pick(fields, kind.key),
    ...values,
    before: values.before && hidden(values.before),
    after: values.after && hidden(values.after),
  });
  if (action === 'create')
    return left === null
      ? undefined
      : change('delete', left, { before: pick(left, Object.keys(after ?? {})), after: null, undo: 'new_id', id });
  if (image === null) return undefined;
  const alive = mapReferences(kind, image, (target, name) => (isKnown(target, name) ? name : undefined));
  if (action === 'delete') {
    const isThere = kind.outlives === true && live.rows.get(kindName)?.some((row) => kind.idOf(row) === intent.id) === true;
    const after = withoutEmpty(alive);
    return change('create', image, { before: null, after, undo: 'exact', id: isThere ? intent.id : null });
  }
  if (action === 'touch' || left === null) return undefined;
  const fields = Object.keys(after ?? {}).filter((field) => !isSame(alive[field], left[field]) && kind.lasting?.includes(field) !== true);
  if (fields.length === 0) return undefined;
  const before = pick(left, fields);
  const back = Object.fromEntries(fields.map((field) => [field, alive[field] ?? null]));
  const isRenamed = kind.key.some((field) => fields.includes(field));
  return change(isRenamed ? 'rename' : 'update', image, { before, after: back, undo: 'exact', id });
}

/** The numbers of the changes that remove references to a deleted record. If they fail, the record is not deleted. */
function releasesOf({ kind, name }: Change, earlier: readonly Change[]): number[] {
  return earlier.filter((each) => namesTarget(each, { kind, name })).map(({ number }) => number);
}

/** The numbers of the changes that recreate the records to which a recreated record refers. */
function needsOf(kind: KindName, after: Fields | null, restored: ReadonlyMap<string, number>): number[] {
  const numbers = referencesOf(kinds[kind], after ?? {}).flatMap(({ kind: target, name }) => restored.get(`${target}\0${name}`) ?? []);
  return [...new Set(numbers)].sort((one, other) => one - other);
}

function withoutEmpty(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

/** Notes about what cannot be restored. */
function notesOf(made: readonly Made[]): string[] {
  return kindNames.flatMap((kind) => {
    const lost = made.flatMap(({ intent }) => (intent.kind === kind ? (kinds[kind].notRestored?.(intent.action, intent.after) ?? []) : []));
    return [...new Set(lost)];
  });
}
