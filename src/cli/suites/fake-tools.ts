import type { Client } from '../../client/client.ts';
import { refreshToolServer, listToolServers } from '../../contract/areas/tool-servers/endpoints.ts';
import { lacksEndpoint } from '../../client/errors.ts';
import type { ScratchOptions } from '../connection/embedded-service.ts';

type Runner = NonNullable<ScratchOptions['toolRunner']>;
type Servers = NonNullable<ScratchOptions['toolServers']>;
type ReadTools = Extract<Awaited<ReturnType<Servers['readTools']>>, { tools: unknown }>;

/** Stands for functions and tool servers in a copy of an account: nothing is called, and a case says what is returned. */
export class FakeTools {
  /** What is returned, by the name of the tool. */
  #results: Readonly<Record<string, unknown>> = {};
  /** The calls for which the case has no result. */
  readonly unexpected: string[] = [];
  readonly #tools = new Map<string, ReadTools['tools']>();

  /** Sets what is returned from now on. */
  begin(results: Readonly<Record<string, unknown>>): void {
    this.#results = results;
    this.unexpected.length = 0;
  }

  readonly runner: Runner = {
    run: async ({ name }) => {
      if (Object.hasOwn(this.#results, name)) return { ok: true, result: this.#results[name] };
      this.unexpected.push(name);
      return { ok: false, code: 'tool_error', text: `The case has no result for ${name}` };
    },
  };

  readonly servers: Servers = {
    readTools: async ({ name }) => ({ tools: this.#tools.get(name) ?? [] }),
    call: async () => ({ ok: false, code: 'tool_error', text: 'Tool servers are not called' }),
    close: async () => {},
  };

  /** Reads which tools the servers of an account have, as they were read last. */
  async learn(client: Client): Promise<void> {
    const servers = await client.all(listToolServers, {}).catch((error: unknown) => {
      if (lacksEndpoint(error)) return [];
      throw error;
    });
    for (const { name, tools } of servers) this.#tools.set(name, tools);
  }

  /** Makes the tools known to the servers of the copy. */
  async teach(copy: Client): Promise<void> {
    for (const { id } of await copy.all(listToolServers, {})) await copy.call(refreshToolServer, { params: { id } });
  }
}
