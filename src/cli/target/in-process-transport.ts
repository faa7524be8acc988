import { type Transport, TransportFailure } from '../../client/transport.ts';
import { bodyTooLarge, parseTarget } from '../../service/http/request.ts';
import type { OpenService } from '../../service/service.ts';

/** How long a command may run the jobs that it made due, in real milliseconds (5/A1). */
const jobPatience = 10_000;

/** Makes a transport to a service in this process. Closing it runs the jobs that are due, and closes the service. */
export function inProcessTransport(service: OpenService): Transport {
  let wrote = false;
  return {
    target: 'the embedded service',
    async send({ method, path, headers, body = '' }) {
      wrote ||= method !== 'GET';
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      // What the service waits for, such as a fault's delay, does not keep a process from ending.
      const hold = setInterval(() => {}, 2 ** 30);
      try {
        return await service.fetch({
          method,
          ...parseTarget(path),
          header: (name) => headers[name],
          readBody: async (maxBytes) => {
            if (bytes.length > maxBytes) throw bodyTooLarge(maxBytes);
            return bytes;
          },
        });
      } catch (error) {
        throw new TransportFailure((error as Error).message, true, { cause: error });
      } finally {
        clearInterval(hold);
      }
    },
    async close() {
      if (wrote) await service.runDueJobs(jobPatience);
      await service.close();
    },
  };
}
