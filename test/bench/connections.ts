import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An HTTP response. */
interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * A connection that sends requests one after another. Node's own client would use more CPU time than the servers to be
 * measured.
 */
export class Connection {
  readonly #socket: Socket;
  #received = '';
  #waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay().setEncoding('latin1');
    socket.on('data', (text: string) => this.#receive(text));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('The server closed the connection')));
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Connection(socket);
  }

  send(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = null;
    this.#socket.destroy();
  }

  #receive(text: string): void {
    this.#received += text;
    const head = this.#received.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1]);
    if (this.#received.length < head + 4 + length) return;
    const answer = { status: Number(this.#received.slice(9, 12)), text: this.#received.slice(head + 4) };
    this.#received = '';
    this.#waiting?.resolve(answer);
  }
}

/** The bytes of an HTTP request. */
export function requestText(method: string, path: string, key: string, body?: unknown, idempotencyKey?: string): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const repeatable = idempotencyKey === undefined ? '' : `Idempotency-Key: ${idempotencyKey}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${repeatable}Content-Length: ${text.length}\r\n\r\n${text}`;
}

/** The result of requests on many connections. */
export interface Driven {
  /** Number of successful requests per second. */
  readonly rate: number;
  /** Number of 503 responses. */
  readonly unavailable: number;
}

/**
 * Sends requests on many connections, one at a time on each, until `next` returns none.
 * @param ports the ports of the servers, which are used in turn
 * @param next returns the next request for a connection
 * @throws Error if a response is neither a success nor 503
 */
export async function drive(
  ports: readonly number[],
  connections: number,
  next: (connection: number) => string | null,
  onSuccess: (text: string) => void = () => {},
): Promise<Driven> {
  const open = await Promise.all(Array.from({ length: connections }, (_, index) => Connection.open(ports[index % ports.length] ?? 0)));
  let succeeded = 0;
  let unavailable = 0;
  const started = performance.now();
  try {
    await Promise.all(
      open.map(async (connection, index) => {
        for (let request = next(index); request !== null; request = next(index)) {
          const { status, text } = await connection.send(request);
          if (status < 300) {
            succeeded++;
            onSuccess(text);
          } else if (status === 503) unavailable++;
          else throw new Error(`A request was answered ${status}: ${text}`);
        }
      }),
    );
    return { rate: (succeeded * 1000) / (performance.now() - started), unavailable };
  } finally {
    for (const connection of open) connection.close();
  }
}
