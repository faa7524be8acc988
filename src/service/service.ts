import { randomBytes } from 'node:crypto';
import { setInterval } from 'node:timers';
import type { Endpoint } from '../contract/endpoint.ts';
import { iso } from '../contract/instants.ts';
import type { IdentityKey } from '../contract/proof.ts';
import { maintenanceTasks, migrations, openAreas } from './areas.ts';
import { type CreatedAccount, createFirstAccount, renewMainKey } from './areas/sandbox/first-account.ts';
import { builtIn } from './areas/answers/built-in.ts';
import { ModelWriter } from './areas/answers/model.ts';
import type { ModelSettings } from './areas/answers/model-settings.ts';
import type { Writer } from './areas/answers/writer.ts';
import type { ReceiverOptions } from './areas/webhooks/deliveries.ts';
import { frozenAt, readClock, runningFrom } from './clock/clock.ts';
import { lockState, readNow, updateState } from './clock/state.ts';
import { serviceState } from './clock/table.ts';
import type { Failpoint } from './drills/failpoint.ts';
import { ServiceUnavailable } from './errors.ts';
import type { CrawlingOptions } from './areas/kb/crawling/crawler.ts';
import type { Service } from './http/handler.ts';
import { giveBack, RateLimits } from './http/rate-limits.ts';
import type { Fetch } from './http/request.ts';
import { RequestLog, type RequestLogEntry, writeRequestLog } from './http/request-log.ts';
import { createRouter } from './http/router.ts';
import { acceptsKey } from './identity/key-lookup.ts';
import { KeyUsage, writeKeyUsage } from './identity/key-usage.ts';
import { acceptsSandboxToken, renewSandboxToken, setSandboxToken } from './identity/sandbox-token.ts';
import { digest, newSecret } from './identity/secrets.ts';
import { Identities, type IdentityProvider, newIdentityKey, type PrivateIdentityKey } from './identity/tokens.ts';
import type { JobDefinitions } from './jobs/job.ts';
import { recover } from './jobs/recovery.ts';
import { JobRunner } from './jobs/runner.ts';
import { Maintenance } from './maintenance/maintenance.ts';
import { defaultRetention, type Retention } from './maintenance/retention.ts';
import { insertMany } from './store/insert.ts';
import { migrate } from './store/migrate.ts';
import type { Store } from './store/store.ts';
import { Turns } from './store/turns.ts';

/**
 * The interval at which the request log, the last use of keys and unused rate reservations are written, in real milliseconds.
 * A reservation is given back after two of them, and that is to be within a second.
 */
const flushInterval = 400;

/** The options of the service. */
export interface ServiceOptions {
  readonly store: Store;
  readonly version: string;
  /** The address on which a server listens, such as `http://127.0.0.1:4600`. */
  readonly origin?: string;
  /** The sandbox token to use. By default, a new store creates one. */
  readonly sandboxToken?: string | undefined;
  /**
   * Stores the token that a new store creates. It is called before the store is created, so that a kill in between loses
   * no token. It returns the token to use: that of another process that creates the store at the same moment, if any.
   */
  readonly keepToken?: ((token: string) => string) | undefined;
  /** Freeze the clock at this instant, in epoch milliseconds. */
  readonly clock?: number | undefined;
  readonly identityProvider?: IdentityProvider | undefined;
  /** Replaces the definitions of some kinds of jobs. */
  readonly jobDefinitions?: Partial<JobDefinitions>;
  readonly receivers?: ReceiverOptions;
  /** How long a request for a page, and the reading of a document, may take; for tests. */
  readonly readingLimits?: CrawlingOptions['readingLimits'];
  /** The model that writes for agents; by default, the built-in rules do. */
  readonly model?: ModelSettings | undefined;
  /** Replaces what writes for agents. */
  readonly writer?: Writer;
  /** What is kept for how long; the rest as by default. */
  readonly retention?: Partial<Retention>;
  readonly failpoint?: Failpoint | undefined;
  readonly realNow?: () => number;
  readonly onRequest?: ((entry: RequestLogEntry) => void) | undefined;
  /** Called for every error that the caller did not cause. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called with every success answer before it is sent, except documents of public endpoints. */
  readonly onAnswer?: ((spec: Endpoint, answer: unknown) => void) | undefined;
}

/** The secrets of a store that was just created. They are not stored. */
export interface CreatedStore {
  readonly sandboxToken: string;
  readonly apiKey: string;
}

/** The service on an open store. */
export interface OpenService {
  /** Answers a request to /v1 or /sandbox. */
  readonly fetch: Fetch;
  /** The first account. */
  readonly accountId: string;
  /** The secrets of a store that was just created; null when the store existed. */
  readonly made: CreatedStore | null;
  /** Whether a token is the sandbox token. */
  readonly acceptsToken: (token: string) => Promise<boolean>;
  /** Creates a new sandbox token. The old token stops working. */
  readonly makeToken: () => Promise<string>;
  /** Whether a key of any account works. */
  readonly acceptsKey: (key: string) => Promise<boolean>;
  /** Creates a new main key of the first account. The old key stops working. */
  readonly makeKey: () => Promise<string>;
  /** The public part of the store's identity key. */
  readonly identityKey: IdentityKey;
  /** Begins to run jobs as they fall due. */
  readonly startJobs: () => void;
  /** Runs the due jobs, for at most `patience` real milliseconds. */
  readonly runDueJobs: (patience: number) => Promise<void>;
  /** Begins the work in the background: deletions that take long, and the end of what is old. */
  readonly startMaintenance: () => void;
  /** Does all of that work that there is now. */
  readonly runMaintenance: () => Promise<void>;
  /** Cuts off the calls of models, stops leasing jobs, and waits at most `grace` real milliseconds for the running jobs. */
  readonly stopJobs: (grace: number) => Promise<void>;
  /** Releases the jobs, writes the collected data and closes the store. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the service on a store. A new store gets its tables, its state and its first account. On an error, the store is
 * closed.
 * @throws ServiceUnavailable when the store has a newer schema, or `clock` is earlier than the store's clock
 */
export async function openService(options: ServiceOptions): Promise<OpenService> {
  try {
    return await open(options);
  } catch (error) {
    await options.store.close();
    throw error;
  }
}

async function open(options: ServiceOptions): Promise<OpenService> {
  const { store, realNow = Date.now, onError = () => {}, failpoint = () => {} } = options;
  await migrate(store, migrations, realNow);
  const made = await initialise(options, realNow);
  if (made) failpoint('store.created');
  if (options.sandboxToken !== undefined && !made) await useSandboxToken(store, options.sandboxToken);
  if (options.clock !== undefined && !made) await setStartClock(store, options.clock, realNow);
  const { cursor_secret: cursorSecret, identity_key: identityKey } = await store.read((db) =>
    db.selectFrom('service_state').select(['cursor_secret', 'identity_key']).executeTakeFirstOrThrow(),
  );
  const first = await store.read((db) =>
    db.selectFrom('accounts').select('id').where('deleted_at', 'is', null).orderBy('seq').limit(1).executeTakeFirstOrThrow(),
  );

  const turns = new Turns();
  const writer = options.writer ?? (options.model ? new ModelWriter(options.model) : builtIn);
  const areas = openAreas({
    store,
    turns,
    writer,
    realNow,
    failpoint,
    receivers: options.receivers ?? { allowPrivate: false },
    version: options.version,
    readingLimits: options.readingLimits,
  });
  const jobs = new JobRunner(store, { ...areas.jobs, ...options.jobDefinitions }, realNow, onError);
  await recover(store);
  const retention = { ...defaultRetention, ...options.retention };
  const maintenance = new Maintenance({ store, turns, realNow, failpoint }, maintenanceTasks(retention), onError);
  const rateLimits = new RateLimits(store, realNow);
  const log = new RequestLog();
  const keyUsage = new KeyUsage();

  const flushOnce = async (isLast: boolean) => {
    if (isLast) await rateLimits.settle();
    if (log.isEmpty && keyUsage.isEmpty && !rateLimits.holdsUnspent) return;
    const now = await store.read((db) => readNow(db, realNow()));
    // Collected before the transaction, because the transaction may run more than once.
    const unspent = rateLimits.collectUnspent(now, isLast);
    const entries = log.collect();
    const lastUse = keyUsage.collect();
    await store.write(
      async (db) => {
        await writeKeyUsage(db, lastUse);
        await writeRequestLog(db, entries, retention.requests);
        await giveBack(db, unspent, now);
      },
      { isDurable: false },
    );
  };
  // A flush that is requested while another one runs starts after it, so that it writes all earlier data.
  let flushing: Promise<void> = Promise.resolve();
  const flush = (isLast = false) => (flushing = flushing.catch(() => {}).then(() => flushOnce(isLast)));

  const service: Service = {
    version: options.version,
    store,
    turns,
    jobs,
    rateLimits,
    failpoint,
    identities: new Identities(JSON.parse(identityKey) as PrivateIdentityKey, options.identityProvider ?? null, realNow),
    origin: options.origin ?? null,
    cursorSecret,
    realNow,
    lastUse: (keyId) => keyUsage.unwritten(keyId),
    flush,
    forget: () => {
      rateLimits.clear();
      log.clear();
      keyUsage.clear();
    },
  };
  const fetch = createRouter({
    service,
    handlers: areas.handlers,
    onRequest: (entry) => {
      log.add(entry);
      options.onRequest?.(entry);
    },
    onKeyUsed: (keyId, at) => keyUsage.note(keyId, at),
    onError,
    onAnswer: options.onAnswer,
  });
  const timer = setInterval(() => void flush().catch(onError), flushInterval).unref();

  return {
    fetch,
    accountId: first.id,
    made,
    acceptsToken: (token) => acceptsSandboxToken(store, token),
    makeToken: () => renewSandboxToken(store),
    acceptsKey: (key) => acceptsKey(store, key, realNow()),
    makeKey: () => renewMainKey(store, first.id, realNow()),
    identityKey: service.identities.publicKey,
    startJobs: () => jobs.start(),
    runDueJobs: async (patience) => {
      await jobs.drain(patience);
    },
    startMaintenance: () => maintenance.start(),
    runMaintenance: () => maintenance.run(),
    stopJobs: async (grace) => {
      // A call of a model can take longer than a stop may.
      await writer.close();
      await jobs.stop(grace);
    },
    close: async () => {
      clearInterval(timer);
      await writer.close();
      await maintenance.stop();
      await jobs.stop(0);
      await areas.close();
      await flush(true);
      await store.close();
    },
  };
}

/** Creates the state and the first account of a new store; null when the store has them already. */
async function initialise(
  { store, sandboxToken, keepToken = (token) => token, clock }: ServiceOptions,
  realNow: () => number,
): Promise<CreatedStore | null> {
  const known = await store.read((db) => db.selectFrom('service_state').select('id').executeTakeFirst());
  if (known) return null;
  const token = sandboxToken ?? keepToken(newSecret('sandbox_'));
  const state = {
    id: 1,
    ...(clock === undefined ? runningFrom(0, 0) : frozenAt(clock)),
    hold: [],
    faults: [],
    advance_until: 0,
    sandbox_token_digest: digest(token),
    cursor_secret: randomBytes(32).toString('base64url'),
    identity_key: JSON.stringify(newIdentityKey()),
  };
  const created = await store.write(async (db): Promise<CreatedAccount | undefined> => {
    // When two processes start at the same moment, only one of them creates the state.
    const [inserted] = await insertMany(db, serviceState, [state], 'on conflict (id) do nothing returning id');
    return inserted && (await createFirstAccount(db, clock ?? realNow()));
  });
  return created ? { sandboxToken: token, apiKey: created.apiKey } : null;
}

async function useSandboxToken(store: Store, token: string): Promise<void> {
  if (!(await acceptsSandboxToken(store, token))) await setSandboxToken(store, token);
}

async function setStartClock(store: Store, instant: number, realNow: () => number): Promise<void> {
  await store.write(async (db) => {
    const reading = readClock(await lockState(db), realNow());
    if (instant < reading)
      throw new ServiceUnavailable(`--clock ${iso(instant)} is earlier than the store's clock, ${iso(reading)}: the clock cannot go back`);
    await updateState(db, frozenAt(instant));
  });
}
