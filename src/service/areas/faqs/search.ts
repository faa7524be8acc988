import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { foundByKeys } from '../../store/found-by-keys.ts';
import { isAmong, isNumberAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { everyFaq, pairsOf, spellingOf } from './index-entries.ts';
import { type CountedTerm, type FoundEntry, lookedUpWords, type Match, type MessageTerms, messageTerms, rank } from './ranking.ts';
import { likenessOf, typoKeys } from './words.ts';

/** The maximum number of index entries that a search reads. */
const entriesMax = 100;

/** The maximum number of terms that a search examines. In natural languages, far fewer terms share a spelling. */
const termsMax = 500;

/** The FAQs to search. */
interface SearchPlace {
  /** The scopes of the index: campaigns, and the account for the FAQs of sources. */
  readonly scopes: readonly string[];
  /** The account, and the agent that sources must be attached to. */
  readonly accountId: string;
  readonly agentId: string;
}

/**
 * Finds the FAQs that match a message, best first. Reads a bounded number of index entries: rare words find FAQs, and frequent
 * words only rank the FAQs that were found (rules answers.20 to answers.28).
 */
export async function searchFaqs(db: Db, place: SearchPlace, message: string): Promise<Match[]> {
  const words = lookedUpWords(message);
  if (words.length === 0 || place.scopes.length === 0) return [];
  const found = await readTerms(db, place.scopes, [everyFaq, ...words.map(spellingOf)]);
  const total = found.reduce((sum, { term, faqs }) => sum + (term === everyFaq ? faqs : 0), 0);
  const terms = found.filter(({ term }) => term !== everyFaq);
  // Only words that no FAQ has in any form are checked for typos.
  const unknown = words.filter((word) => !terms.some(({ term }) => likenessOf(word, term) > 0));
  if (unknown.length > 0) terms.push(...(await readTerms(db, place.scopes, unknown.flatMap(typoKeys))));
  const meant = messageTerms(words, terms, total);
  const entries = await readEntries(db, await chooseLists(db, place, terms, meant));
  return entries.length === 0 ? [] : rank(entries, await readQuestions(db, place, entries), meant);
}

/** A list of the index to read, either completely or only its first entries. */
type List = CountedTerm;

/**
 * Chooses the lists to read: the lists of the rarest words, then the lists of pairs of the other words. If every list is too
 * long, chooses the shortest, of which only the first entries are read.
 */
async function chooseLists(db: Db, { scopes }: SearchPlace, terms: readonly CountedTerm[], meant: MessageTerms): Promise<List[]> {
  const ofWords = terms.filter(({ term }) => meant.meanings.has(term)).sort(byLength);
  let left = entriesMax;
  const fits = ({ faqs }: List) => faqs <= left && (left -= faqs) >= 0;
  const chosen = ofWords.filter(fits);
  const common = new Set(ofWords.filter((list) => !chosen.includes(list)).map(({ term }) => term));
  const pairs = pairsOf([...common].filter((term) => meant.closest.includes(term)));
  const ofPairs = pairs.length === 0 ? [] : await countsOf(db, { scopes: JSON.stringify(scopes), terms: JSON.stringify(pairs) });
  chosen.push(...ofPairs.sort(byLength).filter(fits));
  return chosen.length > 0 ? chosen : [...ofWords, ...ofPairs].sort(byLength).slice(0, 1);
}

const byLength = (one: List, other: List) => one.faqs - other.faqs;

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
    .select(['faq_words.scope', 'faq_words.term', 'faq_words.faqs'])
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
 * Reads the entries of lists. From a list that is too long, it reads the first entries, whose FAQs are the most specific to the
 * word.
 */
async function readEntries(db: Db, lists: readonly List[]): Promise<FoundEntry[]> {
  const [first] = lists;
  if (!first) return [];
  if (first.faqs > entriesMax) return await startOfList(db, { scope: first.scope, term: first.term, limit: entriesMax });
  return await wholeLists(db, { lists: JSON.stringify(lists.map(({ scope, term }) => [scope, term])) });
}

const wholeLists = prepared<{ lists: string }, FoundEntry>((db, $) =>
  foundByKeys(db, {
    keys: $.lists,
    table: sql`faq_terms`,
    columns: sql`found.faq_seq, found.scope, found.term, found.place`,
    isWanted: sql`found.scope = wanted.value ->> 0 and found.term = wanted.value ->> 1`,
    most: entriesMax,
  }),
);

const startOfList = prepared<{ scope: string; term: string; limit: number }, FoundEntry>((db, $) =>
  db
    .selectFrom('faq_terms')
    .select(['faq_seq', 'scope', 'term', 'place'])
    .where('scope', '=', $.scope)
    .where('term', '=', $.term)
    .orderBy('place')
    .orderBy('faq_seq')
    .limit($.limit),
);

/**
 * Reads the words of the questions of FAQs that can be found, by `seq`: active FAQs whose search data are ready and that belong
 * to a campaign, or to a source attached to the agent.
 */
async function readQuestions(db: Db, { accountId, agentId }: SearchPlace, entries: readonly FoundEntry[]): Promise<Map<number, string[]>> {
  const ofSources = entries.filter(({ scope }) => scope === accountId).map((entry) => entry.faq_seq);
  const attached = ofSources.length === 0 ? [] : await attachedFaqs(db, { seqs: JSON.stringify(ofSources), agent: agentId });
  const known = new Set([...entries.filter(({ scope }) => scope !== accountId), ...attached].map((row) => row.faq_seq));
  const rows = await questionsOf(db, { seqs: JSON.stringify([...known]) });
  return new Map(rows.map((row) => [row.faq_seq, row.question_words.split(' ')]));
}

const attachedFaqs = prepared<{ seqs: string; agent: string }, { faq_seq: number }>((db, $) =>
  db
    .selectFrom('faq_sources')
    .innerJoin('agent_sources', 'agent_sources.source_id', 'faq_sources.source_id')
    .select('faq_seq')
    .where(isNumberAmong(db, 'faq_seq', $.seqs))
    .where('agent_id', '=', $.agent),
);

const questionsOf = prepared<{ seqs: string }, { faq_seq: number; question_words: string }>((db, $) =>
  db
    .selectFrom('faq_search')
    .select(['faq_seq', 'question_words'])
    .where(isNumberAmong(db, 'faq_seq', $.seqs))
    .where(sql<boolean>`state <> 'changed' and is_active = 1`),
);
