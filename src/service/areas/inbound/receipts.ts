import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import type { Journal } from '../activity/journal.ts';
import { countReceipt } from '../broadcasts/recipients.ts';
import type { Failure } from '../notices/log-failures.ts';
import type { MediaLinks } from '../messages/media-links.ts';
import { messageRecord, requireMessage } from '../messages/records.ts';
import { changeStatus } from '../messages/statuses.ts';
import type { Message } from '../messages/table.ts';
import { countSession } from '../sessions/conclude.ts';
import { findSession } from '../sessions/records.ts';
import { type Receipt, stepsOf } from './rules.ts';

const events = { delivered: 'Deliveries', read: 'Reads' } as const;

/**
 * Applies a delivery report to a message. A failed message is refunded (rule credits.18).
 * @throws ApiError 404 for an unknown message, 409 when the status of the message does not allow the report
 */
export async function applyReceipt(db: Db, journal: Journal, links: MediaLinks, messageId: string, receipt: Receipt): Promise<Message> {
  const sent = await requireMessage(db, journal.account.id, messageId);
  if (sent.type === 'tool_use') throw new ApiError(409, 'The message tells of a call: it goes to nobody, so it takes no report');
  const steps = stepsOf(sent.status, receipt);
  if (!steps) throw new ApiError(409, `The message is ${sent.status}: it cannot be ${receipt}`);
  for (const status of steps) {
    const message = { ...sent, status };
    if (status === 'failed') {
      journal.fail(failureOf(message));
      await refund(db, journal, message);
    } else {
      // Counted for the day on which the message was sent.
      journal.countMessage(status, message);
      journal.emit(events[status], () => ({ message: messageRecord(message, links, journal.now) }));
    }
    if (message.broadcast_id !== null)
      await countReceipt(db, journal, { broadcastId: message.broadcast_id, contactId: message.contact_id }, status);
  }
  const status = steps.at(-1) ?? sent.status;
  await changeStatus(db, sent, steps, journal.now);
  return { ...sent, status };
}

function failureOf({ id, contact_id: contactId, broadcast_id: broadcast }: Message): Failure {
  const [source, entityId] = broadcast === null ? (['message', id] as const) : (['broadcast', broadcast] as const);
  return { source, code: 'delivery_failed', entity: { type: source, id: entityId }, contactId };
}

/** Refunds the price of a message, in the ledger and in its conversation. */
async function refund(db: Db, journal: Journal, message: Message): Promise<void> {
  const { millionths, agent_id: agentId, campaign_id: campaignId, channel, id: messageId } = message;
  if (millionths === 0) return;
  await journal.post({ millionths, reason: 'refund', agentId, campaignId, channel, messageId, spentAt: message.created_at });
  journal.countRefund(message, millionths);
  const session = await findSession(db, message.account_id, message.session_id);
  if (!session) return;
  await db
    .updateTable('chat_sessions')
    .set((eb) => ({ spent_millionths: eb('spent_millionths', '-', millionths) }))
    .where('id', '=', session.id)
    .execute();
  countSession(journal, session, { ...session, spent_millionths: session.spent_millionths - millionths });
}
