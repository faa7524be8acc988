import { serve, type RunningServer } from '../../src/service/serve.ts';

/** A server in this process. */
export interface TestServer extends Omit<RunningServer, 'made'> {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly token: string;
}

/**
 * @param database the address of its database; by default, an in-memory store
 * @param port to listen on; by default, any free one
 * @param metrics where metrics are served
 * @param clock the time at which its clock is frozen, in epoch milliseconds; by default, the clock runs
 */
export async function startServer({
  database = ':memory:',
  clock,
  port = 0,
  metrics,
}: { database?: string; clock?: number; port?: number; metrics?: { host: string; port: number } } = {}): Promise<TestServer> {
  const server = await serve({
    host: '127.0.0.1',
    port,
    exposeSandbox: false,
    prepareStore: () => {},
    database,
    version: 'test',
    sandboxToken: undefined,
    clock,
    identityProvider: undefined,
    retention: {},
    receivers: { allowPrivate: true },
    demo: false,
    metrics,
    onRequest: () => {},
    onError: (error) => {
      throw error;
    },
  });
  const { newStore: made, origin } = server;
  return { ...server, baseUrl: `${origin}/v1`, apiKey: made?.apiKey ?? '', token: made?.sandboxToken ?? '' };
}
