import { Agent, request as startRequest } from 'node:http';
import type { Readable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import type { TransportRequest } from './transport.ts';

/** HTTP connections to one server. Their only limit of time is that for connecting. */
export interface Connections {
  /** Sends a request. @returns once the headers of the response have arrived */
  send(request: Omit<TransportRequest, 'answerLimits'>, signal: AbortSignal): Promise<HttpResponse>;
  /** Closes the connections. No request may be in progress. */
  close(): Promise<void>;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}

/** A proxy that requests go through. */
export interface Proxy {
  /** Its address, with its credentials. */
  readonly address: string;
  /** The environment variable that sets it. */
  readonly variable: string;
}

/** The maximum time for connecting, and for keeping an idle connection open, in milliseconds. */
const timeout = 10_000;

/**
 * Connects to a server. Uses Node's own client, which loads in a third of the time of undici and skips interim answers, such as
 * `100 Continue`.
 * @param origin such as `http://127.0.0.1:4600`, or with a path that comes before that of each request
 * @param proxy tunnels HTTPS connections
 */
export async function openConnections(origin: string, proxy: Proxy | null = null): Promise<Connections> {
  const url = new URL(origin);
  const server = urlToHttpOptions(url);
  const prefix = url.pathname.replace(/\/+$/, '');
  const proxyEnv = proxy ? { HTTP_PROXY: proxy.address, HTTPS_PROXY: proxy.address } : undefined;
  const options = { keepAlive: true, timeout, proxyEnv };
  const agent = origin.startsWith('https:') ? (await import('./tls-agent.ts')).tlsAgent(options) : new Agent(options);
  return {
    send: ({ method, path, headers, body, prepare }, signal) =>
      new Promise<HttpResponse>((resolve, reject) => {
        // Node does not send the length of the body with DELETE.
        const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
        const request = startRequest(
          { ...server, method, path: prefix + path, headers: { ...headers, ...length }, agent, signal },
          (response) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response }),
        );
        request.on('timeout', () => {
          if (request.socket?.connecting)
            request.destroy(Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT', syscall: 'connect' }));
        });
        if (prepare) request.on('finish', prepare);
        // A connection that switches to another protocol closes without an error.
        request.on('close', () => reject(Object.assign(new Error('no answer'), { code: 'ECONNRESET' })));
        request.on('error', reject).end(body);
      }),
    close: () => Promise.resolve(agent.destroy()),
  };
}
