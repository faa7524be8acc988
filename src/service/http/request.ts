import { ApiError } from '../errors.ts';

/**
 * A request, free of any transport. The platform's `Request` would do, but to load what stands behind it takes a third
 * of the time that a whole command may take.
 */
export interface ApiRequest {
  readonly method: string;
  /** As it came, not decoded, without the query string. */
  readonly path: string;
  /** The first value of each parameter. */
  readonly query: Readonly<Record<string, string>>;
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /**
   * Reads the body, once.
   * @throws ApiError 413 when it is longer
   */
  readonly readBody: (maxBytes: number) => Promise<Uint8Array>;
}

/** An answer, free of any transport. */
export interface ApiResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Answers a request. @throws ConnectionDropped when it is to get no answer */
export type Fetch = (request: ApiRequest) => Promise<ApiResponse>;

/** Splits a request's target into path and query. */
export function parseTarget(given: string): { path: string; query: Record<string, string> } {
  // A proxy's form names the server too.
  const target = given.replace(/^https?:\/\/[^/?]*/i, '') || '/';
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: {} };
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(target.slice(mark + 1))) if (!Object.hasOwn(query, name)) query[name] = value;
  return { path: target.slice(0, mark), query };
}

/** The 413 of a body that is longer than it may be. */
export function bodyTooLarge(maxBytes: number): ApiError {
  return new ApiError(413, `The body is larger than ${maxBytes} bytes`);
}

/** An escape that may stand for half a character: one by itself is no text that every database takes. */
const loneSurrogate = /\\u[dD][89a-fA-F]/;

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/**
 * Reads a body as a JSON object; an empty one is an empty object.
 * @throws ApiError 400 when it is not one
 */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = loneSurrogate.test(text) ? JSON.parse(text, wellFormed) : JSON.parse(text);
  } catch {
    throw new ApiError(400, 'The body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ApiError(400, 'The body must be a JSON object');
  return value as Record<string, unknown>;
}
