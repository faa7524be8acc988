import { randomBytes } from 'node:crypto';
import { setInterval } from 'node:timers';
import type { JWK } from 'jose';
import type { Endpoint } from '../contract/endpoint.ts';
import type { EndpointName, EndpointOf } from '../contract/endpoints.ts';
import { keyHandlers } from './areas/keys/handlers.ts';
import { broadcastHandlers } from './areas/broadcasts/handlers.ts';
import { broadcastSending } from './areas/broadcasts/sending.ts';
import { campaignHandlers } from './areas/campaigns/handlers.ts';
import { charging } from './areas/channels/charge.ts';
import { channelHandlers } from './areas/channels/handlers.ts';
import { sessionHandlers } from './areas/sessions/handlers.ts';
import { sessionEnd } from './areas/sessions/session-end.ts';
import { contactHandlers } from './areas/contacts/handlers.ts';
import { createApp } from './http/app.ts';
import type { Failpoint } from './drills/failpoint.ts';
import { frozenAt, iso, readClock, runningFrom } from './clock/clock.ts';
import type { SandboxHandler, Handler, PublicHandler, Service } from './http/context.ts';
import { ServiceUnavailable } from './errors.ts';
import type { Fetch } from './http/request.ts';
import { Identities, type IdentityProvider, newIdentityKey } from './identity/tokens.ts';
import { digest, newSecret } from './identity/secrets.ts';
import { type JobHandlers, JobRunner } from './jobs/jobs.ts';
import { migrate } from './store/migrations.ts';
import { giveBack, RateLimits } from './http/rate-limits.ts';
import { RequestLog, type RequestLogEntry, writeCollected } from './http/request-log.ts';
import { readNow, readState, updateState } from './clock/state.ts';
import type { Store } from './store/store.ts';
import { eventHandlers } from './areas/events/handlers.ts';
import { healthHandlers, openApiHandlers } from './areas/health/handlers.ts';
import { listHandlers } from './areas/lists/handlers.ts';
import { messageHandlers } from './areas/messages/handlers.ts';
import { createFirstAccount } from './areas/sandbox/first-account.ts';
import { sandboxHandlers } from './areas/sandbox/handlers.ts';
import { linkHandlers } from './areas/links/handlers.ts';
import { accountHandlers } from './areas/accounts/handlers.ts';
import { dailySummary } from './areas/summaries/daily-summary.ts';
import { tagHandlers } from './areas/tags/handlers.ts';
import { taskHandlers } from './areas/tasks/handlers.ts';
import { teamHandlers } from './areas/team/handlers.ts';
import { whoamiHandlers } from './areas/whoami/handlers.ts';
import { creditHandlers } from './areas/credits/handlers.ts';
import { Deliveries, type ReceiverOptions } from './areas/webhooks/deliveries.ts';
import { webhookHandlers } from './areas/webhooks/handlers.ts';

/** How often what requests leave behind is written, and what they reserved given back, in real milliseconds. */
const flushInterval = 500;

type AnyHandlers = {
  [Name in EndpointName]: Handler<EndpointOf<Name>> | SandboxHandler<EndpointOf<Name>> | PublicHandler<EndpointOf<Name>>;
};

// A missing handler is a type error.
const handlers: AnyHandlers = {
  ...healthHandlers,
  ...openApiHandlers,
  ...keyHandlers,
  ...whoamiHandlers,
  ...creditHandlers,
  ...teamHandlers,
  ...accountHandlers,
  ...tagHandlers,
  ...listHandlers,
  ...contactHandlers,
  ...messageHandlers,
  ...sessionHandlers,
  ...channelHandlers,
  ...campaignHandlers,
  ...broadcastHandlers,
  ...taskHandlers,
  ...eventHandlers,
  ...linkHandlers,
  ...webhookHandlers,
  ...sandboxHandlers,
};

/** What the service can be told when it is opened. */
export interface ServiceOptions {
  readonly store: Store;
  readonly version: string;
  /** The sandbox token to use, in the place of one made with the store. */
  readonly sandboxToken?: string | undefined;
  /** Freeze the clock at this instant. */
  readonly clock?: number | undefined;
  readonly identityProvider?: IdentityProvider | undefined;
  /** In the place of those that the areas bring, by their kinds. */
  readonly jobHandlers?: JobHandlers;
  readonly receivers?: ReceiverOptions;
  readonly failpoint?: Failpoint | undefined;
  readonly realNow?: () => number;
  readonly onRequest?: ((entry: RequestLogEntry) => void) | undefined;
  /** Told what goes wrong and is not the caller's fault. */
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly onAnswer?: ((spec: Endpoint, answer: unknown) => void) | undefined;
}

/** The service on an open store. */
export interface OpenService {
  /** Answers a request to /v1 or /sandbox. */
  readonly fetch: Fetch;
  /** The first account. */
  readonly accountId: string;
  /** What was made with the store, when this opening made it; the values are kept nowhere else. */
  readonly made: { readonly sandboxToken: string; readonly apiKey: string } | null;
  /** Whether a token opens the control surface. */
  readonly acceptsToken: (token: string) => Promise<boolean>;
  /** Makes a new token for the control surface; the one before stops. */
  readonly makeToken: () => Promise<string>;
  /** The id of the store's identity key, which no other store has. */
  readonly keyId: string;
  /** Begins to run jobs as they fall due. */
  readonly startJobs: () => void;
  /** Runs the jobs that are due, for some real milliseconds at the most. */
  readonly runDueJobs: (patience: number) => Promise<void>;
  /** Takes no more jobs, and lets those in hand end for some real milliseconds. */
  readonly stopJobs: (grace: number) => Promise<void>;
  /** Releases the jobs, writes what is collected and closes the store. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the service on a store, making what a new store needs.
 * @throws ServiceUnavailable when the store has a newer schema, or the clock asked for is in the store's past
 */
export async function openService(options: ServiceOptions): Promise<OpenService> {
  const { store, realNow = Date.now, onError = () => {} } = options;
  await migrate(store, realNow);
  const made = await initialise(options, realNow);
  const { cursor_secret, identity_key } = await store.read((db) =>
    db.selectFrom('service_state').select(['cursor_secret', 'identity_key']).executeTakeFirstOrThrow(),
  );
  const first = await store.read((db) => db.selectFrom('accounts').select('id').orderBy('seq').limit(1).executeTakeFirstOrThrow());
  if (options.clock !== undefined && !made) await setStartClock(store, options.clock, realNow);

  const rateLimits = new RateLimits(store, realNow);
  const log = new RequestLog();
  const failpoint = options.failpoint ?? (() => {});
  const deliveries = new Deliveries({ store, realNow, failpoint, receivers: options.receivers ?? { allowPrivate: false } });
  const jobHandlers: JobHandlers = {
    webhook_delivery: (job) => deliveries.run(job),
    session_end: sessionEnd(realNow),
    broadcast: broadcastSending(realNow, failpoint),
    channel_charge: charging(realNow),
    daily_summary: dailySummary(realNow),
    ...options.jobHandlers,
  };
  const jobs = new JobRunner(store, jobHandlers, realNow, onError);
  await jobs.recover();

  const flushOnce = async () => {
    if (log.isEmpty && !rateLimits.holdsUnspent) return;
    const now = await store.read((db) => readNow(db, realNow()));
    // Taken out before: the transaction may run more than once.
    const unspent = rateLimits.takeUnspent(now);
    const collected = log.take();
    await store.write(async (db) => {
      await giveBack(db, unspent, now);
      await writeCollected(db, store.engine, collected);
    });
    log.written(collected);
  };
  // Who asks for a flush while one is under way gets the next, so that what came before the asking is written.
  let flushing: Promise<void> = Promise.resolve();
  const flush = () => (flushing = flushing.catch(() => {}).then(flushOnce));

  const service: Service = {
    version: options.version,
    store,
    jobs,
    rateLimits,
    deliveries,
    failpoint,
    identities: new Identities(JSON.parse(identity_key) as JWK, options.identityProvider ?? null, realNow),
    cursorSecret: cursor_secret,
    realNow,
    lastUse: (keyId) => log.lastUse(keyId),
    flush,
    forget: () => {
      rateLimits.clear();
      log.clear();
    },
  };
  const fetch = createApp({
    service,
    handlers: handlers,
    onRequest: (entry) => {
      log.add(entry);
      options.onRequest?.(entry);
    },
    onKeyUsed: (keyId, at) => log.keyUsed(keyId, at),
    onError,
    onAnswer: options.onAnswer,
  });
  const timer = setInterval(() => void flush().catch(onError), flushInterval).unref();

  return {
    fetch,
    accountId: first.id,
    made,
    acceptsToken: async (token) => {
      const { sandbox_token_digest: wanted } = await store.read((db) =>
        db.selectFrom('service_state').select('sandbox_token_digest').executeTakeFirstOrThrow(),
      );
      return digest(token) === wanted;
    },
    makeToken: async () => {
      const token = newSecret('sandbox_');
      await store.write((db) => updateState(db, { sandbox_token_digest: digest(token) }));
      return token;
    },
    keyId: service.identities.keyId,
    startJobs: () => jobs.start(),
    runDueJobs: async (patience) => {
      await jobs.drain(patience);
    },
    stopJobs: (grace) => jobs.stop(grace),
    close: async () => {
      clearInterval(timer);
      await jobs.stop(0);
      await deliveries.close();
      await flush();
      await store.close();
    },
  };
}

/** Makes the state and the first account of a new store; null when the store has them. */
async function initialise({ store, sandboxToken, clock }: ServiceOptions, realNow: () => number): Promise<OpenService['made']> {
  const known = await store.read((db) => db.selectFrom('service_state').select('sandbox_token_digest').executeTakeFirst());
  if (known) {
    if (sandboxToken !== undefined && digest(sandboxToken) !== known.sandbox_token_digest)
      await store.write((db) => updateState(db, { sandbox_token_digest: digest(sandboxToken) }));
    return null;
  }
  const token = sandboxToken ?? newSecret('sandbox_');
  return await store.write(async (db) => {
    const inserted = await db
      .insertInto('service_state')
      .values({
        id: 1,
        ...(clock === undefined ? runningFrom(0, 0) : frozenAt(clock)),
        hold: '[]',
        faults: '[]',
        advance_owner: null,
        advance_until: 0,
        sandbox_token_digest: digest(token),
        cursor_secret: randomBytes(32).toString('base64url'),
        identity_key: JSON.stringify(newIdentityKey()),
      })
      // A process that starts at the same moment may have been first.
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!inserted) return null;
    const { apiKey } = await createFirstAccount(db, clock ?? realNow());
    return { sandboxToken: token, apiKey };
  });
}

async function setStartClock(store: Store, instant: number, realNow: () => number): Promise<void> {
  await store.write(async (db) => {
    const { clock } = await readState(db);
    const reading = readClock(clock, realNow());
    if (instant < reading)
      throw new ServiceUnavailable(`--clock ${iso(instant)} is earlier than the store's clock, ${iso(reading)}: time never goes back`);
    await updateState(db, frozenAt(instant));
  });
}
