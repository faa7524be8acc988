import { sql } from 'kysely';
import { comparedQuestion } from '../../../contract/areas/faqs/question.ts';
import type { Db } from '../../store/database.ts';
import { isAmong, isNumberAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { sharedWords } from '../faqs/words.ts';
import { searchFaqs } from '../faqs/search.ts';
import type { Knowledge } from './writer.ts';

/** The maximum number of FAQs that are used for a message. */
const foundMax = 8;

/** The number of matches from which the best are selected. Some may have been unlinked since they were indexed. */
const matchesMax = 16;

/**
 * Finds what an agent knows about a message: the best matches among the active FAQs of its campaigns and of its attached sources
 * (rule answers.16).
 */
export async function readKnowledge(db: Db, accountId: string, agentId: string, message: string): Promise<Knowledge> {
  const scopes = (await scopesOf(db, { account: accountId, agent: agentId })).map(({ scope }) => scope);
  const matches = await searchFaqs(db, { scopes, accountId, agentId }, message);
  const best = new Map(matches.slice(0, matchesMax).map(({ seq, score }) => [seq, score]));
  const found = best.size === 0 ? [] : await readFound(db, accountId, agentId, scopes, best);
  const asked = comparedQuestion(message);
  const faqs = found
    .map(({ seq, ...faq }) => {
      const isAsked = Number(comparedQuestion(faq.question) === asked);
      return { seq, faq, isAsked, alike: sharedWords(faq.question, message) };
    })
    .sort((a, b) => b.faq.score - a.faq.score || b.isAsked - a.isAsked || b.alike - a.alike || a.seq - b.seq)
    .slice(0, foundMax)
    .map(({ faq }) => faq);
  return { faqs, isEmpty: faqs.length === 0 && (await isEmpty(db, accountId, agentId, scopes)) };
}

/** The index scopes that contain an agent's FAQs: its campaigns, and the account if sources are attached. */
const scopesOf = prepared<{ account: string; agent: string }, { scope: string }>((db, $) =>
  db
    .selectFrom('campaigns')
    .select('id as scope')
    .where('account_id', '=', $.account)
    .where('agent_id', '=', $.agent)
    .unionAll(
      db
        .selectFrom('accounts')
        .select('id as scope')
        .where('id', '=', $.account)
        .where(sql<boolean>`exists (select 1 from agent_sources where agent_sources.agent_id = ${$.agent})`),
    ),
);

/**
 * Reads FAQs, each with the oldest attached source that it came from. Skips FAQs that the agent no longer has.
 * @param best the scores of the FAQs, by `seq`
 */
async function readFound(db: Db, accountId: string, agentId: string, scopes: readonly string[], best: ReadonlyMap<number, number>) {
  const seqs = JSON.stringify([...best.keys()]);
  const [rows, links, attached] = await Promise.all([
    activeFaqs(db, { seqs }),
    linksOf(db, { seqs }),
    scopes.includes(accountId) ? attachedSources(db, { seqs, agent: agentId }) : [],
  ]);
  const linked = new Set(links.filter((link) => scopes.includes(link.campaign_id)).map((link) => link.faq_seq));
  const sources = new Map(attached.reverse().map((source) => [source.faq_seq, source]));
  return rows.flatMap(({ seq, id, question, answer }) => {
    const source = sources.get(seq);
    if (!source && !linked.has(seq)) return [];
    return [{ seq, faqId: id, question, answer, score: best.get(seq) ?? 0, sourceId: source?.source_id ?? null, url: source?.url ?? null }];
  });
}

const activeFaqs = prepared<{ seqs: string }, { seq: number; id: string; question: string; answer: string }>((db, $) =>
  db
    .selectFrom('faqs')
    .select(['seq', 'id', 'question', 'answer'])
    .where(isNumberAmong(db, 'seq', $.seqs))
    .where('is_active', '=', 1),
);

const linksOf = prepared<{ seqs: string }, { faq_seq: number; campaign_id: string }>((db, $) =>
  db
    .selectFrom('faq_links')
    .select(['faq_seq', 'campaign_id'])
    .where(isNumberAmong(db, 'faq_seq', $.seqs)),
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
async function isEmpty(db: Db, accountId: string, agentId: string, scopes: readonly string[]): Promise<boolean> {
  const ofCampaigns = scopes.filter((scope) => scope !== accountId);
  if ((await linkedFaq(db, { campaigns: JSON.stringify(ofCampaigns) })).length > 0) return false;
  return ofCampaigns.length === scopes.length || (await sourcedFaq(db, { agent: agentId })).length === 0;
}

const linkedFaq = prepared<{ campaigns: string }, { seq: number }>((db, $) =>
  db
    .selectFrom('faq_links')
    .innerJoin('faqs', 'faqs.seq', 'faq_links.faq_seq')
    .select('seq')
    .where(isAmong(db, 'campaign_id', $.campaigns))
    .where('is_active', '=', 1)
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
