import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

/** The beginning of an interim answer, such as `100 Continue`. After 101, the connection would speak another protocol. */
const interim = /^HTTP\/1\.[01] 1(?!01)\d\d$/;
const beginningLength = 'HTTP/1.1 100'.length;

/** The longest interim answer that is waited for. */
const headMax = 16 * 1024;

/** Connects to servers that may send interim answers unasked. A connection must carry one request at a time. */
export function tolerantConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector({ ...options, allowH2: false });
  return (to, done) => connect(to, (...[error, socket]) => (error ? done(error, null) : done(null, withoutInterimAnswers(socket))));
}

/** Leaves interim answers out of what is read from a connection: with one that it has not asked for, undici closes it. */
function withoutInterimAnswers(socket: Socket): Socket {
  /** Whether a request was written whose final answer has not begun. */
  let isAwaiting = false;
  let held: Buffer | null = null;
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)] as [() => Buffer | null, (...args: unknown[]) => boolean];
  socket.write = (...args: unknown[]) => {
    isAwaiting = true;
    return write(...args);
  };
  socket.read = () => {
    for (;;) {
      const chunk = read();
      if (chunk === null || !isAwaiting) return chunk;
      const bytes: Buffer = afterInterim(held ? Buffer.concat([held, chunk]) : chunk);
      held = isUndecided(bytes) ? bytes : null;
      if (held) continue;
      isAwaiting = false;
      return bytes;
    }
  };
  return socket;
}

/** The bytes after the complete interim answers at their beginning. */
function afterInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  for (;;) {
    const end = interim.test(beginningOf(rest)) ? rest.indexOf('\r\n\r\n') : -1;
    if (end < 0) return rest;
    rest = rest.subarray(end + 4);
  }
}

/** Whether more bytes are needed to tell whether an interim answer begins, or where it ends. */
function isUndecided(bytes: Buffer): boolean {
  const beginning = beginningOf(bytes);
  if (beginning.length === beginningLength) return interim.test(beginning) && bytes.length < headMax;
  return interim.test(beginning + 'HTTP/1.1 100'.slice(beginning.length));
}

function beginningOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, beginningLength);
}
