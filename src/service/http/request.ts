import { isUtf8 } from 'node:buffer';
import { NestedTooDeeply, parseJson } from '../../contract/json.ts';
import { limits } from '../../contract/limits.ts';
import { isRequestId, requestIdHeader } from '../../contract/request-id.ts';
import { ApiError } from '../errors.ts';
import { digitsFor } from '../store/randomness.ts';
import type { OpenStream } from './streams.ts';

/**
 * A request, independent of its transport. The platform's `Request` is not used, because loading it takes a third of the time of
 * a whole command.
 */
export interface ApiRequest {
  /** The caller's own, or a new one (rule conventions.94). */
  readonly id: string;
  readonly method: string;
  /** Not decoded, without the query string. */
  readonly path: string;
  /** The address of the client; undefined for a request from within the process. */
  readonly remoteAddress?: string | undefined;
  /** The poll of the event loop in which the request arrived; undefined for a request from within the process. */
  readonly poll?: number;
  /** The first value of each parameter. */
  readonly query: Readonly<Record<string, string>>;
  /** The query string, without the question mark. */
  readonly search: string;
  /** Returns a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /**
   * Reads the body. Can be called once.
   * @throws ApiError 413 when it is larger than `maxBytes`
   */
  readonly readBody: (maxBytes: number) => Promise<Uint8Array>;
  /** Calls a function once the answer is written, or the connection is closed. Undefined for a request from within the process. */
  readonly onSent?: (call: () => void) => void;
}

/** A response, independent of its transport. */
export interface ApiResponse {
  readonly status: number;
  /** The keys are in lower case. */
  readonly headers: Record<string, string>;
  /** The text in pieces. Those of a large answer are written one by one. */
  readonly body: readonly (string | Uint8Array)[];
  /** What follows as long as the client listens, or a file; instead of a body. */
  readonly stream?: OpenStream;
}

/** Answers a request. @throws ConnectionDropped when the connection must be closed without an answer */
export type Fetch = (request: ApiRequest) => Promise<ApiResponse>;

/**
 * Makes a request from what its transport knows.
 * @param target of the request line: a path with its query string, or an absolute URL
 */
export function makeRequest({
  target,
  ...given
}: { readonly target: string } & Omit<ApiRequest, 'id' | 'path' | 'query' | 'search'>): ApiRequest {
  return { id: requestIdOf(given.header(requestIdHeader)), ...parseTarget(target), ...given };
}

/** The id of a request. @param told the id that its caller gave it */
export function requestIdOf(told: string | undefined): string {
  return told !== undefined && isRequestId(told) ? told : `req_${digitsFor('request')}`;
}

/** Splits the target of a request line into path and query. */
function parseTarget(given: string): Pick<ApiRequest, 'path' | 'query' | 'search'> {
  // A request for a proxy has an absolute URL.
  const target = given.replace(/^https?:\/\/[^/?]*/i, '') || '/';
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: {}, search: '' };
  const query: Record<string, string> = {};
  const search = target.slice(mark + 1);
  for (const [name, value] of new URLSearchParams(search)) if (!Object.hasOwn(query, name)) query[name] = value;
  return { path: target.slice(0, mark), query, search };
}

/** The 413 for a body that is too large. */
export function bodyTooLarge(maxBytes: number): ApiError {
  return new ApiError(413, `The body is larger than ${maxBytes} bytes`);
}

/** Matches an escaped surrogate. PostgreSQL does not accept text with lone surrogates. */
const loneSurrogate = /\\u[dD][89a-fA-F]/;

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/**
 * Parses a body as a JSON object. An empty body is an empty object.
 * @throws ApiError 400 when the body is anything else
 */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  if (!isUtf8(bytes)) throw new ApiError(400, 'The body is not valid JSON: it is not UTF-8');
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  // PowerShell writes files with a byte order mark.
  const text = whole.startsWith('\uFEFF') ? whole.slice(1) : whole;
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = parseJson(text, limits.bodyLevels, loneSurrogate.test(text) ? wellFormed : undefined);
  } catch (error) {
    throw new ApiError(400, error instanceof NestedTooDeeply ? error.message : 'The body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ApiError(400, 'The body must be a JSON object');
  return value as Record<string, unknown>;
}
