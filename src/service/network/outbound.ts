import type { lookup as systemLookup } from 'node:dns';
import { type Agent, request } from 'undici';
import { guardedAgent } from './guarded-agent.ts';

/** The maximum number of bytes of a response that are read. The rest is discarded. */
const readAtMost = 16 * 1024;

/** The maximum number of bytes of a response that are kept. */
const keptAtMost = 1024;

/** The response of a receiver. */
interface OutboundAnswer {
  readonly status: number;
  /** The first kilobyte. */
  readonly body: string;
}

/** Sends requests to addresses that users enter. Enforces the rules on private addresses. */
export class Outbound {
  readonly #agent: Agent;
  readonly #timeout: number;

  /**
   * @param allowPrivate whether connections to private addresses are allowed
   * @param timeout the time limit of a whole request, in milliseconds
   * @param lookup resolves names; by default, the system's resolver
   */
  constructor(allowPrivate: boolean, timeout: number, lookup?: typeof systemLookup) {
    this.#timeout = timeout;
    // The runner and the limits of requests bound the connections. A limit for each host would let an account block it for others.
    this.#agent = guardedAgent(allowPrivate, { timeout, lookup });
  }

  /**
   * Sends a POST request. Redirects are not followed.
   * @throws RefusedAddress for a private address, a `TimeoutError` when no response arrives in time, and network errors
   */
  async post(url: string, headers: Record<string, string>, body: string): Promise<OutboundAnswer> {
    const signal = AbortSignal.timeout(this.#timeout);
    let statusCode: number | null = null;
    try {
      const answer = await request(url, { method: 'POST', headers, body, signal, dispatcher: this.#agent });
      statusCode = answer.statusCode;
      return { status: statusCode, body: await readStart(answer.body) };
    } catch (error) {
      // An abort causes various errors. The reason of the signal is always the timeout.
      const reason = signal.aborted ? (signal.reason as Error) : (error as Error);
      throw Object.assign(new Error(reason.message, { cause: reason }), {
        name: reason.name,
        code: (reason as { code?: unknown }).code,
        statusCode,
      });
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Reads the beginning of a response. */
async function readStart(stream: AsyncIterable<Buffer> & { destroy: () => unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let read = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    read += chunk.length;
    if (read >= readAtMost) break;
  }
  // Drops a character that was cut in two.
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, keptAtMost), { stream: true });
  // PostgreSQL cannot store the NUL character.
  return text.replaceAll('\0', '\uFFFD');
}
