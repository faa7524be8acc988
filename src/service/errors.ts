import { type NamedError, namedErrors } from '../contract/errors.ts';

/** A failure that the interface answers: thrown anywhere below a handler, it undoes the transaction. */
export class ApiError extends Error {
  readonly status: number;
  readonly errorCode: number | NamedError;
  /** Further fields of the answer. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Headers of the answer beside the usual ones. */
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param code the status, or the name of a named error (which has a status of its own)
   * @param message what was wrong and what to do, for a person
   */
  constructor(code: number | NamedError, message: string, details: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = typeof code === 'number' ? code : namedErrors[code];
    this.errorCode = code;
    this.details = details;
    this.headers = headers;
  }
}

/** The 404 of a record that is not on the acting account; foreign ones are never told apart from missing ones. */
export function notFound(noun: string): ApiError {
  return new ApiError(404, `${noun} not found`);
}

/** The service cannot start or go on: the message is one clear line for whoever runs it. */
export class ServiceUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServiceUnavailable';
  }
}

/** A fault asks for the connection to be dropped without an answer. */
export class ConnectionDropped extends Error {
  constructor() {
    super('The connection was dropped');
    this.name = 'ConnectionDropped';
  }
}
