import type { Endpoint } from '../contract/endpoint.ts';
import type { IdentityKey } from '../contract/proof.ts';
import { handlers, jobDefinitions, maintenanceTasks, migrations, publicRoutes } from './areas.ts';
import { builtIn } from './areas/answers/built-in.ts';
import type { ModelSettings } from './areas/answers/model-settings.ts';
import { LazyModelClient } from './areas/answers/lazy-model-client.ts';
import { ModelEmbedder } from './areas/answers/model-embedder.ts';
import { ModelWriter } from './areas/answers/model.ts';
import type { Writer } from './areas/answers/writer.ts';
import { embedForModel } from './areas/faqs/vectors.ts';
import { ReplyOrder } from './areas/inbound/reply-order.ts';
import { type ExportLimits, usualExportLimits } from './areas/exports/rules.ts';
import { LazyCrawlers } from './areas/kb/lazy-crawlers.ts';
import type { CrawlingOptions } from './areas/kb/crawling/crawler.ts';
import { MediaLinks } from './areas/messages/media-links.ts';
import { RuleBooks } from './areas/routing/rule-books.ts';
import { renewMainKey } from './areas/sandbox/first-account.ts';
import { Connections, type ToolServers } from './areas/tool-servers/connections.ts';
import { LiveToolRunner, type ToolRunner } from './areas/tools/runner.ts';
import { Deliveries } from './areas/webhooks/deliveries.ts';
import { readNow, readState } from './clock/state.ts';
import { ServiceUnavailable } from './errors.ts';
import { AnswerBudget } from './http/answer-budget.ts';
import type { EndpointGroupOptions } from './http/endpoint-group.ts';
import type { Service } from './http/handler.ts';
import { Handling } from './http/handling.ts';
import { callsOnSnapshot, InternalCalls } from './http/internal-calls.ts';
import { RateLimits } from './http/rate-limits.ts';
import type { RequestLogEntry } from './http/request-log.ts';
import type { Fetch } from './http/request.ts';
import { createRouter } from './http/router.ts';
import { Streams } from './http/streams.ts';
import { PublicLimits } from './http/public-limits.ts';
import { PendingWrites } from './http/pending-writes.ts';
import { acceptsKey } from './identity/key-lookup.ts';
import { acceptsSandboxToken, renewSandboxToken } from './identity/sandbox-token.ts';
import { Identities, type IdentityProvider } from './identity/tokens.ts';
import type { JobDefinitions } from './jobs/job.ts';
import { recover } from './jobs/recovery.ts';
import { JobRunner } from './jobs/runner.ts';
import { meteredStore } from './metrics/metered-store.ts';
import type { Gauges, Meters } from './metrics/meters.ts';
import { readJobGauges } from './metrics/job-gauges.ts';
import { Maintenance } from './maintenance/maintenance.ts';
import { Outbound, type ReceiverOptions } from './network/outbound.ts';
import { defaultRetention, type Retention } from './maintenance/retention.ts';
import type { Parts } from './parts.ts';
import { type CreatedStore, openState, type StateOptions } from './open-state.ts';
import { StepScheduler } from './flow/steps.ts';
import { migrate } from './store/migrate.ts';
import { StoreFull } from './store/store.ts';
import { describeStoreError } from './store/store-errors.ts';

/** The public address of a service in process: that at which `msgctl serve` would listen. */
const defaultPublicUrl = 'http://127.0.0.1:4600';

/** The options of the service. */
export interface ServiceOptions extends StateOptions {
  readonly version: string;
  /** The address on which a server listens, such as `http://127.0.0.1:4600`. */
  readonly origin?: string;
  /** The address in the links of public pages and media, such as `https://chat.example`; by default, `origin`. */
  readonly publicUrl?: string | undefined;
  readonly identityProvider?: IdentityProvider | undefined;
  /** Replaces the definitions of some kinds of jobs. */
  readonly jobDefinitions?: Partial<JobDefinitions>;
  readonly receivers?: ReceiverOptions;
  /** Time limits for requesting a page and for reading a document; for tests. */
  readonly readingLimits?: CrawlingOptions['readingLimits'];
  /** The model that writes for agents. By default, the built-in rules are used. */
  readonly model?: ModelSettings | undefined;
  /** Replaces the writer for agents. */
  readonly writer?: Writer;
  /** Replaces the connections to tool servers, and what calls functions and tools. */
  readonly toolServers?: ToolServers;
  readonly toolRunner?: ToolRunner;
  /** Replaces the limits of exports. */
  readonly exportLimits?: Partial<ExportLimits>;
  /** How long records are kept. Omitted values have their defaults. */
  readonly retention?: Partial<Retention>;
  readonly realNow?: () => number;
  /** Told of the work, for metrics. By default, nothing is measured. */
  readonly meters?: Meters | undefined;
  readonly onRequest?: ((entry: RequestLogEntry) => void) | undefined;
  /** Called for every error that the caller did not cause. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called with every success answer before it is sent, except documents of public endpoints. */
  readonly onAnswer?: ((spec: Endpoint, answer: unknown) => void) | undefined;
}

/** The service on an open store. */
export interface OpenService {
  /** Answers a request to /v1 or /sandbox. */
  readonly fetch: Fetch;
  /** The first account. */
  readonly accountId: string;
  /** The secrets of a new store; null when the store already existed. */
  readonly newStore: CreatedStore | null;
  /** Whether a token is the sandbox token. */
  readonly acceptsToken: (token: string) => Promise<boolean>;
  /** Creates a new sandbox token. The old token stops working. */
  readonly makeToken: () => Promise<string>;
  /** Whether a key is a valid key of any account. */
  readonly acceptsKey: (key: string) => Promise<boolean>;
  /** Creates a new main key of the first account. The old key stops working. */
  readonly makeKey: () => Promise<string>;
  /** Fills the first account as `sandbox.demo` does. */
  readonly fillDemonstration: () => Promise<unknown>;
  /** The public part of the store's identity key. */
  readonly identityKey: IdentityKey;
  /** What is measured when somebody asks for it. */
  readonly readGauges: () => Promise<Gauges>;
  /** Resolves when the store has answered. */
  readonly askStore: () => Promise<unknown>;
  /** Starts running jobs as they fall due. */
  readonly startJobs: () => void;
  /** Runs the due jobs, for at most `timeout` real milliseconds. */
  readonly runDueJobs: (timeout: number) => Promise<void>;
  /** Starts the background maintenance: long deletions, and trimming of expired records. */
  readonly startMaintenance: () => void;
  /** Does all maintenance work that is currently due. */
  readonly runMaintenance: () => Promise<void>;
  /** Aborts calls to models, stops leasing jobs, and waits at most `grace` real milliseconds for the running jobs. */
  readonly stopJobs: (grace: number) => Promise<void>;
  /** Releases the jobs, writes the collected data and closes the store. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the service on a store. Creates the tables, the state and the first account of a new store. Closes the store if an error
 * occurs.
 * @throws ServiceUnavailable when the store cannot be used or has the schema of another version, or `clock` is earlier than the
 * store's clock
 */
export async function openService(options: ServiceOptions): Promise<OpenService> {
  try {
    return await open(options);
  } catch (error) {
    // A store that cannot be written may not be closed either.
    await options.store.close().catch(() => {});
    if (error instanceof StoreFull) throw new ServiceUnavailable(`Cannot use the store: ${error.message}`, { cause: error });
    throw isOfSqlite(error) ? new ServiceUnavailable(`Cannot use the store: ${describeStoreError(error)}`, { cause: error }) : error;
  }
}

/** What writes for agents. The built-in rules wait for the vectors of a question outside of transactions. */
function writerOf(model: ModelSettings | undefined, client: LazyModelClient | undefined, hasEmbedder: boolean): Writer {
  if (model?.models) return new ModelWriter({ ...model, models: model.models }, client);
  return hasEmbedder ? { ...builtIn, isLocal: false } : builtIn;
}

/** Whether SQLite reported an error, such as a damaged file. */
function isOfSqlite(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR';
}

async function open(options: ServiceOptions): Promise<OpenService> {
  const { realNow = Date.now, onError = () => {}, failpoint = () => {}, meters } = options;
  const store = meters ? meteredStore(options.store, meters) : options.store;
  const { newStore, accountId, cursorSecret, identityKey, embeddingModel } = await openState(options, realNow);
  if (newStore) failpoint('store.created');
  const scheduler = new StepScheduler();
  const { model } = options;
  const client = model && new LazyModelClient(model);
  const embedder = client && model.embeddingModel ? new ModelEmbedder(model.embeddingModel, client, onError) : null;
  const writer = options.writer ?? writerOf(model, client, embedder !== null);
  const { version, receivers = { allowPrivate: false }, readingLimits } = options;
  const outbound = new Outbound(receivers);
  const toolServers = options.toolServers ?? new Connections(outbound, version);
  const publicUrl = (options.publicUrl ?? options.origin ?? defaultPublicUrl).replace(/\/+$/, '');
  const parts: Parts = {
    version,
    publicUrl,
    store,
    scheduler,
    realNow,
    failpoint,
    writer,
    embedder,
    outbound,
    meters,
    deliveries: new Deliveries({ store, realNow, failpoint, outbound, meters }),
    exportLimits: { ...usualExportLimits, ...options.exportLimits },
    crawling: new LazyCrawlers({ allowPrivate: receivers.allowPrivate, version, realNow, readingLimits }),
    ruleBooks: new RuleBooks(),
    replyOrder: new ReplyOrder(),
    toolServers,
    toolRunner: options.toolRunner ?? new LiveToolRunner(outbound, toolServers),
    publicLimits: new PublicLimits(realNow),
    tellStreams: (subject) => streams.tell(subject),
    mediaLinks: new MediaLinks(cursorSecret, publicUrl),
    callsFor: (account) => new InternalCalls(service, handling, account),
    readsAt: (account, db) => callsOnSnapshot(handlingOptions, account, db),
  };
  const jobs = new JobRunner(parts, { ...jobDefinitions, ...options.jobDefinitions }, onError);
  await recover(store);
  const usedModel = embedder?.model ?? null;
  if (usedModel !== embeddingModel) await store.write(async (db) => await embedForModel(db, usedModel, await readNow(db, realNow())));
  const retention = { ...defaultRetention, ...options.retention };
  const maintenance = new Maintenance({ store, scheduler, realNow, failpoint }, maintenanceTasks(retention), onError);
  const rateLimits = new RateLimits(store, realNow);
  const pendingWrites = new PendingWrites({ store, rateLimits, realNow }, retention.requests, onError);
  const streams = new Streams(parts, onError);
  const service: Service = {
    ...parts,
    jobs,
    streams,
    rateLimits,
    identities: new Identities(identityKey, options.identityProvider ?? null, realNow),
    origin: options.origin ?? null,
    cursorSecret,
    retention,
    lastUse: (keyId) => pendingWrites.lastUse(keyId),
    flush: () => pendingWrites.flush(),
    migrate: (other) => migrate(other, migrations, realNow),
    replaceStore: (replace) => pendingWrites.replaceStore(replace),
  };
  const handlingOptions = { service, handlers, onAnswer: options.onAnswer };
  const handling = new Handling(handlingOptions);
  const group: EndpointGroupOptions = {
    ...handlingOptions,
    answerBudget: new AnswerBudget(),
    onRequest: (entry) => {
      pendingWrites.addRequest(entry);
      options.onRequest?.(entry);
    },
    onAnswered: meters?.request,
    onKeyUsed: (keyId, at) => pendingWrites.noteKeyUse(keyId, at),
    onError,
  };
  const fetch = createRouter(group, handling, publicRoutes);
  return {
    fetch,
    accountId,
    newStore,
    acceptsToken: (token) => acceptsSandboxToken(store, token),
    makeToken: () => renewSandboxToken(store),
    acceptsKey: (key) => acceptsKey(store, key, realNow()),
    makeKey: () => renewMainKey(store, accountId, realNow()),
    fillDemonstration: async () => await (await import('./areas/sandbox/demonstration.ts')).fillDemonstration(service, {}),
    identityKey: service.identities.publicKey,
    readGauges: async () => ({
      jobs: await readJobGauges(store, realNow()),
      streams: streams.count,
      modelConnections: client?.connections ?? 0,
    }),
    askStore: () => store.read(readState),
    startJobs: () => jobs.start(),
    runDueJobs: async (timeout) => {
      await jobs.drain(timeout);
    },
    startMaintenance: () => maintenance.start(),
    runMaintenance: () => maintenance.run(),
    stopJobs: async (grace) => {
      streams.close();
      // A call to a model can take longer than the time allowed for stopping. What is then cut off is no error for the jobs that stop.
      await Promise.all([jobs.stop(grace), writer.close(), embedder?.close()]);
    },
    close: async () => {
      streams.close();
      await Promise.all([writer.close(), embedder?.close()]);
      await maintenance.stop();
      await jobs.stop(0);
      await parts.crawling.close();
      await toolServers.close();
      await outbound.close();
      await pendingWrites.close();
      await store.close();
    },
  };
}
