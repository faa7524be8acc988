import type { Readable } from 'node:stream';
import type { AnswerLimits } from '../contract/endpoint.ts';
import { isLoopbackHost } from '../contract/loopback.ts';
import { sizeText } from '../contract/text/size-text.ts';
import { describeNetworkError, isCertificateFailure, networkErrorCode } from '../contract/network-errors.ts';
import { openConnections, type Proxy } from './connections.ts';
import { type Transport, TransportError } from './transport.ts';

const usualLimits: AnswerLimits = { bytes: 32 * 1024 * 1024, milliseconds: 60_000 };

/** Error codes of failures that happen before the request is sent. */
const notSent = new Set(['ERR_PROXY_TUNNEL', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);

interface Options {
  /** Aborts requests in progress. */
  readonly signal?: AbortSignal;
  /** Creates a signal that is aborted after a time. */
  readonly deadline?: (milliseconds: number) => AbortSignal;
  /** The proxy to send requests through. */
  readonly proxy?: Proxy | null;
}

/**
 * Creates a transport to a server. It stops reading an answer that exceeds its limits, even if the server sends it slowly or in
 * parts.
 * @param origin such as `http://127.0.0.1:4600`
 * @returns the transport, whose failures are TransportErrors
 */
export async function remoteTransport(
  origin: string,
  { signal, proxy = null, deadline = (milliseconds) => AbortSignal.timeout(milliseconds) }: Options = {},
): Promise<Transport> {
  const connections = await openConnections(origin, proxy);
  // On this machine, compressing takes longer than sending.
  const accepted: Record<string, string> = isLoopbackHost(new URL(origin).hostname) ? {} : { 'accept-encoding': 'br, gzip' };
  return {
    target: origin,
    origin,
    async send({ answerLimits = usualLimits, ...given }) {
      const request = { ...given, headers: { ...accepted, ...given.headers } };
      const { bytes, milliseconds } = answerLimits;
      const late = deadline(milliseconds);
      const either = signal ? AbortSignal.any([signal, late]) : late;
      try {
        const { status, headers, body } = await connections.send(request, either);
        return {
          status,
          headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
          body: await readText(await withoutEncoding(body, headers['content-encoding']), bytes),
        };
      } catch (error) {
        if (error instanceof TransportError) throw error;
        if (signal?.aborted) throw new TransportError('the request was aborted', { maybeSent: true, isFinal: true, cause: error });
        if (late.aborted) {
          const message = `no complete answer arrived within ${milliseconds / 1000} seconds`;
          throw new TransportError(message, { maybeSent: true, isFinal: true, cause: error });
        }
        if (proxy) throw refusedByProxy(error, proxy) ?? failed(error, `; ${proxy.variable} names a proxy`);
        throw failed(error);
      }
    },
    async stream(request, until) {
      try {
        const { status, headers, body } = await connections.send(request, signal ? AbortSignal.any([signal, until]) : until);
        const names = Object.entries(headers).map(([name, value]) => [name, String(value)]);
        return { status, headers: Object.fromEntries(names) as Record<string, string>, text: textOf(body) };
      } catch (error) {
        throw failed(error);
      }
    },
    close: () => connections.close(),
  };
}

async function withoutEncoding(body: Readable, encoding: string | string[] | undefined): Promise<Readable> {
  if (encoding === undefined || encoding === 'identity') return body;
  // The connection can fail while the module is loaded.
  body.on('error', () => {});
  const { unpacked } = await import('./unpacked.ts');
  if (body.errored) throw body.errored;
  return unpacked(body, String(encoding));
}

/** Reads a body as it arrives. @throws TransportError when the connection is lost */
async function* textOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body) yield decoder.decode(chunk, { stream: true });
  } catch (error) {
    throw failed(error);
  }
}

/** Reads a body as text. @throws TransportError when it is larger than `limit`, in bytes */
async function readText(body: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw new TransportError(`the answer is larger than ${sizeText(limit)}`, { maybeSent: true, isFinal: true });
    chunks.push(chunk);
  }
  const [only, ...others] = chunks;
  return new TextDecoder().decode(others.length === 0 ? only : Buffer.concat(chunks));
}

/** The error for a network failure. @param note is appended to its description */
function failed(error: unknown, note = ''): TransportError {
  const code = networkErrorCode(error);
  const what = describeNetworkError(code) ?? (code || 'the connection failed');
  const isRefused = isCertificateFailure(code);
  return new TransportError(what + note, { maybeSent: !isRefused && !isUnsent(error, code), isFinal: isRefused, cause: error });
}

/** The error for a request that the proxy did not forward; null for other failures. */
function refusedByProxy(error: unknown, { variable }: Proxy): TransportError | null {
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code !== 'ERR_PROXY_TUNNEL' || statusCode === undefined) return null;
  const message = `the proxy that ${variable} names answered ${statusCode}`;
  return new TransportError(message, { maybeSent: false, isFinal: statusCode < 500, cause: error });
}

/**
 * Whether a request failed before it was sent. Some of these codes can also occur on an open connection, so the system call
 * decides.
 */
function isUnsent(error: unknown, code: string): boolean {
  const { syscall, errors } = error as { syscall?: string; errors?: unknown[] };
  return notSent.has(code) && (errors !== undefined || syscall === undefined || syscall === 'connect' || syscall === 'getaddrinfo');
}
