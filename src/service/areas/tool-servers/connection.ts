import { Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { codeOfStatus } from '../../../contract/areas/errors/codes.ts';
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

/** A result, or why there is none. */
type Failure = Extract<CallOutcome, { ok: false }>;

/** A connection to a tool server: a session, where the server has them. */
export class Connection {
  readonly #client: Client;
  readonly #transport: StreamableHTTPClientTransport;
  /** The status of the last answer that was not a success, and the error of the last request without an answer. */
  #status: number | null = null;
  #error: Error | null = null;

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
    const text = content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n');
    if (isError) return failedCall('tool_error', text.slice(0, errorLength) || undefined);
    return { ok: true, result: structuredContent ?? (text === '' ? null : text) };
  }

  /** Whether the server does not know the session any more, so that what was sent last was not done. Some servers say so with 400. */
  get isExpired(): boolean {
    return (this.#status === 404 || this.#status === 400) && this.#transport.sessionId !== undefined;
  }

  /** Ends the session and the connection. */
  async close(): Promise<void> {
    await this.#transport.terminateSession().catch(() => {});
    await this.#client.close();
  }

  async #attempt<Value>(request: () => Promise<Value>, signal: AbortSignal): Promise<{ ok: true; value: Value } | Failure> {
    this.#status = null;
    this.#error = null;
    try {
      return { ok: true, value: await request() };
    } catch (error) {
      return this.#failure(error as Error, signal) as Failure;
    }
  }

  #failure(error: Error, signal: AbortSignal): CallOutcome {
    if (signal.aborted) return failedCall('timeout');
    if (this.#status !== null) return failedCall(codeOfStatus(this.#status));
    if (this.#error) return failedCall(codeOf(outcomeOfError(this.#error)));
    if (error instanceof ProtocolError) return failedCall('tool_error', error.message.slice(0, errorLength));
    return failedCall('unreadable');
  }

  async #fetch(http: GuardedClient, url: string, options: RequestInit = {}): Promise<Response> {
    // The stream of what a server asks of its client is not opened.
    if (options.method === 'GET') return new Response(null, { status: 405 });
    try {
      const answer = await http.fetch(url, { ...options, redirect: 'manual' } as never);
      if (!answer.ok) this.#status = answer.status;
      return bounded(answer);
    } catch (error) {
      this.#error = innermost(error as Error);
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
