import { integer, text } from '../../store/columns.ts';
import type { LedgerReason } from '../credits/rules.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/**
 * Counters for analytics by UTC day, campaign, agent, channel and own number. An empty text means that the dimension is missing.
 */
export const dailyCounts = table('daily_counts', {
  account_id: text(),
  /** Days since 1970-01-01. */
  day: integer(),
  campaign_id: text(),
  agent_id: text(),
  channel: text(),
  own_identity: text(),
  ai_sent: integer(),
  human_sent: integer(),
  automated_sent: integer(),
  received: integer(),
  delivered: integer(),
  read: integer(),
  replied: integer(),
  booked: integer(),
  contact_created: integer(),
  conversations: integer(),
  /** In millionths, like the next two columns. */
  credits_spent: integer(),
  credits_recharged: integer(),
  conversation_credits: integer(),
  /** The conversations by result, and their credits. Those not counted here had no AI reply. */
  contained: integer().default(0),
  contained_credits: integer().default(0),
  handed_off: integer().default(0),
  handed_off_credits: integer().default(0),
  /** The conversations in which the contact replied, and those in which a person was alerted. */
  conversations_replied: integer().default(0),
  conversations_alerted: integer().default(0),
  /** The conversations during which an appointment was booked. */
  conversations_booked: integer().default(0),
  /** The time of the last message, sent or received; 0 when there was no message. */
  last_message_at: integer().default(0),
});

export type DailyCounts = Row<typeof dailyCounts>;

/** The counters that are also kept by hour. */
export const hourlyCounts = table('hourly_counts', {
  account_id: text(),
  /** Hours since 1970-01-01T00. */
  hour: integer(),
  campaign_id: text(),
  agent_id: text(),
  sent: integer(),
  replied: integer(),
});

export type HourlyCounts = Row<typeof hourlyCounts>;

/**
 * The messages of each contact by UTC hour and place, for reports on contacts with tags. The table has few columns and keeps a
 * contact's rows together, because such a report reads the rows of very many contacts.
 */
export const contactCounts = table('contact_counts', {
  contact_id: text(),
  hour: integer(),
  /** The campaign, agent, channel and own number: see `placeOf`. */
  place: text(),
  ai_sent: integer(),
  human_sent: integer(),
  automated_sent: integer(),
  received: integer(),
  delivered: integer(),
  read: integer(),
  replied: integer(),
  /** The prices of the messages that did not fail, in millionths. */
  credits_spent: integer(),
  /** The time of the last message, within the hour. */
  last_message_at: integer(),
});

export type ContactCounts = Row<typeof contactCounts>;

/** The ledger by UTC day, campaign, agent and reason, without adjustments. */
export const ledgerCounts = table('ledger_counts', {
  account_id: text(),
  day: integer(),
  campaign_id: text(),
  agent_id: text(),
  reason: text<LedgerReason>(),
  records: integer(),
  /** The credits spent, minus refunds. */
  millionths: integer(),
  /** The cost of the calls for these records, with the account's own AI key. */
  micro_usd: integer(),
});

export type LedgerCounts = Row<typeof ledgerCounts>;

/** The AI calls by UTC day and provider. Costs cover calls with the account's own AI key, in millionths of a US dollar. */
export const aiCounts = table('ai_counts', {
  account_id: text(),
  day: integer(),
  provider: text(),
  calls: integer(),
  input_micro_usd: integer(),
  cache_read_micro_usd: integer(),
  output_micro_usd: integer(),
});

export type AiCounts = Row<typeof aiCounts>;

/** The contacts created, by UTC day and country. An empty country means unknown. */
export const countryCounts = table('country_counts', {
  account_id: text(),
  day: integer(),
  agent_id: text(),
  country: text(),
  contacts: integer(),
});

export type CountryCounts = Row<typeof countryCounts>;

/** The days, by the numbers of counters, of which counted records were deleted. Their counters still count these records. */
export const incompleteDays = table('incomplete_days', { account_id: text(), day: integer() });

declare module '../../store/database.ts' {
  interface Database {
    incomplete_days: StoredRow<typeof incompleteDays>;
    daily_counts: StoredRow<typeof dailyCounts>;
    hourly_counts: StoredRow<typeof hourlyCounts>;
    contact_counts: StoredRow<typeof contactCounts>;
    ledger_counts: StoredRow<typeof ledgerCounts>;
    ai_counts: StoredRow<typeof aiCounts>;
    country_counts: StoredRow<typeof countryCounts>;
  }
}
