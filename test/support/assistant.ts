import {
  Client,
  type ClientOptions,
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { PassThrough } from 'node:stream';
import type { Home } from './terminal-world.ts';

/** A connection to a command that runs in this process, over its stdin and stdout. */
class StreamTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  readonly #input: PassThrough;
  readonly #output: PassThrough;
  #rest = '';

  constructor(input: PassThrough, output: PassThrough) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    this.#output.on('data', (chunk: Buffer) => {
      const lines = (this.#rest + chunk.toString()).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.onmessage?.(deserializeMessage(line));
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#input.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    this.#input.end();
    this.onclose?.();
  }
}

/** A result of a tool, as tests look at it. */
export interface ToolResult {
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects by asserting it
  readonly structuredContent?: any;
  readonly isError?: boolean;
  readonly text: string;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A client of `msgctl mcp` that runs in this process. */
export class Assistant {
  readonly client: Client;
  readonly #ran: Promise<{ code: number; stderr: string }>;

  private constructor(client: Client, ran: Promise<{ code: number; stderr: string }>) {
    this.client = client;
    this.#ran = ran;
  }

  /** @param prepare registers what the client can do, before it connects */
  static async open(home: Home, argv: readonly string[], options: ClientOptions = {}, prepare: (client: Client) => void = () => {}) {
    home.keepsStdinOpen = true;
    const before = home.input;
    const ran = home.run('mcp', ...argv);
    while (home.input === before) await new Promise(setImmediate);
    home.keepsStdinOpen = false;
    const client = new Client({ name: 'test', version: '1' }, options);
    prepare(client);
    await client.connect(new StreamTransport(home.input, home.output));
    return new Assistant(client, ran);
  }

  async names(): Promise<readonly string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolResult> {
    const { content, ...result } = await this.client.callTool({ name, arguments: args });
    const texts = content as readonly { readonly text?: string }[];
    return { ...result, text: texts.map(({ text }) => text).join('\n') };
  }

  /** Ends the connection. @returns how the command ended */
  async close(): Promise<{ code: number; stderr: string }> {
    await this.client.close();
    return await this.#ran;
  }
}
