import type { summaryKinds } from '../../../contract/areas/summaries/endpoints.ts';
import { instant, integer, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/** The days on which accounts had messages. The summary of a day is written when the day is over. */
export const dailySummaries = table('daily_summaries', {
  account_id: text(),
  /** Days since 1970-01-01. */
  day: integer(),
});

/** Summaries of days and of conversations. */
export const summaries = table('summaries', {
  seq: integer().default(0),
  id: text(),
  account_id: text(),
  kind: text<(typeof summaryKinds)[number]>(),
  /** The day, or that on which the conversation began, in days since 1970-01-01. */
  day: integer(),
  /** Null for a day. A conversation has one summary. */
  chat_session_id: text().nullable(),
  contact_id: text().nullable(),
  text: text(),
  created_at: instant(),
});

export type Summary = Row<typeof summaries>;

declare module '../../store/database.ts' {
  interface Database {
    daily_summaries: StoredRow<typeof dailySummaries>;
    summaries: StoredRow<typeof summaries>;
  }
}
