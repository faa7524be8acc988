import { dayLength } from '../../../contract/time/days.ts';
import type { LedgerReason } from '../credits/rules.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import type { AnyTable, NewRow } from '../../store/table.ts';
import { type CountedMessage, type MessageCounter, noMessages, placeOf } from './contact-counts.ts';
import {
  type AiCounts,
  aiCounts,
  type ContactCounts,
  contactCounts,
  type CountryCounts,
  countryCounts,
  type DailyCounts,
  dailyCounts,
  type HourlyCounts,
  hourlyCounts,
  type LedgerCounts,
  ledgerCounts,
} from './table.ts';

export const hourLength = 3_600_000;

/** The UTC day of an instant, as the number of days since 1970-01-01. */
export function dayOf(instant: number): number {
  return Math.floor(instant / dayLength);
}

/** The dimensions of a counter. Null means unknown. */
export interface Dimensions {
  readonly campaignId: string | null;
  readonly agentId: string | null;
  readonly channel: string | null;
  readonly ownIdentity: string | null;
}

type DailyKey = 'account_id' | 'day' | 'campaign_id' | 'agent_id' | 'channel' | 'own_identity';
/** A counter that is summed up. */
export type DailyCounter = Exclude<keyof DailyCounts, DailyKey | 'last_message_at'>;
type HourlyCounter = 'sent' | 'replied';

/** The hourly counter that includes a daily counter. */
const hourly: Partial<Record<DailyCounter, HourlyCounter>> = {
  ai_sent: 'sent',
  human_sent: 'sent',
  automated_sent: 'sent',
  replied: 'replied',
};

/** Counters of a day without activity. */
export const noDaily: Readonly<Record<DailyCounter, number>> = {
  ai_sent: 0,
  human_sent: 0,
  automated_sent: 0,
  received: 0,
  delivered: 0,
  read: 0,
  replied: 0,
  booked: 0,
  contact_created: 0,
  conversations: 0,
  credits_spent: 0,
  credits_recharged: 0,
  conversation_credits: 0,
  contained: 0,
  contained_credits: 0,
  handed_off: 0,
  handed_off_credits: 0,
  conversations_replied: 0,
  conversations_alerted: 0,
  conversations_booked: 0,
};

/** The upsert clause that adds to the counters of existing rows. */
function addingTo(table: string, key: string, counters: readonly string[], more: readonly string[] = []): string {
  const sums = counters.map((name) => `${name} = ${table}.${name} + excluded.${name}`);
  return `on conflict (${key}) do update set ${[...sums, ...more].join(', ')}`;
}

/** Keeps the later time of the last message. */
function latest(table: string): string {
  const [known, added] = [`${table}.last_message_at`, 'excluded.last_message_at'];
  return `last_message_at = case when ${added} > ${known} then ${added} else ${known} end`;
}

const noEntries = { records: 0, millionths: 0, micro_usd: 0 };

/** The upsert clauses that add to the counters of existing rows. */
export const adding = {
  daily: addingTo('daily_counts', 'account_id, day, campaign_id, agent_id, channel, own_identity', Object.keys(noDaily), [
    latest('daily_counts'),
  ]),
  hourly: addingTo('hourly_counts', 'account_id, hour, campaign_id, agent_id', ['sent', 'replied']),
  contacts: addingTo('contact_counts', 'contact_id, hour, place', Object.keys(noMessages), [latest('contact_counts')]),
  ledger: addingTo('ledger_counts', 'account_id, day, campaign_id, agent_id, reason', Object.keys(noEntries)),
  calls: addingTo('ai_counts', 'account_id, day, provider', ['calls', 'input_micro_usd', 'cache_read_micro_usd', 'output_micro_usd']),
  countries: addingTo('country_counts', 'account_id, day, agent_id, country', ['contacts']),
};

/** The counters that update the time of the last message. */
const messageCounters: ReadonlySet<DailyCounter> = new Set(['ai_sent', 'human_sent', 'automated_sent', 'received']);

/** The dimensions under which a message is counted. */
function dimensionsOf({ campaign_id: campaignId, agent_id: agentId, channel, own_identity: ownIdentity }: CountedMessage): Dimensions {
  return { campaignId, agentId, channel, ownIdentity };
}

/** A record of the ledger, other than an adjustment. */
export interface CountedEntry {
  readonly at: number;
  readonly campaignId: string | null;
  readonly agentId: string | null;
  readonly reason: LedgerReason;
}

/** A new contact. Null means unknown. */
export interface CountedContact {
  readonly at: number;
  readonly country: string | null;
  readonly channel: string;
  readonly agentId: string | null;
}

/** Collects the counts of a transaction and writes them in one batch. Analytics reads these counters. */
export class Counts {
  readonly #accountId: string;
  readonly #daily = new Rows<DailyCounts>();
  readonly #hourly = new Rows<HourlyCounts>();
  readonly #contacts = new Rows<ContactCounts>();
  readonly #ledger = new Rows<LedgerCounts>();
  readonly #countries = new Rows<CountryCounts>();

  constructor(accountId: string) {
    this.#accountId = accountId;
  }

  /** Adds to a counter at an instant of the service's clock. Credits are in millionths. */
  add(counter: DailyCounter, dimensions: Dimensions, at: number, amount = 1): void {
    const [account_id, day, hour] = [this.#accountId, dayOf(at), Math.floor(at / hourLength)];
    const [campaign_id, agent_id] = [dimensions.campaignId ?? '', dimensions.agentId ?? ''];
    const [channel, own_identity] = [dimensions.channel ?? '', dimensions.ownIdentity ?? ''];
    const row = this.#daily.rowOf([day, campaign_id, agent_id, channel, own_identity], () => {
      return { account_id, day, campaign_id, agent_id, channel, own_identity, ...noDaily, last_message_at: 0 };
    });
    row[counter] += amount;
    if (messageCounters.has(counter)) row.last_message_at = Math.max(row.last_message_at, at);
    const ofHour = hourly[counter];
    if (!ofHour) return;
    const none = () => ({ account_id, hour, campaign_id, agent_id, sent: 0, replied: 0 });
    this.#hourly.rowOf([hour, campaign_id, agent_id], none)[ofHour] += amount;
  }

  /**
   * Adds a message to a counter and to the same counter of its contact, for the day and the hour of the message.
   * @param price what the message costs, in millionths; it is added to the contact's spending
   */
  addMessage(counter: MessageCounter, message: CountedMessage, price = 0): void {
    this.add(counter, dimensionsOf(message), message.created_at);
    const row = this.#rowOfContact(message);
    row[counter]++;
    row.credits_spent += price;
  }

  /** Subtracts the refunded price of a message from its contact's spending. @param price in millionths */
  refund(message: CountedMessage, price: number): void {
    this.#rowOfContact(message).credits_spent -= price;
  }

  #rowOfContact({ contact_id, campaign_id, agent_id, channel, own_identity, created_at: at }: CountedMessage): ContactCounts {
    const hour = Math.floor(at / hourLength);
    const [campaign, agent] = [campaign_id ?? '', agent_id ?? ''];
    const row = this.#contacts.rowOf([contact_id, hour, campaign, agent, channel, own_identity], () => {
      return { contact_id, hour, place: placeOf(campaign, agent, channel, own_identity), ...noMessages, last_message_at: at };
    });
    row.last_message_at = Math.max(row.last_message_at, at);
    return row;
  }

  /** Adds a record of the ledger. @param spent in millionths; negative for a refund */
  addEntry({ at, campaignId, agentId, reason }: CountedEntry, spent: number): void {
    const [account_id, day, campaign_id, agent_id] = [this.#accountId, dayOf(at), campaignId ?? '', agentId ?? ''];
    const none = () => ({ account_id, day, campaign_id, agent_id, reason, ...noEntries });
    const row = this.#ledger.rowOf([day, campaign_id, agent_id, reason], none);
    row.records++;
    row.millionths += spent;
  }

  /** Adds a new contact, under the agent that it has now. */
  addContact({ country: known, channel, agentId, at }: CountedContact): void {
    this.add('contact_created', { campaignId: null, agentId, channel, ownIdentity: null }, at);
    const [account_id, day, agent_id, country] = [this.#accountId, dayOf(at), agentId ?? '', known ?? ''];
    this.#countries.rowOf([day, agent_id, country], () => ({ account_id, day, agent_id, country, contacts: 0 })).contacts++;
  }

  /** Writes the collected counts of some accounts. Call it once, at the end. */
  static async saveAll(db: Db, all: readonly Counts[]): Promise<void> {
    const save = async <T extends AnyTable>(table: T, clause: string, pick: (counts: Counts) => Rows<NewRow<T>>) => {
      const rows = all.flatMap((counts) => [...pick(counts).all()]);
      await insertMany(db, table, rows, clause);
    };
    await save(dailyCounts, adding.daily, (counts) => counts.#daily);
    await save(hourlyCounts, adding.hourly, (counts) => counts.#hourly);
    await save(contactCounts, adding.contacts, (counts) => counts.#contacts);
    await save(ledgerCounts, adding.ledger, (counts) => counts.#ledger);
    await save(countryCounts, adding.countries, (counts) => counts.#countries);
  }
}

/** Adds AI calls to their counts. */
export async function saveCallCounts(db: Db, rows: readonly AiCounts[]): Promise<void> {
  await insertMany(db, aiCounts, rows, adding.calls);
}

/** The cost of a call, which is added to the ledger record that charged for it. */
export interface CostOfEntry extends CountedEntry {
  /** In millionths of a US dollar. */
  readonly microUsd: number;
}

/** Adds the costs of calls to the counts of the ledger records that charged for them. */
export async function saveCosts(db: Db, account_id: string, costs: readonly CostOfEntry[]): Promise<void> {
  const rows = new Rows<LedgerCounts>();
  for (const { at, campaignId, agentId, reason, microUsd } of costs) {
    const [day, campaign_id, agent_id] = [dayOf(at), campaignId ?? '', agentId ?? ''];
    const none = () => ({ account_id, day, campaign_id, agent_id, reason, ...noEntries });
    rows.rowOf([day, campaign_id, agent_id, reason], none).micro_usd += microUsd;
  }
  await insertMany(db, ledgerCounts, [...rows.all()], adding.ledger);
}

/** Rows by the values of their key. */
class Rows<Row> {
  readonly #rows = new Map<string, Row>();
  #latest: { readonly key: readonly (string | number)[]; readonly row: Row } | undefined;

  /**
   * The row with a key, created when missing. Consecutive counts usually belong to the same row, so the latest one is compared
   * first: making the text of a key takes longer.
   */
  rowOf(key: readonly (string | number)[], make: () => Row): Row {
    if (this.#latest && isEqual(this.#latest.key, key)) return this.#latest.row;
    const text = key.join('\n');
    let row = this.#rows.get(text);
    if (!row) this.#rows.set(text, (row = make()));
    this.#latest = { key, row };
    return row;
  }

  all(): Iterable<Row> {
    return this.#rows.values();
  }
}

/** Whether two keys of the same length are equal. */
function isEqual(one: readonly (string | number)[], other: readonly (string | number)[]): boolean {
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
  return true;
}
