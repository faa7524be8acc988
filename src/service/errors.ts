import { type NamedError, namedErrors } from '../contract/errors.ts';

/** A failure that the interface answers. Thrown anywhere below a handler, it rolls the transaction back. */
export class ApiError extends Error {
  readonly status: number;
  readonly errorCode: number | NamedError;
  /** Further fields of the answer. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Further headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param code the status, or the name of a named error, which has a status of its own
   * @param message tells a person what was wrong and what to do
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

/** The 404 of a record that the acting account does not have. Records of other accounts are never told apart from missing ones. */
export function notFound(noun: string): ApiError {
  return new ApiError(404, `${noun} not found`);
}

/** @throws ApiError 400 when a request to update a record names no field */
export function checkNotEmpty(fields: object): void {
  if (Object.values(fields).every((value) => value === undefined)) throw new ApiError(400, 'No fields to update');
}

/** The service cannot start or go on. The message is one line for whoever runs it. */
export class ServiceUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServiceUnavailable';
  }
}

/** A fault asks for the connection to be closed without an answer. */
export class ConnectionDropped extends Error {
  constructor() {
    super('The connection was dropped');
    this.name = 'ConnectionDropped';
  }
}
