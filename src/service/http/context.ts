import type { Answer, Body, Endpoint, Params, Query } from '../../contract/endpoint.ts';
import type { EndpointName, EndpointOf } from '../../contract/endpoints.ts';
import type { Account } from '../identity/accounts.ts';
import type { BatchWork } from '../store/batches.ts';
import type { Caller } from '../identity/credentials.ts';
import { type Page, readPage } from './cursors.ts';
import type { Deliveries } from '../areas/webhooks/deliveries.ts';
import { ApiError } from '../errors.ts';
import type { Failpoint } from '../drills/failpoint.ts';
import type { Identities } from '../identity/tokens.ts';
import type { JobRunner } from '../jobs/jobs.ts';
import type { RateLimits } from './rate-limits.ts';
import type { State } from '../clock/state.ts';
import type { Db, Store } from '../store/store.ts';

/** What handlers share: the parts of the running service. */
export interface Service {
  readonly version: string;
  readonly store: Store;
  readonly jobs: JobRunner;
  readonly rateLimits: RateLimits;
  readonly deliveries: Deliveries;
  readonly failpoint: Failpoint;
  readonly identities: Identities;
  readonly cursorSecret: string;
  /** Real time, in epoch milliseconds; what a record shows comes from the context's `now`. */
  readonly realNow: () => number;
  /** Tells when a key was last used, as far as that is not yet written. */
  readonly lastUse: (keyId: string) => number | undefined;
  /** Writes what is collected outside of requests, so that it can be read. */
  readonly flush: () => Promise<void>;
  /** Forgets what is held in memory of a store that was emptied. */
  readonly forget: () => void;
}

interface BaseContext<E extends Endpoint> {
  readonly service: Service;
  readonly state: State;
  /** The service's clock when the request arrived, in epoch milliseconds. */
  readonly now: number;
  readonly params: Params<E>;
  readonly query: Query<E>;
  readonly body: Body<E>;
}

/** What a handler of the interface gets. */
export interface Context<E extends Endpoint> extends BaseContext<E> {
  /** The account that is acted on. */
  readonly account: Account;
  readonly caller: Caller;
  /** The request's transaction; of a GET, a reader. */
  readonly db: Db;
  /** What the handler asked for before the transaction. */
  readonly prepared: unknown;
  /** Reads a page of a list by descending `seq`. */
  readonly page: <Row extends { seq: number }>(fetch: (before: number | undefined, take: number) => Promise<Row[]>) => Promise<Page<Row>>;
}

/** What a handler of the control surface gets; it opens its transactions itself. */
export interface SandboxContext<E extends Endpoint> extends BaseContext<E> {
  /** The body's bytes, where the endpoint takes such. */
  readonly bytes: Uint8Array;
}

export type Handler<E extends Endpoint> = ((context: Context<E>) => Promise<Answer<E>>) & {
  /** What must be known before the transaction begins: nothing but the database is awaited within it. */
  readonly prepare?: (context: BeforeContext<E>) => Promise<unknown>;
  /** Handles several requests of an account in one transaction. */
  readonly handleMany?: BatchWork<PreparedContext<E>, Answer<E>>;
};

/** What a handler gets of a request that shares its transaction with others. */
export type PreparedContext<E extends Endpoint> = Omit<Context<E>, 'db' | 'page'>;

/** What a handler gets before its transaction begins. */
export type BeforeContext<E extends Endpoint> = Omit<Context<E>, 'db' | 'page' | 'prepared'>;

/**
 * Makes a handler that asks the network first.
 * @param prepare asks; what it throws is the answer
 * @param handle works in the transaction, with what was asked
 */
export function prepared<E extends Endpoint, Prepared>(
  prepare: (context: BeforeContext<E>) => Promise<Prepared>,
  handle: (context: Context<E>, prepared: Prepared) => Promise<Answer<E>>,
): Handler<E> {
  const handler = (context: Context<E>) => handle(context, context.prepared as Prepared);
  return Object.assign(handler, { prepare });
}

/**
 * Makes a handler of requests that come in great numbers: those of an account that arrive at the same time share a
 * transaction, and each gets its own answer.
 * @param prepare as of `prepared`
 * @param handleMany the answers in the order of the contexts; an ApiError refuses one request alone
 */
export function batched<E extends Endpoint, Prepared>(
  prepare: (context: BeforeContext<E>) => Promise<Prepared>,
  handleMany: (db: Db, contexts: readonly (PreparedContext<E> & { readonly prepared: Prepared })[]) => Promise<(Answer<E> | ApiError)[]>,
): Handler<E> {
  const many = handleMany as BatchWork<PreparedContext<E>, Answer<E>>;
  const handler = async (context: Context<E>) => {
    const [answer] = await many(context.db, [context]);
    if (answer instanceof ApiError) throw answer;
    return answer as Answer<E>;
  };
  return Object.assign(handler, { prepare, handleMany: many });
}

/** A handler of an endpoint that anybody may call. It opens its transactions itself. */
export type PublicHandler<E extends Endpoint> = (
  context: Pick<BaseContext<E>, 'service' | 'params'> & { readonly method: string },
) => Promise<object>;

export type SandboxHandler<E extends Endpoint> = (context: SandboxContext<E>) => Promise<Answer<E>>;

/** The handlers of an area: of all endpoints whose name begins with it. */
export type AreaHandlers<Area extends string> = {
  [Name in Extract<EndpointName, `${Area}.${string}`>]: Handler<EndpointOf<Name>>;
};

/** Makes a context's `page`. */
export function pageReader(
  spec: Endpoint,
  accountId: string,
  params: Readonly<Record<string, string>>,
  query: { limit?: number | undefined; cursor?: string | undefined },
  secret: string,
): Context<Endpoint>['page'] {
  const endpoint = [spec.name, ...Object.values(params)].join(' ');
  return (fetch) => readPage(secret, { endpoint, accountId }, query, fetch);
}
