import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { type Address, identityKey } from '../../../contract/areas/contacts/address.ts';
import { ApiError, notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import type { Journal } from '../activity/journal.ts';
import { broadcasts } from '../broadcasts/table.ts';
import { countReply } from '../broadcasts/recipients.ts';
import { readConnectedChannels } from '../channels/records.ts';
import { createContacts, findContactsByKey, newContact, type Person, updateContact } from '../contacts/records.ts';
import type { Contact, StoredContact } from '../contacts/table.ts';
import { dimensionsOf, requireMessage } from '../messages/records.ts';
import { type Message, messages } from '../messages/table.ts';
import { type Decision, decide } from '../routing/rules.ts';
import { OpenSessions } from '../sessions/open-sessions.ts';
import { wasWrittenTo } from '../sessions/rules.ts';
import { queueSummaries, readSummarised } from '../summaries/jobs.ts';

/** A message from a contact. */
interface Incoming {
  readonly channel: ChannelName;
  readonly from: Address;
  /** The account's own number or identity that the contact wrote to, if known. */
  readonly to: string | undefined;
  readonly text: string;
  readonly person: Person;
  /** The message that the contact replies to, if known. */
  readonly replyTo: string | undefined;
}

/** A message that was received, and who answers it. */
interface Received {
  readonly message: Message;
  readonly decision: Decision;
}

/**
 * Receives a message from a contact: creates or updates the contact, decides who answers, adds the message to its
 * conversation, and emits the events.
 * @throws ApiError 400 when `to` is not connected, 404 when `replyTo` is unknown
 */
export async function receiveMessage(db: Db, journal: Journal, incoming: Incoming): Promise<Received> {
  const { account, now } = journal;
  const { channel, text } = incoming;
  const key = identityKey(channel, incoming.from);
  const known = (await findContactsByKey(db, account.id, [key])).get(key);
  const ownIdentity = await ownIdentityOf(db, account.id, incoming, known?.own_identity);
  const contact = await createOrUpdateContact(db, journal, incoming, known, ownIdentity);
  const sessions = await OpenSessions.load(db, [journal], [contact.id]);
  const open = sessions.find(contact.id, channel);
  const answered = open && wasWrittenTo(open) ? open.id : undefined;
  const broadcast = await findBroadcast(db, account.id, contact, answered, incoming.replyTo);
  const decision = decide({ contact, broadcast });
  const { session, isReply } = sessions.add(journal, {
    contactId: contact.id,
    channel,
    ownIdentity,
    sender: 'contact',
    agentId: decision.agentId,
    campaignId: null,
    millionths: 0,
  });
  const message = messages.complete({
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
    created_at: now,
  });
  await sessions.save();
  await insertMany(db, messages, [message]);
  if (!(await readSummarised(db, [account.id], now)).has(account.id)) await queueSummaries(db, [account.id], now);
  if (broadcast && isReply && known) await countReply(db, broadcast.id, known.seq);
  journal.count('received', dimensionsOf(message));
  journal.emit('New Message', () => ({ message: messages.show(message) }));
  if (isReply) {
    journal.count('replied', dimensionsOf(message));
    journal.emit('Replies', () => ({ message: messages.show(message) }));
  }
  return { message, decision };
}

/** The account's own number or identity; by default, the one that the contact wrote to before. */
async function ownIdentityOf(db: Db, accountId: string, { channel, to }: Incoming, before: string | null | undefined): Promise<string> {
  const channels = (await readConnectedChannels(db, [accountId])).get(accountId);
  const chosen = channels?.choose(channel, [to, before]);
  if (to !== undefined && chosen !== to) throw new ApiError(400, `to: ${to} is not connected on ${channel}`);
  return chosen ?? '';
}

/** Creates the contact when it is new. Names in the message fill in missing names. */
async function createOrUpdateContact(
  db: Db,
  journal: Journal,
  { channel, from, person }: Incoming,
  known: StoredContact | undefined,
  ownIdentity: string,
): Promise<Contact> {
  const { account, now } = journal;
  const seen = { own_identity: ownIdentity || null, last_message_at: now };
  if (known) {
    const names = { first_name: known.first_name ?? person.firstName ?? null, last_name: known.last_name ?? person.lastName ?? null };
    return await updateContact(db, known, { ...names, ...seen });
  }
  const contact = { ...newContact(account.id, channel, from, person, now), ...seen };
  await createContacts(db, journal, [contact]);
  return contact;
}

/** The broadcast that a contact replies to: that of the quoted message, else that of the last message in the conversation. */
async function findBroadcast(
  db: Db,
  accountId: string,
  contact: Contact,
  sessionId: string | undefined,
  replyTo: string | undefined,
): Promise<{ id: string; agent_id: string | null } | undefined> {
  const answered = replyTo === undefined ? await findLastSent(db, contact.id, sessionId) : await requireMessage(db, accountId, replyTo);
  if (replyTo !== undefined && answered?.contact_id !== contact.id) throw notFound('Message');
  if (!answered?.broadcast_id) return undefined;
  return await broadcasts.find(db, accountId, answered.broadcast_id);
}

async function findLastSent(
  db: Db,
  contactId: string,
  sessionId: string | undefined,
): Promise<Pick<Message, 'contact_id' | 'broadcast_id'> | undefined> {
  if (sessionId === undefined) return undefined;
  return await db
    .selectFrom('messages')
    .select(['contact_id', 'broadcast_id'])
    .where('contact_id', '=', contactId)
    .where('session_id', '=', sessionId)
    .where('direction', '=', 'outbound')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}
