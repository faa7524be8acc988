import { compareTexts } from '../../contract/text/compare-texts.ts';
import type { KindName } from '../../account-as-code/kind.ts';
import { type Live, readLive } from '../../account-as-code/live.ts';
import type { Plan } from '../../account-as-code/plan/plan.ts';
import { type CopyOf, type IdInCopy, idsInCopy, planOnCopy, unlikePlan } from './plan-on-copy.ts';
import { byPrecedence, overlap, rulesByPrecedence } from '../../account-as-code/planner/precedence.ts';
import { isOpen } from '../../account-as-code/run/execute.ts';
import type { Run } from '../../account-as-code/run/journal.ts';
import type { Journals } from './journals.ts';
import { inJournal, loadConfiguration, lostText, perform, type Scratch } from './scratch.ts';
import { withoutDeadReferences } from '../../account-as-code/planner/live-configuration.ts';
import { changedKinds, kindsReferringToCreated, undoPlan } from '../../account-as-code/undo/undo.ts';
import { knownAs } from '../../account-as-code/unknown-fields.ts';
import { stableText } from '../../account-as-code/values.ts';

/** The result of a rehearsal. */
export interface Rehearsal {
  readonly isFine: boolean;
  /** One sentence for each check. */
  readonly report: readonly string[];
}

/** A plan for the account, or a function that makes the plan for its copy. */
type Rehearsed = Plan | ((live: Live, idOf: IdInCopy) => Plan);

/**
 * Applies a configuration to a copy of the live account. A second diff must be empty, and undo must restore the copy.
 * @param whole the complete configuration, because records that are not in the files can conflict with them
 * @param names the kinds that the plan is made from. Records of other kinds that cannot be copied are only reported.
 * @param plan a function that makes the plan for the copy, or a saved plan for the account
 */
export async function rehearse(whole: Live, names: readonly KindName[], plan: Rehearsed, scratch: Scratch): Promise<Rehearsal> {
  const rehearsing = new Rehearsing(withoutDeadReferences(whole), names, plan, scratch);
  return { isFine: await rehearsing.run(), report: rehearsing.report };
}

/** Applies a plan to a copy that was made of the live account, for tests of what the account would do then. */
export async function applyToCopy(whole: Live, names: readonly KindName[], plan: Rehearsed, scratch: Scratch): Promise<void> {
  const original = withoutDeadReferences(whole);
  const copy = knownAs(original, await readLive(scratch.client, names));
  const onCopy = planFor(plan, { copy, original });
  await inJournal((journals) => perform(onCopy, copy, scratch, journals));
}

/** A plan for the copy of an account. */
function planFor(plan: Rehearsed, copyOf: CopyOf): Plan {
  return typeof plan === 'function' ? plan(copyOf.copy, idsInCopy(copyOf)) : planOnCopy(plan, copyOf);
}

class Rehearsing {
  readonly report: string[] = [];
  readonly #live: Live;
  readonly #names: readonly KindName[];
  readonly #plan: Rehearsed;
  readonly #scratch: Scratch;
  readonly #all: readonly KindName[];

  constructor(live: Live, names: readonly KindName[], plan: Rehearsed, scratch: Scratch) {
    this.#live = live;
    this.#names = names;
    this.#plan = plan;
    this.#scratch = scratch;
    this.#all = [...live.records.keys()];
  }

  /** @returns whether all checks passed */
  async run(): Promise<boolean> {
    const copy = await this.#copyAccount();
    if (!copy) return false;
    const before = await this.#read(this.#names);
    const copyOf = { copy: before, original: this.#live };
    const plan = planFor(this.#plan, copyOf);
    return await inJournal(async (journals) => {
      const isApplied = await this.#apply(plan, before, journals);
      const isSettled = await this.#checkSettled(plan, idsInCopy(copyOf));
      this.#reportAnswers(plan);
      const isRestored = await this.#undo(plan, copy, journals);
      return isApplied && isSettled && isRestored;
    });
  }

  /** @returns the copy; undefined if it differs from the live account */
  async #copyAccount(): Promise<Live | undefined> {
    const notLoaded = await loadConfiguration(this.#live, this.#scratch);
    const lost = notLoaded.filter(({ kind }) => this.#names.includes(kind));
    const others = notLoaded.filter((each) => !lost.includes(each));
    const copy = await this.#read(this.#all);
    const isEqual = this.#check(
      lost.length === 0 && isCopy(copy, this.#live, others.length === 0 ? this.#all : this.#names),
      'the copy is the same as the live account',
      `the copy differs from the live account${lost.length > 0 ? `: ${lost.map(lostText).join('; ')}` : ''}`,
    );
    if (!isEqual) return undefined;
    this.report.push(...others.map((each) => `not in the copy: ${lostText(each)}`));
    return copy;
  }

  async #apply(plan: Plan, live: Live, journals: Journals): Promise<boolean> {
    const { results } = await perform(plan, live, this.#scratch, journals);
    const failed = results.filter(isOpen);
    return this.#check(
      failed.length === 0,
      plan.changes.length === 1 ? '1 change was made' : `${plan.changes.length} changes were made`,
      failed.map(({ change, reason }) => `${change.kind} ${change.key}: ${reason ?? ''}`).join('; '),
    );
  }

  /** Checks that the copy now is what the files, or the saved plan, say. */
  async #checkSettled(plan: Plan, idOf: IdInCopy): Promise<boolean> {
    const after = await this.#read(this.#names);
    if (typeof this.#plan !== 'function') {
      const open = unlikePlan(plan, after).map(({ kind, key }) => `${kind} ${key}`);
      return this.#check(open.length === 0, 'the records match the plan', `these records do not match the plan: ${open.join(', ')}`);
    }
    const { length } = this.#plan(after, idOf).changes;
    return this.#check(
      length === 0,
      'a second diff finds no changes',
      `a second diff still finds ${length} ${length === 1 ? 'change' : 'changes'}`,
    );
  }

  #reportAnswers({ answers }: Plan): void {
    for (const { channel, number, before, after } of answers)
      this.report.push(`${channel}${number === null ? '' : ` ${number}`}: ${before ?? 'nobody'} → ${after ?? 'nobody'} answers`);
  }

  /** Undoes the run. @returns whether that restored the copy, or was not expected to */
  async #undo(plan: Plan, copy: Live, journals: Journals): Promise<boolean> {
    const [run] = journals.runs(plan.account) as [Run | undefined];
    if (run && plan.changes.length > 0) {
      const changed = await readLive(this.#scratch.client, changedKinds(run), kindsReferringToCreated(run));
      const { plan: back, kept } = undoPlan(run, changed);
      await perform(back, changed, this.#scratch, journals, kept);
    }
    const isRestored = isCopy(await this.#read(this.#all), copy, this.#all);
    this.#check(isRestored, 'undo restores the account', 'undo does not restore the account');
    return isRestored || plan.changes.some(({ undo }) => undo === 'none' || undo === 'partial');
  }

  async #read(names: readonly KindName[]): Promise<Live> {
    return knownAs(this.#live, await readLive(this.#scratch.client, names));
  }

  #check(isFine: boolean, done: string, failed: string): boolean {
    this.report.push(isFine ? `ok: ${done}` : `FAILED: ${failed}`);
    return isFine;
  }
}

/** Whether two accounts have the same configuration, apart from ids. Where rules overlap, the same ones must win. */
function isCopy(copy: Live, original: Live, names: readonly KindName[]): boolean {
  if (textOf(copy, names) !== textOf(original, names)) return false;
  const decided = new Set(decidedPairs(copy));
  // A service that does not report the order of two rules leaves it undecided.
  return decidedPairs(original).every((pair) => decided.has(pair));
}

/** The pairs of overlapping rules, the winning one first. */
function decidedPairs(live: Live): string[] {
  const rules = rulesByPrecedence(live);
  return rules.flatMap((winner, index) =>
    rules
      .slice(index + 1)
      .filter((loser) => overlap(winner.fields, loser.fields) && byPrecedence(winner.row, loser.row) !== 0)
      .map((loser) => `${stableText(winner.fields)}\n${stableText(loser.fields)}`),
  );
}

/** The configuration of an account as text, without ids. */
function textOf(live: Live, names: readonly KindName[]): string {
  return names
    .map(
      (name) =>
        `${name}\n${(live.records.get(name) ?? [])
          .map(({ fields }) => stableText(fields))
          .sort(compareTexts)
          .join('\n')}`,
    )
    .join('\n');
}
