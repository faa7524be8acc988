import type { Answer, Body, Endpoint, Params, Query } from './endpoint.ts';
import type { NamedError, Reason } from './errors.ts';

/** The parameters, query and body of a call. */
export type CallInput<E extends Endpoint> = (keyof Params<E> extends never ? { params?: undefined } : { params: Params<E> }) & {
  readonly query?: Partial<Query<E>>;
  readonly body?: Partial<Body<E>>;
  /** The body of an endpoint that takes bytes. */
  readonly bytes?: Uint8Array;
};

/** A row of a paginated list. */
export type RowOf<E extends Endpoint> = E extends { rows: infer Field extends keyof Answer<E> }
  ? Answer<E>[Field] extends readonly (infer Row)[]
    ? Row
    : never
  : Record<string, unknown>;

/**
 * Calls the interface. Code that reads and writes through it runs on either side: the client of the command line is one.
 * Its methods throw `RefusedCall` and `UnansweredCall`.
 */
export interface Caller {
  /** Calls an endpoint. */
  call<E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<Answer<E>>;
  /** Whether the record at the path of an endpoint exists. Nothing is counted. */
  exists<E extends Endpoint>(endpoint: E, input: Pick<CallInput<E>, 'params'>): Promise<boolean>;
  /** Reads a list page by page. @param limit the total number of rows to read; every row by default */
  pages<E extends Endpoint>(endpoint: E, input: CallInput<E>, limit?: number): AsyncIterable<{ readonly rows: RowOf<E>[] }>;
  /** Reads all rows of a list. */
  all<E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<RowOf<E>[]>;
}

/** The service answered a call with an error. */
export class RefusedCall extends Error {
  readonly status: number;
  readonly errorCode: number | NamedError;
  /** What was refused; undefined if the service does not say it. */
  readonly reason: Reason | undefined;

  constructor(
    message: string,
    {
      status,
      errorCode,
      reason,
    }: { readonly status: number; readonly errorCode: number | NamedError; readonly reason?: Reason | undefined },
  ) {
    super(message);
    this.name = 'RefusedCall';
    this.status = status;
    this.errorCode = errorCode;
    this.reason = reason;
  }
}

/** There was no answer to a call. */
export class UnansweredCall extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnansweredCall';
  }
}
