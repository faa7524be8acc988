import type { SessionOutcome } from '../../../contract/areas/sessions/endpoints.ts';
import { dayLength } from '../activity/counts.ts';
import type { ChatSessionsTable } from '../../store/schema.ts';

/** After how long without a message a conversation concludes (5/B, Chat sessions), in milliseconds. */
const silence = dayLength;

/** When a conversation concludes unless there is another message. */
export function endsAt({ last_message_at: lastMessageAt }: Pick<ChatSessionsTable, 'last_message_at'>): number {
  return lastMessageAt + silence;
}

type Counted = Pick<ChatSessionsTable, 'inbound' | 'ai_sent' | 'human_sent' | 'automated_sent' | 'replied'>;

/** Whether the contact was sent anything in a conversation: then what the contact writes is a reply. */
export function wasWrittenTo({ ai_sent: ai, human_sent: human, automated_sent: automated }: Counted): boolean {
  return ai + human + automated > 0;
}

/** How a conversation ended (see `sessionOutcomes`). */
export function outcomeOf(session: Counted): SessionOutcome {
  if (session.human_sent > 0) return 'handed_off';
  if (session.replied > 0) return 'replied';
  if (session.inbound === 0) return 'no_reply';
  return wasWrittenTo(session) ? 'answered' : 'unanswered';
}
