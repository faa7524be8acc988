import type { Caller, CallInput, RowOf } from '../contract/call.ts';
import { type Answer, answerSchema, type Endpoint, isSandboxPath, type Method, subAccountPlace } from '../contract/endpoint.ts';
import { getHealth } from '../contract/areas/health/endpoints.ts';
import { idempotencyHeader, replayedHeader } from '../contract/idempotency.ts';
import { requestIdHeader } from '../contract/request-id.ts';
import { retryAfter } from '../contract/time/retry-after.ts';
import type { NamedError } from '../contract/errors.ts';
import { problemOf } from '../contract/issues.ts';
import { NestedTooDeeply, parseJson } from '../contract/json.ts';
import { limits } from '../contract/limits.ts';
import { DryRun, InterfaceError, isReading, type KeySource, maybeDone, NetworkError, UnexpectedAnswerError } from './errors.ts';
import { queryString, requestPath } from './request-path.ts';
import { SilenceLimit } from './silence-limit.ts';
import { newKeys, type RequestKeys } from './request-keys.ts';
import { type Failure, longestWork, retryDelay } from './retry.ts';
import { shownAnswer, shownBody, shownRequest } from './shown.ts';
import { readEvents, type StreamedEvent } from './events.ts';
import { type StreamedResponse, type Transport, TransportError, type TransportRequest, type TransportResponse } from './transport.ts';

/** The input of a call to any endpoint. */
interface AnyInput {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, unknown>;
  readonly body?: Record<string, unknown>;
  readonly bytes?: Uint8Array;
}

/** One page of a list. */
interface PageOf<E extends Endpoint> {
  readonly rows: RowOf<E>[];
  readonly next_cursor: string | null;
  /** The other fields of the answer. */
  readonly further: Record<string, unknown>;
}

/** One request and its answer, for a trace. Secrets are masked. */
export interface Trace {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Null when there was no answer. */
  readonly status: number | null;
  /** By which the service logged the request; undefined if it does not say it. */
  readonly requestId: string | undefined;
  readonly answer: unknown;
  readonly milliseconds: number;
}

/** A wait before a retry. */
export interface Wait {
  readonly reason: string;
  readonly milliseconds: number;
  /** Whether the service asked for it because the rate limit is used up. */
  readonly isRateLimit: boolean;
}

/** The last response of a call. */
interface Response extends TransportResponse {
  /** Whether this attempt or an earlier one may have been carried out. */
  readonly isMaybeDone: boolean;
}

/** How messages identify a request. */
interface RequestLine {
  readonly method: Method;
  readonly path: string;
}

/** A call by method and path. */
export interface RawCall {
  readonly method: Method;
  /** From the root of the server, without a query string: `/v1/tags`. */
  readonly path: string;
  readonly query: Record<string, unknown>;
  readonly body: Record<string, unknown>;
  /** Further headers, by their names in lower case. They cannot replace the credential. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The endpoint of the contract; undefined for a call that is not in the contract. */
  readonly endpoint: Endpoint | undefined;
}

/** The answer to a raw call. A failure is part of it, so that its headers can be shown. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The answer as JSON; undefined when it is not JSON. */
  readonly value: unknown;
  readonly text: string;
  readonly failure: Error | null;
}

interface ClientOptions {
  readonly transport: Transport;
  /** The API key, or the sandbox token for calls of the sandbox. */
  readonly key: string;
  /** Where the key comes from. Error messages use it. */
  readonly keySource: KeySource;
  /** The sub-account that calls act on, for endpoints that accept one. */
  readonly subAccountId?: string | undefined;
  readonly userAgent: string;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly random: () => number;
  readonly now: () => number;
  /** The idempotency keys of requests. By default, each gets a new one. */
  readonly keys?: RequestKeys | undefined;
  /** Whether failed calls are retried. They are by default. */
  readonly retries?: boolean;
  /** Whether a call that changes something, and any raw call, throws a `DryRun` with its request instead of sending it. */
  readonly dryRun?: boolean;
  /** Cancels the calls. Once it is aborted, no further call is sent. */
  readonly signal?: AbortSignal;
  /** Called before each wait for a retry. */
  readonly onRetry?: ((wait: Wait) => void) | undefined;
  readonly onTrace?: ((trace: Trace) => void) | undefined;
}

/** How the events of a stream are read. */
interface Following {
  /** Ends it when it is aborted. */
  readonly until: AbortSignal;
  /** The id after which it goes on when the connection is lost before the first event. */
  readonly resumeAfter?: string;
  /** Called once, when the stream begins. */
  readonly onBegin?: () => void;
}

/** How long a stream can say nothing, in milliseconds. The service sends a comment every 15 seconds. */
const silentMax = 40_000;

/** Calls the interface by its contract. All requests of the program go through it. */
export class Client implements Caller {
  readonly #options: ClientOptions;
  /** Whether the service honours idempotency keys; undefined until it is known. */
  #honoursKeys: boolean | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** The target of the calls, for messages. */
  get target(): string {
    return this.#options.transport.target;
  }

  /**
   * Calls an endpoint. The answer has the fields of the contract, and any others that the service sent.
   * @throws InterfaceError when the service answers with an error
   * @throws NetworkError when there is no answer
   * @throws UnexpectedAnswerError when the answer does not match the contract
   * @throws InvalidParameter when a value cannot be used in the path
   * @throws DryRun instead of sending a request that changes something, in a dry run
   */
  async call<E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<Answer<E>> {
    const { params = {}, query = {}, body = {}, bytes } = input as AnyInput;
    const request = this.#request({ method: endpoint.method, path: requestPath(endpoint, params), query, body, endpoint }, bytes);
    if (this.#options.dryRun && endpoint.method !== 'GET' && endpoint.changesNothing?.(body) !== true)
      throw new DryRun(shownRequest(endpoint, request, this.#options.transport.origin));
    // Makes the schema while the service works, because that takes longer than reading a short answer.
    const prepare = () => void answerSchema(endpoint);
    const response = await this.#sendWithRetries(endpoint, { ...request, prepare });
    return this.#readAnswer(endpoint, response) as Answer<E>;
  }

  /**
   * Whether the service says that the record at the path of an endpoint exists. Asks with HEAD, so that nothing is counted.
   * @throws NetworkError when there is no answer
   * @throws InvalidParameter when a value cannot be used in the path
   */
  async exists<E extends Endpoint>(endpoint: E, input: Pick<CallInput<E>, 'params'>): Promise<boolean> {
    const { params = {} } = input as AnyInput;
    const request = this.#request({ method: endpoint.method, path: requestPath(endpoint, params), query: {}, body: {}, endpoint });
    const response = await this.#sendWithRetries(endpoint, { ...request, method: 'HEAD' });
    return response.status < 400;
  }

  /**
   * The current time of the service in epoch milliseconds: the `time` of its health, or of a service that does not have it the Date
   * of its answer. Null if it tells neither.
   * @throws InterfaceError when the service answers with an error other than 404
   * @throws NetworkError when there is no answer
   */
  async time(): Promise<number | null> {
    const request = this.#request({ method: 'GET', path: requestPath(getHealth, {}), query: {}, body: {}, endpoint: getHealth });
    const response = await this.#sendWithRetries(getHealth, request);
    const value = this.#parseAnswer(getHealth, response);
    const error = response.status >= 400 ? this.#answerError(getHealth, value, response) : null;
    if (error instanceof InterfaceError && error.status !== 404) throw error;
    const { time } = (value ?? {}) as { time?: unknown };
    const told = [time, response.headers.date].map((text) => (typeof text === 'string' ? Date.parse(text) : NaN));
    return told.find((instant) => !Number.isNaN(instant)) ?? null;
  }

  /**
   * Makes a call by method and path, in the contract or not.
   * @throws NetworkError when there is no answer
   * @throws UnexpectedAnswerError when the answer is nested too deeply
   * @throws DryRun instead of sending anything, in a dry run
   */
  async raw(call: RawCall): Promise<RawAnswer> {
    const request = this.#request(call);
    if (this.#options.dryRun) throw new DryRun(shownRequest(call.endpoint, request, this.#options.transport.origin));
    const response = await this.#sendWithRetries(call.endpoint, request);
    const { status, headers, body: text } = response;
    const value = this.#parseAnswer(call, response);
    const failure = status >= 400 ? this.#answerError(call, value, response) : null;
    return { status, headers, value, text, failure };
  }

  /**
   * Makes a call whose answer is a stream, by method and path.
   * @param until ends it when it is aborted
   * @throws InterfaceError when the service refuses it
   * @throws NetworkError when the connection fails
   */
  async *rawStream(call: RawCall & { readonly endpoint: Endpoint }, until: AbortSignal): AsyncGenerator<string> {
    const request = this.#request(call);
    if (this.#options.dryRun) throw new DryRun(shownRequest(call.endpoint, request, this.#options.transport.origin));
    const silence = new SilenceLimit(silentMax);
    let hasBegun = false;
    try {
      const answer = await this.#options.transport.stream(request, AbortSignal.any([until, silence.signal]));
      if (answer.status >= 400) throw await this.#refusedStream(call.endpoint, answer);
      hasBegun = true;
      yield* silence.watch(answer.text);
    } catch (error) {
      if (until.aborted) return;
      const isSilent = silence.signal.aborted;
      if (!isSilent && !(error instanceof TransportError)) throw error;
      const why = isSilent ? `nothing arrived for ${silentMax / 1_000} seconds` : (error as Error).message;
      const what = hasBegun ? `The answer of ${this.target} broke off` : `Cannot reach ${this.target}`;
      throw new NetworkError(`${what}: ${why}`, false, { cause: error });
    } finally {
      silence.end();
    }
  }

  /**
   * Reads the events of a stream, from now on or after the event with an id. When the connection is lost or says nothing any more, or
   * the service fails or asks to wait meanwhile, it connects again and misses nothing.
   * @throws InterfaceError when the service refuses it, also later
   * @throws NetworkError when the service cannot be reached at first
   */
  async *events<E extends Endpoint>(
    endpoint: E,
    input: CallInput<E>,
    { until, resumeAfter, onBegin }: Following,
  ): AsyncGenerator<StreamedEvent> {
    const { query = {} } = input as AnyInput;
    const request = this.#request({ method: endpoint.method, path: requestPath(endpoint, {}), query, body: {}, endpoint });
    const { transport, sleep } = this.#options;
    let last: string | undefined;
    let hasBegun = false;
    while (!until.aborted) {
      const headers = { ...request.headers, accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) };
      const silence = new SilenceLimit(silentMax);
      let pause = 1_000;
      try {
        const answer = await transport.stream({ ...request, headers }, AbortSignal.any([until, silence.signal]));
        if (answer.status >= 400) throw await this.#refusedStream(endpoint, answer);
        if (!hasBegun) onBegin?.();
        hasBegun = true;
        last ??= resumeAfter;
        for await (const event of readEvents(silence.watch(answer.text))) {
          last = event.id;
          yield event;
        }
      } catch (error) {
        if (until.aborted) return;
        const isPassing = error instanceof InterfaceError && (error.status >= 500 || error.status === 429);
        if (!(error instanceof TransportError || silence.signal.aborted || (isPassing && hasBegun))) throw error;
        if (!hasBegun) throw new NetworkError(`Cannot reach ${this.target}: ${(error as Error).message}`, false, { cause: error });
        if (isPassing) pause = Math.max(pause, (error.retryAfter ?? 0) * 1_000);
      } finally {
        silence.end();
      }
      if (!until.aborted) await sleep(pause);
    }
  }

  async #refusedStream(endpoint: Endpoint, { status, headers, text }: StreamedResponse): Promise<Error> {
    const response = { status, headers, body: (await Array.fromAsync(text)).join(''), isMaybeDone: false };
    return this.#answerError(endpoint, this.#parseAnswer(endpoint, response), response);
  }

  /** A client that acts on another sub-account, or on the key's own account when the id is undefined. */
  actingOn(subAccountId: string | undefined): Client {
    return new Client({ ...this.#options, subAccountId });
  }

  /** A client whose requests have these idempotency keys. */
  withKeys(keys: RequestKeys): Client {
    return new Client({ ...this.#options, keys });
  }

  /** Whether the service honours idempotency keys. Asks it, unless an answer has told it already. Undefined when it does not answer. */
  async honoursKeys(): Promise<boolean | undefined> {
    if (this.#honoursKeys !== undefined) return this.#honoursKeys;
    const request = this.#request({ method: 'GET', path: requestPath(getHealth, {}), query: {}, body: {}, endpoint: getHealth });
    const outcome = await this.#send(getHealth, {
      ...request,
      headers: { ...request.headers, [idempotencyHeader]: newKeys.next(request) },
    });
    if ('response' in outcome) this.#learn(outcome.response);
    return this.#honoursKeys;
  }

  /** Learns from the answer to a request with a key. A failure without the key can be that of a gateway. */
  #learn({ status, headers }: TransportResponse): void {
    const honours = headers[idempotencyHeader] !== undefined;
    if (honours || status < 500) this.#honoursKeys = honours;
  }

  /** A client that stops when the signal is aborted: further calls throw the signal's reason instead of being sent. */
  until(signal: AbortSignal): Client {
    return new Client({ ...this.#options, signal });
  }

  /**
   * Reads a list page by page.
   * @param limit the total number of rows to read; every row by default
   * @throws the errors of `call`; UnexpectedAnswerError when the list would never end
   */
  async *pages<E extends Endpoint>(endpoint: E, input: CallInput<E>, limit = Infinity): AsyncGenerator<PageOf<E>> {
    const pageSize = 100;
    let cursor = (input.query as { cursor?: string } | undefined)?.cursor;
    for (let left = limit; left > 0;) {
      const query = { ...input.query, limit: Math.min(pageSize, left), ...(cursor === undefined ? {} : { cursor }) };
      const answer = (await this.call(endpoint, { ...input, query } as unknown as CallInput<E>)) as Record<string, unknown>;
      const { [endpoint.rows ?? '']: list, next_cursor: cursorAfter, ...further } = answer;
      const rows = list as RowOf<E>[];
      const next = cursorAfter as string | null;
      yield { rows, next_cursor: next, further };
      if (next === null) return;
      if (next === cursor)
        throw new UnexpectedAnswerError(`${this.target} answered the same next_cursor twice: the list would never end`, 200, false);
      cursor = next;
      left -= rows.length;
    }
  }

  /**
   * Reads all rows of a list into memory.
   * @throws the errors of `pages`
   */
  async all<E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<RowOf<E>[]> {
    const pages = await Array.fromAsync(this.pages(endpoint, input));
    return pages.flatMap(({ rows }) => rows);
  }

  close(): Promise<void> {
    return this.#options.transport.close();
  }

  #request(call: RawCall, bytes?: Uint8Array): TransportRequest {
    const { key, subAccountId, userAgent } = this.#options;
    const place = subAccountId === undefined ? null : call.endpoint ? subAccountPlace(call.endpoint) : usualSubAccountPlace(call.method);
    const query = { ...call.query, ...(place === 'query' && { sub_account_id: subAccountId }) };
    const body = { ...call.body, ...(place === 'body' && { sub_account_id: subAccountId }) };
    const hasBody = call.method !== 'GET' && Object.keys(body).length > 0;
    return {
      method: call.method,
      path: call.path + queryString(query),
      headers: {
        accept: 'application/json',
        'user-agent': userAgent,
        ...(hasBody && { 'content-type': 'application/json' }),
        ...(bytes && { 'content-type': 'application/octet-stream' }),
        ...call.headers,
        authorization: `Bearer ${key}`,
      },
      body: bytes ?? (hasBody ? JSON.stringify(body) : undefined),
      answerLimits: call.endpoint?.answerLimits,
    };
  }

  async #sendWithRetries(endpoint: Endpoint | undefined, given: TransportRequest): Promise<Response> {
    const { random, signal, retries = true } = this.#options;
    const request = this.#withKey(given);
    const hasKey = request.method === 'POST' && request.headers[idempotencyHeader] !== undefined;
    let isMaybeDone = false;
    let worked = 0;
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const outcome = await this.#send(endpoint, request);
      const wasSent = !isReading(request.method) && 'error' in outcome && outcome.error.maybeSent;
      isMaybeDone ||= wasSent || ('response' in outcome && maybeDone(request.method, outcome.response.status));
      if (hasKey && 'response' in outcome) {
        this.#learn(outcome.response);
        if (settles(outcome.response)) isMaybeDone = false;
      }
      if (!('failure' in outcome)) return { ...outcome.response, isMaybeDone };
      const work = hasKey && retries && worked < longestWork && 'response' in outcome ? workDelay(outcome.response, random()) : null;
      if (work !== null) {
        worked += work;
        attempt--;
        await this.#pause('The same request is still at work', work);
        continue;
      }
      const next = retries ? await this.#awaitNext(request, outcome, attempt, hasKey && isMaybeDone) : null;
      if (next !== null) {
        attempt = next - 1;
        continue;
      }
      if ('response' in outcome) return { ...outcome.response, isMaybeDone };
      const attempts = attempt === 1 ? '' : ` after ${attempt} attempts`;
      const what = wasSent || outcome.error.isFinal ? `No answer from ${this.target}` : `Cannot reach ${this.target}`;
      throw new NetworkError(`${what}${attempts}: ${outcome.error.message}`, isMaybeDone, { cause: outcome.error });
    }
  }

  /**
   * Waits until a failed request can be sent again.
   * @param isKeyed whether it may have been carried out and has a key, so that it can be sent again where the service honours that
   * @returns the number of its next attempt; null when it is not to be sent again
   */
  async #awaitNext(
    { method }: TransportRequest,
    outcome: { readonly failure: Failure } & ({ readonly response: TransportResponse } | { readonly error: TransportError }),
    attempt: number,
    isKeyed: boolean,
  ): Promise<number | null> {
    const reason = 'response' in outcome ? describeStatus(outcome.response.status) : `No answer: ${outcome.error.message}`;
    for (let count = attempt; ; count++) {
      const isRepeatable = isKeyed && this.#honoursKeys !== false;
      const delay = retryDelay(method, outcome.failure, count, this.#options.random(), isRepeatable);
      if (delay === null) return null;
      await this.#pause(reason, delay, 'response' in outcome && outcome.response.status === 429);
      if (!isRepeatable) return count + 1;
      const honours = await this.honoursKeys();
      if (honours !== undefined) return honours ? count + 1 : null;
    }
  }

  async #pause(reason: string, milliseconds: number, isRateLimit = false): Promise<void> {
    this.#options.onRetry?.({ reason, milliseconds, isRateLimit });
    await this.#options.sleep(milliseconds);
  }

  /** Adds an idempotency key to a POST of the interface, unless it has one. It has no effect on bytes. */
  #withKey(request: TransportRequest): TransportRequest {
    const { method, path, body, headers } = request;
    if (method !== 'POST' || isSandboxPath(path) || body instanceof Uint8Array || headers[idempotencyHeader] !== undefined) return request;
    return { ...request, headers: { ...headers, [idempotencyHeader]: (this.#options.keys ?? newKeys).next(request) } };
  }

  async #send(
    endpoint: Endpoint | undefined,
    request: TransportRequest,
  ): Promise<
    { response: TransportResponse } | { response: TransportResponse; failure: Failure } | { error: TransportError; failure: Failure }
  > {
    const started = this.#options.now();
    try {
      const response = await this.#options.transport.send(request);
      this.#trace(endpoint, request, response, started);
      if (response.status < 400) return { response };
      return { response, failure: { kind: 'answer', status: response.status, ...readRetryHeaders(response) } };
    } catch (error) {
      this.#trace(endpoint, request, null, started);
      if (!(error instanceof TransportError)) throw error;
      return { error, failure: { kind: 'network', maybeSent: error.maybeSent, isFinal: error.isFinal } };
    }
  }

  #trace(endpoint: Endpoint | undefined, request: TransportRequest, response: TransportResponse | null, started: number): void {
    const { onTrace, now } = this.#options;
    onTrace?.({
      method: request.method,
      path: request.path,
      body: shownBody(endpoint, request.body),
      status: response?.status ?? null,
      requestId: response?.headers[requestIdHeader],
      answer: response && shownAnswer(endpoint, response.body),
      milliseconds: now() - started,
    });
  }

  /** The answer as JSON; undefined when it is not JSON. */
  #parseAnswer({ method, path }: RequestLine, { status, headers, body, isMaybeDone }: Response): unknown {
    try {
      return parseJson(body, limits.answerLevels);
    } catch (error) {
      if (!(error instanceof NestedTooDeeply)) return undefined;
      throw new UnexpectedAnswerError(
        `${this.target} answered ${method} ${path} with JSON that has more than ${limits.answerLevels} levels`,
        status,
        isMaybeDone,
        headers[requestIdHeader],
      );
    }
  }

  #readAnswer(endpoint: Endpoint, response: Response): unknown {
    const { method, path } = endpoint;
    const value = this.#parseAnswer(endpoint, response);
    if (response.status >= 400 || typeof value !== 'object' || value === null) throw this.#answerError(endpoint, value, response);
    const checked = answerSchema(endpoint).safeParse(value);
    if (!checked.success) {
      const [issue] = checked.error.issues;
      const field = issue?.path.join('.') || 'the answer';
      throw new UnexpectedAnswerError(
        `${this.target} answered ${method} ${path} with an answer that does not match the interface (${field} ${issue ? problemOf(issue) : 'is invalid'}): it may be another version`,
        response.status,
        response.isMaybeDone,
        response.headers[requestIdHeader],
      );
    }
    // The parsed copy lacks fields that this version does not know, so it is not returned.
    const { success: _, ...answer } = value as Record<string, unknown>;
    return answer;
  }

  #answerError({ method, path }: RequestLine, value: unknown, response: Response): Error {
    const { status, isMaybeDone } = response;
    const requestId = response.headers[requestIdHeader];
    if (typeof value !== 'object' || value === null)
      return new UnexpectedAnswerError(
        `${this.target} answered ${method} ${path} with status ${status}, but not with JSON: check that the address is that of the service`,
        status,
        isMaybeDone,
        requestId,
      );
    const { success: _, error, error_code: errorCode, ...details } = value as Record<string, unknown>;
    if (typeof error !== 'string')
      return new UnexpectedAnswerError(
        `${this.target} answered ${status} without an error message: check that the address is that of the service`,
        status,
        isMaybeDone,
        requestId,
      );
    return new InterfaceError(error, {
      endpoint: `${method} ${path}`,
      status,
      errorCode: (errorCode as number | NamedError | undefined) ?? status,
      details,
      ...readRetryHeaders(response),
      keySource: this.#options.keySource,
      subAccountId: this.#options.subAccountId,
      requestId,
      maybeDone: isMaybeDone,
      settles: settles(response),
    });
  }
}

/** How long to wait for the first request with the key, in milliseconds; null unless an answer says that it is still at work. */
function workDelay({ status, headers }: TransportResponse, random: number): number | null {
  if (status !== 409 || headers[idempotencyHeader] === undefined) return null;
  const seconds = retryAfter(headers);
  return seconds === null ? null : seconds * 1000 + random * 250;
}

/** The statuses of checks that come before the keys of requests are looked at. */
const unsettled = new Set([400, 401, 403, 429]);

/** Whether an answer tells what has become of all attempts: it is that of the first, or no attempt before it was carried out. */
function settles({ status, headers }: TransportResponse): boolean {
  return (
    headers[replayedHeader] !== undefined ||
    (headers[idempotencyHeader] !== undefined && status >= 300 && status < 500 && !unsettled.has(status))
  );
}

/** Where a call that is not in the contract sends `sub_account_id`. */
function usualSubAccountPlace(method: Method): 'query' | 'body' {
  return method === 'GET' || method === 'DELETE' ? 'query' : 'body';
}

function readRetryHeaders(response: TransportResponse): Pick<Failure & { kind: 'answer' }, 'retryAfter' | 'clockFrozen'> {
  return {
    retryAfter: retryAfter(response.headers),
    clockFrozen: response.headers['sandbox-clock'] === 'frozen',
  };
}

function describeStatus(status: number): string {
  return status === 429 ? 'The rate limit is used up' : `The service answered ${status}`;
}
