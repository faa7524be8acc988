import { digits } from '../../contract/text/counted.ts';
import { hasNames, type KindName, kindNames } from '../kind.ts';
import { memberLimit } from '../kinds/members.ts';
import { referenceName } from '../record-keys.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import { Obstacles } from '../planner/obstacles.ts';
import { referringKinds } from '../referrers.ts';
import { type Change, knownRules, type Plan } from '../plan/plan.ts';
import { answerersAfter } from '../planner/answers-after.ts';
import { touchNote } from '../planner/precedence.ts';
import { withCurrentIds } from './current-ids.ts';
import type { Intent, Kept, Run } from '../run/journal.ts';
import { type AppliedChange, appliedChanges } from './applied-changes.ts';
import { RecreatedRecords } from './recreated-records.ts';
import { activationsOf, knownNames, reversalOf, releasesOf, withoutActivation } from './reversal.ts';
import { withoutRefused } from './blocking.ts';
import { SecretFields } from './secret-fields.ts';
import { restorePrecedence } from './precedence.ts';
import { staleNotes, staleOf } from './stale.ts';
import type { Fields } from '../values.ts';

/** The plan that undoes a run, and what it needs to know about the records that it restores. */
export interface UndoPlan {
  readonly plan: Plan;
  readonly kept: Kept;
}

/**
 * Plans the undo of a run: the reverse of each change, last change first.
 * @param others the other runs on the account. Records that they created do not belong to this run, and parts that they already
 * undid are not undone again.
 * @param obstacles why records cannot be recreated, as the service says
 */
export function undoPlan(undone: Run, live: Live, others: readonly Run[] = [], obstacles = new Obstacles()): UndoPlan {
  const run = withCurrentIds(undone, others, live);
  const applied = appliedChanges(run, others, live);
  const recreated = new RecreatedRecords(run, others, live);
  const isKnown = knownNames(applied, live);
  const secrets = new SecretFields([run, ...others]);
  const kept: [number, Intent][] = [];
  const reversals: Change[] = [];
  /** The changes that restore rules, by the id of the rule before the run. */
  const rules = new Map<string, Change>();
  const restored = new Map<string, number>();
  for (const each of applied.toReversed()) {
    const { intent } = each;
    const number = reversals.length + 1;
    const taken = reversalOf(each, { number, restored, live, isKnown, secrets });
    if (!taken || recreated.has(taken, intent)) continue;
    const change = withoutActivation(taken.action === 'delete' ? { ...taken, needs: releasesOf(taken, reversals) } : taken);
    reversals.push(change);
    if (!hasNames(kinds[change.kind]) && intent.id !== null) rules.set(intent.id, change);
    if (change.action === 'create') restored.set(`${change.kind}\0${referenceName(kinds[change.kind], change.name)}`, number);
    kept.push([number, intent]);
  }
  const { open, blocked } = withoutRefused([...reversals, ...activationsOf(applied, reversals)], live, obstacles);
  const before = recreated.identified({ rules: run.rules, intents: [...run.intents, ...applied.map(({ intent }) => intent)] });
  const restoring = new Map([...rules].filter(([, change]) => open.includes(change)));
  const { ordered, touches } = restorePrecedence(open, restoring, before, live);
  const numbers = new Map(ordered.map(({ number }, index) => [number, index + 1]));
  const changes = ordered.map((change, index) => ({
    ...change,
    number: index + 1,
    needs: change.needs.map((need) => numbers.get(need) as number),
  }));
  const stale = staleOf(changes, live);
  const plan: Plan = {
    version: 1,
    account: run.account,
    changes,
    kept: [],
    blocked,
    answers: answerersAfter(
      changes.filter((change) => !stale.changed.includes(change) && !stale.missing.includes(change)),
      live,
    ),
    notes: [...live.notes, ...staleNotes(stale), ...notesOf(applied), ...(touches > 0 ? [touchNote(touches)] : [])],
    deletions: { count: changes.filter(({ action }) => action === 'delete').length, reasons: [] },
    rules: knownRules(changes, before.rules),
  };
  return {
    plan,
    kept: new Map(kept.flatMap(([number, intent]) => (numbers.has(number) ? [[numbers.get(number) as number, intent]] : []))),
  };
}

/** The kinds that a run changed, including those that its deletions removed references from. */
export function changedKinds({ intents }: Run): Set<KindName> {
  return new Set(intents.flatMap(({ kind, referrers = [] }) => [kind, ...referrers.map((referrer) => referrer.kind)]));
}

/** The records as they were before a run. */
export function recordsBefore({ intents }: Run): { kind: KindName; fields: Fields }[] {
  return intents.flatMap(({ kind, fieldsBefore: fields }) => (fields ? [{ kind, fields }] : []));
}

/** The kinds that can refer to records that a run created. */
export function kindsReferringToCreated({ intents }: Run): Set<KindName> {
  return new Set(intents.filter(({ action }) => action === 'create').flatMap(({ kind }) => referringKinds(kind)));
}

/** Notes about what cannot be restored. */
function notesOf(applied: readonly AppliedChange[]): string[] {
  return kindNames.flatMap((kind) => {
    const lost = applied.flatMap(({ intent }) =>
      intent.kind === kind
        ? [kinds[kind].loss?.notRestored?.(intent.action, intent.after, intent.fieldsBefore) ?? [], lostMembers(intent)].flat()
        : [],
    );
    return [...new Set(lost)];
  });
}

/** A note about the contacts of a deleted tag or list, if it had more of them than the journal keeps. */
function lostMembers({ kind, key, action, members = [] }: Intent): string[] {
  if (action !== 'delete' || members.length < memberLimit) return [];
  return [`the ${kinds[kind].noun} '${key}' is restored on only ${digits(memberLimit)} of its contacts, because a run remembers no more`];
}
