import type { ServerResponse } from 'node:http';
import type { ModelSettings } from '../../src/service/areas/answers/model-settings.ts';
import { Receiver } from './receiver.ts';

/** A message that a model was sent. */
interface ToldMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_call_id?: string;
}

/** What a model was sent. */
interface Told {
  readonly messages: readonly ToldMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
}

/** What a model answers: a text, calls by the names of tools, an answer as the protocol has it, or null for none. */
type Said = null | string | readonly (readonly [name: string, given: unknown])[] | object;

/** A server with the chat-completions protocol, which answers as it was told. */
export class FakeModel {
  readonly #server: Receiver;
  #script: Said[] = [];
  /** How many calls it has asked for. */
  #count = 0;

  private constructor(server: Receiver) {
    this.#server = server;
    server.behaviour = (response) => this.#answer(response);
  }

  static async open(): Promise<FakeModel> {
    return new FakeModel(await Receiver.open());
  }

  get settings(): ModelSettings {
    const names = { economy: 'small', mini: 'mini', standard: 'medium', max: 'large' };
    return { baseUrl: this.#server.url('/v1'), apiKey: null, models: names, timeout: 5_000, firstRetry: 10 };
  }

  /** What it answers from now on, one after the other. The last one is repeated. */
  says(...script: Said[]): void {
    this.#script = script;
    this.#server.take();
  }

  /** What it was sent since `says`. */
  get told(): Told[] {
    return this.#server.received.map(({ body }) => body as Told);
  }

  /** What it was told about the calls, in the last request. */
  get results(): string[] {
    return (this.told.at(-1)?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content);
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  #answer(response: ServerResponse): void {
    const said = this.#script.length > 1 ? this.#script.shift() : this.#script[0];
    if (said === null) return;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(this.#completion(said ?? '')));
  }

  #completion(said: NonNullable<Said>): object {
    if (typeof said === 'object' && !Array.isArray(said)) return said;
    const message =
      typeof said === 'string'
        ? { role: 'assistant', content: said }
        : {
            role: 'assistant',
            content: null,
            tool_calls: (said as [string, unknown][]).map(([name, given]) => ({
              id: `call_of_model_${this.#count++}`,
              type: 'function',
              function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
            })),
          };
    const end = typeof said === 'string' ? 'stop' : 'tool_calls';
    return { choices: [{ index: 0, message, finish_reason: end }], usage: { prompt_tokens: 100, completion_tokens: 10 } };
  }
}
