import { limits } from '../../contract/limits.ts';
import { ApiError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import type { Db } from '../store/database.ts';
import type { Store } from '../store/store.ts';

/** Where a record stands in the order of a stream: they are compared by the first number, then by the second. */
export type Position = readonly [number, number];

/** A record as a stream sends it. */
interface StreamedRecord {
  readonly position: Position;
  readonly id: string;
  /** The name of its event. */
  readonly event: string;
  readonly data: object;
}

/** What a stream sends next. */
interface NextRecords {
  readonly records: readonly StreamedRecord[];
  /** The position of the last record that was read, also of one that the query leaves out. */
  readonly reached: Position;
  readonly hasMore: boolean;
}

/**
 * The records that a stream sends, in the order of their positions. Those of an account must be committed in that order: whoever writes
 * them has locked the account. `since` is the time from which records are kept, in epoch milliseconds.
 */
export interface StreamSource<StreamQuery = object> {
  readonly name: string;
  /** @throws ApiError 404 when the query names a record that the account does not have */
  check?(db: Db, accountId: string, query: StreamQuery): Promise<void>;
  /** The last position of each account that has records. */
  newest(db: Db, accountIds: readonly string[]): Promise<readonly { readonly account_id: string; readonly position: Position }[]>;
  /** Reads up to `limit` records of an account after a position. */
  after(db: Db, accountId: string, position: Position, limit: number, query: StreamQuery, parts: Parts): Promise<NextRecords>;
  /** The position of a record; undefined when the account has no such record, or keeps it no longer. */
  positionOf(db: Db, accountId: string, id: string, since: number): Promise<Position | undefined>;
  /** The position before the oldest record that is kept; undefined when none is. A source without it has no older ones. */
  beforeOldest?(db: Db, accountId: string, since: number): Promise<Position | undefined>;
}

const start: Position = [0, 0];

/** Whether a position is before another one. */
export function isBehind(one: Position, other: Position): boolean {
  return one[0] < other[0] || (one[0] === other[0] && one[1] < other[1]);
}

/** What a stream is opened for. */
interface Watching {
  readonly source: StreamSource;
  readonly accountId: string;
  /** The filters of the stream. */
  readonly query: object;
  /** The id of the last record that the reader has; undefined to begin now. */
  readonly after: string | undefined;
  /** The time from which records are kept, in epoch milliseconds. */
  readonly since: number;
  /** Streams with the same one share the check of their credential. */
  readonly credential: string;
  readonly isAdmitted: () => Promise<boolean>;
}

/** An open stream. */
export interface OpenStream {
  readonly text: AsyncIterable<string>;
  /** Ends it, also while its next text is awaited. */
  readonly end: () => void;
}

/** How often the store is asked for new records, in milliseconds of real time (rule notifications.15). */
const interval = 800;

/** The real time between two comments, which keep proxies from closing the connection, in milliseconds. */
const commentInterval = 15_000;

const rowsAtOnce = 100;

/** The streams of this process. While there are none, nothing is asked. */
export class Streams {
  readonly #parts: Parts;
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  readonly #open = new Set<Stream>();
  #timer: NodeJS.Timeout | undefined;
  #version: number | null = null;
  #isClosed = false;

  constructor(parts: Parts, onError: (error: unknown) => void) {
    this.#parts = parts;
    this.#store = parts.store;
    this.#onError = onError;
  }

  /** Opens a stream. @throws ApiError 429 when the account has as many as it can have */
  async open(watching: Watching): Promise<OpenStream> {
    const { source, accountId, after, since, query } = watching;
    const stream = new Stream(watching, () => this.#open.delete(stream));
    if ([...this.#open].filter((each) => each.watching.accountId === accountId).length >= limits.streams) throw tooMany();
    // Counted before anything is awaited, so that streams that open at the same time do not exceed the limit.
    this.#open.add(stream);
    try {
      await this.#store.read(async (db) => {
        await source.check?.(db, accountId, query);
        const last = (await source.newest(db, [accountId]))[0]?.position ?? start;
        const first = async () => (source.beforeOldest ? ((await source.beforeOldest(db, accountId, since)) ?? last) : start);
        stream.position = after === undefined ? last : ((await source.positionOf(db, accountId, after, since)) ?? (await first()));
        if (isBehind(stream.position, last)) stream.tellNews();
      });
    } catch (error) {
      stream.end();
      throw error;
    }
    if (this.#isClosed) stream.end();
    else this.#timer ??= setTimeout(() => void this.#tick(), interval);
    return { text: this.#send(stream), end: () => stream.end() };
  }

  /** Ends all streams. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const stream of this.#open) stream.end();
  }

  async *#send(stream: Stream): AsyncGenerator<string> {
    const { source, accountId, query } = stream.watching;
    try {
      // The first line tells the reader that the stream has begun.
      yield ':\n\n';
      for (let quietSince = performance.now(); !stream.isEnded;) {
        const next = stream.takeNews()
          ? await this.#store.read((db) => source.after(db, accountId, stream.position, rowsAtOnce, query, this.#parts))
          : nothing(stream.position);
        if (next.hasMore) stream.tellNews();
        for (const { id, event, data } of next.records) {
          if (stream.isEnded) return;
          yield `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
        }
        stream.position = next.reached;
        if (next.records.length > 0) quietSince = performance.now();
        else if (performance.now() - quietSince >= commentInterval) {
          yield ':\n\n';
          quietSince = performance.now();
        } else await stream.wait(commentInterval - (performance.now() - quietSince));
      }
    } finally {
      stream.end();
    }
  }

  async #tick(): Promise<void> {
    try {
      this.#store.refresh();
      await this.#endUnadmitted();
      const version = this.#store.version();
      if (version === null || version !== this.#version) await this.#findNews();
      this.#version = version;
    } catch (error) {
      // The store may be back at the next time.
      this.#onError(error);
    }
    this.#timer = this.#open.size > 0 && !this.#isClosed ? setTimeout(() => void this.#tick(), interval) : undefined;
  }

  /** Ends the streams whose credential has ended, or no longer allows them. One that cannot be checked now stays. */
  async #endUnadmitted(): Promise<void> {
    const byCredential = Map.groupBy(this.#open, ({ watching }) => `${watching.credential} ${watching.accountId} ${watching.source.name}`);
    const check = async ([first, ...others]: readonly Stream[]) => {
      if (!first || (await first.watching.isAdmitted())) return;
      for (const stream of [first, ...others]) stream.end();
    };
    await Promise.all([...byCredential.values()].map((streams) => check(streams).catch(this.#onError)));
  }

  /** Tells the streams of accounts that have new records, with one statement for each source. */
  async #findNews(): Promise<void> {
    for (const [source, streams] of Map.groupBy(this.#open, ({ watching }) => watching.source)) {
      const ids = [...new Set(streams.map(({ watching }) => watching.accountId))];
      const newest = new Map((await this.#store.read((db) => source.newest(db, ids))).map((row) => [row.account_id, row.position]));
      for (const stream of streams) if (isBehind(stream.position, newest.get(stream.watching.accountId) ?? start)) stream.tellNews();
    }
  }
}

/** One stream: its position, and what it waits for. */
class Stream {
  readonly watching: Watching;
  /** The position up to which records were sent. */
  position = start;
  isEnded = false;
  #hasNews = false;
  #wake: () => void = () => {};

  readonly #onEnd: () => void;

  constructor(watching: Watching, onEnd: () => void) {
    this.watching = watching;
    this.#onEnd = onEnd;
  }

  tellNews(): void {
    this.#hasNews = true;
    this.#wake();
  }

  /** Whether there is something new since the last call. */
  takeNews(): boolean {
    const had = this.#hasNews;
    this.#hasNews = false;
    return had;
  }

  end(): void {
    this.isEnded = true;
    this.#onEnd();
    this.#wake();
  }

  /** Waits until there is something new, the stream ends, or the time is over. */
  async wait(milliseconds: number): Promise<void> {
    if (this.#hasNews || this.isEnded) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function nothing(reached: Position): NextRecords {
  return { records: [], reached, hasMore: false };
}

function tooMany(): ApiError {
  const message = `The account has ${limits.streams} streams at this server, as many as it can have: end one first`;
  return new ApiError(429, message, {}, { 'retry-after': '1' });
}
