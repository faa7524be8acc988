import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Db } from '../../store/database.ts';
import { foundByKeys } from '../../store/found-by-keys.ts';
import { isAmong, isNumberAmong } from '../../store/is-among.ts';
import { engineOf, prepared } from '../../store/prepared.ts';
import type { Row, StoredRow } from '../../store/table.ts';
import { languageTerms, pairsOf, spellingOf } from './index-entries.ts';
import type { LanguageCode } from './language/languages.ts';
import { typoKeys } from './language/likeness.ts';
import { endKeys } from './language/loan-words.ts';
import { rankOf } from './language/word-lists.ts';
import { type MessageWords, messageWords, messageWordsIn } from './message-words.ts';
import { candidatesOf, type Posting } from './candidates.ts';
import { type CountedTerm, type Query, queryOf } from './query.ts';
import { type FoundWords, type Match, rank } from './ranking.ts';
import type { faqPassages, faqSearch } from './table.ts';

/** The maximum number of index entries that a search reads, and of passages that it compares with the message. */
const entriesMax = 128;
const passagesMax = 32;

/** The largest number of entries that a search can be asked to read. */
const entriesLimit = 1_000;

/** The maximum number of terms that a search examines. In natural languages, far fewer terms share a spelling. */
const termsMax = 500;

/** The FAQs to search. */
interface SearchPlace {
  /** The scopes of the index: campaigns, knowledge groups, and the account for the FAQs of sources. */
  readonly scopes: readonly string[];
  /** The account, and the agent that sources must be attached to; null for all of them. */
  readonly accountId: string;
  readonly agentId: string | null;
}

/**
 * Finds the FAQs that match a message, best first. Reads a bounded number of index entries: rare words find passages, and frequent
 * words only rank what was found (rules answers.20 to answers.28).
 * @param most the number of entries to read and of passages to compare, if it is not the usual one
 */
export async function searchFaqs(db: Db, place: SearchPlace, message: string, most?: number): Promise<Match[]> {
  if (place.scopes.length === 0) return [];
  const { total, mostly } = await countLanguages(db, place.scopes);
  const { language, words } = messageWords(message, mostly);
  const searched = words.filter(({ isSearched }) => isSearched);
  if (searched.length === 0) return [];
  const spellings = searched.flatMap(({ term, variants, corrected, parts }) => [
    ...[term, ...variants, ...(corrected === undefined ? [] : [corrected]), ...parts].map(spellingOf),
    ...endKeys(term),
  ]);
  const terms = await readTerms(db, place.scopes, spellings);
  // Only words that are none of the language, and that no FAQ has, are checked for typos.
  const unknown = searched.filter(
    ({ term, variants }) =>
      rankOf(term, language) === undefined && !terms.some((each) => each.term === term || variants.includes(each.term)),
  );
  if (unknown.length > 0)
    terms.push(
      ...(await readTerms(
        db,
        place.scopes,
        unknown.flatMap(({ term }) => typoKeys(term)),
      )),
    );
  const queryWith = (asked: MessageWords) => queryOf(asked, terms, total);
  const query = queryWith({ language, words });
  const bounds = { entries: most ?? entriesMax, passages: most ?? passagesMax };
  const entries = await readEntries(db, await chooseLists(db, place, terms, query, bounds.entries), bounds.entries);
  if (entries.length === 0) return [];
  const languages = new Map<LanguageCode, Query>();
  const queryFor = (found: LanguageCode): Query => {
    const known = languages.get(found) ?? queryWith(messageWordsIn(message, found, language));
    languages.set(found, known);
    return known;
  };
  return rank(await readWords(db, place, entries, queryFor, bounds.passages), queryFor);
}

/** The number of passages in some scopes, and the language that most of them are in. */
async function countLanguages(db: Db, scopes: readonly string[]): Promise<{ total: number; mostly: LanguageCode | undefined }> {
  const counts = await countsOf(db, { scopes: JSON.stringify(scopes), terms: JSON.stringify([...languageTerms.keys()]) });
  const passages = new Map<LanguageCode | undefined, number>();
  for (const count of counts) {
    const language = languageTerms.get(count.term);
    passages.set(language, (passages.get(language) ?? 0) + count.passages);
  }
  const [mostly] = [...passages].sort((one, other) => other[1] - one[1])[0] ?? [];
  return { total: counts.reduce((sum, count) => sum + count.passages, 0), mostly };
}

/**
 * Chooses the lists to read: the lists of the rarest words, then the lists of pairs of the other words. If every list is too
 * long, chooses the shortest, of which only the first entries are read.
 */
async function chooseLists(
  db: Db,
  { scopes }: SearchPlace,
  terms: readonly CountedTerm[],
  { matches, closest }: Query,
  most: number,
): Promise<CountedTerm[]> {
  const ofWords = terms.filter(({ term }) => matches.has(term)).sort(byLength);
  let left = most;
  const fits = ({ passages }: CountedTerm) => passages <= left && (left -= passages) >= 0;
  const chosen = ofWords.filter(fits);
  const common = new Set(ofWords.filter((list) => !chosen.includes(list)).map(({ term }) => term));
  const pairs = pairsOf([...common].filter((term) => closest.includes(term)));
  const ofPairs = pairs.length === 0 ? [] : await countsOf(db, { scopes: JSON.stringify(scopes), terms: JSON.stringify(pairs) });
  chosen.push(...ofPairs.sort(byLength).filter(fits));
  return chosen.length > 0 ? chosen : [...ofWords, ...ofPairs].sort(byLength).slice(0, 1);
}

const byLength = (one: CountedTerm, other: CountedTerm) => one.passages - other.passages;

const countsOf = prepared<{ scopes: string; terms: string }, CountedTerm>((db, $) =>
  db
    .selectFrom('faq_words')
    .selectAll()
    .where(isAmong(db, 'scope', $.scopes))
    .where(isAmong(db, 'term', $.terms)),
);

const termsBySpelling = prepared<{ scopes: string; spellings: string }, CountedTerm>((db, $) =>
  db
    .selectFrom('faq_spellings')
    .innerJoin('faq_words', (join) =>
      join.onRef('faq_words.scope', '=', 'faq_spellings.scope').onRef('faq_words.term', '=', 'faq_spellings.term'),
    )
    .select(['faq_words.scope', 'faq_words.term', 'faq_words.passages'])
    .distinct()
    .where(isAmong(db, 'faq_spellings.scope', $.scopes))
    .where(isAmong(db, 'faq_spellings.spelling', $.spellings))
    .limit(termsMax),
);

/** The terms in some scopes that have one of the spellings. */
async function readTerms(db: Db, scopes: readonly string[], spellings: readonly string[]): Promise<CountedTerm[]> {
  if (spellings.length === 0) return [];
  return await termsBySpelling(db, { scopes: JSON.stringify(scopes), spellings: JSON.stringify([...new Set(spellings)]) });
}

/**
 * Reads the entries of lists. From a list that is too long, it reads the first entries, whose questions are the most specific to the
 * word.
 */
async function readEntries(db: Db, lists: readonly CountedTerm[], most: number): Promise<Posting[]> {
  const [first] = lists;
  if (!first) return [];
  if (first.passages > most) return await startOfList(db, { scope: first.scope, term: first.term, limit: most });
  return await wholeLists(db, { lists: JSON.stringify(lists.map(({ scope, term }) => [scope, term])) });
}

const wholeLists = prepared<{ lists: string }, Posting>((db, $) =>
  foundByKeys(db, {
    keys: $.lists,
    table: sql`faq_terms`,
    columns: sql`found.faq_seq, found.scope, found.term, found.place, found.passage`,
    isWanted: sql`found.scope = wanted.value ->> 0 and found.term = wanted.value ->> 1`,
    most: entriesLimit,
  }),
);

const startOfList = prepared<{ scope: string; term: string; limit: number }, Posting>((db, $) =>
  db
    .selectFrom('faq_terms')
    .select(['faq_seq', 'scope', 'term', 'place', 'passage'])
    .where('scope', '=', $.scope)
    .where('term', '=', $.term)
    .orderBy('place')
    .orderBy('faq_seq')
    .limit($.limit),
);

/**
 * Reads the words of the likeliest passages, and of their questions: of active FAQs whose search data are ready and that belong to
 * a campaign or a group, or to a source attached to the agent.
 */
async function readWords(
  db: Db,
  { accountId, agentId }: SearchPlace,
  entries: readonly Posting[],
  queryFor: (language: LanguageCode) => Query,
  most: number,
): Promise<FoundWords[]> {
  const ofSources = entries.filter(({ scope }) => scope === accountId).map((entry) => entry.faq_seq);
  const attached =
    agentId === null || ofSources.length === 0
      ? ofSources
      : (await attachedFaqs(db, { seqs: JSON.stringify(ofSources), agent: agentId })).map((row) => row.faq_seq);
  const known = new Set([...entries.filter(({ scope }) => scope !== accountId).map((row) => row.faq_seq), ...attached]);
  const faqs = new Map((await questionsOf(db, { seqs: JSON.stringify([...known]) })).map((row) => [row.faq_seq, row]));
  const questions = new Map(Array.from(faqs, ([seq, row]) => [seq, wordsFrom(row.question_words)]));
  const candidates = candidatesOf(entries, questions, (seq) => queryFor(faqs.get(seq)?.language ?? 'en')).slice(0, most);
  const rows = await passagesByKeys(db, { keys: JSON.stringify(candidates.map(({ seq, passage }) => [seq, passage])) });
  const passages = Map.groupBy(rows, (row) => row.faq_seq);
  return Array.from(passages, ([seq, found]) => {
    const faq = faqs.get(seq);
    return {
      seq,
      language: faq?.language ?? 'en',
      question: questions.get(seq) ?? [],
      hasNames: Number(faq?.has_names ?? 0) === 1,
      answerKey: faq?.answer_key ?? '',
      passages: new Map(found.map(({ passage, words }) => [passage, wordsFrom(words)])),
    };
  });
}

/** The words of a stored text. */
function wordsFrom(words: string): string[] {
  return words === '' ? [] : words.split(' ');
}

const attachedFaqs = prepared<{ seqs: string; agent: string }, { faq_seq: number }>((db, $) =>
  db
    .selectFrom('faq_sources')
    .innerJoin('agent_sources', 'agent_sources.source_id', 'faq_sources.source_id')
    .select('faq_seq')
    .where(isNumberAmong(db, 'faq_seq', $.seqs))
    .where('agent_id', '=', $.agent),
);

/** What is compared of a question. */
type QuestionRow = Pick<StoredRow<typeof faqSearch>, 'faq_seq' | 'language' | 'question_words' | 'has_names' | 'answer_key'>;

const questionsOf = prepared<{ seqs: string }, QuestionRow>((db, $) =>
  db
    .selectFrom('faq_search')
    .select(['faq_seq', 'language', 'question_words', 'has_names', 'answer_key'])
    .where(isNumberAmong(db, 'faq_seq', $.seqs))
    // Written out: for a parameter, SQLite would plan again, because an index is for one state.
    .where(sql<boolean>`state <> 'changed' and is_active = 1`),
);

const passagesByKeys = prepared<{ keys: string }, Row<typeof faqPassages>>((db, $) =>
  foundByKeys(db, {
    keys: $.keys,
    table: sql`faq_passages`,
    columns: sql`found.faq_seq, found.passage, found.words`,
    isWanted: isKey(db),
    most: 1,
  }),
);

/** Whether a passage has the numbers of a key. PostgreSQL reads JSON as text. */
function isKey(db: Db): RawBuilder<SqlBool> {
  return engineOf(db) === 'sqlite'
    ? sql`found.faq_seq = wanted.value ->> 0 and found.passage = wanted.value ->> 1`
    : sql`found.faq_seq = (wanted.value ->> 0)::bigint and found.passage = (wanted.value ->> 1)::bigint`;
}
