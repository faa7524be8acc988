import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A delivery as a receiver gets it. */
interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test says what it expects by asserting it
  readonly body: any;
}

/** What a receiver does with a delivery: answer a status, or whatever else. */
type Behaviour = number | ((response: ServerResponse, received: Received) => void);

/** A receiver of webhooks on this machine. */
export class Receiver {
  readonly received: Received[] = [];
  /** What it does from now on; by path where one is named. */
  behaviour: Behaviour = 200;
  readonly byPath = new Map<string, Behaviour>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const received = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) as unknown };
        receiver.received.push(received);
        const behaviour = receiver.byPath.get(received.path) ?? receiver.behaviour;
        if (typeof behaviour === 'function') return behaviour(response, received);
        response.writeHead(behaviour);
        response.end(`answered ${behaviour}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  /** Its address, with a path to tell receivers apart. */
  url(path = '/hook'): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** Those that it got so far, which are forgotten. */
  take(): Received[] {
    return this.received.splice(0);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Whether a delivery is signed with a secret. */
export function isSignedWith(secret: string, { headers, text }: Received): boolean {
  const expected = createHmac('sha256', secret)
    .update(`${String(headers['x-webhook-timestamp'])}.${text}`)
    .digest('hex');
  return headers['x-webhook-signature'] === `v1=${expected}`;
}
