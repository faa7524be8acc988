import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The number of pipelined requests of a connection that are handled at the same time. */
const inProgressMax = 4;

/** How long a client may leave a response unread, in milliseconds. */
const unreadTimeout = 60_000;

interface Connection {
  inProgress: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits the memory that a connection can use. If a client pipelines requests, only a few are handled at a time, and its socket
 * is not read while others wait. A client that does not read its responses is disconnected.
 */
export class PipelineLimit {
  readonly #connections = new WeakMap<Socket, Connection>();

  /** Resolves when the request of a response may be handled. */
  async enter(socket: Socket, response: ServerResponse): Promise<void> {
    let connection = this.#connections.get(socket);
    if (!connection) this.#connections.set(socket, (connection = { inProgress: 0, waiting: [] }));
    const { waiting } = connection;
    if (connection.inProgress < inProgressMax) connection.inProgress++;
    else {
      socket.pause();
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    response.once('close', () => {
      const next = waiting.shift();
      if (!next) connection.inProgress--;
      else {
        // The next request takes the slot over, so that none that arrives now can take it.
        if (waiting.length === 0) socket.resume();
        next();
      }
    });
  }
}

/** Disconnects a client that leaves a response unread. Call it after the response was written. */
export function limitUnread(socket: Socket, response: ServerResponse): void {
  if (response.writableFinished) return;
  const timer = setTimeout(() => socket.destroy(), unreadTimeout).unref();
  response.once('close', () => clearTimeout(timer));
}

/** Waits until a client has read what was written of a response, or is gone. One that leaves it unread is disconnected. */
export async function untilRead(response: ServerResponse, closed: Promise<void>): Promise<void> {
  const timer = setTimeout(() => response.destroy(), unreadTimeout).unref();
  await Promise.race([closed, new Promise((resolve) => response.once('drain', resolve))]);
  clearTimeout(timer);
}
