import { dayLength } from '../../../contract/days.ts';
import type { LedgerReason } from '../credits/rules.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
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
  countries: addingTo('country_counts', 'account_id, day, country', ['contacts']),
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

/** Collects the counts of a transaction and writes them in one batch. Analytics reads these counters. */
export class Counts {
  readonly #accountId: string;
  readonly #daily = new Map<string, DailyCounts>();
  readonly #hourly = new Map<string, HourlyCounts>();
  readonly #contacts = new Map<string, ContactCounts>();
  #counted: { readonly message: CountedMessage; readonly row: ContactCounts } | undefined;
  readonly #ledger = new Map<string, LedgerCounts>();
  readonly #countries = new Map<string, CountryCounts>();
  #latest: DailyCounts | undefined;

  constructor(accountId: string) {
    this.#accountId = accountId;
  }

  /** Adds to a counter at an instant of the service's clock. Credits are in millionths. */
  add(counter: DailyCounter, dimensions: Dimensions, at: number, amount = 1): void {
    const row = (this.#latest = this.#rowOf(dimensions, dayOf(at)));
    row[counter] += amount;
    if (messageCounters.has(counter)) row.last_message_at = Math.max(row.last_message_at, at);
    const ofHour = hourly[counter];
    if (!ofHour) return;
    const { account_id, campaign_id, agent_id } = row;
    const hour = Math.floor(at / hourLength);
    const none = () => ({ account_id, hour, campaign_id, agent_id, sent: 0, replied: 0 });
    rowOf(this.#hourly, `${hour}\n${campaign_id}\n${agent_id}`, none)[ofHour] += amount;
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

  /** The row of a message's contact. A message is usually counted several times in a row, so the latest one is compared first. */
  #rowOfContact(message: CountedMessage): ContactCounts {
    if (this.#counted?.message === message) return this.#counted.row;
    const { contact_id, campaign_id, agent_id, channel, own_identity, created_at: at } = message;
    const hour = Math.floor(at / hourLength);
    const place = placeOf(campaign_id ?? '', agent_id ?? '', channel, own_identity);
    const none = () => ({ contact_id, hour, place, ...noMessages, last_message_at: at });
    const row = rowOf(this.#contacts, `${contact_id}\n${hour}\n${place}`, none);
    row.last_message_at = Math.max(row.last_message_at, at);
    this.#counted = { message, row };
    return row;
  }

  /** The row of a day. Consecutive counts usually belong to the same row, so the latest one is compared first. */
  #rowOf({ campaignId, agentId, channel, ownIdentity }: Dimensions, day: number): DailyCounts {
    const [campaign_id, agent_id, own_identity, ofChannel] = [campaignId ?? '', agentId ?? '', ownIdentity ?? '', channel ?? ''];
    const row = this.#latest;
    if (
      row?.day === day &&
      row.campaign_id === campaign_id &&
      row.agent_id === agent_id &&
      row.channel === ofChannel &&
      row.own_identity === own_identity
    )
      return row;
    return rowOf(this.#daily, `${day}\n${campaign_id}\n${agent_id}\n${ofChannel}\n${own_identity}`, () => ({
      ...{ account_id: this.#accountId, day, campaign_id, agent_id, channel: ofChannel, own_identity },
      ...noDaily,
      last_message_at: 0,
    }));
  }

  /** Adds a record of the ledger. @param spent in millionths; negative for a refund */
  addEntry({ at, campaignId, agentId, reason }: CountedEntry, spent: number): void {
    const [account_id, day, campaign_id, agent_id] = [this.#accountId, dayOf(at), campaignId ?? '', agentId ?? ''];
    const none = () => ({ account_id, day, campaign_id, agent_id, reason, ...noEntries });
    const row = rowOf(this.#ledger, `${day}\n${campaign_id}\n${agent_id}\n${reason}`, none);
    row.records++;
    row.millionths += spent;
  }

  /** Adds a new contact. @param country null when unknown */
  addContact(country: string | null, at: number): void {
    const place = { account_id: this.#accountId, day: dayOf(at), country: country ?? '' };
    rowOf(this.#countries, `${place.day}\n${place.country}`, () => ({ ...place, contacts: 0 })).contacts++;
  }

  /** Writes the collected counts of some accounts. Call it once, at the end. */
  static async saveAll(db: Db, all: readonly Counts[]): Promise<void> {
    await insertMany(
      db,
      dailyCounts,
      all.flatMap((counts) => [...counts.#daily.values()]),
      adding.daily,
    );
    await insertMany(
      db,
      hourlyCounts,
      all.flatMap((counts) => [...counts.#hourly.values()]),
      adding.hourly,
    );
    await insertMany(
      db,
      contactCounts,
      all.flatMap((counts) => [...counts.#contacts.values()]),
      adding.contacts,
    );
    await insertMany(
      db,
      ledgerCounts,
      all.flatMap((counts) => [...counts.#ledger.values()]),
      adding.ledger,
    );
    await insertMany(
      db,
      countryCounts,
      all.flatMap((counts) => [...counts.#countries.values()]),
      adding.countries,
    );
  }
}

/** Counts AI calls. */
export async function countCalls(db: Db, rows: readonly AiCounts[]): Promise<void> {
  await insertMany(db, aiCounts, rows, adding.calls);
}

/** Adds the cost of a call to the ledger record that charged for it. @param microUsd millionths of a US dollar */
export async function countCost(db: Db, accountId: string, entry: CountedEntry, microUsd: number): Promise<void> {
  const { at, campaignId, agentId, reason } = entry;
  const place = { account_id: accountId, day: dayOf(at), campaign_id: campaignId ?? '', agent_id: agentId ?? '', reason };
  await insertMany(db, ledgerCounts, [{ ...place, ...noEntries, micro_usd: microUsd }], adding.ledger);
}

/** The row with a key. Created when missing. */
function rowOf<Row>(rows: Map<string, Row>, key: string, make: () => Row): Row {
  let row = rows.get(key);
  if (!row) rows.set(key, (row = make()));
  return row;
}
