import { sql } from 'kysely';
import { decide, type Decision, type Rule, type Situation } from '../../../contract/areas/routing/decide.ts';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { fixed, prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import type { RuleBook } from './rule-book.ts';
import type { ReadStep, RuleBooks } from './rule-books.ts';
import { type EntryPoint, entryPoints } from './table.ts';

/** A situation without the data about rules and agents, which the store provides. */
type Known = Omit<Situation, 'rules' | 'hasKeywordRule' | 'activeAgents'>;

/** The part of a situation that decides which rules match. */
export type Matching = Pick<Known, 'arrival' | 'channel' | 'hasWritten'>;

/** A decision, with the entry point that made it. */
export interface Routed {
  readonly decision: Decision;
  readonly entryPoint: EntryPoint | undefined;
}

/** The rules that a message matched when it arrived, before its transaction. */
export interface MatchedRules {
  readonly rules: readonly Rule[];
  readonly hasKeywordRule: boolean;
  readonly hasWritten: boolean;
}

/** With more characters in its rules than this, an account's messages are compared with them before their transaction. */
const fewCharacters = 20_000;

/**
 * Finds the rules that match what a contact writes, before the transaction, so that others can write meanwhile.
 * @param readSituation called if the account has many rules; undefined when rules do not decide
 * @returns undefined when there are few rules, which the transaction compares itself
 */
export async function matchRules(
  { store, scheduler }: Pick<Service, 'store' | 'scheduler'>,
  books: RuleBooks,
  accountId: string,
  readSituation: () => Promise<Matching | undefined>,
): Promise<MatchedRules | undefined> {
  const read: ReadStep = (step) => store.read(step);
  const book = await books.read(accountId, read, (step) => scheduler.run(() => read(step)));
  const known = book.size > fewCharacters ? await readSituation() : undefined;
  if (!known) return undefined;
  const finding = book.candidates(known);
  // The first step nearly always ends it. In a turn of its own, each message would get into a transaction alone.
  let step = finding.next();
  while (!step.done) step = await scheduler.run(async () => finding.next());
  return { rules: step.value, hasKeywordRule: book.hasKeywordRule(known.channel), hasWritten: known.hasWritten };
}

/**
 * Decides who answers. Reads rules only when no earlier step decides.
 * @param matched the rules that matched when the message arrived. If they were changed since, they still decide, unless they are gone
 */
export async function route(db: Db, books: RuleBooks, accountId: string, known: Known, matched?: MatchedRules): Promise<Routed> {
  const early = decide({ ...known, widgetAgentId: null, rules: [], hasKeywordRule: false, activeAgents: [] });
  if (early.step !== 'none') return { decision: early, entryPoint: undefined };
  const isMessage = known.arrival.kind === 'message';
  const active = isMessage ? activeAgentsOf(db, { account: accountId }) : [];
  const [{ rules, defaults, hasKeywordRule }, found] = await Promise.all([
    matched?.hasWritten === known.hasWritten ? withDefaults(db, accountId, known, matched) : matchNow(db, books, accountId, known),
    active,
  ]);
  const activeAgents = found.map(({ id }) => id);
  const routeBy = async (some: readonly Rule[]): Promise<Routed> => {
    const all = [...some, ...(isMessage ? defaults : [])];
    const decision = decide({ ...known, rules: all, hasKeywordRule, activeAgents });
    const { entry_point_id: id } = decision;
    return { decision, entryPoint: id === null ? undefined : await entryPoints.find(db, accountId, id) };
  };
  const routed = await routeBy(rules);
  // The rule may have been deleted or retired since the message arrived.
  const isGone = routed.decision.entry_point_id !== null && !routed.entryPoint?.enabled;
  return isGone ? await routeBy([]) : routed;
}

interface Rules {
  /** The keyword, comment and follower rules that match. */
  readonly rules: readonly Rule[];
  readonly defaults: readonly Rule[];
  readonly hasKeywordRule: boolean;
}

/** Compares the situation with the rules within the transaction, which others can pause. */
async function matchNow(db: Db, books: RuleBooks, accountId: string, known: Known): Promise<Rules> {
  const pause = () => fixed(db).pause?.();
  const readStep: ReadStep = async (step) => {
    await pause();
    return await step(db);
  };
  const book: RuleBook = await books.read(accountId, readStep);
  const finding = book.candidates(known);
  for (;;) {
    const step = finding.next();
    if (step.done)
      return { rules: step.value, defaults: book.defaultsOf(known.channel), hasKeywordRule: book.hasKeywordRule(known.channel) };
    await pause();
  }
}

async function withDefaults(db: Db, accountId: string, { channel, ownIdentity }: Known, matched: MatchedRules): Promise<Rules> {
  const defaults = await defaultsOf(db, { account: accountId, channel, number: ownIdentity });
  return { ...matched, defaults: defaults.map((row) => entryPoints.decode(row)) };
}

/** The enabled defaults of a channel, and of a number on it. */
const defaultsOf = prepared<{ account: string; channel: string; number: string }, StoredRow<typeof entryPoints>>((db, $) =>
  db
    .selectFrom('entry_points')
    .selectAll()
    .where('account_id', '=', $.account)
    .where('default_channel', '=', $.channel as never)
    .where('default_number', 'in', [$.number, sql.lit('')])
    .where(sql<boolean>`enabled = 1`),
);

/** The active agents of an account, at most two of them. */
const activeAgentsOf = prepared<{ account: string }, { id: string }>((db, $) =>
  db
    .selectFrom('agents')
    .select('id')
    .where('account_id', '=', $.account)
    .where(sql<boolean>`active = 1`)
    .limit(2),
);
