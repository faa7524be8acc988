import type { AreaHandlers } from '../../http/handler.ts';
import { SearchedMessage } from '../agents/phrases.ts';
import { agents } from '../agents/table.ts';
import { askAgent } from '../answers/ask.ts';
import { handoverOf } from '../answers/greetings.ts';
import { readKnowledge } from '../answers/knowledge.ts';
import { profileOf } from '../answers/profile.ts';
import { requireAccount } from './accounts.ts';

/** The handler that asks an agent a question without changing anything. */
export const askHandlers: Pick<AreaHandlers<'sandbox'>, 'sandbox.ask'> = {
  'sandbox.ask': async ({ service, params, body: { agent_id: agentId, question } }) => {
    const { account, agent, knowledge } = await service.store.read(async (db) => {
      const asked = await requireAccount(db, params.id);
      const answering = await agents.require(db, asked.id, agentId);
      return {
        account: asked,
        agent: answering,
        knowledge: await readKnowledge(db, { accountId: asked.id, agent: answering, message: question, choices: null }),
      };
    });
    const reply = new SearchedMessage(question).asksForPeople(agent.alert_human_when)
      ? { source: 'handover' as const, text: handoverOf(agent.language) }
      : await askAgent(service.writer, account, profileOf(agent), knowledge, question);
    return {
      answer: reply?.text ?? null,
      source: reply?.source ?? null,
      faqs: knowledge.faqs.map(({ faqId, score, sourceId, url, passage }) => ({ faq_id: faqId, score, source_id: sourceId, url, passage })),
    };
  },
};
