import type { AreaHandlers } from '../../http/handler.ts';
import { SearchedMessage } from '../agents/phrases.ts';
import { agents } from '../agents/table.ts';
import { byMeaning } from '../answers/by-meaning.ts';
import { handoverOf } from '../answers/greetings.ts';
import { readKnowledge } from '../answers/knowledge.ts';
import { profileOf } from '../answers/profile.ts';
import { orFailure, WriterFailed } from '../answers/writer.ts';
import { shownScore } from '../faqs/ranking.ts';
import { requireAccount } from './accounts.ts';

/** The handler that asks an agent a question without changing anything. */
export const askHandlers: Pick<AreaHandlers<'sandbox'>, 'sandbox.ask'> = {
  'sandbox.ask': async ({ service, params, body: { agent_id: agentId, question } }) => {
    const { account, agent, words } = await service.store.read(async (db) => {
      const asked = await requireAccount(db, params.id);
      const answering = await agents.require(db, asked.id, agentId);
      return {
        account: asked,
        agent: answering,
        words: await readKnowledge(db, { accountId: asked.id, agentId: answering.id, message: question, choices: null }),
      };
    });
    const request = { agent: profileOf(agent), agentId, knowledge: words, earlier: [], message: question };
    const knowledge = await byMeaning(service.embedder, service.store, request);
    const answer = async () => {
      if (new SearchedMessage(question).asksForPeople(agent.alert_human_when))
        return { source: 'handover', text: handoverOf(agent.language) } as const;
      if (account.ownAiKey === 'failing') return null;
      const answered = await orFailure(service.writer.answer({ ...request, knowledge }));
      return answered instanceof WriterFailed ? null : answered.result;
    };
    const reply = await answer();
    return {
      answer: reply?.text ?? null,
      source: reply?.source ?? null,
      faqs: knowledge.faqs.map(({ faqId, score, sourceId, url, passage }) => ({
        faq_id: faqId,
        score: shownScore(score),
        source_id: sourceId,
        url,
        passage,
      })),
    };
  },
};
