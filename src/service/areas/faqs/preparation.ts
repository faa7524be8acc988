import { hash } from 'node:crypto';
import { enqueueOnce } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { deleteRows } from '../../store/delete-rows.ts';
import { isNumberAmong } from '../../store/is-among.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import type { Row } from '../../store/table.ts';
import type { JobDefinition } from '../../jobs/job.ts';
import { finishOnAccount } from '../activity/account-job.ts';
import { campaigns } from '../campaigns/table.ts';
import { type FaqWords, spellingsOf, termsOf, wordsOfFaq } from './index-entries.ts';
import { embedLater, embedSome } from './vectors.ts';
import { faqPassages, faqSearch, faqSpellings, faqTerms, faqWords } from './table.ts';

/**
 * The number of FAQs that are prepared in one transaction, and the number of passages beyond which the rest waits, so that it takes
 * some milliseconds.
 */
const preparedAtOnce = 10;
const passagesAtOnce = 50;

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    /** With `vectors`, it prepares the vectors of passages whose words are prepared. */
    faq_search: { readonly vectors?: boolean };
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
    .where('state', '<>', 'ready')
    .orderBy('faq_seq')
    .limit(preparedAtOnce)
    .execute();
  const updated = await updateIndex(db, accountId, pending.map(faqSearch.decode));
  if (updated === preparedAtOnce || updated < pending.length) await prepareLater(db, accountId, [], now);
  if (wantsVectors && updated > 0) await embedLater(db, accountId, now);
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
  const all = await readWanted(
    db,
    accountId,
    pending.map((row) => row.faq_seq),
  );
  const stored = firstOf(pending, all);
  const seqs = stored.map((row) => row.faq_seq);
  const wanted = new Map(seqs.flatMap((seq) => (all.has(seq) ? [[seq, all.get(seq) as Entry]] : [])));
  const before = await readStored(db, accountId, stored);
  const gone = seqs.filter((seq) => !wanted.has(seq));
  await moveEntries(db, termRows(before), termRows([...wanted.values()]));
  await db.deleteFrom('faq_passages').where('faq_seq', 'in', seqs).execute();
  deleteRows(
    db,
    faqSearch,
    ['faq_seq'],
    gone.map((seq) => ({ faq_seq: seq })),
  );
  const rows = stored.flatMap((row) => {
    const entry = wanted.get(row.faq_seq);
    if (!entry) return [];
    const { scopes, words, answerKey } = entry;
    const prepared = { language: words.language, question_words: words.question.join(' '), answer_key: answerKey };
    return [{ ...row, state: 'ready' as const, scopes, ...prepared }];
  });
  await insertMany(db, faqSearch, rows, overwriting(['faq_seq'], ['state', 'scopes', 'language', 'question_words', 'answer_key']));
  const passages = Array.from(wanted.values(), ({ seq, words }) =>
    words.passages.map((texts, passage) => ({ faq_seq: seq, passage, words: texts.join(' ') })),
  );
  await insertMany(db, faqPassages, passages.flat());
  return stored.length;
}

/** The first FAQs, whose passages are few enough to be prepared in one transaction. */
function firstOf(pending: readonly Row<typeof faqSearch>[], wanted: ReadonlyMap<number, Entry>): readonly Row<typeof faqSearch>[] {
  let passages = 0;
  const end = pending.findIndex(({ faq_seq: seq }) => (passages += wanted.get(seq)?.words.passages.length ?? 0) > passagesAtOnce);
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
      passages: (passages.get(row.faq_seq) ?? []).map(({ words }) => split(words)),
    },
    answerKey: row.answer_key,
  }));
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
      return [seq, { seq, scopes, words: wordsOfFaq(question, answer), answerKey: hash('sha256', answer, 'base64url').slice(0, 16) }];
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
      for (const { term, place, passage } of terms)
        rows.set([scope, term, place, seq, passage].join('\n'), { scope, term, place, faq_seq: seq, passage });
  }
  return rows;
}

/** Replaces rows of the index, and updates the counts of their terms. */
async function moveEntries(db: Db, before: ReadonlyMap<string, TermRow>, after: ReadonlyMap<string, TermRow>): Promise<void> {
  const removed = [...before].filter(([key]) => !after.has(key)).map(([, row]) => row);
  const added = [...after].filter(([key]) => !before.has(key)).map(([, row]) => row);
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
