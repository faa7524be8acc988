import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { Journal } from '../activity/journal.ts';
import { requireContact, updateContact } from '../contacts/records.ts';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/store.ts';
import type { Message } from './records.ts';
import { sendMessages } from './send.ts';

/**
 * A person on the team answers a contact, where it wrote last: the conversation is taken over until it is resumed. It
 * costs what a send costs (ruling, Analytics).
 * @throws ApiError 404 for an unknown contact, and whatever refuses a send
 */
export async function replyAsTeam(db: Db, journal: Journal, contactId: string, text: string): Promise<Message> {
  const contact = await requireContact(db, journal.account.id, contactId);
  const channel = await lastChannel(db, contactId);
  const outgoing = {
    contact,
    isNewContact: false,
    channel: (channel ?? contact.channel) as ChannelName,
    body: text,
    sender: 'human',
    agentId: null,
    broadcastId: null,
  } as const;
  const [outcome] = await sendMessages(db, journal, [outgoing]);
  if (outcome === undefined || outcome instanceof ApiError) throw outcome ?? new Error('No outcome');
  await updateContact(db, contact, { taken_over: 1 });
  return outcome;
}

async function lastChannel(db: Db, contactId: string): Promise<string | undefined> {
  const last = await db
    .selectFrom('messages')
    .select('channel')
    .where('contact_id', '=', contactId)
    .where('direction', '=', 'inbound')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.channel;
}
