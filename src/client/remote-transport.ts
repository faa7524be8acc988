import { Agent, request } from 'undici';
import { type Transport, TransportFailure } from './transport.ts';

const connectTimeout = 10_000;
const answerTimeout = 60_000;

/** Failures that happen before anything is sent. */
const notSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

const words: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name cannot be resolved now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ECONNRESET: 'the connection was closed without an answer',
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  UND_ERR_CONNECT_TIMEOUT: `no connection within ${connectTimeout / 1000} seconds`,
  UND_ERR_HEADERS_TIMEOUT: `no answer within ${answerTimeout / 1000} seconds`,
  UND_ERR_BODY_TIMEOUT: 'the answer stopped in the middle',
};

/**
 * Makes a transport to a server's root, such as `http://127.0.0.1:4600`.
 * @param signal gives up, whatever is under way
 */
export function remoteTransport(origin: string, signal?: AbortSignal): Transport {
  const dispatcher = new Agent({ connect: { timeout: connectTimeout }, headersTimeout: answerTimeout, bodyTimeout: answerTimeout });
  return {
    target: origin,
    origin,
    async send({ method, path, headers, body }) {
      try {
        const response = await request(origin + path, { method, headers, body: body ?? null, dispatcher, signal });
        return {
          status: response.statusCode,
          headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
          body: await response.body.text(),
        };
      } catch (error) {
        const code = errorCode(error);
        throw new TransportFailure(words[code] ?? (error as Error).message, !isUnsent(error, code), { cause: error });
      }
    },
    close: () => (signal?.aborted ? dispatcher.destroy() : dispatcher.close()),
  };
}

/** Whether a failure came before anything was sent; some codes can also end an open connection. */
function isUnsent(error: unknown, code: string): boolean {
  const { syscall, errors } = error as { syscall?: string; errors?: unknown[] };
  return notSent.has(code) && (errors !== undefined || syscall === undefined || syscall === 'connect' || syscall === 'getaddrinfo');
}

/** The code of a failure; of several (one per address that was tried) the first. */
function errorCode(error: unknown): string {
  const { code, errors } = error as { code?: string; errors?: { code?: string }[] };
  return errors?.[0]?.code ?? code ?? '';
}
