import { Agent, request } from 'undici';
import { describeNetworkError, networkErrorCode } from '../contract/network-errors.ts';
import { type Transport, TransportError } from './transport.ts';

// In milliseconds.
const connectTimeout = 10_000;
const answerTimeout = 60_000;

/** Codes of failures that happen before the request is sent. */
const notSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/**
 * Creates a transport to a server.
 * @param origin such as `http://127.0.0.1:4600`
 * @param signal aborts a request in progress
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
        const code = networkErrorCode(error);
        throw new TransportError(describeNetworkError(code) ?? (error as Error).message, !isUnsent(error, code), { cause: error });
      }
    },
    close: () => (signal?.aborted ? dispatcher.destroy() : dispatcher.close()),
  };
}

/** Whether a failure happened before the request was sent. Some of these codes can also end an open connection. */
function isUnsent(error: unknown, code: string): boolean {
  const { syscall, errors } = error as { syscall?: string; errors?: unknown[] };
  return notSent.has(code) && (errors !== undefined || syscall === undefined || syscall === 'connect' || syscall === 'getaddrinfo');
}
