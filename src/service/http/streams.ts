import { tooMany } from '../errors.ts';
import type { Parts } from '../parts.ts';
import type { Db } from '../store/database.ts';
import type { Store } from '../store/store.ts';

declare module '../parts.ts' {
  interface Parts {
    /** Tells the streams of a subject at this server that it has a new record, which they would find a little later. */
    readonly tellStreams: (subject: string) => void;
  }
}

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
 * The records that a stream sends, in the order of their positions. They belong to a subject: an account, or a visitor of its pages. Those
 * of an account must be committed in that order: whoever writes them has locked the account. `since` is the time from which records are
 * kept, in epoch milliseconds.
 */
export interface StreamSource<StreamQuery = object> {
  readonly name: string;
  /** @throws ApiError 404 when the query names a record that the account does not have */
  check?(db: Db, subject: string, query: StreamQuery): Promise<void>;
  /** Whether a stream ends with its subject, which `newest` then leaves out. */
  readonly endsWithSubject?: true;
  /** The last position of each subject that has records. */
  newest(db: Db, subjects: readonly string[], parts: Parts): Promise<readonly { readonly subject: string; readonly position: Position }[]>;
  /** Reads up to `limit` records of a subject after a position. */
  after(db: Db, subject: string, position: Position, limit: number, query: StreamQuery, parts: Parts): Promise<NextRecords>;
  /** The position of a record; undefined when the subject has no such record, or it is kept no longer. */
  positionOf(db: Db, subject: string, id: string, since: number): Promise<Position | undefined>;
  /** The position before the oldest record that is kept; undefined when none is. A source without it has no older ones. */
  beforeOldest?(db: Db, subject: string, since: number): Promise<Position | undefined>;
}

const start: Position = [0, 0];

/** Whether a position is before another one. */
export function isBehind(one: Position, other: Position): boolean {
  return one[0] < other[0] || (one[0] === other[0] && one[1] < other[1]);
}

/** What a stream is opened for. */
interface Watching {
  readonly source: StreamSource;
  /** Whose records it sends. */
  readonly subject: string;
  /** Who holds it: an account or an address, which can hold so many at this server. */
  readonly holder: string;
  readonly most: number;
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
  /** The number of open streams by their holders. */
  readonly #held = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #version: number | null = null;
  #isClosed = false;

  constructor(parts: Parts, onError: (error: unknown) => void) {
    this.#parts = parts;
    this.#store = parts.store;
    this.#onError = onError;
  }

  /** @throws ApiError 429 when a holder has as many streams as it can have */
  checkRoom(holder: string, most: number): void {
    if ((this.#held.get(holder) ?? 0) >= most)
      throw tooMany(`${most} streams are open at this server, as many as one account or one address can have: end one first`, 1);
  }

  /** Opens a stream. @throws ApiError 429 when its holder has as many as it can have */
  async open(watching: Watching): Promise<OpenStream> {
    const { source, subject, after, since, query, holder, most } = watching;
    const stream = new Stream(watching, () => this.#forget(stream));
    this.checkRoom(holder, most);
    // Counted before anything is awaited, so that streams that open at the same time do not exceed the limit.
    this.#open.add(stream);
    this.#held.set(holder, (this.#held.get(holder) ?? 0) + 1);
    try {
      await this.#store.read(async (db) => {
        await source.check?.(db, subject, query);
        const last = (await source.newest(db, [subject], this.#parts))[0]?.position ?? start;
        const first = async () => (source.beforeOldest ? ((await source.beforeOldest(db, subject, since)) ?? last) : start);
        stream.position = after === undefined ? last : ((await source.positionOf(db, subject, after, since)) ?? (await first()));
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

  /** How many streams are open. */
  get count(): number {
    return this.#open.size;
  }

  /** Tells the streams of a subject that it has a new record. */
  tell(subject: string): void {
    for (const stream of this.#open) if (stream.watching.subject === subject) stream.tellNews();
  }

  /** Ends all streams. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const stream of this.#open) stream.end();
  }

  #forget(stream: Stream): void {
    if (!this.#open.delete(stream)) return;
    const { holder } = stream.watching;
    const left = (this.#held.get(holder) ?? 1) - 1;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
  }

  async *#send(stream: Stream): AsyncGenerator<string> {
    const { source, subject, query } = stream.watching;
    try {
      // The first line tells the reader that the stream has begun.
      yield ':\n\n';
      for (let commentedAt = performance.now(); !stream.isEnded;) {
        const next = stream.takeNews()
          ? await this.#store.read((db) => source.after(db, subject, stream.position, rowsAtOnce, query, this.#parts))
          : nothing(stream.position);
        if (next.hasMore) stream.tellNews();
        for (const { id, event, data } of next.records) {
          if (stream.isEnded) return;
          yield `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
        }
        stream.position = next.reached;
        if (performance.now() - commentedAt >= commentInterval) {
          yield ':\n\n';
          commentedAt = performance.now();
        } else await stream.wait(commentInterval - (performance.now() - commentedAt));
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
      await this.#findNews(version === null || version !== this.#version);
      this.#version = version;
    } catch (error) {
      // The store may be back at the next time.
      this.#onError(error);
    }
    this.#timer = this.#open.size > 0 && !this.#isClosed ? setTimeout(() => void this.#tick(), interval) : undefined;
  }

  /** Ends the streams whose credential has ended, or no longer allows them. One that cannot be checked now stays. */
  async #endUnadmitted(): Promise<void> {
    const byCredential = Map.groupBy(this.#open, ({ watching }) => `${watching.credential} ${watching.source.name}`);
    const check = async ([first, ...others]: readonly Stream[]) => {
      if (!first || (await first.watching.isAdmitted())) return;
      for (const stream of [first, ...others]) stream.end();
    };
    await Promise.all([...byCredential.values()].map((streams) => check(streams).catch(this.#onError)));
  }

  /**
   * Tells the streams of subjects that have new records, with one statement for each source.
   * @param hasChanged whether the store has. The end of a subject can also be a matter of time
   */
  async #findNews(hasChanged: boolean): Promise<void> {
    for (const [source, streams] of Map.groupBy(this.#open, ({ watching }) => watching.source)) {
      if (!hasChanged && !source.endsWithSubject) continue;
      const subjects = [...new Set(streams.map(({ watching }) => watching.subject))];
      const newest = new Map(
        (await this.#store.read((db) => source.newest(db, subjects, this.#parts))).map((row) => [row.subject, row.position]),
      );
      for (const stream of streams) {
        const last = newest.get(stream.watching.subject);
        if (last === undefined && source.endsWithSubject) stream.end();
        else if (isBehind(stream.position, last ?? start)) stream.tellNews();
      }
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
