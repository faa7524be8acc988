import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { isAmong, isNumberAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { sharedWords } from '../faqs/language/words.ts';
import { excerptOf } from '../faqs/passages.ts';
import type { Match } from '../faqs/ranking.ts';
import { spokenForm } from '../faqs/rules.ts';
import { searchFaqs } from '../faqs/search.ts';
import type { Choice } from '../sessions/choices.ts';
import { isSure, rivalsOf } from './rivals.ts';
import type { FoundFaq, Knowledge } from './writer.ts';

/** The maximum number of FAQs that are used for a message. */
export const foundMax = 8;

/** The number of matches that are compared. Some may have been unlinked since they were indexed, and many can have the same answer. */
const matchesMax = 24;

/** Who asks what. */
interface Asking {
  readonly accountId: string;
  readonly agentId: string;
  readonly message: string;
  /** The FAQs that the contact was just asked to choose from; null when it was asked nothing. */
  readonly choices: readonly Choice[] | null;
}

/**
 * Finds what an agent knows about a message: the best matches among the active FAQs of its campaigns, its attached sources and its groups
 * (rule answers.16).
 */
export async function readKnowledge(db: Db, { accountId, agentId, message, choices }: Asking): Promise<Knowledge> {
  const place = await readPlace(db, accountId, agentId);
  const matches = (await searchFaqs(db, place, message)).slice(0, matchesMax);
  const found = ranked(await readFound(db, place, await readActive(db, matches)), matches, message);
  const shown = (faqs: typeof found) => faqs.map((faq) => foundFaq(faq, faq.score, faq.passage));
  const faqs = shown(found.slice(0, foundMax));
  return {
    faqs,
    isSure: Boolean(found[0]?.isAsked) || isSure(found),
    rivals: shown(rivalsOf(found)),
    choices: choices && (await readChoices(db, place, choices)),
    isEmpty: faqs.length === 0 && (await isEmpty(db, place)),
  };
}

/** A FAQ of the account that matches a question. */
export interface SuggestedFaq {
  readonly id: string;
  readonly question: string;
  readonly score: number;
}

/** Finds the active FAQs of an account that match a question best, whichever agents know them (rule gaps.14). */
export async function suggestFaqs(db: Db, accountId: string, question: string, most: number): Promise<SuggestedFaq[]> {
  const scopes = (await allScopes(db, { account: accountId })).map(({ scope }) => scope);
  const matches = (await searchFaqs(db, { scopes, accountId, agentId: null }, question)).slice(0, most);
  return ranked(await readActive(db, matches), matches, question);
}

/** The active FAQs among matches. */
async function readActive(db: Db, matches: readonly Match[]): Promise<StoredFaq[]> {
  return matches.length === 0 ? [] : await activeFaqs(db, { seqs: JSON.stringify(matches.map(({ seq }) => seq)) });
}

/** Orders FAQs by how well they match. A FAQ with this question comes first. */
function ranked<Faq extends Pick<StoredFaq, 'seq' | 'question'>>(rows: readonly Faq[], matches: readonly Match[], message: string) {
  const best = new Map(matches.map((match) => [match.seq, match]));
  const asked = spokenForm(message);
  const alikeTo = sharedWords(message);
  return rows
    .map((faq) => {
      const { score, passage } = best.get(faq.seq) ?? { score: 0, passage: 0 };
      const isAsked = Number(asked !== '' && spokenForm(faq.question) === asked);
      return { ...faq, passage, isAsked, score: isAsked ? 1 : score, alike: alikeTo(faq.question) };
    })
    .sort((a, b) => b.isAsked - a.isAsked || b.score - a.score || b.alike - a.alike || a.seq - b.seq);
}

/** The FAQs that a contact was asked to choose from, with null for those that the agent no longer has. */
async function readChoices(db: Db, place: Place, choices: readonly Choice[]): Promise<(FoundFaq | null)[]> {
  const ids = JSON.stringify(choices.map(({ faqId }) => faqId));
  const rows = new Map((await readFound(db, place, await activeFaqsById(db, { ids }))).map((row) => [row.faqId, row]));
  return choices.map(({ faqId, place: number }) => {
    const row = rows.get(faqId);
    return row ? foundFaq(row, 1, number) : null;
  });
}

function foundFaq(faq: Omit<FoundFaq, 'score' | 'passage' | 'place' | 'reply'>, score: number, place: number): FoundFaq {
  const { faqId, question, answer, sourceId, url } = faq;
  return { faqId, question, answer, sourceId, url, score, place, ...excerptOf(answer, place) };
}

/** The FAQs with some numbers, as they match. @param best how well each matches, by `seq`, best first */
export async function readBySeq(db: Db, place: Place, best: ReadonlyMap<number, { score: number; passage: number }>): Promise<FoundFaq[]> {
  if (best.size === 0) return [];
  const rows = new Map(
    (await readFound(db, place, await activeFaqs(db, { seqs: JSON.stringify([...best.keys()]) }))).map((row) => [row.seq, row]),
  );
  return Array.from(best).flatMap(([seq, { score, passage }]) => {
    const row = rows.get(seq);
    return row ? [foundFaq(row, score, passage)] : [];
  });
}

/** Where the FAQs of an agent are. */
export async function readPlace(db: Db, accountId: string, agentId: string): Promise<Place> {
  const scopes = await scopesOf(db, { account: accountId, agent: agentId });
  return { scopes: scopes.map(({ scope }) => scope), accountId, agentId };
}

/** Where an agent's FAQs are. */
export interface Place {
  readonly scopes: readonly string[];
  readonly accountId: string;
  readonly agentId: string;
}

/**
 * The index scopes that contain an agent's FAQs: its campaigns, the groups that are applied to it or to these, and the account if
 * sources are attached.
 */
const scopesOf = prepared<{ account: string; agent: string }, { scope: string }>((db, $) =>
  db
    .selectFrom('campaigns')
    .select('id as scope')
    .where('account_id', '=', $.account)
    .where('agent_id', '=', $.agent)
    .unionAll(
      db
        .selectFrom('kb_groups')
        .select('id as scope')
        .where('account_id', '=', $.account)
        .where(
          sql<boolean>`id in (
            select group_id from agent_groups where agent_id = ${$.agent}
            union select group_id from campaigns inner join campaign_groups on campaign_groups.campaign_id = campaigns.id
              where campaigns.account_id = ${$.account} and campaigns.agent_id = ${$.agent})`,
        ),
    )
    .unionAll(
      db
        .selectFrom('accounts')
        .select('id as scope')
        .where('id', '=', $.account)
        .where(sql<boolean>`exists (select 1 from agent_sources where agent_sources.agent_id = ${$.agent})`),
    ),
);

/** All index scopes of an account. */
const allScopes = prepared<{ account: string }, { scope: string }>((db, $) =>
  db
    .selectFrom('campaigns')
    .select('id as scope')
    .where('account_id', '=', $.account)
    .unionAll(db.selectFrom('kb_groups').select('id as scope').where('account_id', '=', $.account))
    .unionAll(db.selectFrom('accounts').select('id as scope').where('id', '=', $.account)),
);

/** A FAQ, as it is stored. */
interface StoredFaq {
  readonly seq: number;
  readonly id: string;
  readonly question: string;
  readonly answer: string;
}

/** Adds to FAQs the oldest attached source that each came from. Skips FAQs that the agent no longer has. */
async function readFound(db: Db, { scopes, accountId, agentId }: Place, rows: readonly StoredFaq[]) {
  const seqs = JSON.stringify(rows.map(({ seq }) => seq));
  const [links, attached] = await Promise.all([
    linksOf(db, { seqs }),
    scopes.includes(accountId) ? attachedSources(db, { seqs, agent: agentId }) : [],
  ]);
  const linked = new Set(links.filter((link) => scopes.includes(link.scope)).map((link) => link.faq_seq));
  const sources = new Map(attached.reverse().map((source) => [source.faq_seq, source]));
  return rows.flatMap(({ seq, id, ...texts }) => {
    const source = sources.get(seq);
    if (!source && !linked.has(seq)) return [];
    return [{ seq, faqId: id, ...texts, sourceId: source?.source_id ?? null, url: source?.url ?? null }];
  });
}

const activeFaqs = prepared<{ seqs: string }, StoredFaq>((db, $) =>
  db
    .selectFrom('faqs')
    .select(['seq', 'id', 'question', 'answer'])
    .where(isNumberAmong(db, 'seq', $.seqs))
    .where('is_active', '=', 1),
);

const activeFaqsById = prepared<{ ids: string }, StoredFaq>((db, $) =>
  db
    .selectFrom('faqs')
    .select(['seq', 'id', 'question', 'answer'])
    .where(isAmong(db, 'id', $.ids))
    .where('is_active', '=', 1),
);

const linksOf = prepared<{ seqs: string }, { faq_seq: number; scope: string }>((db, $) =>
  db
    .selectFrom('faq_links')
    .select(['faq_seq', 'campaign_id as scope'])
    .where(isNumberAmong(db, 'faq_seq', $.seqs))
    .unionAll(
      db
        .selectFrom('faq_groups')
        .select(['faq_seq', 'group_id as scope'])
        .where(isNumberAmong(db, 'faq_seq', $.seqs)),
    ),
);

const attachedSources = prepared<{ seqs: string; agent: string }, { faq_seq: number; source_id: string; url: string | null }>((db, $) =>
  db
    .selectFrom('faq_sources')
    .innerJoin('agent_sources', 'agent_sources.source_id', 'faq_sources.source_id')
    .innerJoin('kb_sources', 'kb_sources.id', 'faq_sources.source_id')
    .select(['faq_seq', 'faq_sources.source_id', 'url'])
    .where(isNumberAmong(db, 'faq_seq', $.seqs))
    .where('agent_id', '=', $.agent)
    .orderBy('kb_sources.seq'),
);

/** Whether an agent has no active FAQ at all. */
async function isEmpty(db: Db, { accountId, agentId, scopes }: Place): Promise<boolean> {
  const linked = scopes.filter((scope) => scope !== accountId);
  if ((await linkedFaq(db, { scopes: JSON.stringify(linked) })).length > 0) return false;
  return linked.length === scopes.length || (await sourcedFaq(db, { agent: agentId })).length === 0;
}

const linkedFaq = prepared<{ scopes: string }, { seq: number }>((db, $) =>
  db
    .selectFrom('faq_links')
    .innerJoin('faqs', 'faqs.seq', 'faq_links.faq_seq')
    .select('seq')
    .where(isAmong(db, 'campaign_id', $.scopes))
    .where('is_active', '=', 1)
    .unionAll(
      db
        .selectFrom('faq_groups')
        .innerJoin('faqs', 'faqs.seq', 'faq_groups.faq_seq')
        .select('seq')
        .where(isAmong(db, 'group_id', $.scopes))
        .where('is_active', '=', 1),
    )
    .limit(1),
);

const sourcedFaq = prepared<{ agent: string }, { seq: number }>((db, $) =>
  db
    .selectFrom('agent_sources')
    .innerJoin('faq_sources', 'faq_sources.source_id', 'agent_sources.source_id')
    .innerJoin('faqs', 'faqs.seq', 'faq_sources.faq_seq')
    .select('seq')
    .where('agent_id', '=', $.agent)
    .where('is_active', '=', 1)
    .limit(1),
);
