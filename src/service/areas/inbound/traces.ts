import type { replySources } from '../../../contract/areas/messages/endpoints.ts';
import { toCredits } from '../../store/millionths.ts';
import { ApiError } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { findNewest } from '../../store/newest.ts';
import type { Answer } from '../answers/ask.ts';
import { foundMax } from '../answers/knowledge.ts';
import type { Reply } from '../answers/writer.ts';
import { shownScore } from '../faqs/ranking.ts';
import { requireMessage } from '../messages/records.ts';
import type { Message } from '../messages/table.ts';
import { decisionRecord } from '../routing/decision-record.ts';
import { decisions } from '../routing/table.ts';
import type { MadeCall } from '../tools/toolbox.ts';
import { replyTraces, type TracedFaq } from './table.ts';

/** The FAQs that an agent found for a message, and which of them its reply was made with (rule messages.46). */
function tracedFaqs({ result, knowledge: { faqs, choices, rivals }, model }: Answer): TracedFaq[] {
  const chosen = model === null ? chosenFaqs(result) : faqs.map(({ faqId }) => faqId);
  // What the contact chose from earlier questions, or is asked about, need not be among the best.
  const others = [...(choices ?? []), ...rivals]
    .filter((each) => each !== null)
    .filter((each) => chosen.includes(each.faqId) && !faqs.some(({ faqId }) => faqId === each.faqId));
  return [...others, ...faqs]
    .slice(0, foundMax)
    .map(({ faqId, question, score }) => ({ faq_id: faqId, question, score: shownScore(score), chosen: chosen.includes(faqId) }));
}

/** The FAQs that a reply answers with, or asks about. */
function chosenFaqs(reply: Reply): readonly string[] {
  if ('choices' in reply) return reply.choices.map(({ faqId }) => faqId);
  return 'faqId' in reply ? [reply.faqId] : [];
}

/**
 * Keeps how a reply was made, in the transaction that sends it.
 * @param replyTo the id of the contact's message; null for a new follower
 * @param answer null for a fixed text
 * @param calls the calls that the agent made
 */
export async function keepTrace(
  db: Db,
  reply: Message,
  replyTo: string | null,
  source: (typeof replySources)[number],
  answer: Answer | null,
  calls: readonly MadeCall[],
): Promise<void> {
  const { id, account_id, contact_id, created_at } = reply;
  const written = answer && {
    faqs: tracedFaqs(answer),
    model: answer.model,
    duration_ms: Math.round(answer.duration),
    tool_calls: calls.map(({ shown }) => shown),
  };
  const row = { message_id: id, account_id, contact_id, reply_to: replyTo, source, created_at };
  await insertMany(db, replyTraces, [{ ...row, ...(written ?? { faqs: null, model: null, duration_ms: null, tool_calls: null }) }]);
}

export const traceHandlers: Pick<AreaHandlers<'messages'>, 'messages.trace'> = {
  'messages.trace': async ({ db, account, params, service, now }) => {
    const traced = await requireMessage(db, account.id, params.id);
    const { events: keep } = service.retention;
    if (keep !== null && traced.created_at < now - keep) throw new ApiError(404, 'The trace of this message is no longer kept');
    const isInbound = traced.direction === 'inbound';
    const reply = isInbound ? undefined : await findNewest(db, replyTraces, { message_id: traced.id });
    const decidedOn = isInbound ? traced.id : reply?.reply_to;
    const decision = decidedOn ? await findNewest(db, decisions, { contact_id: traced.contact_id, message_id: decidedOn }) : undefined;
    return {
      trace: {
        decision: decision ? decisionRecord(decision) : null,
        public_reply: isInbound ? (decision?.public_reply ?? null) : null,
        reply_to: reply?.reply_to ?? null,
        source: reply?.source ?? null,
        faqs: reply?.faqs ? [...reply.faqs] : null,
        tool_calls: reply?.tool_calls ? [...reply.tool_calls] : null,
        model: reply?.model ?? null,
        duration_ms: reply?.duration_ms ?? null,
        credits: isInbound ? null : toCredits(traced.millionths),
        broadcast_id: traced.broadcast_id,
        scheduled_task_id: traced.scheduled_task_id,
      },
    };
  },
};
