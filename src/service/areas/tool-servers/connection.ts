import { Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOfStatus } from '../../../contract/areas/errors/codes.ts';
import { isDeeper } from '../../../contract/json.ts';
import { limits } from '../../../contract/limits.ts';
import type { GuardedClient } from '../../network/guarded-client.ts';
import { codeOf, outcomeOfError } from '../webhooks/outcome.ts';
import { type CallOutcome, failedCall } from '../functions/outcome.ts';
import type { Tool, ToolServer } from './table.ts';

/** The most bytes of an answer of a tool server. */
const answerBytes = 4 * 1024 * 1024;

/** The most tools of a server that are kept. */
const toolsMax = 200;

/** The longest text of a tool that reports an error. */
const errorLength = 2_000;

/** How long the end of a session is waited for, in milliseconds of real time. */
const closeTime = 1_000;

/** Why there is no result, and what has become of the session. */
export type Failure = Extract<CallOutcome, { ok: false }> & { readonly session?: 'kept' | 'unknown' | 'doubtful' };

/** What came of one request: the status of an answer that was not a success, or the error without an answer. */
interface Attempt {
  status: number | null;
  error: Error | null;
}

/**
 * What a failed request says of its session. With 404 the server does not know it, so it did nothing. With 400 some servers say the
 * same, and others something else.
 */
function sessionAfter({ status }: Attempt): NonNullable<Failure['session']> {
  return status === 404 ? 'unknown' : status === 400 ? 'doubtful' : 'kept';
}

/** A connection to a tool server: a session, where the server has them. */
export class Connection {
  readonly #client: Client;
  readonly #transport: StreamableHTTPClientTransport;
  readonly #attempts = new AsyncLocalStorage<Attempt>();

  constructor({ url, headers }: ToolServer, http: GuardedClient, version: string) {
    this.#transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers },
      fetch: (to, options) => this.#fetch(http, String(to), options),
      reconnectionOptions: { maxRetries: 0, initialReconnectionDelay: 0, maxReconnectionDelay: 0, reconnectionDelayGrowFactor: 1 },
    });
    this.#client = new Client(
      { name: 'msgctl', version },
      {
        capabilities: {},
        versionNegotiation: { mode: 'auto' },
        // Results are passed on as they are, and the default validator compiles code.
        jsonSchemaValidator: { getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }) },
      },
    );
  }

  /** Opens the connection. @returns why it cannot be opened */
  async open(signal: AbortSignal): Promise<Failure | undefined> {
    const opened = await this.#attempt(() => this.#client.connect(this.#transport, { signal }), signal);
    return opened.ok ? undefined : opened;
  }

  /** Reads the tools. */
  async readTools(signal: AbortSignal): Promise<{ readonly tools: readonly Tool[] } | Failure> {
    const read = await this.#attempt(() => this.#client.listTools({}, { signal, cacheMode: 'refresh' }), signal);
    if (!read.ok) return read;
    const tools = read.value.tools.slice(0, toolsMax);
    return { tools: tools.map(({ name, description = null, inputSchema }) => ({ name, description, input_schema: inputSchema })) };
  }

  /** Calls a tool. */
  async call(tool: string, given: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallOutcome> {
    const called = await this.#attempt(() => this.#client.callTool({ name: tool, arguments: given }, { signal }), signal);
    if (!called.ok) return called;
    const { content, structuredContent, isError } = called.value;
    if (isDeeper(structuredContent, limits.bodyLevels)) return failedCall('unreadable');
    const text = content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n');
    if (isError) return failedCall('tool_error', text.slice(0, errorLength) || undefined);
    return { ok: true, result: structuredContent ?? (text === '' ? null : text) };
  }

  /** Ends the session and the connection. */
  async close(): Promise<void> {
    // A server that does not answer must not keep anybody waiting.
    const waited = sleep(closeTime, undefined, { ref: false });
    await Promise.race([this.#transport.terminateSession(), waited]).catch(() => {});
    await this.#client.close().catch(() => {});
  }

  async #attempt<Value>(request: () => Promise<Value>, signal: AbortSignal): Promise<{ ok: true; value: Value } | Failure> {
    const attempt: Attempt = { status: null, error: null };
    try {
      return { ok: true, value: await this.#attempts.run(attempt, request) };
    } catch (error) {
      const hadSession = this.#transport.sessionId !== undefined;
      return { ...(this.#failure(error as Error, signal, attempt) as Failure), session: hadSession ? sessionAfter(attempt) : 'kept' };
    }
  }

  #failure(error: Error, signal: AbortSignal, { status, error: lost }: Attempt): CallOutcome {
    if (signal.aborted) return failedCall('timeout');
    if (status !== null) return failedCall(codeOfStatus(status));
    if (lost) return failedCall(codeOf(outcomeOfError(lost)));
    if (error instanceof ProtocolError) return failedCall('tool_error', error.message.slice(0, errorLength));
    return failedCall('unreadable');
  }

  async #fetch(http: GuardedClient, url: string, options: RequestInit = {}): Promise<Response> {
    // The stream of what a server asks of its client is not opened.
    if (options.method === 'GET') return new Response(null, { status: 405 });
    try {
      const answer = await http.fetch(url, { ...options, redirect: 'manual' } as never);
      const attempt = this.#attempts.getStore();
      if (attempt && !answer.ok) attempt.status = answer.status;
      return bounded(answer);
    } catch (error) {
      const attempt = this.#attempts.getStore();
      if (attempt) attempt.error = innermost(error as Error);
      throw error;
    }
  }
}

/** An answer that fails once it is too large. */
function bounded(answer: Response): Response {
  if (answer.body === null) return answer;
  let read = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      read += chunk.length;
      if (read > answerBytes) controller.error(new Error('The answer is too large'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(answer.body.pipeThrough(counting), { status: answer.status, headers: new Headers([...answer.headers]) });
}

/** The error that caused an error of `fetch`. */
function innermost(error: Error): Error {
  return error.cause instanceof Error ? innermost(error.cause) : error;
}
