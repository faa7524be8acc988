import { type Transport, TransportError } from '../../client/transport.ts';
import { bodyTooLarge, makeRequest } from '../../service/http/request.ts';
import type { OpenService } from '../../service/service.ts';

/** Timeout for running due jobs before a command ends, in real milliseconds. */
const jobTimeout = 10_000;

/**
 * Creates a transport to a service in this process. Closing it runs the jobs that are due after a write, and closes the
 * service.
 */
export function inProcessTransport(service: OpenService): Transport {
  let wrote = false;
  let closing: Promise<void> | null = null;
  const close = async () => {
    if (wrote) await service.runDueJobs(jobTimeout);
    await service.close();
  };
  return {
    target: 'the embedded service',
    async send({ method, path, headers, body = '' }) {
      wrote ||= method !== 'GET';
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      // The service's own timers, such as the delay of a fault, do not keep the process alive.
      const keepAlive = setInterval(() => {}, 2 ** 30);
      try {
        const response = await service.fetch(
          makeRequest({
            method,
            target: path,
            header: (name) => headers[name],
            readBody: async (maxBytes) => {
              if (bytes.length > maxBytes) throw bodyTooLarge(maxBytes);
              return bytes;
            },
          }),
        );
        return { ...response, body: response.body.map(textOf).join('') };
      } catch (error) {
        throw new TransportError((error as Error).message, { maybeSent: true, cause: error });
      } finally {
        clearInterval(keepAlive);
      }
    },
    async stream({ method, path, headers }, until) {
      const header = (name: string) => headers[name];
      const response = await service.fetch(makeRequest({ method, target: path, header, readBody: async () => new Uint8Array() }));
      const { status, stream } = response;
      until.addEventListener('abort', () => stream?.end());
      return { status, headers: response.headers, text: stream?.text ?? eachOf(response.body) };
    },
    // Two clients can share it.
    close: () => (closing ??= close()),
  };
}

async function* eachOf(pieces: readonly (string | Uint8Array)[]): AsyncGenerator<string> {
  yield* pieces.map(textOf);
}

function textOf(piece: string | Uint8Array): string {
  return typeof piece === 'string' ? piece : Buffer.from(piece).toString();
}
