import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect } from 'vitest';
import { end, outputOf, program, type Workplace } from '../support/processes.ts';
import { it, sandbox } from '../support/workplace-test.ts';

const folderOf = (name: string) => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));

/** Runs a program of a package of the project. */
async function runTool(file: string, argv: readonly string[], workplace: Workplace) {
  const child = spawn(process.execPath, [file, ...argv], {
    env: { PATH: process.env.PATH, HOME: workplace.path },
    cwd: workplace.path,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = outputOf(child);
  const [code] = (await once(child, 'close')) as [number];
  return { code, ...output };
}

/** Starts `msgctl mcp --http`. */
async function serveHttp(workplace: Workplace, env: Record<string, string> = {}) {
  const child = workplace.start(['mcp', '--profile', 'sandbox', '--http', '0', '-o', 'json'], env);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = (await once(lines, 'line')) as [string];
  return { child, ...(JSON.parse(line) as { event: string; url: string; token: string | null }) };
}

describe('mcp', () => {
  it('answers a client of the newest revision over stdio, and ends with it', async ({ workplace }) => {
    await sandbox(workplace, 'tags', 'create', 'VIP');
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', '--profile', 'sandbox', '--toolset', 'tags'],
      env: { PATH: process.env.PATH ?? '', HOME: workplace.path },
      stderr: 'pipe',
    });
    await client.connect(transport);
    const { structuredContent } = await client.callTool({ name: 'tags_list', arguments: {} });
    expect(structuredContent).toMatchObject({ tags: [{ name: 'VIP' }] });
    const { pid } = transport;
    await client.close();
    expect(() => process.kill(pid as number, 0)).toThrow(/ESRCH/);
  });

  it('serves HTTP to who has the token, and to no website', async ({ workplace }) => {
    const { child, url, token } = await serveHttp(workplace);
    const post = async (headers: Record<string, string>, at = url) =>
      await new Promise<number>((resolve) => {
        const sent = httpRequest(at, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        });
        sent.end('{"jsonrpc":"2.0","id":1,"method":"ping"}');
      });
    const authorization = `Bearer ${token}`;
    expect([await post({}), await post({ authorization: 'Bearer wrong' }), await post({ authorization: 'Basic x' })]).toEqual([
      401, 401, 401,
    ]);
    expect([await post({ authorization, host: 'evil.example' }), await post({ authorization, origin: 'https://evil.example' })]).toEqual([
      403, 403,
    ]);
    expect(await post({ authorization }, url.replace('/mcp', '/'))).toBe(404);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }));
    const { structuredContent } = await client.callTool({ name: 'health', arguments: {} });
    expect(structuredContent).toMatchObject({ status: 'ok' });
    await client.close();
    await end(child, 'SIGTERM');
    expect(child.exitCode).toBe(0);
  });

  it('takes the token from MSGCTL_MCP_TOKEN, and then does not print it', async ({ workplace }) => {
    const { child, url, token } = await serveHttp(workplace, { MSGCTL_MCP_TOKEN: 'a-token-of-my-own' });
    expect(token).toBeNull();
    const client = new Client({ name: 'test', version: '1' });
    const headers = { authorization: 'Bearer a-token-of-my-own' };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    await client.close();
    await end(child, 'SIGINT');
    expect(child.exitCode).toBe(0);
  });

  it('answers the command line of the inspector', async ({ workplace }) => {
    await sandbox(workplace, 'tags', 'create', 'VIP');
    const inspector = join(folderOf('@modelcontextprotocol/inspector'), 'clients/launcher/build/index.js');
    const inspect = async (...argv: string[]) => {
      const { code, stdout, stderr } = await runTool(
        inspector,
        ['--cli', process.execPath, program, 'mcp', '--profile', 'sandbox', ...argv],
        workplace,
      );
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const { tools } = await inspect('--method', 'tools/list');
    expect((tools as unknown[]).length).toBeGreaterThan(30);
    const { structuredContent } = await inspect('--method', 'tools/call', '--tool-name', 'contacts_list', '--tool-arg', 'limit=1');
    expect(structuredContent).toEqual({ contacts: [], next_cursor: null });
  });

  it('passes the scenarios of the conformance suite that are about every server', async ({ workplace }) => {
    const { url, token } = await serveHttp(workplace);
    // The suite sends no token.
    const proxy = createServer((incoming, outgoing) => {
      const { host: _, ...headers } = incoming.headers;
      const host =
        incoming.headers.host?.startsWith('localhost') || incoming.headers.host?.startsWith('127.0.0.1')
          ? new URL(url).host
          : (incoming.headers.host ?? '');
      const passed = httpRequest(
        url,
        { method: incoming.method ?? 'GET', headers: { ...headers, host, authorization: `Bearer ${token}` } },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      incoming.pipe(passed);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
    const suite = join(folderOf('@modelcontextprotocol/conformance'), 'dist/index.js');
    try {
      for (const scenario of ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']) {
        const { code, stdout, stderr } = await runTool(suite, ['server', '--url', at, '--scenario', scenario], workplace);
        expect([scenario, code], stdout + stderr).toEqual([scenario, 0]);
      }
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });
});
