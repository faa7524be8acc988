import { failpoints } from './areas.ts';
import { parseFailpoint } from './drills/failpoint.ts';
import type { IdentityProvider } from './identity/tokens.ts';
import { openPostgresStore } from './store/postgres-store.ts';
import type { RequestLogEntry } from './http/request-log.ts';
import type { Retention } from './maintenance/retention.ts';
import { openSqliteStore } from './store/sqlite-store.ts';
import { listen } from './http/server.ts';
import { seedRandomness } from './store/randomness.ts';
import { openService, type OpenService } from './service.ts';
import type { ModelSettings } from './areas/answers/model-settings.ts';
import type { ReceiverOptions } from './network/outbound.ts';
import type { MetricsServer } from './metrics/listen.ts';
import type { Metrics } from './metrics/metrics.ts';

interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly exposeSandbox: boolean;
  /** The proxies that tell the address of a client: addresses and networks. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Creates the data directory. Called once the server listens. */
  readonly prepareStore: () => void;
  /** A database file, `:memory:`, or a `postgres://` URL. */
  readonly database: string;
  readonly version: string;
  readonly sandboxToken: string | undefined;
  /** See `ServiceOptions`. */
  readonly keepToken?: ((token: string) => string) | undefined;
  /** Freeze the clock at this instant, in epoch milliseconds. */
  readonly clock: number | undefined;
  readonly identityProvider: IdentityProvider | undefined;
  readonly receivers: ReceiverOptions;
  /** See `ServiceOptions`. */
  readonly publicUrl?: string | undefined;
  /** See `ServiceOptions`. */
  readonly model?: ModelSettings | undefined;
  readonly retention: Partial<Retention>;
  /** For recovery tests: where to kill the process (see `parseFailpoint`), and how. */
  readonly drill?: { readonly failpoint: string; readonly kill: () => void } | undefined;
  /** Fill a new store with a demonstration account. */
  readonly demo: boolean;
  /** For tests: makes ids, keys, tokens and secrets the same in each run. Needs `clock`, and a new store. */
  readonly seed?: number | undefined;
  /** Serve metrics on this address too. */
  readonly metrics?: { readonly host: string; readonly port: number } | undefined;
  readonly onRequest: (entry: RequestLogEntry) => void;
  readonly onError: (error: unknown) => void;
}

/** A running server. */
export interface RunningServer extends Pick<
  OpenService,
  'accountId' | 'newStore' | 'acceptsToken' | 'makeToken' | 'acceptsKey' | 'makeKey' | 'identityKey'
> {
  readonly origin: string;
  /** The root URL of the metrics; null when they are not served. */
  readonly metricsOrigin: string | null;
  /** Finishes the requests in progress, releases the jobs and closes the store, within 10 seconds. */
  readonly close: () => Promise<void>;
}

/** The time limit for requests and jobs while the server stops, in milliseconds. It must have ended after 10 seconds. */
const stopGrace = 8_500;

/**
 * Runs the service on an address.
 * @throws CannotListen when the address cannot be used
 * @throws ServiceUnavailable when the store cannot be used or the failpoint is unknown
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const failpoint = options.drill && parseFailpoint(options.drill.failpoint, failpoints, options.drill.kill);
  // Listens first: a new store shows its key only once, so a start that fails must not create the store.
  const server = await listen(options);
  try {
    options.prepareStore();
    if (options.seed !== undefined) seedRandomness(options.seed, options.clock ?? 0);
    const isPostgres = /^postgres(ql)?:/.test(options.database);
    const store = isPostgres ? await openPostgresStore(options.database) : openSqliteStore(options.database);
    const metrics = options.metrics && (await import('./metrics/metrics.ts')).createMetrics(options.version);
    const service = await openService({ ...options, origin: server.origin, failpoint, store, meters: metrics?.meters });
    // Only a new store is filled (rule serve.10).
    if (options.demo && service.newStore)
      await service.fillDemonstration().catch(async (error: unknown) => {
        await service.close();
        throw error;
      });
    const watched = metrics && (await watch(options, metrics, service));
    service.startJobs();
    service.startMaintenance();
    server.answerWith(service.fetch);
    return {
      ...service,
      origin: server.origin,
      metricsOrigin: watched?.origin ?? null,
      close: async () => {
        await Promise.all([server.close(stopGrace), service.stopJobs(stopGrace)]);
        watched?.close();
        await service.close();
      },
    };
  } catch (error) {
    await server.close(0);
    throw error;
  }
}

/** Serves the metrics of a service, and closes it if that fails. */
async function watch({ metrics: address, onError }: ServeOptions, metrics: Metrics, service: OpenService): Promise<MetricsServer> {
  const { listenForMetrics } = await import('./metrics/listen.ts');
  metrics.readFrom(service.readGauges);
  return await listenForMetrics(address as NonNullable<typeof address>, metrics, service.askStore, onError).catch(
    async (error: unknown) => {
      await service.close();
      throw error;
    },
  );
}
