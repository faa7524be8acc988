import { sql } from 'kysely';
import type { Db } from '../store/database.ts';
import { newest } from '../store/newest.ts';
import { engineOf } from '../store/prepared.ts';
import { requestLog, type StoredEntry } from './tables.ts';

/** An entry of the request log. It has no query string, body or secret. */
export interface RequestLogEntry {
  /** By the service's clock, in epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly duration_ms: number;
  readonly account_id: string | null;
  readonly key_preview: string | null;
  /** Null for a request of an earlier version. */
  readonly request_id: string | null;
}

/** The maximum number of requests written in one flush. Of a larger burst, only the latest are kept. */
const keptAtOnce = 1_000;

/** Collects log entries, so that no request waits until its entry is written. */
export class RequestLog {
  #entries: RequestLogEntry[] = [];

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  add(entry: RequestLogEntry): void {
    this.#entries.push(entry);
    // Older entries would not be written, so they need not be kept.
    if (this.#entries.length >= 2 * keptAtOnce) this.#entries = this.#entries.slice(-keptAtOnce);
  }

  /** Returns the collected entries, and removes them. */
  collect(): readonly RequestLogEntry[] {
    const entries = this.#entries.slice(-keptAtOnce);
    this.#entries = [];
    return entries;
  }

  /** Removes the collected entries, after the store was emptied. */
  clear(): void {
    this.#entries = [];
  }
}

/** Writes entries in a transaction, and deletes the oldest. @param kept the maximum number of entries in the log */
export async function writeRequestLog(db: Db, entries: readonly RequestLogEntry[], kept: number): Promise<void> {
  if (entries.length === 0) return;
  // All entries are passed in one parameter, because building a statement with thousands of parameters takes longer than the
  // insertion.
  const packed = JSON.stringify(entries.map(pack));
  await (
    engineOf(db) === 'sqlite'
      ? sql`insert into request_log (entry) select value from json_each(${packed}) order by key`
      : sql`insert into request_log (entry) select value::text from json_array_elements(${packed}::json) with ordinality order by ordinality`
  ).execute(db);
  await db
    .deleteFrom('request_log')
    .where('seq', '<=', (eb) => eb.selectFrom('request_log').select(sql<number>`max(seq) - ${sql.lit(kept)}`.as('oldest')))
    .execute();
}

/** Reads the log by descending `seq`, below `before`. */
export async function listRequests(db: Db, before: number | undefined, limit: number): Promise<(RequestLogEntry & { seq: number })[]> {
  const rows = await newest(db, requestLog, {}, before, limit);
  return rows.map(({ seq, entry }) => ({ seq, ...unpack(entry) }));
}

function pack({ at, method, path, status, duration_ms, account_id, key_preview, request_id }: RequestLogEntry): StoredEntry {
  return [at, method, path, status, duration_ms, account_id, key_preview, request_id];
}

function unpack([at, method, path, status, duration_ms, account_id, key_preview, request_id = null]: StoredEntry): RequestLogEntry {
  return { at, method, path, status, duration_ms, account_id, key_preview, request_id };
}
