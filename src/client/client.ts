import {
  type Answer,
  answerSchema,
  type Body,
  type Endpoint,
  type Params,
  pathParameters,
  type Query,
  schemaOf,
  subAccountPlace,
} from '../contract/endpoint.ts';
import type { NamedError } from '../contract/errors.ts';
import { redact } from '../contract/secret.ts';
import { InterfaceError, InvalidParameter, NetworkError, UnexpectedAnswerError } from './errors.ts';
import { type Failure, retryDelay } from './retry.ts';
import { type Transport, TransportFailure, type TransportRequest, type TransportResponse } from './transport.ts';

/** What a call says, by the contract. */
export type Input<E extends Endpoint> = (keyof Params<E> extends never ? { params?: undefined } : { params: Params<E> }) & {
  readonly query?: Partial<Query<E>>;
  readonly body?: Partial<Body<E>>;
  /** The body of an endpoint that takes bytes. */
  readonly bytes?: Uint8Array;
};

/** A call's input, whatever the endpoint. */
interface AnyInput {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, unknown>;
  readonly body?: Record<string, unknown>;
  readonly bytes?: Uint8Array;
}

/** One request and its answer, for a trace; secrets are masked. */
export interface Trace {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Null when there was none. */
  readonly status: number | null;
  readonly answer: unknown;
  readonly milliseconds: number;
}

export interface ClientOptions {
  readonly transport: Transport;
  /** The API key, or on the control surface the sandbox token. */
  readonly key: string | null;
  /** The sub-account that every call acts on, where it is accepted. */
  readonly subAccountId?: string | undefined;
  readonly userAgent: string;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly random: () => number;
  readonly now: () => number;
  /** Told before each wait for another try. */
  readonly onRetry?: ((reason: string, milliseconds: number) => void) | undefined;
  readonly onTrace?: ((trace: Trace) => void) | undefined;
}

/** Calls the interface by its contract: the one way in which the program talks to a service. */
export class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Where the calls go, for messages. */
  get target(): string {
    return this.#options.transport.target;
  }

  /**
   * Calls an endpoint. The answer has the fields of the contract, and any others that the service sent.
   * @throws InterfaceError when the service answers with a failure
   * @throws NetworkError when there is no answer
   * @throws UnexpectedAnswerError when the answer is not what the contract promises
   */
  async call<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Answer<E>> {
    const request = this.#request(endpoint, input);
    const response = await this.#sendWithRetries(endpoint, request);
    return this.#readAnswer(endpoint, response) as Answer<E>;
  }

  /**
   * Reads a list page by page.
   * @param limit how many rows to read in all; undefined for all there are
   */
  async *pages<E extends Endpoint>(
    endpoint: E,
    input: Input<E>,
    limit: number | undefined,
  ): AsyncGenerator<{ rows: Record<string, unknown>[]; next_cursor: string | null }> {
    const pageSize = 100;
    let cursor = (input.query as { cursor?: string } | undefined)?.cursor;
    for (let left = limit ?? Infinity; left > 0;) {
      const query = { ...input.query, limit: Math.min(pageSize, left), ...(cursor === undefined ? {} : { cursor }) };
      const answer = (await this.call(endpoint, { ...input, query } as unknown as Input<E>)) as Record<string, unknown>;
      const rows = answer[endpoint.rows ?? ''] as Record<string, unknown>[];
      const next = answer.next_cursor as string | null;
      yield { rows, next_cursor: next };
      if (next === null) return;
      if (next === cursor) throw new UnexpectedAnswerError(`${this.target} answers the same next_cursor again: its list never ends`, 200);
      cursor = next;
      left -= rows.length;
    }
  }

  close(): Promise<void> {
    return this.#options.transport.close();
  }

  #request(endpoint: Endpoint, input: AnyInput): TransportRequest {
    const { key, subAccountId, userAgent } = this.#options;
    const place = subAccountId === undefined ? null : subAccountPlace(endpoint);
    const query = { ...input.query, ...(place === 'query' && { sub_account_id: subAccountId }) };
    const body = { ...input.body, ...(place === 'body' && { sub_account_id: subAccountId }) };
    const hasBody = endpoint.method !== 'GET' && Object.keys(body).length > 0;
    return {
      method: endpoint.method,
      path: pathOf(endpoint, input.params ?? {}) + queryString(query),
      headers: {
        accept: 'application/json',
        'user-agent': userAgent,
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(hasBody && { 'content-type': 'application/json' }),
        ...(input.bytes && { 'content-type': 'application/octet-stream' }),
      },
      body: input.bytes ?? (hasBody ? JSON.stringify(body) : undefined),
    };
  }

  async #sendWithRetries(endpoint: Endpoint, request: TransportRequest): Promise<TransportResponse> {
    const { random, sleep, onRetry } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#send(endpoint, request);
      if (!('failure' in outcome)) return outcome.response;
      const delay = retryDelay(endpoint.method, outcome.failure, attempt, random());
      if (delay === null) {
        if ('response' in outcome) return outcome.response;
        const tries = attempt === 1 ? '' : ` after ${attempt} tries`;
        throw new NetworkError(`Cannot reach ${this.target}${tries}: ${outcome.error.message}`, { cause: outcome.error });
      }
      onRetry?.('response' in outcome ? describeStatus(outcome.response.status) : `No answer: ${outcome.error.message}`, delay);
      await sleep(delay);
    }
  }

  async #send(
    endpoint: Endpoint,
    request: TransportRequest,
  ): Promise<
    { response: TransportResponse } | { response: TransportResponse; failure: Failure } | { error: TransportFailure; failure: Failure }
  > {
    const started = this.#options.now();
    try {
      const response = await this.#options.transport.send(request);
      this.#trace(endpoint, request, response, started);
      if (response.status < 400) return { response };
      const { retryAfter, clockFrozen } = readRetryHeaders(response);
      return { response, failure: { kind: 'answer', status: response.status, retryAfter, clockFrozen } };
    } catch (error) {
      this.#trace(endpoint, request, null, started);
      if (!(error instanceof TransportFailure)) throw error;
      return { error, failure: { kind: 'network', maybeSent: error.maybeSent } };
    }
  }

  #trace(endpoint: Endpoint, request: TransportRequest, response: TransportResponse | null, started: number): void {
    const { onTrace, now } = this.#options;
    if (!onTrace) return;
    const body = typeof request.body === 'string' ? (JSON.parse(request.body) as unknown) : request.body && `${request.body.length} bytes`;
    const answer = response && parseJson(response.body);
    onTrace({
      method: request.method,
      path: request.path,
      body: endpoint.body && body ? redact(schemaOf(endpoint.body), body) : body,
      status: response?.status ?? null,
      answer: answer && redact(answerSchema(endpoint), answer),
      milliseconds: now() - started,
    });
  }

  #readAnswer(endpoint: Endpoint, response: TransportResponse): unknown {
    const value = parseJson(response.body);
    const what = `${endpoint.method} ${endpoint.path}`;
    if (typeof value !== 'object' || value === null)
      throw new UnexpectedAnswerError(
        `${this.target} answered ${what} with ${response.status} and no JSON: is this the service?`,
        response.status,
      );
    if (response.status >= 400) throw this.#failure(value as Record<string, unknown>, response);
    const checked = answerSchema(endpoint).safeParse(value);
    if (!checked.success) {
      const [issue] = checked.error.issues;
      const field = issue?.path.join('.') || 'the answer';
      throw new UnexpectedAnswerError(
        `${this.target} answered ${what} without what the interface promises (${field}: ${issue?.message ?? 'invalid'}): is it an older version?`,
        response.status,
      );
    }
    // Not the checked copy: it lacks the fields that this version does not know.
    const { success: _, ...answer } = value as Record<string, unknown>;
    return answer;
  }

  #failure(value: Record<string, unknown>, response: TransportResponse): Error {
    const { success: _, error, error_code: errorCode, ...details } = value;
    if (typeof error !== 'string')
      return new UnexpectedAnswerError(
        `${this.target} answered ${response.status} without an error text: is this the service?`,
        response.status,
      );
    return new InterfaceError(error, {
      status: response.status,
      errorCode: (errorCode as number | NamedError | undefined) ?? response.status,
      details,
      ...readRetryHeaders(response),
    });
  }
}

/**
 * The path of a call below the server's root.
 * @throws InvalidParameter for what would name another path
 */
function pathOf(endpoint: Endpoint, params: Record<string, string>): string {
  const path = pathParameters(endpoint.path).reduce<string>((at, name) => {
    const value = params[name] ?? '';
    if (/^\.{0,2}$/.test(value)) throw new InvalidParameter(value === '' ? 'An id is missing' : `'${value}' is no id`);
    return at.replace(`{${name}}`, () => encodeURIComponent(value));
  }, endpoint.path);
  return path.startsWith('/sandbox/') ? path : `/v1${path}`;
}

function queryString(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  const texts = given.map(([name, value]): [string, string] => [name, Array.isArray(value) ? value.join(',') : String(value)]);
  return `?${new URLSearchParams(texts).toString()}`;
}

function readRetryHeaders(response: TransportResponse): { retryAfter: number | null; clockFrozen: boolean } {
  const retryAfter = response.headers['retry-after'] ?? '';
  return {
    retryAfter: /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null,
    clockFrozen: response.headers['sandbox-clock'] === 'frozen',
  };
}

function describeStatus(status: number): string {
  return status === 429 ? 'The rate limit is used up' : `The service answered ${status}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
