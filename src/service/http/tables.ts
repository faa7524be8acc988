import { integer, json, text } from '../store/columns.ts';
import { type StoredRow, table } from '../store/table.ts';

/** The fixed windows of rate limits. */
export const rateWindows = table('rate_windows', {
  bucket: text(),
  /** By the service's clock. */
  started_at: integer(),
  /** The number of requests that processes have reserved. */
  granted: integer(),
  /** The size of the last reservation. */
  portion: integer().default(0),
});

/**
 * The request log. Entries are stored as arrays, which are shorter than objects, because a busy server writes thousands per
 * second.
 */
export const requestLog = table('request_log', {
  seq: integer().default(0),
  entry: json<StoredEntry>(),
});

/** The answers to requests with an idempotency key, and who works on such a request now. */
export const keptAnswers = table('kept_answers', {
  seq: integer().default(0),
  account_id: text(),
  key: text(),
  /** Of the request. */
  digest: text(),
  /** By the service's clock. */
  kept_at: integer(),
  /** Null while there is no answer. */
  status: integer().nullable(),
  /** Null while there is no answer, and for one that is not kept. */
  body: text().nullable(),
  /** The process that works on the request. See `isDead`. */
  owner: text().nullable(),
  /** When the claim of the owner ends unless it is renewed, in real epoch milliseconds. */
  owned_until: integer().default(0),
});

/** An entry: at, method, path, status, duration_ms, account_id, key_preview, request_id. Earlier versions stored no request_id. */
export type StoredEntry = readonly [number, string, string, number, number, string | null, string | null, (string | null)?];

declare module '../store/database.ts' {
  interface Database {
    rate_windows: StoredRow<typeof rateWindows>;
    kept_answers: StoredRow<typeof keptAnswers>;
    request_log: StoredRow<typeof requestLog>;
  }
}
