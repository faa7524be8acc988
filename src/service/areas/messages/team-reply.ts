import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import type { Journal } from '../activity/journal.ts';
import { updateContact } from '../contacts/records.ts';
import { contacts } from '../contacts/table.ts';
import { sendMessages } from './send.ts';
import { type Message, messages } from './table.ts';

/**
 * Sends a reply of a team member on the channel of the contact's last message. The reply takes over the conversation until the
 * contact is resumed (rule contacts.26), and is priced like any other send (rule credits.16).
 * @throws ApiError 404 for an unknown contact, or the error of `sendMessages`
 */
export async function replyAsTeam(db: Db, journal: Journal, contactId: string, text: string): Promise<Message> {
  const contact = await contacts.require(db, journal.account.id, contactId);
  const channel = (await findLastInbound(db, contactId))?.channel ?? contact.channel;
  const outgoing = {
    journal,
    contact,
    isNewContact: false,
    channel,
    body: text,
    sender: 'human',
    agentId: null,
    broadcastId: null,
  } as const;
  const [outcome] = await sendMessages(db, [outgoing]);
  if (outcome === undefined || outcome instanceof ApiError) throw outcome ?? new Error('No outcome');
  await updateContact(db, contact, { taken_over: true }, journal.now);
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
