import { type KindName, kindNames } from '../kind.ts';
import { referenceName } from '../record-keys.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import { namingKinds } from '../namers.ts';
import { type Change, knownRules, type Plan } from '../plan/plan.ts';
import { touchNote } from '../planner/precedence.ts';
import { withIdsNow } from './ids-now.ts';
import type { Run } from '../run/journal.ts';
import { type Made, madeBy } from './made.ts';
import { MadeAgain } from './made-again.ts';
import { activationsOf, knownNames, opposite, releasesOf, withoutActivation } from './opposite.ts';
import { answerersAfterUndo } from './answers.ts';
import { withoutRefused } from './blocking.ts';
import { restorePrecedence } from './precedence.ts';
import { staleNotes, staleOf } from './stale.ts';

/** The plan that undoes a run, and the contacts of the tags and lists that it restores. */
export interface UndoPlan {
  readonly plan: Plan;
  readonly members: ReadonlyMap<number, readonly string[]>;
}

/**
 * Plans the undo of a run: the reverse of each change, last change first.
 * @param others the other runs on the account. Records that they created do not belong to this run, and parts that they already
 * undid are not undone again.
 */
export function undoPlan(undone: Run, live: Live, others: readonly Run[] = []): UndoPlan {
  const run = withIdsNow(undone, others, live);
  const made = madeBy(run, others, live);
  const madeAgain = new MadeAgain(run, others, live);
  const isKnown = knownNames(made, live);
  const members = new Map<number, readonly string[]>();
  const opposites: Change[] = [];
  /** The changes that restore rules, by the id of the rule before the run. */
  const rules = new Map<string, Change>();
  const restored = new Map<string, number>();
  for (const each of made.toReversed()) {
    const { intent } = each;
    const number = opposites.length + 1;
    const taken = opposite(each, { number, restored, live, isKnown });
    if (!taken || madeAgain.has(taken, intent)) continue;
    const change = withoutActivation(taken.action === 'delete' ? { ...taken, needs: releasesOf(taken, opposites) } : taken);
    opposites.push(change);
    if (change.kind === 'rules' && intent.id !== null) rules.set(intent.id, change);
    if (change.action === 'create') restored.set(`${change.kind}\0${referenceName(kinds[change.kind], change.name)}`, number);
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
  const stale = staleOf(changes, live);
  const plan: Plan = {
    version: 1,
    account: run.account,
    changes,
    kept: [],
    blocked,
    answers: answerersAfterUndo(
      changes.filter((change) => !stale.changed.includes(change) && !stale.missing.includes(change)),
      live,
    ),
    notes: [
      ...live.notes,
      ...staleNotes(stale),
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

/** Notes about what cannot be restored. */
function notesOf(made: readonly Made[]): string[] {
  return kindNames.flatMap((kind) => {
    const lost = made.flatMap(({ intent }) => (intent.kind === kind ? (kinds[kind].notRestored?.(intent.action, intent.after) ?? []) : []));
    return [...new Set(lost)];
  });
}
