import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isSandboxPath } from '../../contract/endpoint.ts';
import { isLoopbackHost } from '../../contract/loopback.ts';
import { requestIdHeader } from '../../contract/request-id.ts';
import { describeListenError } from '../../contract/network-errors.ts';
import { ApiError, CannotListen, ConnectionDropped } from '../errors.ts';
import { AnswerQueue } from './answer-queue.ts';
import { errorAnswer } from './answers.ts';
import { compressed } from './compression.ts';
import { limitUnread, PipelineLimit, untilRead } from './pipeline-limit.ts';
import { TrustedProxies } from '../network/trusted-proxies.ts';
import type { OpenStream } from './streams.ts';
import { type ApiRequest, type ApiResponse, bodyTooLarge, type Fetch, makeRequest, requestIdOf } from './request.ts';

interface ServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Whether to serve the sandbox on an address that is not loopback. */
  readonly exposeSandbox: boolean;
  /** The proxies that tell the address of a client: addresses and networks. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Called for errors that cannot be reported in a response. */
  readonly onError: (error: unknown) => void;
}

/** A listening server. */
export interface Server {
  /** Its root URL, such as `http://127.0.0.1:4600`. */
  readonly origin: string;
  /** Starts answering requests. Requests that arrived earlier wait. */
  readonly answerWith: (fetch: Fetch) => void;
  /** Stops accepting requests, waits up to `grace` milliseconds for requests in progress, and closes. */
  readonly close: (grace: number) => Promise<void>;
}

/** The time limits for the headers and for the whole request of a client, in milliseconds. */
const headersTimeout = 15_000;
const requestTimeout = 60_000;

/** The time after which an idle connection is closed, in milliseconds. */
const keepAliveTimeout = 30_000;

/** Stands for the address of a connection that was reset before it was accepted. */
const unknownAddress = 'unknown';

/**
 * Listens on an address.
 * @throws CannotListen
 */
export async function listen({ host, port, exposeSandbox, trustedProxies = [], onError }: ServerOptions): Promise<Server> {
  const { promise: ready, resolve: answerWith } = Promise.withResolvers<Fetch>();
  let serveSandbox = exposeSandbox;
  const answer: Fetch = async (request) => {
    if (!serveSandbox && isSandboxPath(`${request.path}/`))
      return refusalAnswer(request.id, 403, 'The sandbox is not served on this address: start the server with --expose-sandbox');
    const response = await (await ready)(request);
    // While the server is stopping, each response is the last on its connection.
    if (!server.listening) response.headers.connection = 'close';
    return response;
  };
  const limit = new PipelineLimit();
  const answers = new AnswerQueue(onError);
  const proxies = new TrustedProxies(trustedProxies);
  // A connection that was reset does not tell its address any more, but its request still arrives.
  const addresses = new WeakMap<Socket, string>();
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    await limit.enter(incoming.socket, outgoing);
    try {
      const client = proxies.clientOf(addresses.get(incoming.socket) ?? unknownAddress, headerOf(incoming, 'x-forwarded-for'));
      const response = await answer(toApiRequest(incoming, outgoing, client));
      if (response.stream) return await sendStream(outgoing, response, response.stream, answers);
      const sent = compressed(response, incoming.method ?? 'GET', incoming.headers['accept-encoding']);
      answers.add(outgoing, sent instanceof Promise ? await sent : sent);
    } catch (error) {
      // Either a fault closes the connection, or the request took longer than the grace period of a stop.
      if (!(error instanceof ConnectionDropped)) onError(error);
      // Earlier requests of the connection have been handled, and their responses may still be queued.
      answers.flush();
      incoming.socket.destroy();
    }
  };
  const server = createServer(
    { headersTimeout, requestTimeout, keepAliveTimeout, requireHostHeader: false },
    (incoming, outgoing) => void handle(incoming, outgoing),
  );
  server.on('connection', (socket: Socket) => void addresses.set(socket, socket.remoteAddress ?? unknownAddress));
  server.on('clientError', answerBadRequest);
  server.on('connect', (incoming: IncomingMessage, socket: Socket) =>
    answerRaw(socket, requestIdOf(headerOf(incoming, requestIdHeader)), 405, 'Method Not Allowed', 'CONNECT is not allowed here'),
  );
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) =>
    answers.add(
      outgoing,
      refusalAnswer(requestIdOf(headerOf(incoming, requestIdHeader)), 417, 'The server does not support this Expect header'),
    ),
  );
  const address = await bind(server, host, port);
  // Checks the bound address rather than the given host name.
  serveSandbox ||= isLoopbackHost(address.address);
  return {
    origin: originOf(address),
    answerWith,
    close: (grace) =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), grace).unref();
      }),
  };
}

/** Binds the server to an address. @throws CannotListen */
async function bind(server: HttpServer, host: string, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen(port, host, resolve);
  });
  return server.address() as AddressInfo;
}

function originOf({ family, address, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function toApiRequest(incoming: IncomingMessage, outgoing: ServerResponse, remoteAddress: string): ApiRequest {
  return makeRequest({
    method: incoming.method ?? 'GET',
    remoteAddress,
    poll: performance.nodeTiming.uvMetricsInfo.loopCount,
    target: incoming.url ?? '/',
    header: (name) => headerOf(incoming, name),
    readBody: (maxBytes) => readBody(incoming, maxBytes),
    // A client can be gone before the answer is made.
    onSent: (call) => (outgoing.destroyed || outgoing.closed ? call() : void outgoing.once('close', call)),
  });
}

/** Writes a stream until it or the connection ends, as fast as the client reads. */
async function sendStream(
  outgoing: ServerResponse,
  { status, headers }: ApiResponse,
  stream: OpenStream,
  answers: AnswerQueue,
): Promise<void> {
  answers.flush();
  const closed = new Promise<void>((resolve) => (outgoing.destroyed ? resolve() : void outgoing.once('close', resolve)));
  void closed.then(() => stream.end());
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  for await (const text of stream.text) {
    if (outgoing.destroyed) break;
    if (!outgoing.write(text)) await untilRead(outgoing, closed);
  }
  outgoing.end();
  if (outgoing.socket) limitUnread(outgoing.socket, outgoing);
}

async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // The rest of a body that is too large is read and discarded. Otherwise the client would not receive the response.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw bodyTooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError(400, 'The request was cut off');
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): CannotListen {
  const advice = error.code === 'EADDRINUSE' ? '; choose another port with --port, or any free port with --port 0' : '';
  return new CannotListen(`Cannot listen on ${host}:${port}: ${describeListenError(error.code)}${advice}`, { cause: error });
}

function refusalAnswer(id: string, status: number, message: string): ApiResponse {
  const { headers, ...answer } = errorAnswer(new ApiError(status, message));
  return { ...answer, headers: { ...headers, [requestIdHeader]: id } };
}

/** Answers in the envelope, even for invalid HTTP. */
function answerBadRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) return;
  const [status, reason, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ([431, 'Request Header Fields Too Large', 'The headers are too large'] as const)
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ([408, 'Request Timeout', 'The request took too long to arrive'] as const)
        : ([400, 'Bad Request', 'This is not a valid HTTP request'] as const);
  answerRaw(socket, requestIdOf(undefined), status, reason, message);
}

function answerRaw(socket: Socket, id: string, status: number, reason: string, message: string): void {
  const { headers, body: pieces } = refusalAnswer(id, status, message);
  const body = pieces.join('');
  const all = { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  // Destroyed after the response is sent, because a half-open socket would never close.
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${head.join('')}\r\n${body}`, () => socket.destroy());
}
