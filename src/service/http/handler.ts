import type { Answer, Body, Endpoint, Params, Query } from '../../contract/endpoint.ts';
import type { EndpointName, EndpointOf } from '../../contract/endpoints.ts';
import type { State } from '../clock/state.ts';
import type { Account } from '../identity/accounts.ts';
import type { Caller } from '../identity/caller.ts';
import { onExisting } from '../identity/deleted-accounts.ts';
import type { Identities } from '../identity/tokens.ts';
import type { JobRunner } from '../jobs/runner.ts';
import type { Parts } from '../parts.ts';
import type { BatchWork } from '../store/batches.ts';
import type { Retention } from '../maintenance/retention.ts';
import type { Db } from '../store/database.ts';
import type { Store, WriteOptions } from '../store/store.ts';
import type { PageReader } from './cursors.ts';
import type { StreamSource, Streams } from './streams.ts';
import type { RateLimits } from './rate-limits.ts';

/** The parts of the running service that handlers share. */
export interface Service extends Parts {
  readonly jobs: JobRunner;
  readonly rateLimits: RateLimits;
  readonly streams: Streams;
  readonly identities: Identities;
  /** The address on which the server listens; null when the service runs in process. */
  readonly origin: string | null;
  readonly cursorSecret: string;
  readonly retention: Retention;
  /** The last use of a key, if it has not been stored yet. */
  readonly lastUse: (keyId: string) => number | undefined;
  /** Writes the request log and the last use of keys, so that they can be read from the store. */
  readonly flush: () => Promise<void>;
  /** Migrates another store to the newest schema. @throws ServiceUnavailable when it has that of a newer version */
  readonly migrate: (store: Store) => Promise<void>;
  /** Empties or replaces the store with the function given, and drops what is in memory of the old one. */
  readonly replaceStore: <T>(replace: () => Promise<T>) => Promise<T>;
}

interface BaseContext<E extends Endpoint> {
  readonly service: Service;
  readonly params: Params<E>;
  readonly query: Query<E>;
}

interface TimedContext<E extends Endpoint> extends BaseContext<E> {
  /** The service's clock when the request arrived, in epoch milliseconds. */
  readonly now: number;
  readonly body: Body<E>;
  /** Reads a page of a list. */
  readonly page: PageReader;
}

/** The context of a request to an account before its transaction begins. */
export interface RequestContext<E extends Endpoint> extends TimedContext<E> {
  /** The acting account. */
  readonly account: Account;
  readonly caller: Caller;
  /** Runs a transaction on the acting account. Only the last one of a request must be durable: it makes the earlier ones durable too. */
  readonly write: Store['write'];
  /**
   * Keeps the answer for a repetition with the idempotency key of the request, if it has one. The answers of handlers with a transaction
   * are kept in it; one that has several calls this in each that changes what the answer would be.
   */
  readonly keep: (db: Db, answer: Answer<E>) => Promise<void>;
}

/** The context of a handler of requests to an account. */
export interface AccountContext<E extends Endpoint> extends RequestContext<E> {
  /** The request's transaction, which is read-only for a GET. */
  readonly db: Db;
  /** The result of `prepare`. */
  readonly prepared: unknown;
}

/** The context of a handler of the sandbox, which opens its transactions itself. */
export interface SandboxContext<E extends Endpoint> extends TimedContext<E> {
  readonly state: State;
  /** The body of an endpoint that takes bytes. */
  readonly bytes: Uint8Array;
}

/** The context of a handler of a public endpoint, which opens its transactions itself. */
interface PublicContext<E extends Endpoint> extends BaseContext<E> {
  readonly method: string;
}

export type AccountHandler<E extends Endpoint> = SingleHandler<E> | BatchedHandler<E> | OwnTransactionsHandler<E>;

/** Names what the streams of an endpoint send. */
export interface StreamHandler {
  readonly streams: StreamSource<never>;
}

/** Opens the file that an endpoint answers. */
export interface FileHandler<E extends Endpoint> {
  readonly openFile: (context: RequestContext<E>) => Promise<StreamedFile>;
}

/** Handles each request in its own transaction. */
type SingleHandler<E extends Endpoint> = ((context: AccountContext<E>) => Promise<Answer<E>>) & {
  /** Runs before the transaction. A transaction must only await the database, so any other wait belongs here. */
  readonly prepare?: (context: RequestContext<E>) => Promise<unknown>;
  /** The accounts that the transaction locks; by default, the acting account. */
  readonly accountsOf?: (context: RequestContext<E>) => Pick<WriteOptions, 'accounts' | 'withManaged'>;
};

/** Handles several requests, of any accounts, in one transaction. */
interface BatchedHandler<E extends Endpoint> {
  readonly prepare: (context: RequestContext<E>) => Promise<unknown>;
  readonly handleMany: BatchWork<PreparedRequest<E>, Answer<E>>;
}

/** Handles a request with transactions of its own, or without any. */
interface OwnTransactionsHandler<E extends Endpoint> {
  readonly prepare?: ((context: RequestContext<E>) => Promise<unknown>) | undefined;
  readonly answer: (context: PreparedRequest<E>) => Promise<Answer<E>>;
}

/** A request after `prepare`. */
export type PreparedRequest<E extends Endpoint> = RequestContext<E> & { readonly prepared: unknown };

export type SandboxHandler<E extends Endpoint> = (context: SandboxContext<E>) => Promise<Answer<E>>;

/** The handler of a public endpoint. It returns a document, a redirect or a file. */
export type PublicHandler<E extends Endpoint> = (context: PublicContext<E>) => Promise<object | Redirect | FileAnswer>;

/** The handler of an endpoint, by the endpoint's `access`. */
export type Handler<E extends Endpoint> = E extends { readonly isStream: true }
  ? StreamHandler
  : E extends { readonly isFile: true }
    ? FileHandler<E>
    : E['access'] extends 'public'
      ? PublicHandler<E>
      : E['access'] extends 'sandbox'
        ? SandboxHandler<E>
        : AccountHandler<E>;

type AreaOf<Name> = Name extends `${infer Area}.${string}` ? Area : never;

/** The handlers of an area: one for each endpoint whose name begins with the area's name. */
export type AreaHandlers<Area extends AreaOf<EndpointName>> = {
  readonly [Name in Extract<EndpointName, `${Area}.${string}`>]: Handler<EndpointOf<Name>>;
};

/** A redirect to another address, which a public endpoint can return. */
export class Redirect {
  readonly location: string;

  constructor(location: string) {
    this.location = location;
  }
}

/** A file that an account made public, which a public endpoint can return. */
export class FileAnswer {
  readonly content: Uint8Array;
  readonly contentType: string;

  constructor(content: Uint8Array, contentType: string) {
    this.content = content;
    this.contentType = contentType;
  }
}

/** A file that is sent piece by piece. Each piece is whole characters. */
export class StreamedFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly text: AsyncIterable<string>;

  constructor({ name, contentType, bytes, text }: Pick<StreamedFile, 'name' | 'contentType' | 'bytes' | 'text'>) {
    this.name = name;
    this.contentType = contentType;
    this.bytes = bytes;
    this.text = text;
  }
}

/**
 * Creates a handler that does something before its transaction, such as a network request.
 * @param prepare runs first, before the request counts among the answers in progress. If it throws an error, the request fails with it
 * @param handle runs in the transaction, with the result of `prepare`
 */
export function preparedHandler<E extends Endpoint, Prepared>(
  prepare: (context: RequestContext<E>) => Promise<Prepared>,
  handle: (context: AccountContext<E>, prepared: Prepared) => Promise<Answer<E>>,
): SingleHandler<E> {
  return Object.assign((context: AccountContext<E>) => handle(context, context.prepared as Prepared), { prepare });
}

/**
 * Creates a handler that gets no transaction, for work that takes several of them or waits for something else.
 * @param answer opens its transactions itself. The last one that writes must be durable
 */
export function ownTransactionsHandler<E extends Endpoint>(
  answer: (context: RequestContext<E>) => Promise<Answer<E>>,
): OwnTransactionsHandler<E> {
  return { answer };
}

/**
 * Creates a handler for a list that may have to search for long. While it searches, it holds too little to count among the answers in
 * progress.
 * @param search finds the rows
 * @param answer makes the records of what was found
 */
export function searchHandler<E extends Endpoint, Found>(
  search: (context: RequestContext<E>) => Promise<Found>,
  answer: (context: RequestContext<E>, found: Found) => Promise<Answer<E>>,
): OwnTransactionsHandler<E> {
  return { prepare: search, answer: (context) => answer(context, context.prepared as Found) };
}

/**
 * Creates a handler for requests that change more than the acting account.
 * @param accountsOf the accounts to lock
 */
export function spanningHandler<E extends Endpoint>(
  accountsOf: NonNullable<SingleHandler<E>['accountsOf']>,
  handle: SingleHandler<E>,
): SingleHandler<E> {
  return Object.assign((context: AccountContext<E>) => handle(context), { ...handle, accountsOf });
}

/**
 * Creates a handler for frequent requests. Requests that arrive at the same time share a transaction, even for different
 * accounts. Each gets its own answer.
 * @param prepare see `preparedHandler`
 * @param handleMany returns the answers in the order of the requests. An ApiError as an answer refuses only that request
 */
export function batchedHandler<E extends Endpoint, Prepared>(
  prepare: (context: RequestContext<E>) => Promise<Prepared>,
  handleMany: BatchWork<RequestContext<E> & { readonly prepared: Prepared }, Answer<E>>,
): BatchedHandler<E> {
  const onAccounts: BatchWork<PreparedRequest<E>, Answer<E>> = (db, requests) =>
    onExisting(
      db,
      requests.map(({ account }) => account.id),
      () => handleMany(db, requests as never),
    );
  return { prepare, handleMany: onAccounts };
}
