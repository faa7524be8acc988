import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { engineOf, prepared } from '../../store/prepared.ts';
import { everyFaq, spellingOf } from './index-entries.ts';
import { type CountedTerm, type FoundEntry, lookedUpWords, type Match, messageTerms, rank } from './ranking.ts';
import { likenessOf, typoKeys } from './words.ts';

/** The most entries of the index that a search reads. */
const entriesMax = 200;

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
  const wanted = terms.filter(({ term }) => meant.meanings.has(term)).sort((a, b) => a.faqs - b.faqs);
  return rank(await readEntries(db, place, wanted), meant);
}

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

/** Reads the entries of the rarest terms, as many as are allowed. @param terms the rarest first */
async function readEntries(db: Db, { accountId, agentId }: SearchPlace, terms: readonly CountedTerm[]): Promise<FoundEntry[]> {
  const [rarest] = terms;
  if (!rarest) return [];
  const filter = { account: accountId, agent: agentId };
  let left = entriesMax;
  const whole = terms.filter(({ faqs }) => (left -= faqs) >= 0);
  if (whole.length > 0) return await wholeLists(db, { ...filter, lists: JSON.stringify(whole.map(({ scope, term }) => [scope, term])) });
  // Even the rarest word stands in many FAQs. The first entries are those of the FAQs of which it says the most.
  return await startOfList(db, { ...filter, scope: rarest.scope, term: rarest.term, limit: entriesMax });
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
