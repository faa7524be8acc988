import { RefusedCall, UnansweredCall } from '../contract/call.ts';
import { type NamedError, problemIn, reasonIn } from '../contract/errors.ts';

/** Where a client's key comes from. `command` is the key command of a profile; `embedded` is the profile of the embedded store; `login` is a key that is not stored yet. */
export type KeySource = 'environment' | 'profile' | 'command' | 'embedded' | 'login' | 'sandbox-token';

/** The service answered with an error. */
export class InterfaceError extends RefusedCall {
  /** The path of the field that was refused; undefined if the service does not say it. */
  readonly field: string | undefined;
  /** The message without the field. */
  readonly problem: string;
  /** Other fields of the answer, `reason` and `field` among them. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds to wait before the next attempt; null when the service does not report it. */
  readonly retryAfter: number | null;
  /** Whether the clock of the service is frozen, so that waiting does not help. */
  readonly clockFrozen: boolean;
  readonly keySource: KeySource;
  /** Whether the request may have been carried out, by this attempt or an earlier one. */
  readonly maybeDone: boolean;
  /** Whether it is the answer to every request with the same key, so that it tells what has become of earlier ones too. */
  readonly settles: boolean;
  /** By which the request is found in the log of the service; undefined if the service does not say it. */
  readonly requestId: string | undefined;
  /** The sub-account that the call acted on. */
  readonly subAccountId: string | undefined;
  /** What was called: `GET /tags/{id}`. */
  readonly endpoint: string;

  constructor(
    message: string,
    answer: {
      endpoint: string;
      subAccountId?: string | undefined;
      requestId?: string | undefined;
      status: number;
      errorCode: number | NamedError;
      details: Record<string, unknown>;
      retryAfter: number | null;
      clockFrozen: boolean;
      keySource: KeySource;
      maybeDone: boolean;
      settles?: boolean;
    },
  ) {
    super(message, { ...answer, reason: reasonIn({ ...answer.details, error: message }) });
    this.name = 'InterfaceError';
    this.details = answer.details;
    this.field = typeof answer.details.field === 'string' ? answer.details.field : undefined;
    this.problem = problemIn(message, this.field);
    this.retryAfter = answer.retryAfter;
    this.clockFrozen = answer.clockFrozen;
    this.keySource = answer.keySource;
    this.maybeDone = answer.maybeDone;
    this.settles = answer.settles ?? false;
    this.subAccountId = answer.subAccountId;
    this.requestId = answer.requestId;
    this.endpoint = answer.endpoint;
  }
}

/** The service could not be reached, or did not answer. */
export class NetworkError extends UnansweredCall {
  /** Whether the request may have been carried out. */
  readonly maybeDone: boolean;

  constructor(message: string, maybeDone: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NetworkError';
    this.maybeDone = maybeDone;
  }
}

/** An answer that does not match the interface. */
export class UnexpectedAnswerError extends Error {
  readonly status: number;
  /** Whether the request may have been carried out. */
  readonly maybeDone: boolean;
  /** As in `InterfaceError`. */
  readonly requestId: string | undefined;

  constructor(message: string, status: number, maybeDone: boolean, requestId?: string) {
    super(message);
    this.name = 'UnexpectedAnswerError';
    this.status = status;
    this.maybeDone = maybeDone;
    this.requestId = requestId;
  }
}

/** Whether a request changes nothing. */
export function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Whether a request that failed with an answer may have been carried out: the service failed partway (500) or timed out (503), a
 * gateway lost the answer (502, 504), or the answer reports success but cannot be read.
 */
export function maybeDone(method: string, status: number): boolean {
  return !isReading(method) && (status < 300 || status >= 500);
}

/** A value cannot be used in the path of a call. */
export class InvalidParameter extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidParameter';
  }
}

/** A request as it would be sent, with secrets masked. */
export interface ShownRequest {
  readonly method: string;
  /** An absolute URL; a path for the embedded service. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Thrown instead of sending a request in a dry run. */
export class DryRun extends Error {
  readonly request: ShownRequest;

  constructor(request: ShownRequest) {
    super('Nothing is sent in a dry run');
    this.name = 'DryRun';
    this.request = request;
  }
}

/** Whether a service refuses a call because it does not have the endpoint, or not the record. */
export function lacksEndpoint(error: unknown): boolean {
  return error instanceof InterfaceError && (error.status === 404 || error.status === 405);
}
