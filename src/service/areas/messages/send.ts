import { sql } from 'kysely';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { templatePrice } from '../../../contract/areas/templates/price.ts';
import type { TemplateCategory } from '../../../contract/areas/templates/template.ts';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import { toMillionths } from '../../store/millionths.ts';
import { preparedChange } from '../../store/prepared.ts';
import { dayOf } from '../activity/counts.ts';
import type { Journal } from '../activity/journal.ts';
import { type ConnectedChannels, readConnectedChannels } from '../channels/records.ts';
import { announceContact } from '../contacts/records.ts';
import { type Contact, contacts } from '../contacts/table.ts';
import { aiReplyCost, messageCost } from '../credits/rules.ts';
import { OpenSessions } from '../sessions/open-sessions.ts';
import { queueSummaries, readSummarised } from '../summaries/jobs.ts';
import { conversationWindow, outsideWindow, recipientError } from './rules.ts';
import { type Message, messages, type SentMedia } from './table.ts';

/** A message to send. */
export interface Outgoing {
  /** The journal of the sending account. */
  readonly journal: Journal;
  readonly contact: Contact;
  /** Whether the contact is created along with the message. A refused message does not create the contact. */
  readonly isNewContact: boolean;
  readonly channel: ChannelName;
  readonly body: string;
  readonly sender: 'ai' | 'human' | 'automated';
  readonly agentId: string | null;
  readonly broadcastId: string | null;
  readonly scheduledTaskId?: string;
  /** The campaign of the conversation. Replies in the conversation are attributed to it. */
  readonly campaignId?: string | null;
  /** The template of the text. It determines the price. */
  readonly template?: { readonly id: string; readonly category: TemplateCategory };
  /** The file to send. The text is its name. */
  readonly media?: SentMedia;
}

/** What sending needs to know about accounts, by account id. */
export interface KnownForSends {
  readonly channels: ReadonlyMap<string, ConnectedChannels>;
  /** The accounts that already have a summary for a day, written or queued. */
  readonly summarised: { readonly day: number; readonly accounts: ReadonlySet<string> };
}

/** Reads what sending needs to know about accounts. @param now by the service's clock */
export async function readForSends(db: Db, accountIds: readonly string[], now: number): Promise<KnownForSends> {
  const [channels, summarised] = await Promise.all([readConnectedChannels(db, accountIds), readSummarised(db, accountIds, now)]);
  return { channels, summarised: { day: dayOf(now), accounts: summarised } };
}

/**
 * Sends messages of the interface, broadcasts, agents and the team. A message on a connected channel is sent immediately (rule
 * messages.10).
 * @param outgoing all at the same time of the service's clock
 * @param read what the transaction has already read
 * @returns for each, in order, the message or its error: 400 when the channel is not connected, 402 without enough credits, 422
 * when the contact must not be written to
 */
export async function sendMessages(db: Db, outgoing: readonly Outgoing[], read?: KnownForSends): Promise<(Message | ApiError)[]> {
  const journals = [...new Set(outgoing.map(({ journal }) => journal))];
  const now = journals[0]?.now ?? 0;
  const accountIds = journals.map(({ account }) => account.id);
  const contactIds = [...new Set(outgoing.filter(({ isNewContact }) => !isNewContact).map(({ contact }) => contact.id))];
  const [known, sessions] = await Promise.all([
    // At midnight, data that was read earlier can be for the previous day.
    read?.summarised.day === dayOf(now) ? read : readForSends(db, accountIds, now),
    OpenSessions.load(db, journals, contactIds),
  ]);
  const sending = new Sending(known, sessions, await readWithinWindow(db, outgoing.filter(needsWindow), now));
  const outcomes: (Message | ApiError)[] = [];
  for (const each of outgoing) outcomes.push(await sending.send(each));
  await sending.save(db);
  return outcomes;
}

/** The messages of one transaction. They are checked individually and written in one batch. */
class Sending {
  readonly #known: KnownForSends;
  readonly #sessions: OpenSessions;
  /** The contacts that free text can reach, of accounts with a conversation window. */
  readonly #withinWindow: ReadonlySet<string>;
  readonly #newContacts = new Map<string, Contact>();
  readonly #messages: Message[] = [];

  constructor(known: KnownForSends, sessions: OpenSessions, withinWindow: ReadonlySet<string>) {
    this.#known = known;
    this.#sessions = sessions;
    this.#withinWindow = withinWindow;
  }

  async send(outgoing: Outgoing): Promise<Message | ApiError> {
    const { journal, contact, channel, agentId, campaignId = null } = outgoing;
    const session = this.#sessions.find(contact.id, channel);
    // Messages are sent from the number that the contact last wrote to (rule messages.16).
    const channels = this.#known.channels.get(journal.account.id);
    const ownIdentity = channels?.choose(channel, [contact.own_identity, session?.own_identity]) ?? null;
    const id = newId('msg');
    const { cost, reason } = priceOf(outgoing);
    const entry = { millionths: -cost, reason, agentId, campaignId, channel, messageId: id } as const;
    const error = refusalOf(outgoing, ownIdentity, this.#withinWindow) ?? (cost === 0 ? undefined : await journal.postingError(entry));
    if (error) return error;
    // The contact gets the channel of the first message that is actually sent, even if an earlier request was refused.
    if (outgoing.isNewContact && !this.#newContacts.has(contact.id)) {
      const created = { ...contact, channel, last_message_at: journal.now };
      this.#newContacts.set(contact.id, created);
      announceContact(journal, created);
    }
    if (cost > 0) await journal.post(entry);
    return this.#record(outgoing, id, ownIdentity ?? '', cost);
  }

  async save(db: Db): Promise<void> {
    const [first] = this.#messages;
    if (!first) return;
    const { created_at: now } = first;
    const accounts = new Set(this.#messages.map(({ account_id: id }) => id));
    const known = this.#messages.map(({ contact_id: contactId }) => contactId).filter((contactId) => !this.#newContacts.has(contactId));
    await insertMany(db, contacts, [...this.#newContacts.values()]);
    await this.#sessions.save();
    await insertMany(db, messages, this.#messages);
    if (known.length > 0) await setLastMessageAt(db, { ids: JSON.stringify([...new Set(known)]), now });
    await queueSummaries(db, [...accounts.difference(this.#known.summarised.accounts)], now);
  }

  #record(outgoing: Outgoing, id: string, ownIdentity: string, cost: number): Message {
    const { journal, contact, channel, body, sender, agentId, broadcastId, scheduledTaskId = null, campaignId = null } = outgoing;
    const { account, now } = journal;
    const message = { contactId: contact.id, channel, ownIdentity, sender, agentId, campaignId, millionths: cost };
    const { session } = this.#sessions.add(journal, message);
    const row = messages.complete({
      id,
      account_id: account.id,
      contact_id: contact.id,
      session_id: session.id,
      channel,
      own_identity: ownIdentity,
      direction: 'outbound',
      type: outgoing.media ? 'media' : 'text',
      body,
      status: 'sent',
      sender,
      agent_id: agentId,
      campaign_id: campaignId,
      template_id: outgoing.template?.id ?? null,
      broadcast_id: broadcastId,
      scheduled_task_id: scheduledTaskId,
      millionths: cost,
      created_at: now,
      media: outgoing.media ?? null,
    });
    journal.countMessage(`${sender}_sent`, row, cost);
    this.#messages.push(row);
    return row;
  }
}

/**
 * What messages would cost if they were sent now, with enough credits. Changes nothing.
 * @param outgoing of one account
 * @returns for each, in order, the price in millionths, or the error with which it would not be sent
 */
export async function priceMessages(db: Db, outgoing: readonly Outgoing[]): Promise<(number | ApiError)[]> {
  const [first] = outgoing;
  if (!first) return [];
  const { account, now } = first.journal;
  const channels = (await readConnectedChannels(db, [account.id])).get(account.id);
  const withinWindow = await readWithinWindow(db, outgoing.filter(needsWindow), now);
  return outgoing.map(
    (each) => refusalOf(each, channels?.choose(each.channel, [each.contact.own_identity]) ?? null, withinWindow) ?? priceOf(each).cost,
  );
}

/**
 * Why a message is not sent, but for too few credits; undefined when it is.
 * @param ownIdentity the account's own number or identity to send from; null when the channel is not connected
 * @param withinWindow the contacts that free text can reach
 */
function refusalOf(outgoing: Outgoing, ownIdentity: string | null, withinWindow: ReadonlySet<string>): ApiError | undefined {
  const { contact, channel } = outgoing;
  const isTooLate = needsWindow(outgoing) && !withinWindow.has(contact.id);
  return recipientError(contact, channel, ownIdentity) ?? (isTooLate ? outsideWindow() : undefined);
}

/** Whether a message reaches only contacts who wrote a short time ago. */
function needsWindow({ journal, channel, template }: Outgoing): boolean {
  return journal.account.conversationWindow && channel === 'chatapp' && template === undefined;
}

/** The ids of the contacts of messages who wrote on chatapp within the conversation window. */
async function readWithinWindow(db: Db, outgoing: readonly Outgoing[], now: number): Promise<ReadonlySet<string>> {
  if (outgoing.length === 0) return new Set();
  const ids = JSON.stringify([...new Set(outgoing.map(({ contact }) => contact.id))]);
  // The newest message of each contact is found by an index, however many it has.
  const { rows } = await sql<{ id: string }>`
    select id from contacts where ${isAmong(db, 'id', ids)} and (
      select created_at from messages
      where contact_id = contacts.id and direction = 'inbound' and channel = 'chatapp' order by seq desc limit 1
    ) >= ${now - conversationWindow}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The price of a message, in millionths, and the reason for the ledger. */
function priceOf({ sender, channel, contact, template, media }: Outgoing) {
  if (sender === 'ai' && !media) return { cost: aiReplyCost, reason: 'ai_reply' } as const;
  if (template) return { cost: toMillionths(templatePrice(template.category, contact.country)), reason: 'template' } as const;
  return { cost: messageCost(channel), reason: 'message' } as const;
}

const setLastMessageAt = preparedChange<{ ids: string; now: number }>((db, $) =>
  db
    .updateTable('contacts')
    .set({ last_message_at: $.now })
    .where(isAmong(db, 'id', $.ids)),
);
