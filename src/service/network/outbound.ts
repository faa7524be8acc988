import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { Agent, buildConnector, request } from 'undici';
import { bareHost, isPrivateAddress, isPrivateHost } from './addresses.ts';

/** The number of bytes of an answer that are read. The rest is discarded. */
const readAtMost = 16 * 1024;

/** The number of bytes of an answer that are kept. */
const keptAtMost = 1024;

/** Connections to the address are not allowed. */
class RefusedAddress extends Error {
  constructor() {
    super('The address is private: connections to it are not allowed');
    this.name = 'RefusedAddress';
  }
}

/** The answer of a receiver. */
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
  constructor(allowPrivate: boolean, timeout: number, lookup: typeof systemLookup = systemLookup) {
    this.#timeout = timeout;
    const connect = buildConnector({ timeout, lookup: allowPrivate ? lookup : guarded(lookup) });
    this.#agent = new Agent({
      connect: allowPrivate ? connect : guardedConnect(connect),
      // The maximum number of connections to one receiver. They are kept open for later requests.
      connections: 256,
      pipelining: 1,
      keepAliveTimeout: 10_000,
    });
  }

  /**
   * Posts a body. Redirects are not followed.
   * @throws RefusedAddress for a private address, a `TimeoutError` when no answer arrives in time, and network errors
   */
  async post(url: string, headers: Record<string, string>, body: string): Promise<OutboundAnswer> {
    const signal = AbortSignal.timeout(this.#timeout);
    let statusCode: number | null = null;
    try {
      const answer = await request(url, { method: 'POST', headers, body, signal, dispatcher: this.#agent });
      statusCode = answer.statusCode;
      return { status: statusCode, body: await readStart(answer.body) };
    } catch (error) {
      // An abort causes different errors. The timeout is the reason of all of them.
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

/** Reads the beginning of an answer. */
async function readStart(stream: AsyncIterable<Buffer> & { destroy: () => unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let read = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    read += chunk.length;
    if (read >= readAtMost) break;
  }
  // A character that was cut in two is dropped.
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, keptAtMost), { stream: true });
  // PostgreSQL cannot store the character NUL.
  return text.replaceAll('\0', '\uFFFD');
}

/** Resolves names, and fails when any address is private. */
function guarded(lookup: typeof systemLookup): typeof systemLookup {
  const guard = (name: string, options: object, done: (error: Error | null, ...found: unknown[]) => void) =>
    lookup(name, { ...options, all: true }, (error: Error | null, found: LookupAddress[]) => {
      if (error) return done(error);
      if (found.length === 0 || found.some(({ address }) => isPrivateAddress(address))) return done(new RefusedAddress());
      if ((options as { all?: boolean }).all) return done(null, found);
      done(null, found[0]?.address, found[0]?.family);
    });
  return guard as unknown as typeof systemLookup;
}

/**
 * Connects only to public addresses. Addresses in URLs are not looked up, so they are checked here. The address of the
 * open connection is checked too.
 */
function guardedConnect(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) => {
    if (isPrivateHost(bareHost(options.hostname))) return done(new RefusedAddress(), null);
    connect(options, (...[error, socket]) => {
      if (error) return done(error, null);
      if (!isPrivateAddress(socket.remoteAddress ?? '')) return done(null, socket);
      socket.destroy();
      done(new RefusedAddress(), null);
    });
  };
}
