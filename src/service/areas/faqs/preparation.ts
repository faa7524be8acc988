import { enqueueOnce } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { deleteRows } from '../../store/delete-rows.ts';
import { isNumberAmong } from '../../store/is-among.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import type { Row } from '../../store/table.ts';
import { accountJob } from '../activity/account-job.ts';
import { campaigns } from '../campaigns/table.ts';
import { type FaqWords, spellingsOf, termsOf, wordsOfFaq } from './index-entries.ts';
import { faqSearch, faqSpellings, faqTerms, faqWords } from './table.ts';

/** The number of FAQs that are prepared in one transaction, which takes a few milliseconds. */
const preparedAtOnce = 10;

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    faq_search: Record<string, never>;
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
export const faqPreparation = {
  isLarge: () => true,
  isDurable: false,
  ...accountJob<'faq_search'>(async (db, { account, now }) => {
    const pending = await db
      .selectFrom('faq_search')
      .selectAll()
      .where('account_id', '=', account.id)
      .where('state', '<>', 'ready')
      .orderBy('faq_seq')
      .limit(preparedAtOnce)
      .execute();
    await updateIndex(db, account.id, pending.map(faqSearch.decode));
    if (pending.length === preparedAtOnce) await prepareLater(db, account.id, [], now);
  }),
};

/** The current or the wanted index entries of a FAQ. */
interface Entry {
  readonly seq: number;
  readonly scopes: readonly string[];
  readonly words: FaqWords;
}

/** Updates the index entries of some FAQs. */
async function updateIndex(db: Db, accountId: string, stored: readonly Row<typeof faqSearch>[]): Promise<void> {
  if (stored.length === 0) return;
  const seqs = stored.map((row) => row.faq_seq);
  const wanted = await readWanted(db, accountId, seqs);
  const scopes = await existingScopes(db, accountId, [...stored.flatMap((row) => row.scopes)]);
  const before = stored.map((row): Entry => ({
    seq: row.faq_seq,
    scopes: row.scopes.filter((scope) => scopes.has(scope)),
    words: storedWords(row),
  }));
  const gone = seqs.filter((seq) => !wanted.has(seq));
  await moveEntries(db, termRows(before), termRows([...wanted.values()]));
  deleteRows(
    db,
    faqSearch,
    ['faq_seq'],
    gone.map((seq) => ({ faq_seq: seq })),
  );
  const rows = stored.flatMap((row) => {
    const entry = wanted.get(row.faq_seq);
    if (!entry) return [];
    const words = { question_words: entry.words.question.join(' '), answer_words: entry.words.answer.join(' ') };
    return [{ ...row, state: 'ready' as const, scopes: entry.scopes, ...words }];
  });
  await insertMany(db, faqSearch, rows, overwriting(['faq_seq'], ['state', 'scopes', 'question_words', 'answer_words']));
}

function storedWords({ question_words: question, answer_words: answer }: Row<typeof faqSearch>): FaqWords {
  const split = (words: string) => (words === '' ? [] : words.split(' '));
  return { question: split(question), answer: split(answer) };
}

/** The wanted index entries of FAQs, by `seq`. Deleted FAQs are missing. */
async function readWanted(db: Db, accountId: string, seqs: readonly number[]): Promise<Map<number, Entry>> {
  const rows = await db.selectFrom('faqs').select(['seq', 'question', 'answer']).where('seq', 'in', seqs).execute();
  const links = await db
    .selectFrom('faq_links')
    .innerJoin('campaigns', 'campaigns.id', 'faq_links.campaign_id')
    .select(['faq_seq', 'campaign_id'])
    .where('faq_seq', 'in', seqs)
    .where('campaigns.account_id', '=', accountId)
    .execute();
  const sourced = await db.selectFrom('faq_sources').select('faq_seq').distinct().where('faq_seq', 'in', seqs).execute();
  const linksOf = Map.groupBy(links, (link) => link.faq_seq);
  const ofSources = new Set(sourced.map((row) => row.faq_seq));
  return new Map(
    rows.map(({ seq, question, answer }) => {
      const scopes = [...(linksOf.get(seq) ?? []).map((link) => link.campaign_id), ...(ofSources.has(seq) ? [accountId] : [])];
      return [seq, { seq, scopes, words: wordsOfFaq(question, answer) }];
    }),
  );
}

/** The scopes that still exist. The index entries of a deleted campaign are deleted along with it. */
async function existingScopes(db: Db, accountId: string, scopes: readonly string[]): Promise<Set<string>> {
  const ids = [...new Set(scopes)].filter((scope) => scope !== accountId);
  return (await campaigns.existing(db, accountId, ids)).add(accountId);
}

type TermRow = Row<typeof faqTerms>;

/** The rows of the index, by a unique text key. */
function termRows(entries: readonly Entry[]): Map<string, TermRow> {
  const rows = new Map<string, TermRow>();
  for (const { seq, scopes, words } of entries) {
    const terms = scopes.length === 0 ? [] : termsOf(words);
    for (const scope of scopes)
      for (const { term, place } of terms) rows.set([scope, term, place, seq].join('\n'), { scope, term, place, faq_seq: seq });
  }
  return rows;
}

/** Replaces rows of the index, and updates the counts of their terms. */
async function moveEntries(db: Db, before: ReadonlyMap<string, TermRow>, after: ReadonlyMap<string, TermRow>): Promise<void> {
  const removed = [...before].filter(([key]) => !after.has(key)).map(([, row]) => row);
  const added = [...after].filter(([key]) => !before.has(key)).map(([, row]) => row);
  deleteRows(db, faqTerms, ['scope', 'term', 'place', 'faq_seq'], removed);
  await insertMany(db, faqTerms, added);
  const changes = new Map<string, Row<typeof faqWords>>();
  const count = (row: TermRow, by: number) => {
    const { faqs } = changes.get(termKey(row)) ?? { faqs: 0 };
    changes.set(termKey(row), { scope: row.scope, term: row.term, faqs: faqs + by });
  };
  for (const row of removed) count(row, -1);
  for (const row of added) count(row, 1);
  for (const [key, { faqs }] of changes) if (faqs === 0) changes.delete(key);
  await countTerms(db, changes);
}

const termKey = ({ scope, term }: Pick<TermRow, 'scope' | 'term'>) => `${scope}\n${term}`;

/** Updates the counts of terms. Spellings are added for new terms, and removed for terms that no FAQ has any more. */
async function countTerms(db: Db, changes: ReadonlyMap<string, Row<typeof faqWords>>): Promise<void> {
  const add = 'on conflict (scope, term) do update set faqs = faq_words.faqs + excluded.faqs returning scope, term, faqs';
  const counts = await insertMany(db, faqWords, [...changes.values()], add);
  const fresh = counts.filter((row) => row.faqs > 0 && row.faqs === changes.get(termKey(row))?.faqs);
  const gone = counts.filter(({ faqs }) => faqs <= 0);
  const spelled = (rows: typeof counts) =>
    rows.flatMap(({ scope, term }) => spellingsOf(term).map((spelling) => ({ scope, spelling, term })));
  await insertMany(db, faqSpellings, spelled(fresh));
  deleteRows(db, faqSpellings, ['scope', 'spelling', 'term'], spelled(gone));
  deleteRows(db, faqWords, ['scope', 'term'], gone);
}
