import type { SessionOutcome } from '../../../contract/areas/sessions/endpoints.ts';
import { dayLength } from '../activity/counts.ts';
import type { ChatSession } from './table.ts';

/** How long a conversation goes without a message before it concludes, in milliseconds. */
const silence = dayLength;

/** When a conversation concludes unless there is another message. */
export function endsAt({ last_message_at: lastMessageAt }: Pick<ChatSession, 'last_message_at'>): number {
  return lastMessageAt + silence;
}

type Counted = Pick<ChatSession, 'inbound' | 'ai_sent' | 'human_sent' | 'automated_sent' | 'replied'>;

/** Whether the contact was sent anything in a conversation: what the contact writes afterwards is a reply. */
export function wasWrittenTo({ ai_sent: ai, human_sent: human, automated_sent: automated }: Counted): boolean {
  return ai + human + automated > 0;
}

/** The outcome of a conversation: see `sessionOutcomes`. */
export function outcomeOf(session: Counted): SessionOutcome {
  if (session.human_sent > 0) return 'handed_off';
  if (session.replied > 0) return 'replied';
  if (session.inbound === 0) return 'no_reply';
  return wasWrittenTo(session) ? 'answered' : 'unanswered';
}
