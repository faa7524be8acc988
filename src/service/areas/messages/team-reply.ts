import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import type { Journal } from '../activity/journal.ts';
import { updateContact } from '../contacts/records.ts';
import { contacts } from '../contacts/table.ts';
import { sendMessages } from './send.ts';
import { type Message, messages } from './table.ts';

/**
 * A person on the team answers a contact, on the channel that the contact wrote on last. The conversation is taken over
 * until it is resumed (rule contacts.26). The reply costs as much as a send (rule credits.16).
 * @throws ApiError 404 for an unknown contact, and the error of a message that cannot be sent
 */
export async function replyAsTeam(db: Db, journal: Journal, contactId: string, text: string): Promise<Message> {
  const contact = await contacts.require(db, journal.account.id, contactId);
  const channel = (await findLastInbound(db, contactId))?.channel ?? contact.channel;
  const outgoing = { contact, isNewContact: false, channel, body: text, sender: 'human', agentId: null, broadcastId: null } as const;
  const [outcome] = await sendMessages(db, journal, [outgoing]);
  if (outcome === undefined || outcome instanceof ApiError) throw outcome ?? new Error('No outcome');
  await updateContact(db, contact, { taken_over: true });
  return outcome;
}

async function findLastInbound(db: Db, contactId: string): Promise<Pick<Message, 'channel'> | undefined> {
  const row = await db
    .selectFrom('messages')
    .select('channel')
    .where('contact_id', '=', contactId)
    .where('direction', '=', 'inbound')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && messages.decode(row);
}
