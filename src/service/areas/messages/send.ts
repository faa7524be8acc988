import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { Journal } from '../activity/journal.ts';
import { connectedChannels, type ConnectedChannels } from '../channels/records.ts';
import { OpenSessions } from '../sessions/open-sessions.ts';
import { announceContact, type Contact, insertContacts } from '../contacts/records.ts';
import { insertMany, isAmong } from '../../store/bulk.ts';
import { ApiError } from '../../errors.ts';
import { newId } from '../../identity/secrets.ts';
import { type Db, prepared } from '../../store/store.ts';
import { messageCost } from '../credits/rules.ts';
import { markTraffic } from '../summaries/daily-summary.ts';
import { dimensionsOf, type Message } from './records.ts';
import { checkRecipient } from './rules.ts';

/** A message to be sent. */
export interface Outgoing {
  readonly contact: Contact;
  /** Whether the contact is to be made with it: one that is not sent leaves none behind. */
  readonly isNewContact: boolean;
  readonly channel: ChannelName;
  readonly body: string;
  readonly sender: 'ai' | 'human' | 'automated';
  readonly agentId: string | null;
  readonly broadcastId: string | null;
}

/**
 * Sends messages of an account: to a connected channel each is sent at once (ruling, Contacts and sends). Whoever sends
 * anything comes here: the interface, broadcasts, people on the team.
 * @returns for each, in their order, the message or why it is not sent: 400 without a connected channel of its kind, 402
 * without the credits, 422 when the contact is not to be disturbed
 */
export async function sendMessages(db: Db, journal: Journal, outgoing: readonly Outgoing[]): Promise<(Message | ApiError)[]> {
  const contactIds = [...new Set(outgoing.filter(({ isNewContact }) => !isNewContact).map(({ contact }) => contact.id))];
  const channels = await connectedChannels(db, journal.account.id);
  const sessions = await OpenSessions.load(db, journal, contactIds);
  const sending = new Sending(journal, channels, sessions);
  const outcomes: (Message | ApiError)[] = [];
  for (const each of outgoing) outcomes.push(await sending.send(each));
  await sending.save(db);
  return outcomes;
}

/** The messages that one transaction sends: decided one after the other, and written together. */
class Sending {
  readonly #journal: Journal;
  readonly #channels: ConnectedChannels;
  readonly #sessions: OpenSessions;
  readonly #newContacts = new Map<string, Contact>();
  readonly #messages: Message[] = [];

  constructor(journal: Journal, channels: ConnectedChannels, sessions: OpenSessions) {
    this.#journal = journal;
    this.#channels = channels;
    this.#sessions = sessions;
  }

  async send(outgoing: Outgoing): Promise<Message | ApiError> {
    const { contact, channel, agentId } = outgoing;
    const session = this.#sessions.find(contact.id, channel);
    // Replies leave from the number that the contact wrote to (2/Routing order).
    const ownIdentity = this.#channels.choose(channel, [contact.own_identity, session?.own_identity]);
    const id = newId('msg');
    const cost = messageCost(channel);
    const entry = { millionths: -cost, reason: 'message', agentId, channel, messageId: id } as const;
    const refusal = checkRecipient(contact, channel, ownIdentity) ?? (cost === 0 ? null : await this.#journal.refusalOf(entry));
    if (refusal) return refusal;
    if (outgoing.isNewContact && !this.#newContacts.has(contact.id)) {
      // As it is once this message is sent, which may not be the first that was asked for.
      const made = { ...contact, channel, last_message_at: this.#journal.now };
      this.#newContacts.set(contact.id, made);
      announceContact(this.#journal, made);
    }
    if (cost > 0) await this.#journal.post(entry);
    return this.#record(outgoing, id, ownIdentity ?? '', cost);
  }

  async save(db: Db): Promise<void> {
    if (this.#messages.length === 0) return;
    const { account, now } = this.#journal;
    const known = this.#messages.map(({ contact_id: contactId }) => contactId).filter((contactId) => !this.#newContacts.has(contactId));
    await insertContacts(db, [...this.#newContacts.values()]);
    await this.#sessions.save();
    await insertMany(db, 'messages', this.#messages);
    await touchContacts(db, [...new Set(known)], now);
    await markTraffic(db, account.id, now);
  }

  #record({ contact, channel, body, sender, agentId, broadcastId }: Outgoing, id: string, ownIdentity: string, cost: number): Message {
    const { account, now } = this.#journal;
    const message = { contactId: contact.id, channel, ownIdentity, sender, agentId, campaignId: null, millionths: cost };
    const { session } = this.#sessions.take(message);
    const row: Message = {
      id,
      account_id: account.id,
      contact_id: contact.id,
      session_id: session.id,
      channel,
      own_identity: ownIdentity,
      direction: 'outbound',
      type: 'text',
      body,
      status: 'sent',
      sender,
      agent_id: agentId,
      campaign_id: null,
      template_id: null,
      broadcast_id: broadcastId,
      millionths: cost,
      created_at: now,
    };
    this.#journal.count(`${sender}_sent`, dimensionsOf(row));
    this.#messages.push(row);
    return row;
  }
}

const touch = prepared<never>((db) => db.updateTable('contacts').set({ last_message_at: 0 }).where(isAmong(db, 'id')));

async function touchContacts(db: Db, ids: readonly string[], now: number): Promise<void> {
  if (ids.length > 0) await touch(db, [now, JSON.stringify(ids)]);
}
