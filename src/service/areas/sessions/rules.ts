import type { Sender } from '../../../contract/areas/messages/endpoints.ts';
import type { SessionOutcome } from '../../../contract/areas/sessions/endpoints.ts';
import type { ChatSession } from './table.ts';

/** When a conversation ends unless there is another message. */
export function endsAt({
  last_message_at: lastMessageAt,
  concludes_after: pause,
}: Pick<ChatSession, 'last_message_at' | 'concludes_after'>): number {
  return lastMessageAt + pause;
}

type Counted = Pick<ChatSession, 'inbound' | 'ai_sent' | 'human_sent' | 'automated_sent' | 'replied'>;

/** Whether an agent handed a conversation to people. */
export function isAlerted({ alerts }: Pick<ChatSession, 'alerts'>): boolean {
  return alerts.length > 0;
}

/** Whether a message was sent to the contact in a conversation. Later messages of the contact are replies. */
export function wasWrittenTo({ ai_sent: ai, human_sent: human, automated_sent: automated }: Counted): boolean {
  return ai + human + automated > 0;
}

/** Adds a message to a conversation. @param at epoch milliseconds @returns whether it is a reply */
export function addToSession(
  session: ChatSession,
  { sender, agentId, millionths }: { readonly sender: Sender; readonly agentId: string | null; readonly millionths: number },
  at: number,
): boolean {
  const isReply = sender === 'contact' && wasWrittenTo(session);
  session.last_message_at = at;
  session.agent_id = agentId ?? session.agent_id;
  session[counters[sender]]++;
  if (isReply) session.replied++;
  session.spent_millionths += millionths;
  if (sender === 'contact') session.first_inbound_at ??= at;
  else if (session.first_inbound_at !== null) session.first_response_ms ??= at - session.first_inbound_at;
  return isReply;
}

const counters = { contact: 'inbound', ai: 'ai_sent', human: 'human_sent', automated: 'automated_sent' } as const;

/** The outcome of a conversation: see `sessionOutcomes`. */
export function outcomeOf(session: Counted & Pick<ChatSession, 'alerts'>): SessionOutcome {
  if (isAlerted(session) || session.human_sent > 0) return 'handed_off';
  if (session.replied > 0) return 'replied';
  if (session.inbound === 0) return 'no_reply';
  return wasWrittenTo(session) ? 'answered' : 'unanswered';
}

/**
 * How a conversation was handled. `contained`: AI replied, and nobody on the team wrote. `handed_off`: AI alerted people, or both
 * AI and the team wrote. `no_ai`: AI never replied.
 */
type Handling = 'contained' | 'handed_off' | 'no_ai';

/** How a conversation has been handled so far (rule analytics.50). */
export function handlingOf(session: Pick<ChatSession, 'ai_sent' | 'human_sent' | 'alerts'>): Handling {
  if (isAlerted(session)) return 'handed_off';
  if (session.ai_sent === 0) return 'no_ai';
  return session.human_sent > 0 ? 'handed_off' : 'contained';
}
