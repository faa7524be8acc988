import { sql } from 'kysely';
import type { Db, Engine } from '../store/store.ts';

/** One answered request of the interface, as the log keeps it: no query string, no body, no secret. */
export interface RequestLogEntry {
  /** By the service's clock, in epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly duration_ms: number;
  readonly account_id: string | null;
  readonly key_preview: string | null;
}

/** How many requests the log keeps. */
const kept = 10_000;

/** How many of them are written at once, twice a second: of a burst that is larger, the latest. */
const keptAtOnce = 1_000;

/** An entry as it is stored: short, as a busy server writes thousands a second. */
function pack({ at, method, path, status, duration_ms, account_id, key_preview }: RequestLogEntry): unknown[] {
  return [at, method, path, status, duration_ms, account_id, key_preview];
}

/** Reads a stored entry. */
export function unpack(text: string): RequestLogEntry {
  const [at, method, path, status, duration_ms, account_id, key_preview] = JSON.parse(text) as [
    number,
    string,
    string,
    number,
    number,
    string | null,
    string | null,
  ];
  return { at, method, path, status, duration_ms, account_id, key_preview };
}

/** Writes many entries by one statement with one parameter: to build one with thousands would cost more than the writing. */
async function insertEntries(db: Db, engine: Engine, entries: string): Promise<void> {
  await (
    engine === 'sqlite'
      ? sql`insert into request_log (entry) select value from json_each(${entries}) order by key`
      : sql`insert into request_log (entry) select value::text from json_array_elements(${entries}::json) with ordinality order by ordinality`
  ).execute(db);
}

/** Collects what requests leave behind, so that no request waits for it: log entries and the last use of keys. */
export class RequestLog {
  #entries: RequestLogEntry[] = [];
  #lastUse = new Map<string, number>();
  #writing: Collected | null = null;

  get isEmpty(): boolean {
    return this.#entries.length === 0 && this.#lastUse.size === 0;
  }

  add(entry: RequestLogEntry): void {
    this.#entries.push(entry);
    // More than the log keeps need not be remembered.
    if (this.#entries.length >= 2 * keptAtOnce) this.#entries = this.#entries.slice(-keptAtOnce);
  }

  keyUsed(keyId: string, at: number): void {
    this.#lastUse.set(keyId, at);
  }

  /** When a key was last used, as far as that is not yet written. */
  lastUse(keyId: string): number | undefined {
    return this.#lastUse.get(keyId) ?? this.#writing?.lastUse.get(keyId);
  }

  /** Takes what was collected out, to be written. */
  take(): Collected {
    this.#writing = { entries: this.#entries.slice(-keptAtOnce), lastUse: this.#lastUse };
    this.#entries = [];
    this.#lastUse = new Map();
    return this.#writing;
  }

  /** Forgets what was written. */
  written(collected: Collected): void {
    if (this.#writing === collected) this.#writing = null;
  }

  /** Forgets what was collected, as the store was emptied. */
  clear(): void {
    this.#entries = [];
    this.#lastUse.clear();
  }
}

/** What requests left behind. */
export interface Collected {
  readonly entries: readonly RequestLogEntry[];
  readonly lastUse: ReadonlyMap<string, number>;
}

/** Writes what requests left behind, in a transaction, and cuts the log to what it keeps. */
export async function writeCollected(db: Db, engine: Engine, { entries, lastUse }: Collected): Promise<void> {
  for (const [id, at] of lastUse) await db.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute();
  if (entries.length === 0) return;
  await insertEntries(db, engine, JSON.stringify(entries.map(pack)));
  await db
    .deleteFrom('request_log')
    .where('seq', '<=', (eb) => eb.selectFrom('request_log').select(sql<number>`max(seq) - ${sql.lit(kept)}`.as('oldest')))
    .execute();
}
