import type { Account } from '../../../identity/accounts.ts';
import { enqueue } from '../../../jobs/queue.ts';
import type { Db } from '../../../store/database.ts';
import { newId } from '../../../store/ids.ts';
import { insertMany } from '../../../store/insert.ts';
import { toMillionths } from '../../../store/millionths.ts';
import { preparedChange } from '../../../store/prepared.ts';
import type { NewRow } from '../../../store/table.ts';
import { countCall, countCost, Counts, dayLength, dayOf } from '../../activity/counts.ts';
import { costOf } from '../../answers/prices.ts';
import { aiCalls } from '../../answers/table.ts';
import { contacts } from '../../contacts/table.ts';
import { searchText } from '../../contacts/rules.ts';
import { readBalance } from '../../credits/records.ts';
import { aiReplyCost, isAdjustment, type LedgerReason, messageCost, rechargeCredits } from '../../credits/rules.ts';
import { creditLedger } from '../../credits/table.ts';
import { dimensionsOf } from '../../messages/records.ts';
import { messages } from '../../messages/table.ts';
import { countSession, endJob } from '../../sessions/conclude.ts';
import { outcomeOf } from '../../sessions/rules.ts';
import { type ChatSession, chatSessions } from '../../sessions/table.ts';
import type { Conversation, Said } from './conversations.ts';
import type { Random } from './random.ts';

/** The agents, campaigns and the number of a history. */
export interface Cast {
  readonly ownIdentity: string;
  readonly agents: string[];
  readonly campaigns: string[];
  /** The contacts that the account had before, so that a second history has other numbers. */
  readonly known: number;
}

/** How many records of each kind a history has. */
export interface Written {
  readonly contacts: number;
  readonly sessions: number;
  readonly messages: number;
  readonly ledger_records: number;
  readonly ai_calls: number;
}

const channel = 'chatapp';

const firstNames = ['Ada', 'Alan', 'Emmy', 'Grace', 'Kurt', 'Lise', 'Niels', 'Rosa', 'Sofia', 'Tim'];
const lastNames = ['Byron', 'Curie', 'Euler', 'Gauss', 'Hopper', 'Meitner', 'Noether', 'Pascal', 'Turing', 'Weber'];

/** Countries with their calling codes, most contacts first. */
const countries = [
  ['US', '+1415'],
  ['GB', '+4479'],
  ['DE', '+4915'],
  ['FR', '+3361'],
] as const;

type LedgerRow = NewRow<typeof creditLedger>;

/** Writes conversations with all that belongs to them, and counts them. Nothing is emitted. */
export class HistoryWriter {
  readonly #account: Account;
  readonly #cast: Cast;
  readonly #now: number;
  readonly #random: Random;
  /** The ids of the contacts, by their numbers. */
  readonly #contacts: string[] = [];
  #written: Written = { contacts: 0, sessions: 0, messages: 0, ledger_records: 0, ai_calls: 0 };

  constructor(account: Account, cast: Cast, now: number, random: Random) {
    this.#account = account;
    this.#cast = cast;
    this.#now = now;
    this.#random = random;
  }

  get written(): Written {
    return this.#written;
  }

  /** Writes conversations, within a transaction. */
  async write(db: Db, part: readonly Conversation[]): Promise<void> {
    const step = new Step(this.#account, await readBalance(db, this.#account.id).then(({ millionths }) => millionths));
    for (const conversation of part) {
      if (conversation.isNewContact) this.#addContact(step, conversation);
      else step.talked.push({ id: this.#contacts[conversation.contact] ?? '', at: conversation.said.at(-1)?.at ?? this.#now });
      this.#addConversation(step, conversation);
    }
    await step.save(db);
    const { contacts: people, sessions, messages: texts, ledger, calls } = step;
    const before = this.#written;
    this.#written = {
      contacts: before.contacts + people.length,
      sessions: before.sessions + sessions.length,
      messages: before.messages + texts.length,
      ledger_records: before.ledger_records + ledger.length,
      ai_calls: before.ai_calls + calls.length,
    };
  }

  #addContact({ contacts: rows, counts }: Step, { contact, agent, said }: Conversation): void {
    const at = said[0]?.at ?? this.#now;
    const [country, code] = countries[this.#random.weighted([6, 2, 2, 1])] ?? countries[0];
    const agentId = agent === null ? null : (this.#cast.agents[agent] ?? null);
    const fields = {
      phone_number: `${code}${2_000_000 + (((this.#cast.known + contact) * 7_919) % 7_999_993)}`,
      identity: null,
      first_name: this.#random.pick(firstNames),
      last_name: this.#random.pick(lastNames),
      email: null,
      company: null,
    };
    const id = newId('con');
    this.#contacts[contact] = id;
    rows.push({
      ...fields,
      id,
      account_id: this.#account.id,
      channel,
      identity_key: fields.phone_number,
      country,
      agent_id: agentId,
      first_agent_id: agentId,
      own_identity: this.#cast.ownIdentity,
      has_written: said.some(({ sender }) => sender === 'contact'),
      last_message_at: said.at(-1)?.at ?? at,
      search_text: searchText(fields),
      created_at: at,
      updated_at: at,
    });
    counts.addContact(country, at);
    counts.add('contact_created', { campaignId: null, agentId, channel, ownIdentity: null }, at);
  }

  #addConversation(step: Step, { contact, campaign, agent, isAlerted, said }: Conversation): void {
    const agentId = agent === null ? null : (this.#cast.agents[agent] ?? null);
    const campaignId = campaign === null ? null : (this.#cast.campaigns[campaign] ?? null);
    const [first] = said;
    const last = said.at(-1);
    if (!first || !last) return;
    const session: ChatSession = chatSessions.complete({
      id: newId('ses'),
      account_id: this.#account.id,
      contact_id: this.#contacts[contact] ?? '',
      channel,
      own_identity: this.#cast.ownIdentity,
      agent_id: agentId,
      first_agent_id: agentId,
      campaign_id: campaignId,
      started_at: first.at,
      last_message_at: last.at,
      alerts: isAlerted ? ['no_answer'] : [],
    });
    for (const each of said) step.addMessage(session, each);
    if (last.at + dayLength <= this.#now) {
      session.concluded_at = last.at + dayLength;
      session.outcome = outcomeOf(session);
    }
    step.addSession(session);
  }
}

/** The records of one transaction. */
class Step {
  readonly contacts: NewRow<typeof contacts>[] = [];
  readonly sessions: ChatSession[] = [];
  readonly messages: NewRow<typeof messages>[] = [];
  readonly ledger: LedgerRow[] = [];
  readonly calls: NewRow<typeof aiCalls>[] = [];
  /** The last messages with contacts that were stored before. */
  readonly talked: { readonly id: string; readonly at: number }[] = [];
  readonly counts: Counts;
  readonly #account: Account;
  #balance: number;

  constructor(account: Account, balance: number) {
    this.#account = account;
    this.#balance = balance;
    this.counts = new Counts(account.id);
  }

  addSession(session: ChatSession): void {
    this.sessions.push(session);
    countSession(
      { count: (counter, dimensions, amount = 1, at = 0) => this.counts.add(counter, dimensions, at, amount) },
      undefined,
      session,
    );
  }

  addMessage(session: ChatSession, { at, sender, status, body }: Said): void {
    const isInbound = sender === 'contact';
    const cost = isInbound ? 0 : sender === 'ai' ? aiReplyCost : messageCost(channel);
    const message = messages.complete({
      id: newId('msg'),
      account_id: session.account_id,
      contact_id: session.contact_id,
      session_id: session.id,
      channel,
      own_identity: session.own_identity,
      direction: isInbound ? 'inbound' : 'outbound',
      type: 'text',
      body,
      status,
      sender,
      agent_id: sender === 'human' ? null : session.agent_id,
      campaign_id: session.campaign_id,
      millionths: cost,
      created_at: at,
    });
    this.messages.push(message);
    const place = dimensionsOf(message);
    if (isInbound) {
      this.counts.add('received', place, at);
      if (session.ai_sent + session.human_sent + session.automated_sent > 0) {
        this.counts.add('replied', place, at);
        session.replied++;
      }
      session.inbound++;
      session.first_inbound_at ??= at;
      return;
    }
    this.counts.add(`${sender}_sent`, place, at);
    if (sender === 'human' && session.ai_sent > 0) session.human_after_ai = true;
    session[`${sender}_sent`]++;
    if (session.first_inbound_at !== null) session.first_response_ms ??= at - session.first_inbound_at;
    if (status === 'delivered' || status === 'read') this.counts.add('delivered', place, at);
    if (status === 'read') this.counts.add('read', place, at);
    const entry = { campaign_id: message.campaign_id, agent_id: message.agent_id, channel, message_id: message.id };
    if (this.#balance < cost) this.#recharge(at);
    this.#post({ ...entry, at, reason: sender === 'ai' ? 'ai_reply' : 'message', millionths: -cost });
    if (status === 'failed') this.#post({ ...entry, at, reason: 'refund', millionths: cost });
    else session.spent_millionths += cost;
    if (sender === 'ai') this.#call(message.id, message.agent_id, message.campaign_id, at, body);
  }

  async save(db: Db): Promise<void> {
    await insertMany(db, contacts, this.contacts);
    for (const each of this.talked) await setLastMessageAt(db, each);
    await insertMany(db, chatSessions, this.sessions);
    await insertMany(db, messages, this.messages);
    await insertMany(db, creditLedger, this.ledger);
    await insertMany(db, aiCalls, this.calls);
    await Counts.saveAll(db, [this.counts]);
    await this.#countCalls(db);
    await enqueue(db, ...this.sessions.filter((session) => session.concluded_at === null).map(endJob));
    await db.updateTable('balances').set({ millionths: this.#balance }).where('account_id', '=', this.#account.id).execute();
  }

  #recharge(at: number): void {
    const millionths = toMillionths(rechargeCredits);
    const none = { campaign_id: null, agent_id: null, channel: null, message_id: null };
    this.#post({ ...none, at, reason: 'recharge', millionths });
    this.counts.add('credits_recharged', { campaignId: null, agentId: null, channel: null, ownIdentity: null }, at, millionths);
  }

  #post(row: Omit<LedgerRow, 'id' | 'account_id' | 'is_adjustment'> & { reason: LedgerReason }): void {
    const { at, reason, millionths, campaign_id: campaignId = null, agent_id: agentId = null } = row;
    const isOther = isAdjustment(reason);
    this.ledger.push({ ...row, id: newId('led'), account_id: this.#account.id, is_adjustment: isOther });
    this.#balance += millionths;
    if (isOther) return;
    this.counts.add('credits_spent', { campaignId, agentId, channel, ownIdentity: null }, at, -millionths);
    this.counts.addEntry({ at, campaignId, agentId, reason }, -millionths);
  }

  #call(messageId: string, agentId: string | null, campaignId: string | null, at: number, body: string): void {
    const usage = { inputTokens: 400 + body.length * 3, cachedInputTokens: 200, outputTokens: Math.ceil(body.length / 4) };
    const cost = costOf('standard', usage);
    this.calls.push({
      id: newId('aic'),
      account_id: this.#account.id,
      at,
      kind: 'answer',
      provider: 'sandbox',
      tier: 'standard',
      agent_id: agentId,
      campaign_id: campaignId,
      message_id: messageId,
      has_own_key: this.#account.ownAiKey !== 'none',
      input_tokens: usage.inputTokens,
      cached_input_tokens: usage.cachedInputTokens,
      output_tokens: usage.outputTokens,
      input_micro_usd: cost.input,
      cache_read_micro_usd: cost.cacheRead,
      output_micro_usd: cost.output,
    });
  }

  /** Counts the calls, those of a day and a place together. */
  async #countCalls(db: Db): Promise<void> {
    const isOwn = this.#account.ownAiKey !== 'none';
    for (const [, calls] of Map.groupBy(this.calls, ({ at }) => dayOf(at))) {
      const sum = (column: 'input_micro_usd' | 'cache_read_micro_usd' | 'output_micro_usd') =>
        isOwn ? calls.reduce((total, call) => total + call[column], 0) : 0;
      const cost = { input: sum('input_micro_usd'), cacheRead: sum('cache_read_micro_usd'), output: sum('output_micro_usd') };
      await countCall(db, this.#account.id, 'sandbox', calls[0]?.at ?? 0, cost, calls.length);
      if (!isOwn) continue;
      for (const [, some] of Map.groupBy(calls, (call) => `${call.agent_id} ${call.campaign_id}`)) {
        const { at, agent_id: agentId = null, campaign_id: campaignId = null } = some[0] as (typeof some)[number];
        const microUsd = some.reduce((total, call) => total + call.input_micro_usd + call.cache_read_micro_usd + call.output_micro_usd, 0);
        await countCost(db, this.#account.id, { at, agentId, campaignId, reason: 'ai_reply' }, microUsd);
      }
    }
  }
}

const setLastMessageAt = preparedChange<{ id: string; at: number }>((db, $) =>
  db.updateTable('contacts').set({ last_message_at: $.at }).where('id', '=', $.id),
);
