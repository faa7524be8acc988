import { sql } from 'kysely';
import { limits } from '../../../contract/limits.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';

/** An agent's knowledge, as its record shows it. */
export interface KnowledgeRefs {
  readonly faqIds: readonly string[];
  readonly faqCount: number;
  readonly sourceIds: readonly string[];
}

/**
 * Reads an agent's knowledge: the first of its FAQs and sources, and the number of all FAQs.
 * @param withIds whether to read the ids of FAQs, or only their number
 */
export async function readKnowledgeRefs(db: Db, agentId: string, withIds: boolean): Promise<KnowledgeRefs> {
  const agent = { agent: agentId };
  const [sources, faqs] = await Promise.all([attachedSources(db, agent), withIds ? knownFaqs(db, agent) : []]);
  const isCounted = withIds && faqs.length < limits.shownRefs;
  const faqCount = isCounted ? faqs.length : ((await countFaqs(db, agent))[0]?.count ?? 0);
  return { faqIds: faqs.map(({ id }) => id), faqCount, sourceIds: sources.map(({ id }) => id) };
}

/** Some of the questions that an agent can answer, the newest first. */
export async function readQuestions(db: Db, agentId: string, limit: number): Promise<string[]> {
  return (await newestQuestions(db, { agent: agentId, limit })).map(({ question }) => question);
}

const attachedSources = prepared<{ agent: string }, { id: string }>((db, $) =>
  db
    .selectFrom('agent_sources')
    .innerJoin('kb_sources', 'kb_sources.id', 'agent_sources.source_id')
    .select('kb_sources.id')
    .where('agent_id', '=', $.agent)
    .orderBy('kb_sources.seq')
    .limit(sql.lit(limits.shownRefs)),
);

/**
 * The active FAQs of an agent's campaigns, sources and knowledge groups, without duplicates (rule answers.16). A campaign or group that is
 * being deleted does not belong to the agent's account any more.
 */
function faqsOf(db: Db, agentId: string) {
  return db
    .selectFrom('faqs')
    .where('faqs.is_active', '=', 1)
    .where(
      sql<boolean>`faqs.seq in (
        select faq_links.faq_seq from agents
          inner join campaigns on campaigns.agent_id = agents.id and campaigns.account_id = agents.account_id
          inner join faq_links on faq_links.campaign_id = campaigns.id
          where agents.id = ${agentId}
        union select faq_groups.faq_seq from agents
          inner join campaigns on campaigns.agent_id = agents.id and campaigns.account_id = agents.account_id
          inner join campaign_groups on campaign_groups.campaign_id = campaigns.id
          inner join kb_groups on kb_groups.id = campaign_groups.group_id and kb_groups.account_id = agents.account_id
          inner join faq_groups on faq_groups.group_id = kb_groups.id
          where agents.id = ${agentId}
        union select faq_groups.faq_seq from agents
          inner join agent_groups on agent_groups.agent_id = agents.id
          inner join kb_groups on kb_groups.id = agent_groups.group_id and kb_groups.account_id = agents.account_id
          inner join faq_groups on faq_groups.group_id = kb_groups.id
          where agents.id = ${agentId}
        union select faq_sources.faq_seq from agent_sources inner join faq_sources on faq_sources.source_id = agent_sources.source_id
          where agent_sources.agent_id = ${agentId})`,
    );
}

const knownFaqs = prepared<{ agent: string }, { id: string }>((db, $) =>
  faqsOf(db, $.agent).select('faqs.id').orderBy('faqs.seq').limit(sql.lit(limits.shownRefs)),
);

const countFaqs = prepared<{ agent: string }, { count: number }>((db, $) =>
  faqsOf(db, $.agent).select((eb) => eb.fn.countAll<number>().as('count')),
);

const newestQuestions = prepared<{ agent: string; limit: number }, { question: string }>((db, $) =>
  faqsOf(db, $.agent).select('faqs.question').orderBy('faqs.seq', 'desc').limit($.limit),
);
