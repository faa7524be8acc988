import type { lookup as systemLookup } from 'node:dns';
import { type Agent, fetch, request } from 'undici';
import { guardedAgent } from './guarded-agent.ts';
import type { PrivateAddresses } from './addresses.ts';

/** The longest that a connection may take to open, in milliseconds. The limits of requests are shorter or equal. */
const connectTimeout = 15_000;

/** A request to an address that a user entered. */
export interface GuardedRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The maximum number of bytes of the answer that are read. The rest is discarded. */
  readonly most: number;
  /** The time limit of the whole request. */
  readonly signal: AbortSignal;
}

export interface GuardedAnswer {
  readonly status: number;
  readonly contentType: string;
  /** The first `most` bytes of the body, or a few more. */
  readonly bytes: Buffer;
}

/** Sends requests to addresses that users enter. Enforces the rules on private addresses, and follows no redirects. */
export class GuardedClient {
  readonly #agent: Agent;

  /**
   * @param allowPrivate which private addresses are allowed
   * @param lookup resolves names; by default, the system's resolver
   */
  constructor(allowPrivate: PrivateAddresses, lookup?: typeof systemLookup) {
    // The runner and the limits of requests bound the connections. A limit for each host would let an account block it for others.
    this.#agent = guardedAgent(allowPrivate, { timeout: connectTimeout, lookup });
  }

  /** @throws RefusedAddress for a private address, a `TimeoutError` when no answer arrives in time, and network errors */
  async send({ url, most, ...options }: GuardedRequest): Promise<GuardedAnswer> {
    const { signal } = options;
    let statusCode: number | null = null;
    try {
      const answer = await request(url, { ...options, dispatcher: this.#agent });
      statusCode = answer.statusCode;
      return { status: statusCode, contentType: String(answer.headers['content-type'] ?? ''), bytes: await readStart(answer.body, most) };
    } catch (error) {
      // An abort causes various errors. The reason of the signal is always the timeout, or that the service stops.
      const reason = signal.aborted ? (signal.reason as Error) : (error as Error);
      throw Object.assign(new Error(reason.message, { cause: reason }), {
        name: reason.name,
        code: (reason as { code?: unknown }).code,
        statusCode,
      });
    }
  }

  /** Fetches as browsers do, for a library that needs it. */
  readonly fetch: typeof fetch = (url, options) => fetch(url, { ...options, dispatcher: this.#agent });

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

async function readStart(stream: AsyncIterable<Buffer> & { destroy: () => unknown }, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let read = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    read += chunk.length;
    if (read >= most) break;
  }
  return Buffer.concat(chunks);
}
