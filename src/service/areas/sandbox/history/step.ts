import type { Account } from '../../../identity/accounts.ts';
import { enqueue } from '../../../jobs/queue.ts';
import type { Db } from '../../../store/database.ts';
import { newId } from '../../../store/ids.ts';
import { insertMany } from '../../../store/insert.ts';
import { toMillionths } from '../../../store/millionths.ts';
import { preparedChange } from '../../../store/prepared.ts';
import type { NewRow } from '../../../store/table.ts';
import { countCalls, countCost, Counts, dayOf } from '../../activity/counts.ts';
import { callRow, countsOf, ownCostOf } from '../../answers/calls.ts';
import { aiCalls } from '../../answers/table.ts';
import { appointmentRecord } from '../../appointments/records.ts';
import { type Appointment, appointments } from '../../appointments/table.ts';
import { addNewContacts } from '../../contacts/memberships.ts';
import { type Contact, contacts } from '../../contacts/table.ts';
import { aiReplyCost, isAdjustment, type LedgerReason, messageCost, monthStart, rechargeCredits } from '../../credits/rules.ts';
import { type Balance, creditLedger } from '../../credits/table.ts';
import { lists } from '../../lists/table.ts';
import { messages } from '../../messages/table.ts';
import { countSession, endJob } from '../../sessions/conclude.ts';
import { addToSession } from '../../sessions/rules.ts';
import { type ChatSession, chatSessions } from '../../sessions/table.ts';
import { tags } from '../../tags/table.ts';
import type { HistoryRecords } from './records.ts';
import type { Person } from './conversations.ts';
import { HistoryDeliveries } from './deliveries.ts';
import type { DraftMessage, Notice } from './conversation-draft.ts';

type LedgerRow = NewRow<typeof creditLedger>;

/**
 * The reserve of credits that a history keeps. Conversations overlap, so a record can be dated before the latest recharge. With
 * the reserve, the balance in the ledger never goes below zero.
 */
const reserve = toMillionths(rechargeCredits / 2);

const nowhere = { campaignId: null, agentId: null, channel: null, ownIdentity: null };

/** The records of one transaction of a history. */
export class Step {
  readonly #contacts = new Map<string, Contact>();
  readonly #sessions: ChatSession[] = [];
  readonly #messages: NewRow<typeof messages>[] = [];
  readonly #ledger: LedgerRow[] = [];
  readonly #calls: NewRow<typeof aiCalls>[] = [];
  readonly #bookings: Appointment[] = [];
  readonly #deliveries: HistoryDeliveries;
  /** The changes to contacts that were stored before. */
  readonly #continued: { readonly id: string; readonly at: number; readonly wrote: number; readonly agent: string | null }[] = [];
  /** The ids of the contacts with each tag, and on each list. */
  readonly #members: { readonly tags: string[][]; readonly lists: string[][] };
  readonly #counts: Counts;
  readonly #account: Account;
  readonly #records: HistoryRecords;
  readonly #month: number;
  #balance: Balance;
  #left: number;

  /**
   * @param left the rest of the credits that the history recharged, in millionths. The account's own balance cannot be used,
   * because it is dated later
   */
  constructor(account: Account, records: HistoryRecords, balance: Balance, now: number, left: number) {
    this.#account = account;
    this.#records = records;
    this.#left = left;
    this.#month = monthStart(now);
    this.#balance = {
      ...balance,
      spent_month: this.#month,
      spent_millionths: balance.spent_month === this.#month ? balance.spent_millionths : 0,
    };
    this.#counts = new Counts(account.id);
    this.#deliveries = new HistoryDeliveries(account.id, records.webhook);
    this.#members = { tags: records.tags.map(() => []), lists: records.lists.map(() => []) };
  }

  /** The rest of the credits that the history recharged, in millionths. */
  get left(): number {
    return this.#left;
  }

  /** The number of records of each kind. */
  get size() {
    return {
      contacts: this.#contacts.size,
      sessions: this.#sessions.length,
      messages: this.#messages.length,
      appointments: this.#bookings.length,
      deliveries: this.#deliveries.size,
      ledger_records: this.#ledger.length,
      ai_calls: this.#calls.length,
    };
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

  /** Writes everything that was added, within a transaction. */
  async save(db: Db): Promise<void> {
    await insertMany(db, contacts, [...this.#contacts.values()]);
    for (const { agent, ...continued } of this.#continued) {
      await updateContact(db, continued);
      if (agent !== null) await setAgent(db, { id: continued.id, agent });
    }
    await this.#saveMembers(db);
    await insertMany(db, chatSessions, this.#sessions);
    await insertMany(db, messages, this.#messages);
    await insertMany(db, creditLedger, this.#ledger);
    await insertMany(db, aiCalls, this.#calls);
    await insertMany(db, appointments, this.#bookings);
    await this.#deliveries.save(db);
    await Counts.saveAll(db, [this.#counts]);
    await this.#countCalls(db);
    await enqueue(db, ...this.#sessions.filter((session) => session.concluded_at === null).map(endJob));
    await db.updateTable('balances').set(this.#balance).where('account_id', '=', this.#account.id).execute();
  }

  async #saveMembers(db: Db): Promise<void> {
    const ids = [...this.#contacts.keys()];
    if (ids.length === 0) return;
    const rows = await db.selectFrom('contacts').select(['id', 'seq']).where('id', 'in', ids).execute();
    const seqs = new Map(rows.map(({ id, seq }) => [id, seq]));
    for (const group of ['tags', 'lists'] as const) {
      const records = this.#records[group];
      // Some may have been deleted since the history began.
      const existing = await { tags, lists }[group].existing(db, this.#account.id, records);
      for (const [index, id] of records.entries())
        if (existing.has(id))
          await addNewContacts(db, group, id, this.#members[group][index]?.map((member) => seqs.get(member) ?? 0) ?? []);
    }
  }

  #post(row: Omit<LedgerRow, 'id' | 'account_id' | 'is_adjustment'> & { reason: LedgerReason }): void {
    const { at, reason, millionths, campaign_id: campaignId = null, agent_id: agentId = null, channel = null } = row;
    const isOther = isAdjustment(reason);
    this.#ledger.push({ ...row, id: newId('led'), account_id: this.#account.id, is_adjustment: isOther });
    const spent = isOther || at < this.#month ? 0 : -millionths;
    const { millionths: balance, spent_millionths: before } = this.#balance;
    this.#balance = { ...this.#balance, millionths: balance + millionths, spent_millionths: before + spent };
    this.#left += millionths;
    if (isOther) return;
    this.#counts.add('credits_spent', { ...nowhere, campaignId, agentId, channel }, at, -millionths);
    this.#counts.addEntry({ at, campaignId, agentId, reason }, -millionths);
  }

  /** Counts the calls, and sums their costs by day, agent and campaign. */
  async #countCalls(db: Db): Promise<void> {
    await countCalls(db, countsOf(this.#calls));
    if (this.#account.ownAiKey === 'none') return;
    const places = Map.groupBy(this.#calls, (call) => `${dayOf(call.at)} ${call.agent_id} ${call.campaign_id}`);
    for (const [, calls] of places) {
      const { at, agent_id: agentId = null, campaign_id: campaignId = null } = calls[0] as (typeof calls)[number];
      const microUsd = calls.reduce((total, call) => total + ownCostOf(call), 0);
      await countCost(db, this.#account.id, { at, agentId, campaignId, reason: 'ai_reply' }, microUsd);
    }
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
