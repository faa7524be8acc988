import type { Account } from '../../../identity/accounts.ts';
import type { NewJob } from '../../../jobs/queue.ts';
import { newId } from '../../../store/ids.ts';
import { encodeRows, type EncodedRows, type PackedRows, packRows } from '../../../store/insert.ts';
import { toMillionths } from '../../../store/millionths.ts';
import type { Engine } from '../../../store/store.ts';
import type { NewRow } from '../../../store/table.ts';
import { callCounts, costOfEntry, Counts, dayOf } from '../../activity/counts.ts';
import { callRow, countsOf, ownCostOf } from '../../answers/calls.ts';
import { aiCalls } from '../../answers/table.ts';
import { appointmentRecord } from '../../appointments/records.ts';
import { type Appointment, appointments } from '../../appointments/table.ts';
import { type Contact, contacts } from '../../contacts/table.ts';
import { aiReplyCost, isAdjustment, type LedgerReason, messageCost, monthStart, rechargeCredits } from '../../credits/rules.ts';
import { creditLedger } from '../../credits/table.ts';
import { messages } from '../../messages/table.ts';
import { countSession, endJob } from '../../sessions/conclude.ts';
import { addToSession } from '../../sessions/rules.ts';
import { type ChatSession, chatSessions } from '../../sessions/table.ts';
import type { HistoryRecords } from './records.ts';
import type { Person } from './conversations.ts';
import { type DraftDeliveries, HistoryDeliveries } from './deliveries.ts';
import type { DraftMessage, Notice } from './conversation-draft.ts';

type LedgerRow = NewRow<typeof creditLedger>;

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

/** The records of one transaction of a history, as they are written. They can be copied to another thread. */
export interface DraftStep<Rows = EncodedRows | PackedRows> {
  readonly size: HistorySize;
  readonly isLast: boolean;
  readonly contacts: Rows;
  /** The keys of the addresses of the new contacts. */
  readonly addressKeys: readonly string[];
  /** The contacts of earlier steps that have a conversation in this one. */
  readonly earlierContacts: readonly string[];
  /** What changes in contacts of earlier steps. */
  readonly continued: readonly ContinuedContact[];
  /** The ids of the new contacts with each tag, and on each list. */
  readonly members: { readonly tags: readonly (readonly string[])[]; readonly lists: readonly (readonly string[])[] };
  /** The other records and the counts, in the order in which they are inserted. */
  readonly records: readonly Rows[];
  readonly deliveries: DraftDeliveries<Rows>;
  /** What ends the conversations that are still open. */
  readonly jobs: readonly NewJob[];
  /** What the step adds to the balance, and what it spends in the current month, in millionths. */
  readonly credits: { readonly added: number; readonly spent: number };
}

/** Packs the rows of a step for an engine, in the thread that has made it. */
export function packStep(step: DraftStep<EncodedRows>, engine: Engine): DraftStep<PackedRows> {
  const { contacts, records, deliveries } = step;
  const pack = (rows: EncodedRows) => packRows(rows, engine);
  return {
    ...step,
    contacts: pack(contacts),
    records: records.map(pack),
    deliveries: { ...deliveries, records: deliveries.records.map(pack) },
  };
}

/** What changes in a contact with a further conversation. @see Conversation.isAgentNew */
export interface ContinuedContact {
  readonly id: string;
  readonly at: number;
  readonly wrote: number;
  readonly agent: string | null;
}

const nowhere = { campaignId: null, agentId: null, channel: null, ownIdentity: null };

/** Collects the records of one transaction of a history. */
export class Step {
  readonly #contacts = new Map<string, Contact>();
  readonly #sessions: ChatSession[] = [];
  readonly #messages: NewRow<typeof messages>[] = [];
  readonly #ledger: LedgerRow[] = [];
  readonly #calls: NewRow<typeof aiCalls>[] = [];
  readonly #bookings: Appointment[] = [];
  readonly #deliveries: HistoryDeliveries;
  /** The changes to contacts that were stored before. */
  readonly #continued: ContinuedContact[] = [];
  /** The ids of the contacts with each tag, and on each list. */
  readonly #members: { readonly tags: string[][]; readonly lists: string[][] };
  readonly #counts: Counts;
  readonly #account: Account;
  readonly #month: number;
  #added = 0;
  #spent = 0;
  #left: number;

  /**
   * @param left the rest of the credits that the history recharged, in millionths. The account's own balance cannot be used,
   * because it is dated later
   */
  constructor(account: Account, records: HistoryRecords, now: number, left: number) {
    this.#account = account;
    this.#left = left;
    this.#month = monthStart(now);
    this.#counts = new Counts(account.id);
    this.#deliveries = new HistoryDeliveries(account.id, records.webhook);
    this.#members = { tags: records.tags.map(() => []), lists: records.lists.map(() => []) };
  }

  /** The rest of the credits that the history recharged, in millionths. */
  get left(): number {
    return this.#left;
  }

  /** Adds a new contact with its tags and lists, and counts it. */
  addContact(contact: Contact, { tags, lists }: Pick<Person, 'tags' | 'lists'>): void {
    this.#contacts.set(contact.id, contact);
    for (const index of tags) this.#members.tags[index]?.push(contact.id);
    for (const index of lists) this.#members.lists[index]?.push(contact.id);
    const { country, channel, first_agent_id: agentId, created_at: at } = contact;
    this.#counts.addContact({ country, channel, agentId, at });
  }

  /** Adds a message to a conversation, with its cost. */
  addMessage(session: ChatSession, { at, sender, status, body }: DraftMessage): void {
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
    this.#counts.addMessage(isInbound ? 'received' : `${sender}_sent`, message, isFailed ? 0 : cost);
    if (isReply) this.#counts.addMessage('replied', message);
    if (status === 'delivered' || status === 'read') this.#counts.addMessage('delivered', message);
    if (status === 'read') this.#counts.addMessage('read', message);
    if (cost > 0) {
      const entry = { campaign_id: message.campaign_id, agent_id: message.agent_id, channel: message.channel, message_id: message.id, at };
      if (this.#left < cost + reserve) this.recharge(at);
      this.#post({ ...entry, reason: sender === 'ai' ? 'ai_reply' : 'message', millionths: -cost });
      if (isFailed) this.#post({ ...entry, reason: 'refund', millionths: cost });
    }
    if (sender !== 'ai') return;
    const usage = { inputTokens: 400 + body.length * 3, cachedInputTokens: 200, outputTokens: Math.ceil(body.length / 4) };
    const charged = { agentId: message.agent_id, campaignId: message.campaign_id, messageId: message.id };
    this.#calls.push(callRow(this.#account, { kind: 'answer', provider: 'sandbox', tier: 'standard', usage, ...charged }, at));
  }

  /** Adds a conversation that has all its messages. @param newAgentId the contact's new agent; null when it does not change */
  addSession(session: ChatSession, newAgentId: string | null, alert: Notice | null): void {
    this.#sessions.push(session);
    countSession(
      { count: (counter, dimensions, amount = 1, at = 0) => this.#counts.add(counter, dimensions, at, amount) },
      undefined,
      session,
    );
    const { contact_id: id, last_message_at: at, inbound } = session;
    const contact = this.#contacts.get(id);
    if (!contact) this.#continued.push({ id, at, wrote: Number(inbound > 0), agent: newAgentId });
    else {
      const change = { last_message_at: at, has_written: contact.has_written || inbound > 0, agent_id: newAgentId ?? contact.agent_id };
      this.#contacts.set(id, { ...contact, ...change });
    }
    const told = { contact_id: id, chat_session_id: session.id, agent_id: session.first_agent_id, reason: 'no_answer' };
    if (alert) this.#deliveries.add('the service Alerted', alert, { alert: told });
  }

  /** Adds an appointment, counts it, and adds the delivery of its event. */
  addBooking(booking: Appointment, notice: Notice): void {
    this.#bookings.push(booking);
    const { campaign_id: campaignId, agent_id: agentId, channel, created_at: at } = booking;
    this.#counts.add('booked', { ...nowhere, campaignId, agentId, channel }, at);
    this.#deliveries.add('Appointment Booked', notice, { appointment: appointmentRecord(booking) });
  }

  /** Adds a recharge of credits. */
  recharge(at: number): void {
    const millionths = toMillionths(rechargeCredits);
    this.#post({ at, reason: 'recharge', millionths });
    this.#counts.add('credits_recharged', nowhere, at, millionths);
  }

  /** Everything that was added. @param isLast whether the history ends with it */
  draft(isLast: boolean): DraftStep<EncodedRows> {
    const contactRows = [...this.#contacts.values()];
    const earlier = this.#sessions.flatMap(({ contact_id: id }) => (this.#contacts.has(id) ? [] : id));
    return {
      size: {
        contacts: contactRows.length,
        sessions: this.#sessions.length,
        messages: this.#messages.length,
        appointments: this.#bookings.length,
        deliveries: this.#deliveries.size,
        ledger_records: this.#ledger.length,
        ai_calls: this.#calls.length,
      },
      isLast,
      contacts: encodeRows(contacts, contactRows),
      addressKeys: contactRows.map((contact) => contact.identity_key),
      earlierContacts: [...new Set(earlier)],
      continued: this.#continued,
      members: this.#members,
      records: [
        encodeRows(chatSessions, this.#sessions),
        encodeRows(messages, this.#messages),
        encodeRows(creditLedger, this.#ledger),
        encodeRows(aiCalls, this.#calls),
        encodeRows(appointments, this.#bookings),
        ...Counts.rowsOf([this.#counts]),
        callCounts(countsOf(this.#calls)),
        ...this.#costs(),
      ],
      deliveries: this.#deliveries.draft(),
      jobs: this.#sessions.filter((session) => session.concluded_at === null).map(endJob),
      credits: { added: this.#added, spent: this.#spent },
    };
  }

  #post(row: Omit<LedgerRow, 'id' | 'account_id' | 'is_adjustment'> & { reason: LedgerReason }): void {
    const { at, reason, millionths, campaign_id: campaignId = null, agent_id: agentId = null, channel = null } = row;
    const isOther = isAdjustment(reason);
    this.#ledger.push({ ...row, id: newId('led'), account_id: this.#account.id, is_adjustment: isOther });
    this.#added += millionths;
    if (!isOther && at >= this.#month) this.#spent -= millionths;
    this.#left += millionths;
    if (isOther) return;
    this.#counts.add('credits_spent', { ...nowhere, campaignId, agentId, channel }, at, -millionths);
    this.#counts.addEntry({ at, campaignId, agentId, reason }, -millionths);
  }

  /** The costs of the calls by day, agent and campaign, of an account that pays for them itself. */
  #costs(): EncodedRows[] {
    if (this.#account.ownAiKey === 'none') return [];
    const places = Map.groupBy(this.#calls, (call) => `${dayOf(call.at)} ${call.agent_id} ${call.campaign_id}`);
    return [...places.values()].map((calls) => {
      const { at, agent_id: agentId = null, campaign_id: campaignId = null } = calls[0] as (typeof calls)[number];
      const microUsd = calls.reduce((total, call) => total + ownCostOf(call), 0);
      return costOfEntry(this.#account.id, { at, agentId, campaignId, reason: 'ai_reply' }, microUsd);
    });
  }
}
