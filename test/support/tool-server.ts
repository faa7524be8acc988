import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** A tool server in this process, which keeps no sessions. It speaks the newest revision and older ones. */
export class ToolServer {
  /** The headers of the requests so far. */
  readonly requests: Record<string, unknown>[] = [];
  /** The tools that it has, besides `add` and `fail`. */
  more: string[] = [];
  /** The status of its answers, if it refuses requests. */
  refuses: number | null = null;
  url = '';
  close: () => Promise<void> = async () => {};

  static async open(): Promise<ToolServer> {
    const opened = new ToolServer();
    const handler = createMcpHandler(() => opened.#tools());
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        opened.requests.push({ ...request.headers, method: request.method });
        if (opened.refuses !== null) return void response.writeHead(opened.refuses, { location: '/elsewhere' }).end();
        const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]));
        const body = chunks.length > 0 ? Buffer.concat(chunks) : null;
        const asked = new Request(opened.url, { method: request.method ?? 'GET', headers, body });
        void handler.fetch(asked).then(async (answer) => {
          response.writeHead(answer.status, Object.fromEntries(answer.headers));
          response.end(Buffer.from(await answer.arrayBuffer()));
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    opened.close = async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
    return opened;
  }

  #tools(): McpServer {
    const server = new McpServer({ name: 'calculator', version: '1.0.0' });
    const numbers = z.object({ a: z.number(), b: z.number() });
    server.registerTool('add', { description: 'Adds two numbers', inputSchema: numbers }, async ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
    }));
    server.registerTool('fail', { inputSchema: z.object({}) }, async () => ({
      content: [{ type: 'text', text: 'The ledger is closed' }],
      isError: true,
    }));
    for (const name of this.more) server.registerTool(name, { inputSchema: z.object({}) }, async () => ({ content: [] }));
    return server;
  }
}
