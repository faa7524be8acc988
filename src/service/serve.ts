import { failpoints } from './areas.ts';
import { parseFailpoint } from './drills/failpoint.ts';
import type { IdentityProvider } from './identity/tokens.ts';
import { openPostgresStore } from './store/postgres-store.ts';
import type { RequestLogEntry } from './http/request-log.ts';
import type { Retention } from './maintenance/retention.ts';
import { openSqliteStore } from './store/sqlite-store.ts';
import { listen } from './http/server.ts';
import { openService, type OpenService } from './service.ts';
import type { ModelSettings } from './areas/answers/model-settings.ts';
import type { ReceiverOptions } from './network/outbound.ts';

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
  readonly onRequest: (entry: RequestLogEntry) => void;
  readonly onError: (error: unknown) => void;
}

/** A running server. */
export interface RunningServer extends Pick<
  OpenService,
  'accountId' | 'newStore' | 'acceptsToken' | 'makeToken' | 'acceptsKey' | 'makeKey' | 'identityKey'
> {
  readonly origin: string;
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
    const isPostgres = /^postgres(ql)?:/.test(options.database);
    const store = isPostgres ? await openPostgresStore(options.database) : openSqliteStore(options.database);
    const service = await openService({ ...options, origin: server.origin, failpoint, store });
    // Only a new store is filled (rule serve.10).
    if (options.demo && service.newStore) {
      const { fillDemonstration } = await import('./areas/sandbox/demonstration.ts');
      await fillDemonstration(store, service.accountId, Date.now).catch(async (error: unknown) => {
        await service.close();
        throw error;
      });
    }
    service.startJobs();
    service.startMaintenance();
    server.answerWith(service.fetch);
    return {
      ...service,
      origin: server.origin,
      close: async () => {
        await Promise.all([server.close(stopGrace), service.stopJobs(stopGrace)]);
        await service.close();
      },
    };
  } catch (error) {
    await server.close(0);
    throw error;
  }
}
