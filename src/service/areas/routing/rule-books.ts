import { sql } from 'kysely';
import type { Rule } from '../../../contract/areas/routing/decide.ts';
import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { type CompiledRule, compileRule, RuleBook } from './rule-book.ts';
import { entryPoints } from './table.ts';

declare module '../../parts.ts' {
  interface Parts {
    readonly ruleBooks: RuleBooks;
  }
}

/** The characters of all rules that are kept in memory. */
const charactersMax = 32_000_000;

/** What the rules of an account count at least. */
const charactersOfBook = 1_000;

/** The number of rules that are read and compiled in one step, which takes a few milliseconds. */
const rulesAtOnce = 5;

/** Runs a step of the reading in a transaction, and lets others be served between two steps. */
export type ReadStep = <Result>(step: (db: Db) => Promise<Result>) => Promise<Result>;

const stampOf = prepared<{ account: string }, { stamp: string }>((db, $) =>
  db.selectFrom('rule_changes').select('stamp').where('account_id', '=', $.account),
);

type RuleRow = Pick<StoredRow<typeof entryPoints>, 'id' | 'type' | 'channels' | 'agent_id' | 'enabled' | 'revision'>;

/** The enabled rules of an account, without what they match. */
const enabledRules = prepared<{ account: string }, RuleRow>((db, $) =>
  db
    .selectFrom('entry_points')
    .select(['id', 'type', 'channels', 'agent_id', 'enabled', 'revision'])
    .where('account_id', '=', $.account)
    .where(sql<boolean>`enabled = 1`),
);

/** What rules match. @param ids their ids as a JSON list */
const configsOf = prepared<{ ids: string }, Pick<StoredRow<typeof entryPoints>, 'id' | 'match_config'>>((db, $) =>
  db
    .selectFrom('entry_points')
    .select(['id', 'match_config'])
    .where(isAmong(db, 'id', $.ids)),
);

/**
 * Keeps the rules of accounts in memory, so that a message costs the same however many rules there are. A change of an account's
 * rules gives them another stamp, which is looked up for each message. Only the rules that changed are then read again.
 */
export class RuleBooks {
  /** The one that was used last comes last. */
  readonly #books = new Map<string, RuleBook>();
  #characters = 0;

  /**
   * Reads the enabled rules of an account. The stamp is read first: a change between two steps gives the account another one, so that
   * the rules that changed are read again for the next message.
   * @param readRules runs the steps that read rules, which can be many
   */
  async read(accountId: string, read: ReadStep, readRules = read): Promise<RuleBook> {
    const [found] = await read((db) => stampOf(db, { account: accountId }));
    const stamp = found?.stamp ?? '';
    const known = this.#books.get(accountId);
    const book = known?.stamp === stamp ? known : new RuleBook(stamp, await readCompiled(readRules, accountId, known?.rules ?? new Map()));
    // Another message may have read them meanwhile.
    this.#forget(accountId);
    this.#keep(accountId, book);
    return book;
  }

  #keep(accountId: string, book: RuleBook): void {
    this.#books.set(accountId, book);
    this.#characters += book.size + charactersOfBook;
    for (const id of this.#books.keys()) {
      if (this.#characters <= charactersMax || id === accountId) return;
      this.#forget(id);
    }
  }

  #forget(accountId: string): void {
    const book = this.#books.get(accountId);
    if (!book) return;
    this.#books.delete(accountId);
    this.#characters -= book.size + charactersOfBook;
  }
}

/** @param known the rules as they were read before: what a rule matches changes only with its revision */
async function readCompiled(read: ReadStep, accountId: string, known: ReadonlyMap<string, CompiledRule>): Promise<CompiledRule[]> {
  const found = await read((db) => enabledRules(db, { account: accountId }));
  const rows = found.map((row) => entryPoints.decode(row) as Omit<Rule, 'match_config'>);
  const compiled: CompiledRule[] = [];
  const changed: Omit<Rule, 'match_config'>[] = [];
  for (const row of rows) {
    const before = known.get(row.id);
    if (before?.rule.revision !== row.revision) changed.push(row);
    else compiled.push({ ...before, rule: { ...row, match_config: before.rule.match_config } });
  }
  for (let from = 0; from < changed.length; from += rulesAtOnce) {
    const some = new Map(changed.slice(from, from + rulesAtOnce).map((row) => [row.id, row]));
    const configs = await read((db) => configsOf(db, { ids: JSON.stringify([...some.keys()]) }));
    for (const config of configs) {
      const { id, ...matching } = entryPoints.decode(config);
      compiled.push(compileRule({ ...some.get(id), ...matching } as Rule));
    }
  }
  return compiled;
}
