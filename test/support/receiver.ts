import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A delivery as it was received. */
interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The names of the headers, as they were spelled. */
  readonly spelled: readonly string[];
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects by asserting it
  readonly body: any;
}

/** How a receiver handles a delivery: the status to return, or a function. */
type Behaviour = number | ((response: ServerResponse, received: Received) => void);

/** A local webhook receiver. */
export class Receiver {
  readonly received: Received[] = [];
  /** How deliveries are handled from now on, unless `byPath` has an entry for the path. */
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
        const received = {
          path: request.url ?? '',
          headers: request.headers,
          spelled: namesIn(request.rawHeaders),
          text,
          body: (text === '' ? null : JSON.parse(text)) as unknown,
        };
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

  /** The URL of the receiver. Different paths distinguish several webhooks. */
  url(path = '/hook'): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** Returns and clears the deliveries received so far. */
  take(): Received[] {
    return this.received.splice(0);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The names among raw headers, in which names and values take turns. */
function namesIn(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 0);
}

/** Whether a delivery was signed with a secret. */
export function isSignedWith(secret: string, { headers, text }: Received): boolean {
  const expected = createHmac('sha256', secret)
    .update(`${String(headers['x-webhook-timestamp'])}.${text}`)
    .digest('hex');
  return headers['x-webhook-signature'] === `v1=${expected}`;
}
