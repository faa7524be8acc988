import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * How a request is handled: forwarded, dropped before it reaches the server, dropped after the server has carried it out,
 * or rejected with one of these statuses.
 */
export type Fate = 'passes' | 'lost' | 'unanswered' | keyof typeof rejections;

const rejections = { refused: 403, unauthorized: 401, missing: 404 } as const;

/** A server in front of another one that decides how to handle each request. */
export class Proxy {
  /** Called before each request, which waits for the result. */
  decide: (method: string, path: string, key: string | undefined) => Fate | Promise<Fate> = () => 'passes';
  /** Whether it forwards idempotency keys. Without them, the server is as one that does not honour them. */
  forwardsKeys = false;
  /** Modifies response bodies. */
  change: (path: string, body: string) => string = (_path, body) => body;
  readonly #target: string;
  readonly #server = createServer((request, response) => {
    // Any error is reported to the client as a lost connection.
    this.#pass(request, response).catch(() => request.socket.destroy());
  });

  private constructor(target: string) {
    this.#target = target;
  }

  /** @param target the origin of the server to which requests are forwarded */
  static async open(target: string): Promise<Proxy> {
    const proxy = new Proxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const key = headers['idempotency-key']?.toString();
    const body = await buffer(request);
    const fate = await this.decide(method, url, key);
    if (fate === 'lost') return void request.socket.destroy();
    if (fate in rejections) {
      const status = rejections[fate as keyof typeof rejections];
      return void response.writeHead(status, { 'content-type': 'application/json' }).end(`{"error":"Refused","error_code":${status}}`);
    }
    const answer = await fetch(this.#target + url, {
      method,
      headers: {
        authorization: headers.authorization ?? '',
        'content-type': headers['content-type'] ?? 'application/json',
        ...(this.forwardsKeys && key !== undefined && { 'idempotency-key': key }),
      },
      ...(body.length > 0 && { body }),
    });
    const text = this.change(url, await answer.text());
    if (fate === 'unanswered') return void request.socket.destroy();
    const kept = ['idempotency-key', 'idempotency-replayed', 'retry-after'].flatMap((name) => {
      const value = this.forwardsKeys ? answer.headers.get(name) : null;
      return value === null ? [] : [[name, value]];
    });
    response.writeHead(answer.status, { 'content-type': 'application/json', ...Object.fromEntries(kept) }).end(text);
  }
}
