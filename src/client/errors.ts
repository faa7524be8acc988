import type { NamedError } from '../contract/errors.ts';

/** The service answered with a failure. */
export class InterfaceError extends Error {
  readonly status: number;
  readonly errorCode: number | NamedError;
  /** Further fields of the answer. */
  readonly details: Readonly<Record<string, unknown>>;
  /** How long to wait before the next try, in seconds, where the service says so. */
  readonly retryAfter: number | null;
  /** Whether the service's clock stands still, so that waiting does not help. */
  readonly clockFrozen: boolean;

  constructor(
    message: string,
    answer: {
      status: number;
      errorCode: number | NamedError;
      details: Record<string, unknown>;
      retryAfter: number | null;
      clockFrozen: boolean;
    },
  ) {
    super(message);
    this.name = 'InterfaceError';
    this.status = answer.status;
    this.errorCode = answer.errorCode;
    this.details = answer.details;
    this.retryAfter = answer.retryAfter;
    this.clockFrozen = answer.clockFrozen;
  }
}

/** The service could not be reached, or answered nothing. */
export class NetworkError extends Error {
  /** Whether the request can have been carried out all the same. */
  readonly maybeDone: boolean;

  constructor(message: string, maybeDone: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NetworkError';
    this.maybeDone = maybeDone;
  }
}

/** Something answered, but not what the interface promises. */
export class UnexpectedAnswerError extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.name = 'UnexpectedAnswerError';
    this.status = status;
  }
}

/** A value cannot stand in the path of a call. */
export class InvalidParameter extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidParameter';
  }
}

/** A request as it would be sent, secrets masked. */
export interface ShownRequest {
  readonly method: string;
  /** Whole for a remote service; below its root for the embedded one. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Thrown in the place of a request that is only to be shown. */
export class DryRun extends Error {
  readonly request: ShownRequest;

  constructor(request: ShownRequest) {
    super('Nothing is sent in a dry run');
    this.name = 'DryRun';
    this.request = request;
  }
}
