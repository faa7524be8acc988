import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { Agent, request } from 'undici';
import { type CallCode, codeOfStatus } from '../../../contract/areas/errors/codes.ts';
import { describeNetworkError, isCertificateFailure, networkErrorCode } from '../../../contract/network-errors.ts';
import { parseJson as parseNested } from '../../../contract/json.ts';
import { limits } from '../../../contract/limits.ts';
import { retryAfter } from '../../../contract/time/retry-after.ts';
import { Completion, type CompletionPart, readWhole } from './completion.ts';
import { FairSemaphore } from '../../flow/shares.ts';
import { tolerantConnector } from '../../network/interim-answers.ts';
import type { ModelSettings } from './model-settings.ts';
import type { PromptMessage } from './prompts.ts';
import { TextRefused, type ToolOffer, WriterFailed, WriterStopped } from './writer.ts';

/** The maximum number of bytes of a response that are read: of a text, and of vectors. */
const textBytes = 1024 * 1024;
const vectorBytes = 16 * 1024 * 1024;

/** The number of connections to the model. Accounts share them fairly. */
const connections = 256;

/** The statuses after which a request is retried. */
const retried: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504]);

/** The statuses of a request whose content is refused. */
const refusals: ReadonlySet<number> = new Set([400, 413, 422]);

/** A failure after which a retry may succeed. */
class TryAgain extends WriterFailed {
  /** How long the server asks to wait, in milliseconds. */
  readonly after: number | null;

  constructor(message: string, code: CallCode, after: number | null = null) {
    super(message, code);
    this.after = after;
  }
}

/** Sends requests to a server with the chat-completions protocol. */
export class ModelClient {
  readonly #settings: ModelSettings;
  readonly #url: string;
  readonly #agent = new Agent({ allowH2: false, connect: tolerantConnector({}), connections, pipelining: 1, keepAliveTimeout: 10_000 });
  readonly #places = new FairSemaphore(connections);
  readonly #closing = new AbortController();

  constructor(settings: ModelSettings) {
    this.#settings = settings;
    this.#url = settings.baseUrl.replace(/\/+$/, '');
  }

  /** How many connections are in use. */
  get connections(): number {
    return connections - this.#places.free;
  }

  /** The time limit of a call with its retries, in milliseconds. */
  get timeout(): number {
    return this.#settings.timeout ?? 20_000;
  }

  /**
   * Sends a prompt.
   * @param tools what the model may call
   * @param milliseconds the time limit, in real time
   * @throws WriterFailed when there is no complete response in time
   */
  async complete(
    accountId: string,
    model: string,
    messages: readonly PromptMessage[],
    tools: readonly ToolOffer[] = [],
    milliseconds = this.timeout,
  ): Promise<Completion> {
    const isOffered = tools.length > 0;
    const body = { model, messages, stream: false, ...(isOffered && { tools: tools.map(asFunction) }) };
    const read: Reading<Completion> = (answer, contentType) => readCompletion(answer, contentType, isOffered);
    return await this.#send(accountId, '/chat/completions', body, read, milliseconds);
  }

  /**
   * Reads the vectors of texts. @param milliseconds the time limit, in real time
   * @throws WriterFailed when there is no vector of each in time
   */
  async embed(accountId: string, model: string, texts: readonly string[], milliseconds?: number): Promise<Float32Array[]> {
    return await this.#send(
      accountId,
      '/embeddings',
      { model, input: texts },
      async (body) => readVectors(await readJson(body), texts.length),
      milliseconds,
    );
  }

  /** Sends a request, once there is a connection for the account. */
  async #send<Result>(accountId: string, path: string, body: unknown, read: Reading<Result>, milliseconds?: number): Promise<Result> {
    // A round of calls may have used up the time.
    const limit = Math.max(1, Math.round(milliseconds ?? this.timeout));
    const deadline = performance.now() + limit;
    const signal = AbortSignal.any([AbortSignal.timeout(limit), this.#closing.signal]);
    const attempt = () => this.#places.run(accountId, () => this.#try(path, body, read, signal), signal);
    return await this.#repeat(attempt, signal, deadline).catch((error: unknown) => {
      throw signal.aborted ? this.#cutOff() : error;
    });
  }

  /**
   * Sends a request, and repeats it while that can help. Holds no connection in between.
   * @param deadline when it must be answered, by `performance.now()`
   */
  async #repeat<Result>(attempt: () => Promise<Result>, signal: AbortSignal, deadline: number): Promise<Result> {
    const { firstRetry = 500 } = this.#settings;
    for (let wait = firstRetry; ; wait *= 2) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof TryAgain)) throw error;
        const pause = error.after ?? wait;
        if (performance.now() + pause >= deadline) throw error;
        await sleep(pause, undefined, { signal });
      }
    }
  }

  /** Aborts the requests in progress. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#agent.destroy();
  }

  #cutOff(): WriterFailed {
    return this.#closing.signal.aborted ? new WriterStopped() : new WriterFailed('The model did not answer in time', 'timeout');
  }

  async #try<Result>(path: string, content: unknown, read: Reading<Result>, signal: AbortSignal): Promise<Result> {
    const { apiKey } = this.#settings;
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
    };
    const body = JSON.stringify(content);
    const answer = await request(`${this.#url}${path}`, { method: 'POST', headers, body, signal, dispatcher: this.#agent }).catch(
      connectionLost,
    );
    const { statusCode } = answer;
    if (statusCode === 200) return await read(answer.body, String(answer.headers['content-type'] ?? ''));
    // Destroying an unread response closes its connection.
    answer.body.on('error', () => {}).destroy();
    const message = `The model answered with the status ${statusCode}`;
    const code = codeOfStatus(statusCode);
    if (retried.has(statusCode)) throw new TryAgain(message, code, askedWait(answer.headers));
    throw refusals.has(statusCode) ? new TextRefused(message, code) : new WriterFailed(message, code);
  }
}

/** Reads a response of a content type. */
type Reading<Result> = (body: AsyncIterable<Buffer>, contentType: string) => Promise<Result>;

async function readCompletion(body: AsyncIterable<Buffer>, contentType: string, isOffered: boolean): Promise<Completion> {
  return contentType.includes('text/event-stream') ? await readStream(body, isOffered) : await readDocument(body, isOffered);
}

/** A tool as the protocol describes it. */
function asFunction({ name, description, parameters }: ToolOffer) {
  return { type: 'function', function: { name, description: description ?? '', parameters } };
}

/** The wait that the server asks for, in milliseconds; null without one. */
function askedWait(headers: Readonly<Record<string, string | string[] | undefined>>): number | null {
  const seconds = retryAfter({ 'retry-after': String(headers['retry-after'] ?? ''), date: String(headers.date ?? '') });
  return seconds === null ? null : seconds * 1_000;
}

/** Keeps only what the code of a network error says, because the message contains addresses (but no keys). */
function connectionLost(error: unknown): never {
  const code = networkErrorCode(error);
  const reason = describeNetworkError(code);
  const message = `The connection to the model failed${code && ` (${code})`}${reason === undefined ? '' : `: ${reason}`}`;
  throw isCertificateFailure(code) ? new WriterFailed(message, 'connection_failed') : new TryAgain(message, 'connection_failed');
}

/** Reads chunks of a response, as text. @throws WriterFailed when it is too long, TryAgain when it is cut off */
async function* readText(stream: AsyncIterable<Buffer>, most = textBytes): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let read = 0;
  try {
    for await (const chunk of stream) {
      read += chunk.length;
      if (read > most) throw new WriterFailed('The answer of the model is too long', 'unreadable');
      yield decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    if (error instanceof WriterFailed) throw error;
    connectionLost(error);
  }
}

async function readDocument(stream: AsyncIterable<Buffer>, isOffered: boolean): Promise<Completion> {
  let text = '';
  for await (const part of readText(stream)) text += part;
  return readWhole(parseAnswer(text), isOffered);
}

/** Reads the events of a streamed response. It is complete once it has a finish reason or `[DONE]`. */
async function readStream(stream: AsyncIterable<Buffer>, isOffered: boolean): Promise<Completion> {
  const completion = new Completion(isOffered);
  let isDone = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') isDone = true;
      else if (!isDone) completion.add(parseAnswer(data) as CompletionPart);
    },
  });
  for await (const part of readText(stream)) {
    parser.feed(part);
    if (isDone) break;
  }
  completion.end(isDone);
  return completion;
}

async function readJson(stream: AsyncIterable<Buffer>): Promise<unknown> {
  let text = '';
  for await (const part of readText(stream, vectorBytes)) text += part;
  return parseJson(text);
}

/** Reads as many vectors as were asked for. @throws WriterFailed when the response has others */
function readVectors(answer: unknown, wanted: number): Float32Array[] {
  const { data } = (answer ?? {}) as { data?: unknown };
  const vectors = new Map<number, Float32Array>();
  for (const [place, each] of (Array.isArray(data) ? data : []).entries()) {
    const { index = place, embedding } = (each ?? {}) as { index?: unknown; embedding?: unknown };
    if (typeof index === 'number' && isVector(embedding)) vectors.set(index, Float32Array.from(embedding));
  }
  const found = Array.from({ length: wanted }, (_, index) => vectors.get(index));
  if (found.every((vector) => vector?.some(Boolean) && vector.every(Number.isFinite))) return found as Float32Array[];
  throw new WriterFailed('The model did not answer with a vector for each text');
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'number');
}

/** Parses an answer, whose arguments of calls are walked later. @throws WriterFailed when it is not JSON, or nested too deeply */
function parseAnswer(text: string): unknown {
  try {
    return parseNested(text, limits.answerLevels);
  } catch {
    throw new WriterFailed('The answer of the model is not JSON', 'unreadable');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WriterFailed('The answer of the model is not JSON', 'unreadable');
  }
}
