import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { type Agent, request } from 'undici';
import { sizeText } from '../../../../contract/text/size-text.ts';
import { retryAfter } from '../../../../contract/time/retry-after.ts';
import { describeNetworkError, networkErrorCode } from '../../../../contract/network-errors.ts';
import type { PrivateAddresses } from '../../../network/addresses.ts';
import { guardedAgent, RefusedAddress } from '../../../network/guarded-agent.ts';
import { ServiceStopping, Unreachable, Unreadable } from '../reading/document.ts';
import { Blocks } from './blocks.ts';
import { TooManyRequests } from './host-limits.ts';

/** The time limit of a request, until the end of the response, in real milliseconds. */
const timeLimit = 20_000;

/** The response of a host. */
export interface Fetched {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The decompressed body, in blocks. */
  readonly body: readonly Buffer[];
  /** Whether the response is longer than its body here. */
  readonly isCut: boolean;
}

/** How much of a decompressed response is read, in bytes, and whether the rest is left out or makes the request fail. */
export interface SizeLimit {
  readonly maxBytes: number;
  readonly beyond: 'fail' | 'cut';
}

interface FetchOptions extends SizeLimit {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Fetches pages from hosts chosen by users, with limits on time and size. Does not follow redirects. */
export class PageClient {
  readonly #agent: Agent;
  readonly #userAgent: string;
  readonly #timeLimit: number;
  readonly #closing = new AbortController();

  /**
   * @param allowPrivate which private addresses are allowed
   * @param milliseconds the time limit of a request
   */
  constructor(allowPrivate: PrivateAddresses, userAgent: string, milliseconds = timeLimit) {
    this.#userAgent = userAgent;
    this.#timeLimit = milliseconds;
    this.#agent = guardedAgent(allowPrivate, { timeout: Math.min(10_000, milliseconds), connections: 4 });
  }

  /** @throws Unreadable with a sentence that describes the error, ServiceStopping when the request was aborted */
  async get(url: URL, { headers = {}, ...limit }: FetchOptions): Promise<Fetched | TooManyRequests> {
    const deadline = AbortSignal.timeout(this.#timeLimit);
    const signal = AbortSignal.any([deadline, this.#closing.signal]);
    try {
      const answer = await request(url, {
        method: 'GET',
        headers: {
          'user-agent': this.#userAgent,
          accept: 'text/html, */*;q=0.5',
          'accept-encoding': 'gzip, deflate, br, zstd',
          ...headers,
        },
        dispatcher: this.#agent,
        signal,
      });
      const fields = flatHeaders(answer.headers);
      const wait = answer.statusCode === 429 || answer.statusCode === 503 ? retryAfter(fields) : null;
      if (wait !== null) {
        answer.body.on('error', () => {}).destroy();
        return new TooManyRequests(answer.statusCode, wait);
      }
      const read = await readBody(answer.body, fields['content-encoding'] ?? '', limit, signal);
      return { status: answer.statusCode, headers: fields, ...read };
    } catch (error) {
      // The page did not cause this, so it is read again after the next start.
      if (this.#closing.signal.aborted) throw new ServiceStopping();
      if (error instanceof Unreadable) throw error;
      if (deadline.aborted)
        throw new Unreachable(`The page took more than ${this.#timeLimit / 1000} seconds`, { cause: error, code: 'timeout' });
      throw failureOf(error);
    }
  }

  /** Aborts the requests in progress. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#agent.destroy();
  }
}

function flatHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

/** Reads and decompresses a response up to the limit: a small response can expand to any size. */
async function readBody(
  body: Readable,
  encoding: string,
  { maxBytes, beyond }: SizeLimit,
  signal: AbortSignal,
): Promise<Pick<Fetched, 'body' | 'isCut'>> {
  try {
    const stream = unpacked(body, encoding);
    // `pipe` does not forward errors of its source.
    body.on('error', (error) => stream.destroy(error));
    signal.addEventListener('abort', () => stream.destroy(signal.reason as Error), { once: true });
    const blocks = new Blocks();
    let left = maxBytes;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      blocks.add(chunk.subarray(0, left));
      left -= chunk.length;
      if (left >= 0) continue;
      if (beyond === 'fail') throw new Unreadable(`The page is larger than ${sizeText(maxBytes)}`, { code: 'too_large' });
      break;
    }
    return { body: blocks.all, isCut: left < 0 };
  } finally {
    // An unread rest would keep the connection busy.
    body.on('error', () => {}).destroy();
  }
}

function unpacked(body: Readable, encoding: string): Readable {
  const packings = encoding
    .toLowerCase()
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && each !== 'identity');
  if (packings.length > 1) throw new Unreadable('The page is compressed more than once');
  return packings[0] === undefined ? body : body.pipe(unpacking(packings[0]));
}

function unpacking(packing: string) {
  switch (packing) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress();
    default:
      throw new Unreadable('The page is compressed in a format that cannot be read');
  }
}

function failureOf(cause: unknown): Unreadable {
  if (isRefused(cause)) return new Unreadable('The page is at a private address', { cause, code: 'address_refused' });
  const code = networkErrorCode(cause);
  if (/^(Z_|ERR_BROTLI|ERR_ZSTD|ERR__ERROR_FORMAT)/.test(code))
    return new Unreadable('The page is damaged: it cannot be decompressed', { cause });
  const reason = describeNetworkError(code) ?? 'the connection failed';
  return new Unreachable(`The page could not be fetched: ${reason}`, { cause, code: 'connection_failed' });
}

function isRefused(error: unknown): boolean {
  return error instanceof RefusedAddress || ((error as Error).cause !== undefined && isRefused((error as Error).cause));
}
