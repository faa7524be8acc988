import type { Answer, Body, Endpoint, Params, Query } from '../../contract/endpoint.ts';
import type { EndpointName, EndpointOf } from '../../contract/endpoints.ts';
import type { State } from '../clock/state.ts';
import type { Failpoint } from '../drills/failpoint.ts';
import { ApiError } from '../errors.ts';
import type { Account } from '../identity/accounts.ts';
import type { Caller } from '../identity/caller.ts';
import type { Identities } from '../identity/tokens.ts';
import type { JobRunner } from '../jobs/runner.ts';
import type { BatchWork } from '../store/batches.ts';
import type { Db } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import type { Fetch, Page } from './cursors.ts';
import type { RateLimits } from './rate-limits.ts';

/** The parts of the running service that handlers share. */
export interface Service {
  readonly version: string;
  readonly store: Store;
  readonly jobs: JobRunner;
  readonly rateLimits: RateLimits;
  readonly failpoint: Failpoint;
  readonly identities: Identities;
  readonly cursorSecret: string;
  /** Real time, in epoch milliseconds. What a record shows comes from the context's `now`. */
  readonly realNow: () => number;
  /** When a key was last used, if that is not written yet. */
  readonly lastUse: (keyId: string) => number | undefined;
  /** Writes what was collected outside of requests, so that it can be read. */
  readonly flush: () => Promise<void>;
  /** Forgets what is held in memory: the store was emptied. */
  readonly forget: () => void;
}

interface BaseContext<E extends Endpoint> {
  readonly service: Service;
  readonly params: Params<E>;
}

interface TimedContext<E extends Endpoint> extends BaseContext<E> {
  readonly state: State;
  /** The service's clock when the request arrived, in epoch milliseconds. */
  readonly now: number;
  readonly query: Query<E>;
  readonly body: Body<E>;
  /** Reads a page of a list. */
  readonly page: <Row extends { seq: number }>(fetch: Fetch<Row>) => Promise<Page<Row>>;
}

/** What a handler knows of a request to an account before its transaction begins. */
export interface RequestContext<E extends Endpoint> extends TimedContext<E> {
  /** The account that is acted on. */
  readonly account: Account;
  readonly caller: Caller;
}

/** What a handler of requests to an account gets. */
export interface AccountContext<E extends Endpoint> extends RequestContext<E> {
  /** The request's transaction; of a GET, a reader. */
  readonly db: Db;
  /** What the handler found out before the transaction. */
  readonly prepared: unknown;
}

/** What a handler of the sandbox gets. It opens its transactions itself. */
export interface SandboxContext<E extends Endpoint> extends TimedContext<E> {
  /** The body, where the endpoint takes bytes. */
  readonly bytes: Uint8Array;
}

/** What a handler of an endpoint without a credential gets. It opens its transactions itself. */
export interface PublicContext<E extends Endpoint> extends BaseContext<E> {
  readonly method: string;
}

export type AccountHandler<E extends Endpoint> = ((context: AccountContext<E>) => Promise<Answer<E>>) & {
  /** Finds out what must be known before the transaction: within it, nothing but the database is awaited. */
  readonly prepare?: (context: RequestContext<E>) => Promise<unknown>;
  /** Handles several requests of an account in one transaction. */
  readonly handleMany?: BatchWork<PreparedRequest<E>, Answer<E>>;
};

/** A request that shares its transaction with others. */
export type PreparedRequest<E extends Endpoint> = RequestContext<E> & { readonly prepared: unknown };

export type SandboxHandler<E extends Endpoint> = (context: SandboxContext<E>) => Promise<Answer<E>>;

/** It answers a document of its own, or leads elsewhere. */
export type PublicHandler<E extends Endpoint> = (context: PublicContext<E>) => Promise<object | Redirect>;

/** The handler of an endpoint, by who may call the endpoint. */
export type Handler<E extends Endpoint> = E['access'] extends 'public'
  ? PublicHandler<E>
  : E['access'] extends 'sandbox'
    ? SandboxHandler<E>
    : AccountHandler<E>;

type AreaOf<Name> = Name extends `${infer Area}.${string}` ? Area : never;

/** The handlers of an area: one for each endpoint whose name begins with the area's. */
export type AreaHandlers<Area extends AreaOf<EndpointName>> = {
  readonly [Name in Extract<EndpointName, `${Area}.${string}`>]: Handler<EndpointOf<Name>>;
};

/** What a public endpoint answers in the place of a document: another address. */
export class Redirect {
  readonly location: string;

  constructor(location: string) {
    this.location = location;
  }
}

/**
 * Makes a handler that does something before its transaction, such as asking the network.
 * @param prepare what it throws is the answer
 * @param handle works in the transaction, with what was prepared
 */
export function preparedHandler<E extends Endpoint, Prepared>(
  prepare: (context: RequestContext<E>) => Promise<Prepared>,
  handle: (context: AccountContext<E>, prepared: Prepared) => Promise<Answer<E>>,
): AccountHandler<E> {
  return Object.assign((context: AccountContext<E>) => handle(context, context.prepared as Prepared), { prepare });
}

/**
 * Makes a handler of requests that come in great numbers: those of an account that arrive at the same time share a
 * transaction, and each gets its own answer.
 * @param prepare as of `preparedHandler`
 * @param handleMany returns the answers in the order of the requests; an ApiError refuses one request alone
 */
export function batchedHandler<E extends Endpoint, Prepared>(
  prepare: (context: RequestContext<E>) => Promise<Prepared>,
  handleMany: (db: Db, requests: readonly (RequestContext<E> & { readonly prepared: Prepared })[]) => Promise<(Answer<E> | ApiError)[]>,
): AccountHandler<E> {
  const many = handleMany as BatchWork<PreparedRequest<E>, Answer<E>>;
  const handle = async (context: AccountContext<E>) => {
    const [answer] = await many(context.db, [context]);
    if (answer instanceof ApiError) throw answer;
    return answer as Answer<E>;
  };
  return Object.assign(handle, { prepare, handleMany: many });
}
