import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { JobDefinition } from '../../jobs/job.ts';
import { enqueueOnce } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { deleteRows } from '../../store/delete-rows.ts';
import { isNumberAmong } from '../../store/is-among.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import type { Row } from '../../store/table.ts';
import { finishOnAccount } from '../activity/account-job.ts';
import { type FaqWords, spellingsOf, termsOf, wordsOfFaq } from './index-entries.ts';
import { existingScopes, readScopes, readTexts, type SearchedText } from './searched-texts.ts';
import { faqPassages, faqSearch, faqSpellings, faqTerms, faqWords } from './table.ts';
import { embedLater, embedSome } from './vectors.ts';

/**
 * The number of FAQs that are prepared in one transaction, and the number of characters of their answers beyond which the rest waits,
 * so that it takes some milliseconds.
 */
const preparedAtOnce = 30;
const charactersAtOnce = 20_000;

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    /** With `vectors`, it prepares the vectors of passages whose words are prepared, `from` the `seq` of a FAQ on. */
    faq_search: { readonly vectors?: boolean; readonly from?: number };
  }
}

/**
 * Queues the background preparation of search data. Call it in the transaction that creates, changes, links or deletes FAQs.
 * @param moved the `seq` of FAQs whose campaigns or sources changed, or that were deleted. Created FAQs, and FAQs whose text
 * changed, need not be passed: their state is already set
 */
export async function prepareLater(db: Db, accountId: string, moved: readonly number[], now: number): Promise<void> {
  if (moved.length > 0)
    await db
      .updateTable('faq_search')
      .set({ state: 'moved' })
      .where(isNumberAmong(db, 'faq_seq', JSON.stringify(moved)))
      .where('state', '=', 'ready')
      .execute();
  await enqueueOnce(db, { kind: 'faq_search', accountId, payload: {}, dueAt: now, key: '' });
}

/** Prepares the search data of an account's FAQs in batches. The job queues itself again until all are prepared. */
export const faqPreparation: JobDefinition<'faq_search'> = {
  isLarge: () => true,
  isDurable: false,
  run: async (job, parts) =>
    job.payload.vectors
      ? await embedSome(job, parts)
      : finishOnAccount(job.accountId, (db, { account, now }) => prepareSome(db, account.id, parts.embedder !== null, now)),
};

async function prepareSome(db: Db, accountId: string, wantsVectors: boolean, now: number): Promise<void> {
  const pending = await db
    .selectFrom('faq_search')
    .selectAll()
    .where('account_id', '=', accountId)
    // Written out: for a parameter, SQLite would plan again each time, because an index is for this state.
    .where('state', '<>', sql.lit('ready'))
    .orderBy('faq_seq')
    .limit(preparedAtOnce)
    .execute();
  const updated = await updateIndex(db, accountId, pending.map(faqSearch.decode));
  if (updated === preparedAtOnce || updated < pending.length) await prepareLater(db, accountId, [], now);
  if (wantsVectors && updated > 0) await embedLater(db, accountId, now);
}

/** Queues the preparation of texts that changed, which are not found until then. @param changed their `seq` */
export async function prepareAgain(db: Db, accountId: string, changed: readonly number[], now: number): Promise<void> {
  await db.updateTable('faq_search').set({ state: 'changed' }).where('faq_seq', 'in', changed).execute();
  await prepareLater(db, accountId, [], now);
}

/**
 * Prepares the search data of some texts at once, so that what follows in the transaction finds them. @param changed their `seq`; those
 * that were deleted are no longer found
 */
export async function prepareNow(db: Db, accountId: string, changed: readonly number[]): Promise<void> {
  const rows = changed.map((seq) => ({ ...unprepared(accountId), faq_seq: seq, is_active: true }));
  await insertMany(db, faqSearch, rows, "on conflict (faq_seq) do update set state = 'changed'");
  const pending = await db.selectFrom('faq_search').selectAll().where('faq_seq', 'in', changed).execute();
  await updateIndex(db, accountId, pending.map(faqSearch.decode));
}

/** The search data of a text before it is prepared. */
export function unprepared(accountId: string) {
  const words = { language: 'en', question_words: '', has_names: false, answer_key: '' } as const;
  return { account_id: accountId, state: 'changed', scopes: [], ...words } as const;
}

/** The current or the wanted index entries of a FAQ. */
interface Entry {
  readonly seq: number;
  readonly scopes: readonly string[];
  readonly words: FaqWords;
  readonly answerKey: string;
}

/** Updates the index entries of the first of some FAQs. @returns how many FAQs it updated, at least one */
async function updateIndex(db: Db, accountId: string, pending: readonly Row<typeof faqSearch>[]): Promise<number> {
  if (pending.length === 0) return 0;
  const texts = await readTexts(
    db,
    pending.map((row) => row.faq_seq),
  );
  const stored = firstOf(pending, texts);
  const wanted = await wantedEntries(
    db,
    accountId,
    stored.flatMap((row) => texts.get(row.faq_seq) ?? []),
  );
  const before = await readStored(db, accountId, stored);
  await moveEntries(db, termRows(before), termRows([...wanted.values()]));
  await replacePassages(db, stored, wanted);
  const gone = stored.filter((row) => !wanted.has(row.faq_seq));
  deleteRows(db, faqSearch, ['faq_seq'], gone);
  const rows = stored.flatMap((row) => {
    const entry = wanted.get(row.faq_seq);
    if (!entry) return [];
    const { scopes, words, answerKey } = entry;
    const { language, question, hasNames } = words;
    const prepared = { language, question_words: question.join(' '), has_names: hasNames, answer_key: answerKey };
    return [{ ...row, state: 'ready' as const, scopes, ...prepared }];
  });
  await insertMany(
    db,
    faqSearch,
    rows,
    overwriting(['faq_seq'], ['state', 'scopes', 'language', 'question_words', 'has_names', 'answer_key']),
  );
  return stored.length;
}

/** Replaces the passages of FAQs whose text changed. Those that only moved keep theirs, with their vectors. */
async function replacePassages(db: Db, stored: readonly Row<typeof faqSearch>[], wanted: ReadonlyMap<number, Entry>): Promise<void> {
  const changed = stored.filter(({ state }) => state === 'changed').map((row) => row.faq_seq);
  if (changed.length === 0) return;
  await db.deleteFrom('faq_passages').where('faq_seq', 'in', changed).execute();
  const rows = changed.map((seq) =>
    (wanted.get(seq)?.words.passages ?? []).map((words, passage) => ({ faq_seq: seq, passage, words: words.join(' ') })),
  );
  await insertMany(db, faqPassages, rows.flat());
}

/** The first FAQs, whose answers are short enough to be prepared in one transaction. */
function firstOf(pending: readonly Row<typeof faqSearch>[], texts: ReadonlyMap<number, SearchedText>): readonly Row<typeof faqSearch>[] {
  let characters = 0;
  const end = pending.findIndex(({ faq_seq: seq }) => (characters += texts.get(seq)?.answer.length ?? 0) > charactersAtOnce);
  return end < 0 ? pending : pending.slice(0, Math.max(1, end));
}

/** The current index entries of FAQs. */
async function readStored(db: Db, accountId: string, stored: readonly Row<typeof faqSearch>[]): Promise<Entry[]> {
  const seqs = stored.map((row) => row.faq_seq);
  const rows = await db.selectFrom('faq_passages').selectAll().where('faq_seq', 'in', seqs).orderBy('faq_seq').orderBy('passage').execute();
  const passages = Map.groupBy(rows, (row) => row.faq_seq);
  const scopes = await existingScopes(
    db,
    accountId,
    stored.flatMap((row) => [...row.scopes]),
  );
  const split = (words: string) => (words === '' ? [] : words.split(' '));
  return stored.map((row) => ({
    seq: row.faq_seq,
    scopes: row.scopes.filter((scope) => scopes.has(scope)),
    words: {
      language: row.language,
      question: split(row.question_words),
      hasNames: row.has_names,
      passages: (passages.get(row.faq_seq) ?? []).map(({ words }) => split(words)),
    },
    answerKey: row.answer_key,
  }));
}

/** The wanted index entries of texts, by `seq`. */
async function wantedEntries(db: Db, accountId: string, texts: readonly SearchedText[]): Promise<Map<number, Entry>> {
  if (texts.length === 0) return new Map();
  const scopesOf = await readScopes(
    db,
    accountId,
    texts.map(({ seq }) => seq),
  );
  return new Map(
    texts.map(({ seq, question, answer }) => {
      const answerKey = hash('sha256', answer, 'base64url').slice(0, 16);
      return [seq, { seq, scopes: scopesOf(seq), words: wordsOfFaq(question, answer), answerKey }];
    }),
  );
}

type TermRow = Row<typeof faqTerms>;

/** The rows of the index, by a unique text key. */
function termRows(entries: readonly Entry[]): Map<string, TermRow> {
  const rows = new Map<string, TermRow>();
  for (const { seq, scopes, words } of entries) {
    const terms = scopes.length === 0 ? [] : termsOf(words);
    for (const scope of scopes)
      for (const { term, place, passage } of terms)
        rows.set([scope, term, place, seq, passage].join('\n'), { scope, term, place, faq_seq: seq, passage });
  }
  return rows;
}

/** Replaces rows of the index, and updates the counts of their terms. */
async function moveEntries(db: Db, before: ReadonlyMap<string, TermRow>, after: ReadonlyMap<string, TermRow>): Promise<void> {
  const removed = [...before].filter(([key]) => !after.has(key)).map(([, row]) => row);
  // In the order of the index, which takes half the time.
  const added = [...after]
    .filter(([key]) => !before.has(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => row);
  deleteRows(db, faqTerms, ['scope', 'term', 'place', 'faq_seq', 'passage'], removed);
  await insertMany(db, faqTerms, added);
  const changes = new Map<string, Row<typeof faqWords>>();
  const count = (row: TermRow, by: number) => {
    const { passages } = changes.get(termKey(row)) ?? { passages: 0 };
    changes.set(termKey(row), { scope: row.scope, term: row.term, passages: passages + by });
  };
  for (const row of removed) count(row, -1);
  for (const row of added) count(row, 1);
  for (const [key, { passages }] of changes) if (passages === 0) changes.delete(key);
  await countTerms(db, changes);
}

const termKey = ({ scope, term }: Pick<TermRow, 'scope' | 'term'>) => `${scope}\n${term}`;

/** Updates the counts of terms. Spellings are added for new terms, and removed for terms that no FAQ has any more. */
async function countTerms(db: Db, changes: ReadonlyMap<string, Row<typeof faqWords>>): Promise<void> {
  const add = 'on conflict (scope, term) do update set passages = faq_words.passages + excluded.passages returning scope, term, passages';
  const counts = await insertMany(db, faqWords, [...changes.values()], add);
  const fresh = counts.filter((row) => row.passages > 0 && row.passages === changes.get(termKey(row))?.passages);
  const gone = counts.filter(({ passages }) => passages <= 0);
  const spelled = (rows: typeof counts) =>
    rows.flatMap(({ scope, term }) => spellingsOf(term).map((spelling) => ({ scope, spelling, term })));
  await insertMany(db, faqSpellings, spelled(fresh));
  deleteRows(db, faqSpellings, ['scope', 'spelling', 'term'], spelled(gone));
  deleteRows(db, faqWords, ['scope', 'term'], gone);
}
