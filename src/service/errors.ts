import { type NamedError, namedErrors, notFoundText, problemText, type Reason, type RecordName } from '../contract/errors.ts';

/** Further fields of an error answer. */
interface Details {
  /** What was refused, for programs. */
  readonly reason?: Reason | undefined;
  /** The path of the field that was refused. */
  readonly field?: string;
  readonly [name: string]: unknown;
}

/** An error that is returned to the caller. When a handler throws it, the transaction is rolled back. */
export class ApiError extends Error {
  readonly status: number;
  readonly errorCode: number | NamedError;
  readonly details: Details;
  /** Further headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param code the status, or a named error, which determines the status
   * @param message a description for people of what is wrong and how to fix it
   */
  constructor(code: number | NamedError, message: string, details: Details = {}, headers: Record<string, string> = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = typeof code === 'number' ? code : namedErrors[code];
    this.errorCode = code;
    this.details = details;
    this.headers = headers;
  }
}

/**
 * The 404 for a record that the acting account does not have. Missing records and records of other accounts get the same answer.
 * @param id which one, if the request names several
 */
export function notFound(record: RecordName, id?: string): ApiError {
  return new ApiError(404, notFoundText(record, id), { reason: `${record}_not_found` });
}

/**
 * The 400 for a field of a request.
 * @param field its path in the body or the query
 * @param problem what is wrong with it and how to fix it, as the rest of a sentence that begins with the field
 */
export function invalidField(field: string, problem: string, details: Details = {}): ApiError {
  return new ApiError(400, problemText(field, problem), { field, ...details });
}

/** The 409 for a name that another record has. @param field its path in the request */
export function nameTaken(message: string, field = 'name'): ApiError {
  return new ApiError(409, message, { reason: 'name_taken', field });
}

/** The 429 for what happens too often. @param seconds after which it may happen again */
export function tooMany(message: string, seconds: number, details: { readonly field?: string } = {}): ApiError {
  return new ApiError(429, message, details, { 'retry-after': String(seconds) });
}

/** The 503 for what is still running when the service closes its store. */
export function stopping(): ApiError {
  return new ApiError(503, 'The service is stopping; try again');
}

/** @throws ApiError 400 when the update has no fields */
export function checkNotEmpty(fields: object): void {
  if (Object.values(fields).every((value) => value === undefined)) throw new ApiError(400, 'No fields to update');
}

/** The service cannot start or continue. The message is one line for the operator. */
export class ServiceUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServiceUnavailable';
  }
}

/** The server cannot listen on its address. The message is one line for the operator. */
export class CannotListen extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CannotListen';
  }
}

/** A fault closes the connection without an answer. */
export class ConnectionDropped extends Error {
  constructor() {
    super('The connection was dropped');
    this.name = 'ConnectionDropped';
  }
}

/** What the log says of something that the service does without: it has no stack, because nothing is wrong in the program. */
export class Warning extends Error {
  override readonly name = 'Warning';
}
