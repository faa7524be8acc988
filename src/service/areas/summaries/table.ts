import { instant, integer, text } from '../../store/columns.ts';
import { type StoredRow, table } from '../../store/table.ts';

/** The days on which accounts had messages. The summary of a day is written when the day is over. */
export const dailySummaries = table('daily_summaries', {
  account_id: text(),
  /** Days since 1970-01-01. */
  day: integer(),
  id: text().nullable(),
  text: text().nullable(),
  created_at: instant().nullable(),
});

declare module '../../store/database.ts' {
  interface Database {
    daily_summaries: StoredRow<typeof dailySummaries>;
  }
}
