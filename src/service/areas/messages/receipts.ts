import type { MessageStatus } from '../../../contract/areas/messages/endpoints.ts';
import type { Journal } from '../activity/journal.ts';
import { countOutcome } from '../broadcasts/recipients.ts';
import { dimensionsOf as sessionDimensions } from '../sessions/open-sessions.ts';
import { findChatSession } from '../sessions/records.ts';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/store.ts';
import { dimensionsOf, type Message, messageRecord, requireMessage } from './records.ts';
import { type Receipt, stepsOf } from './rules.ts';

const events = { delivered: 'Deliveries', read: 'Reads' } as const;

/**
 * Takes a delivery report (Document 4, Analytics: a message that ends failed is refunded, one that is read was delivered).
 * @throws ApiError 404 for an unknown message, 409 for one that cannot come to this
 */
export async function takeReceipt(db: Db, journal: Journal, messageId: string, receipt: Receipt): Promise<Message> {
  const sent = await requireMessage(db, journal.account.id, messageId);
  const steps = stepsOf(sent.status as MessageStatus, receipt);
  if (!steps) throw new ApiError(409, `The message is ${sent.status}: it cannot be ${receipt}`);
  for (const status of steps) {
    const message = { ...sent, status };
    if (status === 'failed') await refund(db, journal, message);
    else {
      // They count for the day on which the message was sent: it is its record that says so.
      journal.count(status, dimensionsOf(message), 1, message.created_at);
      journal.emit(events[status], () => ({ message: messageRecord(message) }));
    }
    if (message.broadcast_id !== null) await countOutcome(db, message.broadcast_id, status);
  }
  const status = steps.at(-1) ?? sent.status;
  if (status !== sent.status) await db.updateTable('messages').set({ status }).where('id', '=', sent.id).execute();
  return { ...sent, status };
}

/** Gives back what a message cost, on the ledger and in its conversation. */
async function refund(db: Db, journal: Journal, message: Message): Promise<void> {
  const { millionths, agent_id: agentId, campaign_id: campaignId, channel, id: messageId } = message;
  if (millionths === 0) return;
  await journal.post({ millionths, reason: 'refund', agentId, campaignId, channel, messageId, spentAt: message.created_at });
  const session = await findChatSession(db, message.account_id, message.session_id);
  if (!session) return;
  await db
    .updateTable('chat_sessions')
    .set((eb) => ({ spent_millionths: eb('spent_millionths', '-', millionths) }))
    .where('id', '=', session.id)
    .execute();
  journal.count('conversation_credits', sessionDimensions(session), -millionths, session.started_at);
}
