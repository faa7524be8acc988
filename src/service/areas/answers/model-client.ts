import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { Agent, request } from 'undici';
import { type CallCode, codeOfStatus } from '../../../contract/areas/errors/codes.ts';
import { describeNetworkError, isCertificateFailure, networkErrorCode } from '../../../contract/network-errors.ts';
import { retryAfter } from '../../../contract/time/retry-after.ts';
import { Completion, type CompletionPart, readWhole } from './completion.ts';
import { FairSemaphore } from '../../flow/shares.ts';
import { tolerantConnector } from '../../network/interim-answers.ts';
import type { ModelSettings } from './model-settings.ts';
import type { PromptMessage } from './prompts.ts';
import { WriterFailed, WriterStopped } from './writer.ts';

/** The maximum number of bytes of a response that are read. */
const answerBytes = 1024 * 1024;

/** The number of connections to the model. Accounts share them fairly. */
const connections = 256;

/** The statuses after which a request is retried. */
const retried: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504]);

/** A failure after which a retry may succeed. */
class TryAgain extends WriterFailed {
  /** How long the server asks to wait, in milliseconds. */
  readonly after: number | null;

  constructor(message: string, code: CallCode, after: number | null = null) {
    super(message, code);
    this.after = after;
  }
}

/** Sends prompts to a chat-completions endpoint. */
export class ModelClient {
  readonly #settings: ModelSettings;
  readonly #url: string;
  readonly #agent = new Agent({ allowH2: false, connect: tolerantConnector({}), connections, pipelining: 1, keepAliveTimeout: 10_000 });
  readonly #places = new FairSemaphore(connections);
  readonly #closing = new AbortController();

  constructor(settings: ModelSettings) {
    this.#settings = settings;
    this.#url = `${settings.baseUrl.replace(/\/+$/, '')}/chat/completions`;
  }

  /**
   * Sends a prompt, once there is a connection for the account.
   * @throws WriterFailed when there is no complete response in time
   */
  async complete(accountId: string, model: string, messages: readonly PromptMessage[]): Promise<Completion> {
    const { timeout = 20_000 } = this.#settings;
    const deadline = performance.now() + timeout;
    const signal = AbortSignal.any([AbortSignal.timeout(timeout), this.#closing.signal]);
    const attempt = () => this.#places.run(accountId, () => this.#try(model, messages, signal), signal);
    return await this.#repeat(attempt, signal, deadline).catch((error: unknown) => {
      throw signal.aborted ? this.#cutOff() : error;
    });
  }

  /**
   * Sends a prompt, and repeats it while that can help. Holds no connection in between.
   * @param deadline when it must be answered, by `performance.now()`
   */
  async #repeat(attempt: () => Promise<Completion>, signal: AbortSignal, deadline: number): Promise<Completion> {
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

  async #try(model: string, messages: readonly PromptMessage[], signal: AbortSignal): Promise<Completion> {
    const { apiKey } = this.#settings;
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
    };
    const body = JSON.stringify({ model, messages, stream: false });
    const answer = await request(this.#url, { method: 'POST', headers, body, signal, dispatcher: this.#agent }).catch(connectionLost);
    const { statusCode } = answer;
    if (statusCode === 200) {
      const isStream = String(answer.headers['content-type'] ?? '').includes('text/event-stream');
      return await (isStream ? readStream(answer.body) : readDocument(answer.body));
    }
    // Destroying an unread response closes its connection.
    answer.body.on('error', () => {}).destroy();
    const message = `The model answered with the status ${statusCode}`;
    const code = codeOfStatus(statusCode);
    throw retried.has(statusCode) ? new TryAgain(message, code, askedWait(answer.headers)) : new WriterFailed(message, code);
  }
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
async function* readText(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let read = 0;
  try {
    for await (const chunk of stream) {
      read += chunk.length;
      if (read > answerBytes) throw new WriterFailed('The answer of the model is too long', 'unreadable');
      yield decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    if (error instanceof WriterFailed) throw error;
    connectionLost(error);
  }
}

async function readDocument(stream: AsyncIterable<Buffer>): Promise<Completion> {
  let text = '';
  for await (const part of readText(stream)) text += part;
  return readWhole(parseJson(text));
}

/** Reads the events of a streamed response. It is complete once it has a finish reason or `[DONE]`. */
async function readStream(stream: AsyncIterable<Buffer>): Promise<Completion> {
  const completion = new Completion();
  let isDone = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') isDone = true;
      else if (!isDone) completion.add(parseJson(data) as CompletionPart);
    },
  });
  for await (const part of readText(stream)) {
    parser.feed(part);
    if (isDone) break;
  }
  completion.end(isDone);
  return completion;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WriterFailed('The answer of the model is not JSON', 'unreadable');
  }
}
