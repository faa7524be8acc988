import { type Endpoint, isSandboxPath } from '../contract/endpoint.ts';
import { getHealth } from '../contract/areas/health/endpoints.ts';
import { idempotencyHeader } from '../contract/idempotency.ts';
import { requestIdHeader } from '../contract/request-id.ts';
import { retryAfter } from '../contract/time/retry-after.ts';
import { isReading, maybeDone, NetworkError } from './errors.ts';
import { newKeys, type RequestKeys } from './request-keys.ts';
import { readRetryHeaders, type Response, settles } from './responses.ts';
import { type Failure, longestWork, retryDelay } from './retry.ts';
import { shownAnswer, shownBody } from './shown.ts';
import { type Transport, TransportError, type TransportRequest, type TransportResponse } from './transport.ts';

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

/** How requests are sent. */
export interface SenderOptions {
  readonly transport: Transport;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly random: () => number;
  readonly now: () => number;
  /** The idempotency keys of requests. By default, each gets a new one. */
  readonly keys?: RequestKeys | undefined;
  /** Whether failed requests are sent again. They are by default. */
  readonly retries?: boolean;
  /** Once it is aborted, no further request is sent. */
  readonly signal?: AbortSignal;
  /** Called before each wait for another attempt. */
  readonly onRetry?: ((wait: Wait) => void) | undefined;
  readonly onTrace?: ((trace: Trace) => void) | undefined;
}

/** Sends requests with idempotency keys, and again where that is safe and may help. */
export class Sender {
  readonly #options: SenderOptions;
  /** Makes a request for the health of the service. */
  readonly #health: () => TransportRequest;
  /** Whether the service honours idempotency keys; undefined until it is known. */
  #honoursKeys: boolean | undefined;

  constructor(options: SenderOptions, health: () => TransportRequest) {
    this.#options = options;
    this.#health = health;
  }

  /**
   * Sends a request, again if it failed only for now.
   * @param endpoint undefined for a call that is not in the contract
   * @returns the last response, which may be an error
   * @throws NetworkError when there is none
   */
  async send(endpoint: Endpoint | undefined, given: TransportRequest): Promise<Response> {
    const { random, signal, retries = true } = this.#options;
    const { target } = this.#options.transport;
    const request = this.#withKey(given);
    const hasKey = request.method === 'POST' && request.headers[idempotencyHeader] !== undefined;
    let isMaybeDone = false;
    let worked = 0;
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const outcome = await this.#attempt(endpoint, request);
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
      const what = wasSent || outcome.error.isFinal ? `No answer from ${target}` : `Cannot reach ${target}`;
      throw new NetworkError(`${what}${attempts}: ${outcome.error.message}`, isMaybeDone, { cause: outcome.error });
    }
  }

  /** Whether the service honours idempotency keys. Asks it, unless an answer has told it already. Undefined when it does not answer. */
  async honoursKeys(): Promise<boolean | undefined> {
    if (this.#honoursKeys !== undefined) return this.#honoursKeys;
    const request = this.#health();
    const headers = { ...request.headers, [idempotencyHeader]: newKeys.next(request) };
    const outcome = await this.#attempt(getHealth, { ...request, headers });
    if ('response' in outcome) this.#learn(outcome.response);
    return this.#honoursKeys;
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

  async #attempt(
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

  /** Learns from the answer to a request with a key. A failure without the key can be that of a gateway. */
  #learn({ status, headers }: TransportResponse): void {
    const honours = headers[idempotencyHeader] !== undefined;
    if (honours || status < 500) this.#honoursKeys = honours;
  }
}

/** How long to wait for the first request with the key, in milliseconds; null unless an answer says that it is still at work. */
function workDelay({ status, headers }: TransportResponse, random: number): number | null {
  if (status !== 409 || headers[idempotencyHeader] === undefined) return null;
  const seconds = retryAfter(headers);
  return seconds === null ? null : seconds * 1000 + random * 250;
}

function describeStatus(status: number): string {
  return status === 429 ? 'The rate limit is used up' : `The service answered ${status}`;
}
