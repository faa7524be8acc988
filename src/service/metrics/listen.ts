import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeListenError } from '../../contract/network-errors.ts';
import { CannotListen } from '../errors.ts';
import type { Metrics } from './metrics.ts';

/** How long the store has to answer, in milliseconds of real time. */
const readyWithin = 1_000;

/** A server for what watches the service. */
export interface MetricsServer {
  /** Its root URL, such as `http://127.0.0.1:9464`. */
  readonly origin: string;
  readonly close: () => void;
}

/**
 * Serves `/metrics`, and `/ready`: 200 when the store answers within a second, else 503.
 * @param askStore resolves when the store has answered
 * @throws CannotListen when the address cannot be used
 */
export async function listenForMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  metrics: Metrics,
  askStore: () => Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<MetricsServer> {
  const answer = async (path: string): Promise<readonly [status: number, type: string, text: string]> => {
    if (path === '/metrics') return [200, metrics.contentType, await metrics.text()];
    if (path !== '/ready') return [404, 'text/plain', 'There are only /metrics and /ready here\n'];
    const isReady = await within(askStore());
    return isReady ? [200, 'text/plain', 'ready\n'] : [503, 'text/plain', 'the store does not answer\n'];
  };
  const server = createServer((request, response) => {
    const { method = 'GET', url = '/' } = request;
    if (method !== 'GET' && method !== 'HEAD') return send(response, 405, 'text/plain', 'Only GET is allowed here\n');
    answer(url.split('?')[0] ?? '').then(
      ([status, type, text]) => send(response, status, type, text),
      (error: unknown) => {
        onError(error);
        send(response, 503, 'text/plain', 'the metrics cannot be read\n');
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new CannotListen(`Cannot serve metrics on ${host}:${port}: ${describeListenError(error.code)}`, { cause: error })),
    );
    server.listen(port, host, resolve);
  });
  const { address, family, port: bound } = server.address() as AddressInfo;
  return {
    origin: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text);
}

/** Whether something is done in time, and without an error. */
async function within(asked: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), readyWithin)));
  const done = asked.then(
    () => true,
    () => false,
  );
  return await Promise.race([done, late]).finally(() => clearTimeout(timer));
}
