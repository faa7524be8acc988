import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { Journal } from '../activity/journal.ts';
import { countReply } from '../broadcasts/recipients.ts';
import { connectedChannels } from '../channels/records.ts';
import { OpenSessions } from '../sessions/open-sessions.ts';
import { wasWrittenTo } from '../sessions/rules.ts';
import {
  announceContact,
  type Contact,
  findContactsByKey,
  insertContacts,
  newContact,
  type Person,
  type StoredContact,
  updateContact,
} from '../contacts/records.ts';
import { type Address, identityKey } from '../contacts/rules.ts';
import { insertMany } from '../../store/bulk.ts';
import { ApiError, notFound } from '../../errors.ts';
import { newId } from '../../identity/secrets.ts';
import type { Db } from '../../store/store.ts';
import { type Decision, decide } from '../routing/rules.ts';
import { markTraffic } from '../summaries/daily-summary.ts';
import { dimensionsOf, type Message, messageRecord, requireMessage } from './records.ts';

/** What a contact writes. */
export interface Incoming {
  readonly channel: ChannelName;
  readonly from: Address;
  /** The account's own number or account that was written to, where it is known. */
  readonly to: string | undefined;
  readonly text: string;
  readonly person: Person;
  readonly replyTo: string | undefined;
}

/** What became of it. */
export interface Received {
  readonly message: Message;
  readonly decision: Decision;
}

/**
 * Takes a message that a contact wrote, with all that follows from it.
 * @throws ApiError 400 when it was written to what is not connected, 404 when it replies to an unknown message
 */
export async function receiveMessage(db: Db, journal: Journal, incoming: Incoming): Promise<Received> {
  const { account, now } = journal;
  const { channel, text } = incoming;
  const key = identityKey(channel, incoming.from);
  const known = (await findContactsByKey(db, account.id, [key])).get(key);
  const ownIdentity = await ownIdentityOf(db, account.id, incoming, known?.own_identity);
  const { contact, isNew } = await contactOf(db, account.id, incoming, known, ownIdentity, now);
  if (isNew) {
    await insertContacts(db, [contact]);
    announceContact(journal, contact);
  }
  const sessions = await OpenSessions.load(db, journal, [contact.id]);
  const open = sessions.find(contact.id, channel);
  const answered = open && wasWrittenTo(open) ? open.id : undefined;
  const broadcast = await broadcastBehind(db, account.id, contact, answered, incoming.replyTo);
  const decision = decide({ contact, broadcast });
  const { session, isReply } = sessions.take({
    contactId: contact.id,
    channel,
    ownIdentity,
    sender: 'contact',
    agentId: decision.agentId,
    campaignId: null,
    millionths: 0,
  });
  const message: Message = {
    id: newId('msg'),
    account_id: account.id,
    contact_id: contact.id,
    session_id: session.id,
    channel,
    own_identity: ownIdentity,
    direction: 'inbound',
    type: 'text',
    body: text,
    status: 'received',
    sender: 'contact',
    agent_id: decision.agentId,
    campaign_id: session.campaign_id,
    template_id: null,
    broadcast_id: null,
    millionths: 0,
    created_at: now,
  };
  await sessions.save();
  await insertMany(db, 'messages', [message]);
  await markTraffic(db, account.id, now);
  if (broadcast && isReply && known) await countReply(db, broadcast.id, known.seq);
  journal.count('received', dimensionsOf(message));
  journal.emit('New Message', () => ({ message: messageRecord(message) }));
  if (isReply) {
    journal.count('replied', dimensionsOf(message));
    journal.emit('Replies', () => ({ message: messageRecord(message) }));
  }
  return { message, decision };
}

/** What was written to: unless it is told, what the contact wrote to before. */
async function ownIdentityOf(db: Db, accountId: string, { channel, to }: Incoming, before: string | null | undefined): Promise<string> {
  const channels = await connectedChannels(db, accountId);
  const chosen = channels.choose(channel, [to, before]);
  if (to !== undefined && chosen !== to) throw new ApiError(400, `to: ${to} is not connected on ${channel}`);
  return chosen ?? '';
}

/** The contact who wrote, made when it is new; names that it told fill those that are missing. */
async function contactOf(
  db: Db,
  accountId: string,
  { channel, from, person }: Incoming,
  known: StoredContact | undefined,
  ownIdentity: string,
  now: number,
): Promise<{ contact: Contact; isNew: boolean }> {
  const seen = { own_identity: ownIdentity || null, last_message_at: now };
  if (!known) return { contact: { ...newContact(accountId, channel, from, person, now), ...seen }, isNew: true };
  const names = { first_name: known.first_name ?? person.firstName ?? null, last_name: known.last_name ?? person.lastName ?? null };
  return { contact: await updateContact(db, known, { ...names, ...seen }), isNew: false };
}

/** The broadcast that a contact answers: that of the message replied to, else of the last one sent in the conversation. */
async function broadcastBehind(
  db: Db,
  accountId: string,
  contact: Contact,
  sessionId: string | undefined,
  replyTo: string | undefined,
): Promise<{ id: string; agent_id: string | null } | undefined> {
  const answered = replyTo === undefined ? await lastSent(db, contact.id, sessionId) : await requireMessage(db, accountId, replyTo);
  if (replyTo !== undefined && answered?.contact_id !== contact.id) throw notFound('Message');
  if (!answered?.broadcast_id) return undefined;
  return await db.selectFrom('broadcasts').select(['id', 'agent_id']).where('id', '=', answered.broadcast_id).executeTakeFirst();
}

async function lastSent(db: Db, contactId: string, sessionId: string | undefined): Promise<Message | undefined> {
  if (sessionId === undefined) return undefined;
  return await db
    .selectFrom('messages')
    .selectAll()
    .where('contact_id', '=', contactId)
    .where('session_id', '=', sessionId)
    .where('direction', '=', 'outbound')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}
