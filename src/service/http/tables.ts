import { integer, json, text } from '../store/columns.ts';
import { type StoredRow, table } from '../store/table.ts';

/** The fixed windows in which requests are counted. */
export const rateWindows = table('rate_windows', {
  bucket: text(),
  /** By the service's clock. */
  started_at: integer(),
  /** How many requests processes have reserved. */
  granted: integer(),
});

/** The request log. Entries are lists, to keep them short: a busy server writes thousands a second. */
export const requestLog = table('request_log', {
  seq: integer().default(0),
  entry: json<StoredEntry>(),
});

/** A request: at, method, path, status, duration_ms, account_id, key_preview. */
export type StoredEntry = readonly [number, string, string, number, number, string | null, string | null];

declare module '../store/database.ts' {
  interface Database {
    rate_windows: StoredRow<typeof rateWindows>;
    request_log: StoredRow<typeof requestLog>;
  }
}
