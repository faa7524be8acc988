import type { Caller, CallInput, RowOf } from '../contract/call.ts';
import { type Answer, answerSchema, type Endpoint } from '../contract/endpoint.ts';
import { getHealth } from '../contract/areas/health/endpoints.ts';
import { answerError, type AnswerSource, parseAnswer, readAnswer } from './answers.ts';
import { DryRun, InterfaceError, type KeySource, UnexpectedAnswerError } from './errors.ts';
import type { StreamedEvent } from './events.ts';
import type { RequestKeys } from './request-keys.ts';
import { requestPath } from './request-path.ts';
import { type RawCall, requestOf, type Requester } from './requests.ts';
import { Sender, type SenderOptions } from './sender.ts';
import { shownRequest } from './shown.ts';
import { type Following, streamedEvents, streamedText, type StreamRequest } from './streams.ts';
import type { TransportRequest } from './transport.ts';

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

/** The answer to a raw call. A failure is part of it, so that its headers can be shown. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The answer as JSON; undefined when it is not JSON. */
  readonly value: unknown;
  readonly text: string;
  readonly failure: Error | null;
}

interface ClientOptions extends SenderOptions, Requester {
  /** Where the key comes from. Error messages use it. */
  readonly keySource: KeySource;
  /** Whether a call that changes something, and any raw call, throws a `DryRun` with its request instead of sending it. */
  readonly dryRun?: boolean;
}

/** Calls the interface by its contract. All requests of the program go through it. */
export class Client implements Caller {
  readonly #options: ClientOptions;
  readonly #sender: Sender;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#sender = new Sender(options, () => this.#request(getHealth, {}));
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
    const request = this.#request(endpoint, input);
    if (this.#options.dryRun && endpoint.method !== 'GET' && endpoint.changesNothing?.((input as AnyInput).body ?? {}) !== true)
      throw this.#dryRun(endpoint, request);
    // Makes the schema while the service works, because that takes longer than reading a short answer.
    const prepare = () => void answerSchema(endpoint);
    const response = await this.#sender.send(endpoint, { ...request, prepare });
    return readAnswer(endpoint, response, this.#source) as Answer<E>;
  }

  /**
   * Whether the service says that the record at the path of an endpoint exists. Asks with HEAD, so that nothing is counted.
   * @throws NetworkError when there is no answer
   * @throws InvalidParameter when a value cannot be used in the path
   */
  async exists<E extends Endpoint>(endpoint: E, input: Pick<CallInput<E>, 'params'>): Promise<boolean> {
    const request = this.#request(endpoint, input);
    const response = await this.#sender.send(endpoint, { ...request, method: 'HEAD' });
    return response.status < 400;
  }

  /**
   * The current time of the service in epoch milliseconds: the `time` of its health, or of a service that does not have it the Date
   * of its answer. Null if it tells neither.
   * @throws InterfaceError when the service answers with an error other than 404
   * @throws NetworkError when there is no answer
   */
  async time(): Promise<number | null> {
    const request = this.#request(getHealth, {});
    const response = await this.#sender.send(getHealth, request);
    const value = parseAnswer(getHealth, response, this.target);
    const error = response.status >= 400 ? answerError(getHealth, value, response, this.#source) : null;
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
    const request = requestOf(call, this.#options);
    if (this.#options.dryRun) throw this.#dryRun(call.endpoint, request);
    const response = await this.#sender.send(call.endpoint, request);
    const { status, headers, body: text } = response;
    const value = parseAnswer(call, response, this.target);
    const failure = status >= 400 ? answerError(call, value, response, this.#source) : null;
    return { status, headers, value, text, failure };
  }

  /**
   * Makes a call whose answer is a stream, by method and path.
   * @param until ends it when it is aborted
   * @throws InterfaceError when the service refuses it
   * @throws NetworkError when the connection fails
   */
  async *rawStream(call: RawCall & { readonly endpoint: Endpoint }, until: AbortSignal): AsyncGenerator<string> {
    const request = requestOf(call, this.#options);
    if (this.#options.dryRun) throw this.#dryRun(call.endpoint, request);
    yield* streamedText(this.#stream(call.endpoint, request), until);
  }

  /**
   * Reads the events of a stream, from now on or after the event with an id. When the connection is lost or says nothing any more, or
   * the service fails or asks to wait meanwhile, it connects again and misses nothing.
   * @throws InterfaceError when the service refuses it, also later
   * @throws NetworkError when the service cannot be reached at first
   */
  async *events<E extends Endpoint>(endpoint: E, input: CallInput<E>, following: Following): AsyncGenerator<StreamedEvent> {
    const opening = this.#stream(endpoint, this.#request(endpoint, input));
    yield* streamedEvents(opening, following, this.#options.sleep);
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
  honoursKeys(): Promise<boolean | undefined> {
    return this.#sender.honoursKeys();
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

  get #source(): AnswerSource {
    const { keySource, subAccountId } = this.#options;
    return { target: this.target, keySource, subAccountId };
  }

  #request(endpoint: Endpoint, { params = {}, query = {}, body = {}, bytes }: AnyInput): TransportRequest {
    const call = { method: endpoint.method, path: requestPath(endpoint, params), query, body, endpoint };
    return requestOf(call, this.#options, bytes);
  }

  #stream(endpoint: Endpoint, request: TransportRequest): StreamRequest {
    return { endpoint, request, transport: this.#options.transport, source: this.#source };
  }

  #dryRun(endpoint: Endpoint | undefined, request: TransportRequest): DryRun {
    return new DryRun(shownRequest(endpoint, request, this.#options.transport.origin));
  }
}
