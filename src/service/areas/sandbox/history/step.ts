import type { Account } from '../../../identity/accounts.ts';
import { enqueue } from '../../../jobs/queue.ts';
import type { Db } from '../../../store/database.ts';
import { newId } from '../../../store/ids.ts';
import { insertMany } from '../../../store/insert.ts';
import { toMillionths } from '../../../store/millionths.ts';
import { fixed, preparedChange } from '../../../store/prepared.ts';
import type { NewRow } from '../../../store/table.ts';
import { type Journal, withJournalOfThePast } from '../../activity/journal.ts';
import { type Call, recordCalls } from '../../answers/calls.ts';
import { appointmentRecord } from '../../appointments/records.ts';
import { type Appointment, appointments } from '../../appointments/table.ts';
import { addNewContacts } from '../../contacts/memberships.ts';
import { newContact } from '../../contacts/records.ts';
import { type Contact, contacts } from '../../contacts/table.ts';
import { aiReplyCost, messageCost, rechargeCredits } from '../../credits/rules.ts';
import { countUses } from '../../faqs/records.ts';
import { type Asking, joinAskings } from '../../gaps/joining.ts';
import { lists } from '../../lists/table.ts';
import { messages } from '../../messages/table.ts';
import { countSession, endJob } from '../../sessions/conclude.ts';
import { addToSession, endsAt, outcomeOf } from '../../sessions/rules.ts';
import { type ChatSession, chatSessions } from '../../sessions/table.ts';
import { tags } from '../../tags/table.ts';
import { requireAccount } from '../accounts.ts';
import { channelOf, chooseAddresses } from './addresses.ts';
import { readTakenPlaces, Slots } from './bookings.ts';
import type { DraftMessage } from './conversation-draft.ts';
import type { Conversation, Person } from './conversations.ts';
import { HistoryDeliveries } from './deliveries.ts';
import type { HistoryRecords } from './records.ts';
import { HistoryTraces } from './traces.ts';

/**
 * The reserve of credits that a history keeps. Conversations overlap, so a record can be dated before the latest recharge. With
 * the reserve, the balance in the ledger never goes below zero.
 */
const reserve = toMillionths(rechargeCredits / 2);

/** The number of records of each kind in a history. */
export interface HistorySize {
  readonly contacts: number;
  readonly sessions: number;
  readonly messages: number;
  readonly appointments: number;
  readonly deliveries: number;
  readonly ledger_records: number;
  readonly ai_calls: number;
}

/** A contact of a history. */
export interface HistoryContact {
  readonly id: string;
  readonly channel: number;
}

/** How far a history is written. */
export interface Progress {
  /** The contacts, by their number in the history: there can be a million. */
  readonly contacts: ReadonlyMap<number, HistoryContact>;
  /** The index of the address of the next contact. */
  readonly nextAddress: number;
  /** The rest of the credits that the history recharged, in millionths; null before the first step. */
  readonly left: number | null;
}

/** What a step has written: its new contacts by their number, and how far the history is written now. */
export interface WrittenStep extends Progress {
  readonly size: HistorySize;
}

/**
 * Writes conversations with all their records, within a transaction on the account.
 * @param now the end of the history, in epoch milliseconds
 * @throws ApiError 404 when the account was deleted
 */
export async function writeStep(
  db: Db,
  accountId: string,
  records: HistoryRecords,
  now: number,
  conversations: readonly Conversation[],
  { contacts: known, nextAddress, left }: Progress,
): Promise<WrittenStep> {
  const account = await requireAccount(db, accountId);
  const people = conversations.flatMap(({ person }) => person ?? []);
  const { addresses, next } = await chooseAddresses(db, accountId, people, nextAddress);
  const met = conversations.flatMap(({ contact }) => known.get(contact)?.id ?? []);
  const existing = await contacts.existing(db, accountId, [...new Set(met)]);
  // Conversations start in order, and bookings are for later days.
  const slots = new Slots(records.eventType, await readTakenPlaces(db, records.eventType, conversations[0]?.messages[0]?.at ?? now));
  return await withJournalOfThePast(db, account, now, async (journal) => {
    const step = new Step(journal, records, slots, left ?? 0);
    if (left === null) await step.recharge(conversations[0]?.messages[0]?.at ?? now);
    const added = new Map<number, HistoryContact>();
    for (const conversation of conversations) {
      await fixed(db).pause?.();
      const { contact: number, person } = conversation;
      if (person) added.set(number, step.addContact(conversation, person, addresses[added.size] as (typeof addresses)[number]));
      const contact = added.get(number) ?? known.get(number);
      // Contacts of earlier steps can have been deleted.
      if (contact && (added.has(number) || existing.has(contact.id))) await step.addConversation(contact, conversation);
    }
    await step.save(db);
    return { size: step.size, contacts: added, nextAddress: next, left: step.left };
  });
}

/** A message as it is stored. */
type DraftedMessage = Parameters<HistoryTraces['add']>[0];

/** Collects the records of a step. */
class Step {
  readonly #contacts = new Map<string, Contact>();
  readonly #sessions: ChatSession[] = [];
  readonly #messages: NewRow<typeof messages>[] = [];
  readonly #calls: Call[] = [];
  readonly #bookings: Appointment[] = [];
  readonly #traces: HistoryTraces;
  readonly #deliveries: HistoryDeliveries;
  /** How often each FAQ answered. */
  readonly #uses = new Map<string, number>();
  /** Who asked what no FAQ answers, by the text. */
  readonly #askings = new Map<string, Asking[]>();
  /** The further conversations of contacts that were stored before, each with what changes of the contact. */
  readonly #continued: { readonly session: ChatSession; readonly agent: string | null; readonly takenOver: boolean | null }[] = [];
  /** The ids of the contacts with each tag, and on each list. */
  readonly #members: { readonly tags: string[][]; readonly lists: string[][] };
  readonly #journal: Journal;
  readonly #account: Account;
  readonly #records: HistoryRecords;
  readonly #slots: Slots;
  #left: number;

  /**
   * @param left the rest of the credits that the history recharged, in millionths. The account's own balance cannot be used,
   * because it is dated later
   */
  constructor(journal: Journal, records: HistoryRecords, slots: Slots, left: number) {
    this.#journal = journal;
    this.#account = journal.account;
    this.#records = records;
    this.#slots = slots;
    this.#left = left;
    this.#traces = new HistoryTraces(records, journal.now);
    this.#deliveries = new HistoryDeliveries(journal.account.id, journal.now);
    this.#members = { tags: records.tags.map(() => []), lists: records.lists.map(() => []) };
  }

  /** The rest of the credits that the history recharged, in millionths. */
  get left(): number {
    return this.#left;
  }

  get size(): HistorySize {
    return {
      contacts: this.#contacts.size,
      sessions: this.#sessions.length,
      messages: this.#messages.length,
      appointments: this.#bookings.length,
      deliveries: this.#deliveries.size,
      ledger_records: this.#journal.entryCount,
      ai_calls: this.#calls.length,
    };
  }

  /** Adds a new contact with its tags and lists, and counts it. */
  addContact({ contactAgent, messages: [first] }: Conversation, person: Person, address: Parameters<typeof newContact>[2]): HistoryContact {
    const at = first?.at ?? this.#journal.now;
    const agentId = this.#agentId(contactAgent);
    const row = newContact(this.#account.id, channelOf(person), address, person, at);
    const ownIdentity = this.#records.identities[person.channel] ?? '';
    this.#contacts.set(row.id, { ...row, agent_id: agentId, first_agent_id: agentId, own_identity: ownIdentity });
    for (const index of person.tags) this.#members.tags[index]?.push(row.id);
    for (const index of person.lists) this.#members.lists[index]?.push(row.id);
    this.#journal.countContact({ country: row.country, channel: row.channel, agentId, at });
    return { id: row.id, channel: person.channel };
  }

  /** Adds a conversation with all its records. */
  async addConversation(contact: HistoryContact, conversation: Conversation): Promise<void> {
    const { contactAgent, isAgentNew, hasWritten, campaign, agent, messages: said, alert, booking } = conversation;
    const [first] = said;
    if (!first) return;
    const agentId = this.#agentId(agent);
    const session: ChatSession = chatSessions.complete({
      id: newId('ses'),
      account_id: this.#account.id,
      contact_id: contact.id,
      channel: channelOf(contact),
      own_identity: this.#records.identities[contact.channel] ?? '',
      agent_id: agentId,
      first_agent_id: agentId,
      campaign_id: campaign === null ? null : (this.#records.campaigns[campaign] ?? null),
      started_at: first.at,
      last_message_at: first.at,
      alerts: alert ? ['no_answer'] : [],
      booked: booking !== null,
    });
    let asked: DraftedMessage | null = null;
    let agentBefore = isAgentNew ? null : agentId;
    for (const each of said) {
      const message = await this.#addMessage(session, each);
      if (each.sender === 'contact') asked = message;
      if (each.sender !== 'ai' || !asked) continue;
      const faq = each.topic === null ? null : (this.#records.faqs[each.topic] ?? null);
      // A thank-you is answered without a FAQ, and is no reason to hand over.
      if (faq || asked.body === alert?.asked) this.#traces.add(asked, message, agentBefore, hasWritten, faq);
      agentBefore = agentId;
    }
    const isOver = endsAt(session) <= this.#journal.now;
    if (isOver) Object.assign(session, { concluded_at: endsAt(session), outcome: outcomeOf(session) });
    this.#addSession(session, isAgentNew ? this.#agentId(contactAgent) : null, isTakenOver(said));
    const alerted = { contact_id: contact.id, chat_session_id: session.id, agent_id: agentId, reason: 'no_answer' };
    if (alert) this.#deliveries.add('the service Alerted', alert, { alert: alerted });
    if (alert && agentId !== null) this.#addAsking(alert.asked, { contactId: contact.id, agentId, at: alert.at });
    if (booking) this.#addBooking(session, this.#agentId(contactAgent), booking);
  }

  /** Adds a recharge of credits. */
  async recharge(at: number): Promise<void> {
    await this.#journal.recharge(at);
    this.#left += toMillionths(rechargeCredits);
  }

  /** Writes the records, except those of the journal. */
  async save(db: Db): Promise<void> {
    await insertMany(db, contacts, [...this.#contacts.values()]);
    for (const { session, agent, takenOver } of this.#continued) {
      await updateContact(db, { id: session.contact_id, at: session.last_message_at, wrote: Number(session.inbound > 0) });
      if (agent !== null) await setAgent(db, { id: session.contact_id, agent });
      if (takenOver !== null) await setTakenOver(db, { id: session.contact_id, takenOver: Number(takenOver) });
    }
    await this.#saveMembers(db);
    await insertMany(db, chatSessions, this.#sessions);
    await insertMany(db, messages, this.#messages);
    await this.#traces.save(db);
    await recordCalls(db, this.#account, this.#calls, this.#journal.now);
    await insertMany(db, appointments, this.#bookings);
    await this.#deliveries.save(db, this.#records.subscriptions);
    for (const [id, uses] of this.#uses) await countUses(db, { id, uses });
    for (const [text, askings] of this.#askings) await joinAskings(db, this.#journal, text, askings);
    await enqueue(db, ...this.#sessions.filter((session) => session.concluded_at === null).map(endJob));
  }

  #addAsking(text: string, asking: Asking): void {
    this.#askings.set(text, [...(this.#askings.get(text) ?? []), asking]);
  }

  async #addMessage(session: ChatSession, { at, sender, status, body: drafted, topic }: DraftMessage): Promise<DraftedMessage> {
    const faq = topic === null ? undefined : this.#records.faqs[topic];
    const body = faq?.answer ?? drafted;
    const isInbound = sender === 'contact';
    const cost = isInbound ? 0 : sender === 'ai' ? aiReplyCost : messageCost(session.channel);
    const message = {
      id: newId('msg'),
      account_id: session.account_id,
      contact_id: session.contact_id,
      session_id: session.id,
      channel: session.channel,
      own_identity: session.own_identity,
      direction: isInbound ? 'inbound' : 'outbound',
      type: 'text',
      body,
      status,
      sender,
      agent_id: sender === 'human' ? null : session.first_agent_id,
      campaign_id: session.campaign_id,
      millionths: cost,
      created_at: at,
    } as const;
    this.#messages.push(message);
    const isFailed = status === 'failed';
    const isReply = addToSession(session, { sender, agentId: message.agent_id, millionths: isFailed ? 0 : cost }, at);
    this.#journal.countMessage(isInbound ? 'received' : `${sender}_sent`, message, isFailed ? 0 : cost);
    if (isReply) this.#journal.countMessage('replied', message);
    if (status === 'delivered' || status === 'read') this.#journal.countMessage('delivered', message);
    if (status === 'read') this.#journal.countMessage('read', message);
    const charged = { agentId: message.agent_id, campaignId: message.campaign_id, messageId: message.id, at };
    if (cost > 0) {
      if (this.#left < cost + reserve) await this.recharge(at);
      const entry = { ...charged, channel: message.channel };
      await this.#journal.post({ ...entry, reason: sender === 'ai' ? 'ai_reply' : 'message', millionths: -cost });
      if (isFailed) await this.#journal.post({ ...entry, reason: 'refund', millionths: cost });
      else this.#left -= cost;
    }
    if (sender !== 'ai') return message;
    if (faq) this.#uses.set(faq.id, (this.#uses.get(faq.id) ?? 0) + 1);
    const usage = { inputTokens: 400 + body.length * 3, cachedInputTokens: 200, outputTokens: Math.ceil(body.length / 4) };
    this.#calls.push({ kind: 'answer', provider: 'sandbox', tier: 'standard', usage, ...charged });
    return message;
  }

  /**
   * Adds a conversation that has all its messages.
   * @param newAgentId the contact's new agent; null when it does not change
   * @param takenOver whether a person has taken the contact over; null when that does not change
   */
  #addSession(session: ChatSession, newAgentId: string | null, takenOver: boolean | null): void {
    this.#sessions.push(session);
    countSession(this.#journal, undefined, session);
    const { contact_id: id, last_message_at: at, inbound } = session;
    const contact = this.#contacts.get(id);
    if (!contact) this.#continued.push({ session, agent: newAgentId, takenOver });
    else {
      const change = {
        last_message_at: at,
        has_written: contact.has_written || inbound > 0,
        agent_id: newAgentId ?? contact.agent_id,
        taken_over: takenOver ?? contact.taken_over,
      };
      this.#contacts.set(id, { ...contact, ...change });
    }
  }

  /** Adds an appointment, counts it, and adds the delivery of its event. */
  #addBooking(session: ChatSession, agentId: string | null, booking: NonNullable<Conversation['booking']>): void {
    const { contact_id: contactId, campaign_id: campaignId, channel } = session;
    const place = this.#slots.take(booking.at, booking.ahead);
    const counted = { campaign_id: campaignId, agent_id: agentId, channel };
    const times = { created_at: booking.at, updated_at: booking.at };
    const row = { id: newId('apt'), account_id: this.#account.id, contact_id: contactId, ...place, ...counted, ...times };
    const appointment = appointments.complete(row);
    this.#bookings.push(appointment);
    this.#journal.count('booked', { campaignId, agentId, channel, ownIdentity: null }, 1, booking.at);
    this.#deliveries.add('Appointment Booked', booking, { appointment: appointmentRecord(appointment) });
  }

  async #saveMembers(db: Db): Promise<void> {
    const ids = [...new Set([...this.#members.tags, ...this.#members.lists].flat())];
    if (ids.length === 0) return;
    const rows = await db.selectFrom('contacts').select(['id', 'seq']).where('id', 'in', ids).execute();
    const seqs = new Map(rows.map(({ id, seq }) => [id, seq]));
    for (const group of ['tags', 'lists'] as const) {
      // Some may have been deleted since the history began.
      const existing = await { tags, lists }[group].existing(db, this.#account.id, this.#records[group]);
      for (const [index, id] of this.#records[group].entries())
        if (existing.has(id))
          await addNewContacts(db, group, id, this.#members[group][index]?.map((member) => seqs.get(member) ?? 0) ?? []);
    }
  }

  #agentId(agent: number | null): string | null {
    return agent === null ? null : (this.#records.agents[agent] ?? null);
  }
}

const updateContact = preparedChange<{ id: string; at: number; wrote: number }>((db, $) =>
  db
    .updateTable('contacts')
    .set((eb) => ({ last_message_at: $.at, has_written: eb.case().when('has_written', '=', 1).then(1).else($.wrote).end() }))
    .where('id', '=', $.id),
);

const setAgent = preparedChange<{ id: string; agent: string }>((db, $) =>
  db.updateTable('contacts').set({ agent_id: $.agent }).where('id', '=', $.id),
);

const setTakenOver = preparedChange<{ id: string; takenOver: number }>((db, $) =>
  db.updateTable('contacts').set({ taken_over: $.takenOver }).where('id', '=', $.id),
);

/** Whether a person answered last, and so took the contact over (rule contacts.26); null when nobody answered. */
function isTakenOver(said: readonly DraftMessage[]): boolean | null {
  const last = said.findLast(({ sender }) => sender === 'ai' || sender === 'human');
  return last ? last.sender === 'human' : null;
}
