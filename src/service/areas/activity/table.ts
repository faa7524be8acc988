import { integer, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/** Counters for analytics by UTC day, campaign, agent, channel and own number. An empty text means none. */
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

declare module '../../store/database.ts' {
  interface Database {
    daily_counts: StoredRow<typeof dailyCounts>;
    hourly_counts: StoredRow<typeof hourlyCounts>;
  }
}
