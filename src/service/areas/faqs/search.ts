import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { engineOf, prepared } from '../../store/prepared.ts';
import { everyFaq, pairsOf, spellingOf } from './index-entries.ts';
import { type CountedTerm, type FoundEntry, lookedUpWords, type Match, type MessageTerms, messageTerms, rank } from './ranking.ts';
import { likenessOf, typoKeys } from './words.ts';

/** The most entries of the index that a search reads. */
const entriesMax = 100;

/** The most terms that a search looks at. Natural languages have far fewer with the same spellings. */
const termsMax = 500;

/** Where FAQs are searched. */
export interface SearchPlace {
  /** The scopes of the index: campaigns, and the account for the FAQs of sources. */
  readonly scopes: readonly string[];
  /** The account, and the agent to which sources must be attached. */
  readonly accountId: string;
  readonly agentId: string;
}

/**
 * Finds the FAQs that match a message, best first. It reads a bounded number of entries of the index: words that few FAQs
 * have find them, and words that many have only rank what was found (rules answers.20 to answers.28).
 */
export async function searchFaqs(db: Db, place: SearchPlace, message: string): Promise<Match[]> {
  const words = lookedUpWords(message);
  if (words.length === 0 || place.scopes.length === 0) return [];
  const found = await readTerms(db, place.scopes, [everyFaq, ...words.map(spellingOf)]);
  const total = found.reduce((sum, { term, faqs }) => sum + (term === everyFaq ? faqs : 0), 0);
  const terms = found.filter(({ term }) => term !== everyFaq);
  // Typos are looked for only in words that no FAQ has in any form.
  const unknown = words.filter((word) => !terms.some(({ term }) => likenessOf(word, term) > 0));
  if (unknown.length > 0) terms.push(...(await readTerms(db, place.scopes, unknown.flatMap(typoKeys))));
  const meant = messageTerms(words, terms, total);
  return rank(await readEntries(db, place, await chooseLists(db, place, terms, meant)), meant);
}

/** A list of the index to be read: whole, or the first of its entries. */
type List = CountedTerm;

/**
 * Chooses the lists to read: those of the rarest words, and then those of pairs of the other words. When all are too long,
 * it is the shortest, of which the first entries are read.
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

/** The terms of scopes with some spellings. */
async function readTerms(db: Db, scopes: readonly string[], spellings: readonly string[]): Promise<CountedTerm[]> {
  if (spellings.length === 0) return [];
  return await termsBySpelling(db, { scopes: JSON.stringify(scopes), spellings: JSON.stringify([...new Set(spellings)]) });
}

/** Reads the entries of lists. Of a list that is too long, the first are those of the FAQs of which the word says the most. */
async function readEntries(db: Db, { accountId, agentId }: SearchPlace, lists: readonly List[]): Promise<FoundEntry[]> {
  const [first] = lists;
  if (!first) return [];
  const filter = { account: accountId, agent: agentId };
  if (first.faqs > entriesMax) return await startOfList(db, { ...filter, scope: first.scope, term: first.term, limit: entriesMax });
  return await wholeLists(db, { ...filter, lists: JSON.stringify(lists.map(({ scope, term }) => [scope, term])) });
}

/** What the search knows about the FAQ of an entry. */
const columns = sql`entry.faq_seq, entry.term, entry.place, searched.question_words`;

/**
 * Leaves out FAQs that are switched off or whose search data are not ready, and those of sources that are not attached to
 * the agent.
 */
function isFindable($: { readonly account: string; readonly agent: string }) {
  return sql`searched.state <> 'changed' and searched.is_active = 1 and (entry.scope <> ${$.account} or exists (
    select 1 from faq_sources inner join agent_sources on agent_sources.source_id = faq_sources.source_id
      where faq_sources.faq_seq = entry.faq_seq and agent_sources.agent_id = ${$.agent}))`;
}

const wholeLists = prepared<{ lists: string; account: string; agent: string }, FoundEntry>((db, $) => ({
  compile: () => {
    const lists =
      engineOf(db) === 'sqlite' ? sql`json_each(${$.lists}) as list` : sql`json_array_elements(${$.lists}::json) as list (value)`;
    // In this order the index of the entries is used, whatever the engine knows about the tables.
    return sql<FoundEntry>`select ${columns} from ${lists}
      cross join faq_terms as entry cross join faq_search as searched
      where entry.scope = list.value ->> 0 and entry.term = list.value ->> 1 and searched.faq_seq = entry.faq_seq and ${isFindable($)}`.compile(
      db,
    );
  },
}));

const startOfList = prepared<{ scope: string; term: string; limit: number; account: string; agent: string }, FoundEntry>((db, $) => ({
  compile: () =>
    sql<FoundEntry>`select ${columns} from (
        select * from faq_terms where scope = ${$.scope} and term = ${$.term} order by place, faq_seq limit ${$.limit}) as entry
      cross join faq_search as searched where searched.faq_seq = entry.faq_seq and ${isFindable($)}`.compile(db),
}));
