import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { Address } from '../../../contract/areas/contacts/address.ts';
import type { Arrival, Decision } from '../../../contract/areas/routing/decide.ts';
import { notFound, invalidField } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import type { Service } from '../../http/handler.ts';
import { dayOf } from '../activity/counts.ts';
import type { Journal } from '../activity/journal.ts';
import { type AnsweringAgent, findAnsweringAgent } from '../agents/answering.ts';
import { countReply } from '../broadcasts/recipients.ts';
import { type ConnectedChannels, readConnectedChannels } from '../channels/records.ts';
import { createContacts, findContactAt, newContact, type PersonalData, updateContact } from '../contacts/records.ts';
import type { Contact, StoredContact } from '../contacts/table.ts';
import { requireMessage } from '../messages/records.ts';
import type { KnownForSends } from '../messages/send.ts';
import { type Message, messages } from '../messages/table.ts';
import { matchRules, type MatchedRules, type Routed, route } from '../routing/route.ts';
import type { RuleBooks } from '../routing/rule-books.ts';
import { type EntryPoint, decisions } from '../routing/table.ts';
import { OpenSessions } from '../sessions/open-sessions.ts';
import { wasWrittenTo } from '../sessions/rules.ts';
import type { ChatSession } from '../sessions/table.ts';
import { agentOfWidget } from '../widgets/records.ts';
import { queueSummaries, readSummarised } from '../summaries/jobs.ts';

/** An action of a contact: a message, a comment or a new follow. */
export interface Incoming {
  readonly channel: ChannelName;
  readonly from: Address;
  /** The account's own number or identity that the contact wrote to, if known. */
  readonly to?: Address | undefined;
  /** The text that the contact writes; null for a new follower. */
  readonly text: string | null;
  /** The post that the comment is on. */
  readonly postId?: string | undefined;
  readonly person: PersonalData;
  /** The message that the contact replies to, if known. */
  readonly replyTo?: string | undefined;
}

/** The result of receiving a contact's action, and who answers it. */
export interface Received {
  readonly channel: ChannelName;
  readonly contact: Contact;
  /** Null for a new follower. */
  readonly message: Message | null;
  readonly session: ChatSession | null;
  readonly decision: Decision;
  readonly entryPoint: EntryPoint | undefined;
  readonly agent: AnsweringAgent | undefined;
  /** What the transaction has already read, so that a reply in the same transaction need not read it again. */
  readonly known: KnownForSends;
}

/**
 * Receives a contact's action: creates or updates the contact, decides who answers, adds a message to its conversation, and emits
 * the events.
 * @param matched the result of `matchRulesFor`
 * @throws ApiError 400 when `to` is not connected, 404 when `replyTo` is unknown
 */
export async function receive(
  db: Db,
  journal: Journal,
  incoming: Incoming,
  books: RuleBooks,
  matched: MatchedRules | undefined,
): Promise<Received> {
  const { account, now } = journal;
  const { channel, text } = incoming;
  const [before, connected, summarised] = await Promise.all([
    findContactAt(db, account.id, channel, incoming.from),
    readConnectedChannels(db, [account.id]),
    readSummarised(db, [account.id], now),
  ]);
  const channels = connected.get(account.id);
  const ownIdentity = ownIdentityOf(incoming, channels, before?.own_identity);
  const sessions = await OpenSessions.load(db, [journal], before ? [before.id] : []);
  const open = before && sessions.find(before.id, channel);
  const agentBefore = before?.agent_id ? await findAnsweringAgent(db, account.id, before.agent_id) : undefined;
  const broadcast = await findBroadcast(db, account.id, before, open, incoming.replyTo);
  const situation = {
    arrival: arrivalOf(incoming, channels),
    channel,
    ownIdentity,
    takeover: before?.paused ? ('paused' as const) : before?.taken_over ? ('taken_over' as const) : ('none' as const),
    agentId: agentBefore?.id ?? null,
    broadcast: broadcast ?? null,
    hasWritten: before?.has_written ?? false,
    widgetAgentId: channel === 'chat_widget' ? await agentOfWidget(db, account.id, ownIdentity) : null,
  };
  const { decision, entryPoint } = await route(db, books, account.id, situation, matched);
  const agent = await agentOf(db, account.id, decision, agentBefore);
  const contact = await createOrUpdateContact(db, journal, incoming, {
    before,
    ownIdentity,
    agentId: agent?.id ?? agentBefore?.id ?? null,
  });
  const received =
    text === null ? null : await addMessage(journal, sessions, { contact, channel, ownIdentity, text, decision, entryPoint });
  const needsSummary = received !== null && !summarised.has(account.id);
  if (received) {
    await sessions.save();
    await insertMany(db, messages, [received.message]);
    if (broadcast && received.isReply && before) await countReply(db, broadcast.id, before.seq, journal.now);
  }
  if (needsSummary) await queueSummaries(db, [account.id], now);
  await keepDecision(db, contact.id, received?.message.id ?? null, decision, journal);
  const known = {
    channels: connected,
    summarised: { day: dayOf(now), accounts: new Set([...summarised, ...(received ? [account.id] : [])]) },
  };
  return {
    channel,
    contact,
    message: received?.message ?? null,
    session: received?.session ?? open ?? null,
    decision,
    entryPoint,
    agent,
    known,
  };
}

/**
 * Compares what a contact does with the account's rules, before the transaction, if they are many (see `matchRules`). Not for a contact
 * who has an agent already, to whom no rule applies.
 */
export async function matchRulesFor(
  service: Pick<Service, 'store' | 'scheduler'>,
  books: RuleBooks,
  accountId: string,
  incoming: Incoming,
): Promise<MatchedRules | undefined> {
  const { channel, from } = incoming;
  return await matchRules(service, books, accountId, async () => {
    const before = await service.store.read((db) => findContactAt(db, accountId, channel, from));
    if (before?.agent_id) return undefined;
    return { arrival: arrivalOf(incoming, undefined), channel, hasWritten: before?.has_written ?? false };
  });
}

function arrivalOf({ channel, text, postId }: Incoming, channels: ConnectedChannels | undefined): Arrival {
  if (text === null) return { kind: 'follow', isConnected: channels?.choose(channel, []) !== null };
  return postId === undefined ? { kind: 'message', text } : { kind: 'comment', text, postId };
}

/** The account's own number or identity; by default, the one that the contact wrote to before. */
function ownIdentityOf({ channel, to }: Incoming, channels: ConnectedChannels | undefined, before: string | null | undefined): string {
  const wanted = to === undefined ? [] : 'number' in to ? to.spellings : [to.identity];
  const chosen = channels?.choose(channel, [...wanted, before]) ?? '';
  if (to !== undefined && !wanted.includes(chosen)) throw invalidField('to', `${wanted[0] ?? ''} is not connected on ${channel}`);
  return chosen;
}

/** The agent that a decision chose. If it is the contact's agent, it has already been read. */
async function agentOf(
  db: Db,
  accountId: string,
  { agent_id: id }: Decision,
  known: AnsweringAgent | undefined,
): Promise<AnsweringAgent | undefined> {
  if (id === null) return undefined;
  return known?.id === id ? known : await findAnsweringAgent(db, accountId, id);
}

interface ContactChange {
  readonly before: StoredContact | undefined;
  readonly ownIdentity: string;
  readonly agentId: string | null;
}

/** Creates or updates the contact. Given names fill in missing names, and the answering agent is assigned to the contact. */
async function createOrUpdateContact(
  db: Db,
  journal: Journal,
  { channel, from, text, person }: Incoming,
  { before, ownIdentity, agentId }: ContactChange,
): Promise<Contact> {
  const { account, now } = journal;
  const written = text === null ? {} : { own_identity: ownIdentity || null, last_message_at: now, has_written: true };
  const change = { ...written, agent_id: agentId };
  if (before) {
    const names = { first_name: before.first_name ?? person.firstName ?? null, last_name: before.last_name ?? person.lastName ?? null };
    return await updateContact(db, before, { ...names, ...change }, now);
  }
  const contact = { ...newContact(account.id, channel, from, person, now), ...change, first_agent_id: agentId };
  await createContacts(db, journal, [contact]);
  return contact;
}

interface NewMessage extends Routed {
  readonly contact: Contact;
  readonly channel: ChannelName;
  readonly ownIdentity: string;
  readonly text: string;
}

/** Adds a message to its conversation, and emits its events. */
async function addMessage(
  journal: Journal,
  sessions: OpenSessions,
  { contact, channel, ownIdentity, text, decision, entryPoint }: NewMessage,
): Promise<{ message: Message; session: ChatSession; isReply: boolean }> {
  const { session, isReply } = sessions.add(journal, {
    contactId: contact.id,
    channel,
    ownIdentity,
    sender: 'contact',
    agentId: decision.agent_id,
    campaignId: entryPoint?.campaign_id ?? null,
    millionths: 0,
  });
  const message = messages.complete({
    id: newId('msg'),
    account_id: contact.account_id,
    contact_id: contact.id,
    session_id: session.id,
    channel,
    own_identity: ownIdentity,
    direction: 'inbound',
    type: 'text',
    body: text,
    status: 'received',
    sender: 'contact',
    agent_id: decision.agent_id,
    campaign_id: session.campaign_id,
    created_at: journal.now,
  });
  journal.countMessage('received', message);
  // A contact sends no files, so there is no link to make.
  const shown = { ...messages.show(message), media: null };
  journal.emit('New Message', () => ({ message: shown }));
  if (isReply) {
    journal.countMessage('replied', message);
    journal.emit('Replies', () => ({ message: shown }));
  }
  return { message, session, isReply };
}

/** Stores who answers and why (rule routing.39). */
async function keepDecision(
  db: Db,
  contactId: string,
  messageId: string | null,
  decision: Decision,
  { account, now }: Journal,
): Promise<void> {
  const row = { ...decision, account_id: account.id, contact_id: contactId, message_id: messageId, created_at: now };
  await insertMany(db, decisions, [row]);
}

/**
 * The broadcast that a contact replies to: the broadcast of the quoted message, or else of the last message in the conversation.
 */
async function findBroadcast(
  db: Db,
  accountId: string,
  contact: StoredContact | undefined,
  open: ChatSession | undefined,
  replyTo: string | undefined,
): Promise<{ id: string; agent_id: string | null } | undefined> {
  const answered = replyTo === undefined ? await findLastSent(db, open) : await requireMessage(db, accountId, replyTo);
  if (replyTo !== undefined && (!contact || answered?.contact_id !== contact.id)) throw notFound('message');
  if (!answered?.broadcast_id) return undefined;
  const { broadcast_id: id } = answered;
  // Not the whole record, which can name thousands of contacts.
  return await db
    .selectFrom('broadcasts')
    .select(['id', 'agent_id'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

async function findLastSent(db: Db, open: ChatSession | undefined): Promise<Pick<Message, 'contact_id' | 'broadcast_id'> | undefined> {
  if (!open || !wasWrittenTo(open)) return undefined;
  return await db
    .selectFrom('messages')
    .select(['contact_id', 'broadcast_id'])
    .where('contact_id', '=', open.contact_id)
    .where('session_id', '=', open.id)
    .where('direction', '=', 'outbound')
    .where('type', '<>', 'tool_use')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}
