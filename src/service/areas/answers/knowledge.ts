import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { isAmong, isNumberAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { sharedWords } from '../faqs/words.ts';
import { searchFaqs } from '../faqs/search.ts';
import type { FoundFaq, Knowledge } from './writer.ts';

/** The number of FAQs that are found for a message. */
const foundMax = 8;

/** The number of matches of which they are the best: some may have been unlinked since they were indexed. */
const matchesMax = 16;

/**
 * Finds what an agent knows about a message: the best matching ones of the active FAQs of its campaigns and of the sources
 * attached to it (rule answers.16).
 */
export async function readKnowledge(db: Db, accountId: string, agentId: string, message: string): Promise<Knowledge> {
  const scopes = (await scopesOf(db, { account: accountId, agent: agentId })).map(({ scope }) => scope);
  const matches = await searchFaqs(db, { scopes, accountId, agentId }, message);
  const best = new Map(matches.slice(0, matchesMax).map(({ seq, score }) => [seq, score]));
  const rows = best.size === 0 ? [] : await faqsOfAgent(db, { seqs: JSON.stringify([...best.keys()]), account: accountId, agent: agentId });
  const found = new Map<number, FoundFaq>();
  // A FAQ of several sources has a row for each, the oldest first.
  for (const { seq, id, question, answer, source_id: sourceId, url } of rows)
    if (!found.has(seq)) found.set(seq, { faqId: id, question, answer, score: best.get(seq) ?? 0, sourceId, url });
  const alike = ({ question }: FoundFaq) => sharedWords(question, message);
  const faqs = [...found]
    .sort(([one, a], [other, b]) => b.score - a.score || alike(b) - alike(a) || one - other)
    .map(([, faq]) => faq)
    .slice(0, foundMax);
  return { faqs, isEmpty: faqs.length === 0 && (await isEmpty(db, accountId, agentId, scopes)) };
}

/** The scopes of the index in which an agent's FAQs are: its campaigns, and the account when sources are attached. */
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

interface FoundRow {
  readonly seq: number;
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly source_id: string | null;
  readonly url: string | null;
}

/** Reads FAQs by their `seq`, with the attached sources that they came from. Those that an agent does not know are left out. */
const faqsOfAgent = prepared<{ seqs: string; account: string; agent: string }, FoundRow>((db, $) => {
  const attached = db
    .selectFrom('faq_sources')
    .innerJoin('agent_sources', 'agent_sources.source_id', 'faq_sources.source_id')
    .innerJoin('kb_sources', 'kb_sources.id', 'faq_sources.source_id')
    .select(['faq_seq', 'kb_sources.id as source_id', 'url', 'kb_sources.seq as source_seq'])
    .where('agent_id', '=', $.agent)
    .where(isNumberAmong(db, 'faq_seq', $.seqs));
  return db
    .selectFrom('faqs')
    .leftJoin(attached.as('attached'), 'attached.faq_seq', 'faqs.seq')
    .select(['seq', 'id', 'question', 'answer', 'source_id', 'url'])
    .where(isNumberAmong(db, 'faqs.seq', $.seqs))
    .where('is_active', '=', 1)
    // PostgreSQL would read all links of the agent's campaigns, if only `faqs.seq` limited them.
    .where(
      sql<boolean>`(source_id is not null or exists (select 1 from faq_links inner join campaigns on campaigns.id = faq_links.campaign_id
        where faq_links.faq_seq = faqs.seq and ${isNumberAmong(db, 'faq_links.faq_seq', $.seqs)}
          and campaigns.account_id = ${$.account} and campaigns.agent_id = ${$.agent}))`,
    )
    .orderBy('source_seq');
});

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
