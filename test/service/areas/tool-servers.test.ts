import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished } from 'vitest';
import { it } from '../../support/account-test.ts';
import { FakeModel } from '../../support/fake-model.ts';
import { freePort } from '../../support/free-port.ts';
import { TestService } from '../../support/test-service.ts';
import { ToolServer } from '../../support/tool-server.ts';

let calculator: ToolServer;

beforeAll(async () => {
  calculator = await ToolServer.open();
});

afterAll(() => calculator.close());

beforeEach(() => {
  calculator.requests.splice(0);
  calculator.more = [];
  calculator.refuses = null;
});

type Call = Pick<TestService, 'post'>;

async function make(service: Call, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { name: 'calculator', url: calculator.url, ...fields };
  return (await service.post('/mcp-servers', body)).body.mcp_server.id as string;
}

const refresh = async (service: Call, id: string) => (await service.post(`/mcp-servers/${id}/refresh`)).body.mcp_server;

const names = (tools: { name: string }[]) => tools.map(({ name }) => name);

describe('a tool server', () => {
  // Proves rules tool-servers.1, tool-servers.2, tool-servers.4.
  it('has its tools after a refresh, and says which are allowed', async ({ service }) => {
    const created = await service.post('/mcp-servers', { name: 'calculator', url: calculator.url, headers: { Authorization: 'Bearer t' } });
    expect(created.status).toBe(201);
    expect(created.body.mcp_server).toMatchObject({
      headers: { Authorization: '********' },
      enabled: true,
      allowed_tools: null,
      status: 'new',
      error: null,
      tools: [],
      refreshed_at: null,
    });
    const { id } = created.body.mcp_server as { id: string };
    const refreshed = await refresh(service, id);
    expect(refreshed).toMatchObject({ status: 'connected', error: null, refreshed_at: expect.any(String) as string });
    expect(refreshed.tools).toMatchObject([
      { name: 'add', description: 'Adds two numbers', input_schema: { type: 'object', required: ['a', 'b'] }, allowed: true },
      { name: 'fail', description: null, allowed: true },
    ]);
    expect(calculator.requests.map(({ authorization }) => authorization)).toEqual(calculator.requests.map(() => 'Bearer t'));
    const narrowed = await service.put(`/mcp-servers/${id}`, { allowed_tools: ['add', 'later'] });
    expect(narrowed.body.mcp_server.tools.map(({ allowed }: { allowed: boolean }) => allowed)).toEqual([true, false]);
    expect((await service.post('/mcp-servers', { name: 'calculator', url: calculator.url })).status).toBe(409);
    expect((await service.post('/mcp-servers', { name: 'a'.repeat(32), url: calculator.url })).body.field).toBe('name');
    expect((await service.delete(`/mcp-servers/${id}`)).status).toBe(200);
    expect((await service.get(`/mcp-servers/${id}`)).body.reason).toBe('mcp_server_not_found');
  });

  // Proves rule tool-servers.4.
  it('keeps the tools that were read before when a refresh fails', async ({ service }) => {
    const id = await make(service);
    await refresh(service, id);
    for (const [status, code] of [
      [302, 'http_3xx'],
      [401, 'http_4xx'],
      [500, 'http_5xx'],
    ] as const) {
      calculator.refuses = status;
      await service.put(`/mcp-servers/${id}`, { headers: { 'X-Try': code } });
      const failed = await refresh(service, id);
      expect(failed).toMatchObject({ status: 'failed', error: { code } });
      expect(names(failed.tools)).toEqual(['add', 'fail']);
    }
    calculator.refuses = null;
    expect(await refresh(service, id)).toMatchObject({ status: 'connected', error: null });
    await service.put(`/mcp-servers/${id}`, { url: `http://127.0.0.1:${await freePort()}/mcp`, headers: {} });
    expect(await refresh(service, id)).toMatchObject({ status: 'failed', error: { code: 'connection_failed' } });
  });

  // Proves rule tool-servers.4.
  it('has at most 200 tools', async ({ service }) => {
    calculator.more = Array.from({ length: 250 }, (_, index) => `tool_${index}`);
    expect((await refresh(service, await make(service))).tools).toHaveLength(200);
  });

  // Proves rule tool-servers.5.
  it.for([
    ['add', { a: 1, b: 2 }, { ok: true, result: '3', error: null }],
    ['fail', {}, { ok: false, result: null, error: { code: 'tool_error', text: 'The ledger is closed' } }],
    ['none', {}, { ok: false, error: { code: 'tool_error' } }],
    ['add', { a: 'x' }, { ok: false, error: { code: 'tool_error' } }],
  ] as const)('tests %s with %j', async ([tool, given, expected], { service }) => {
    const id = await make(service);
    const { status, body } = await service.post(`/mcp-servers/${id}/test`, { tool, arguments: given });
    expect(status).toBe(200);
    expect(body).toMatchObject(expected);
  });
});

describe('the tools of a server in a conversation', () => {
  let model: FakeModel;
  beforeAll(async () => {
    model = await FakeModel.open();
  });
  afterAll(() => model.close());

  // Proves rules functions.9, functions.13, tool-servers.4.
  it('are offered by the names that are unique, as they were read, and called', async () => {
    const service = await TestService.open({ model: model.settings });
    try {
      await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
      const agent = (await service.post('/agents', { name: 'Ada' })).body.agent_id as string;
      calculator.more = ['a.b', 'a_b', 'x'.repeat(60), 'over'];
      const id = await make(service);
      await refresh(service, id);
      await service.post('/custom-functions', { name: 'calculator__over', url: calculator.url });
      const own = (await service.get('/custom-functions')).body.custom_functions[0].id as string;
      await service.post(`/agents/${agent}/custom-functions`, { custom_function_ids: [own] });
      expect((await service.post(`/agents/${agent}/mcp-servers`, { mcp_server_ids: [id] })).body.mcp_server_ids).toEqual([id]);
      expect((await service.get(`/agents/${agent}`)).body.agent.mcp_server_ids).toEqual([id]);
      const write = async () =>
        (
          await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, {
            channel: 'chatapp',
            from: '+14155550123',
            text: 'What is 1 + 2?',
          })
        ).body as { reply: { body: string } | null; tool_calls: Record<string, unknown>[] };
      // The server has lost a tool, which is offered until the next refresh.
      calculator.more = [];
      model.says(
        [
          ['calculator__add', { a: 1, b: 2 }],
          ['calculator__fail', {}],
          ['calculator__add', { a: 1 }],
        ],
        'Three.',
      );
      const answer = await write();
      expect(answer.reply?.body).toBe('Three.');
      expect(answer.tool_calls).toMatchObject([
        { name: 'calculator__add', ok: true, result: '3' },
        { name: 'calculator__fail', ok: false, result: { code: 'tool_error', text: 'The ledger is closed' } },
        { name: 'calculator__add', ok: false, result: { code: 'invalid_arguments' } },
      ]);
      expect(model.told[0]?.tools?.map((tool) => tool.function.name)).toEqual(['calculator__over', 'calculator__add', 'calculator__fail']);
      const { errors } = (await service.get('/error-log')).body as { errors: Record<string, unknown>[] };
      expect(errors.map(({ source, code, entity }) => [source, code, entity])).toEqual([
        ['tool_server', 'invalid_arguments', { type: 'mcp_server', id }],
        ['tool_server', 'tool_error', { type: 'mcp_server', id }],
      ]);
      await service.put(`/mcp-servers/${id}`, { enabled: false });
      model.says('No tools.');
      await write();
      expect(model.told[0]?.tools?.map((tool) => tool.function.name)).toEqual(['calculator__over']);
    } finally {
      await service.close();
    }
  });
});

// Proves rule tool-servers.3.
describe('a server with sessions, which nobody here wrote', () => {
  const program = fileURLToPath(new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url));
  let server: ChildProcess;
  let port: number;

  async function start(): Promise<void> {
    server = spawn(process.execPath, [program, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await new Promise<void>((resolve) =>
      server.stderr?.on('data', (text: Buffer) => {
        if (text.toString().includes('listening')) resolve();
      }),
    );
  }

  async function stop(): Promise<void> {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
  }

  beforeAll(async () => {
    port = await freePort();
    await start();
  });

  afterAll(stop);

  it('answers calls, also after its sessions are gone', async ({ service }) => {
    const id = await make(service, { name: 'everything', url: `http://127.0.0.1:${port}/mcp` });
    const { status, tools } = await refresh(service, id);
    expect(status).toBe('connected');
    expect(names(tools)).toEqual(expect.arrayContaining(['echo', 'get-sum', 'get-structured-content']));
    const test = async (tool: string, given: object) => (await service.post(`/mcp-servers/${id}/test`, { tool, arguments: given })).body;
    expect(await test('echo', { message: 'Hello' })).toMatchObject({ ok: true, result: 'Echo: Hello' });
    expect(await test('get-structured-content', { location: 'Chicago' })).toMatchObject({
      ok: true,
      result: { temperature: expect.any(Number) as number },
    });
    expect(await test('get-tiny-image', {})).toMatchObject({ ok: true, result: expect.stringContaining('(image)') as string });
    await stop();
    await start();
    // It says so with 400, which may mean something else too: the call is not repeated, and the next one has a new session.
    expect(await test('echo', { message: 'Again' })).toMatchObject({ ok: false, error: { code: 'http_4xx' } });
    expect(await test('echo', { message: 'Again' })).toMatchObject({ ok: true, result: 'Echo: Again' });
  });
});

describe('a hostile server with sessions', () => {
  interface Asked {
    readonly method: string;
    readonly id?: number;
    readonly params?: { readonly name?: string };
    readonly error?: { readonly code: number };
  }

  /**
   * A server whose calls are answered by `onCall`: with a status, or with a result. It never answers the end of a session.
   * @param asks what it asks of its client before it answers a call
   */
  async function open(onCall: (name: string, session: number) => number | object, asks?: string) {
    let sessions = 0;
    const calls: string[] = [];
    const refusals: unknown[] = [];
    let goOn = (): unknown => undefined;
    const server = createServer((request, response) => {
      if (request.method === 'DELETE') return;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method, id, params, error } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Asked;
        const answer = (result: object) =>
          response
            .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': `s${sessions}` })
            .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
        if (method === 'initialize') {
          sessions++;
          return answer({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } });
        }
        if (method === undefined) {
          refusals.push(error?.code);
          response.writeHead(202).end();
          return goOn();
        }
        if (method !== 'tools/call') return response.writeHead(id === undefined ? 202 : 404).end();
        const name = params?.name ?? '';
        calls.push(name);
        const outcome = onCall(name, sessions);
        if (asks !== undefined) {
          const say = (message: object) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
          goOn = () => [say({ id, result: outcome }), response.end()];
          response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': `s${sessions}` });
          return say({ id: 'asked', method: asks, params: { messages: [], maxTokens: 1, message: 'Your password?', requestedSchema: {} } });
        }
        return typeof outcome === 'number' ? response.writeHead(outcome).end() : answer(outcome);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, calls, refusals };
  }

  const said = (text: string) => ({ content: [{ type: 'text', text }] });

  // Proves rule tool-servers.3.
  it('gets a call again only in a new session, when it did not know the old one', async ({ service }) => {
    const { url, calls } = await open((name, session) => (name === 'second' && session === 1 ? 404 : said(`${name} ${session}`)));
    const id = await make(service, { name: 'hostile', url });
    const test = async (tool: string) => (await service.post(`/mcp-servers/${id}/test`, { tool, arguments: {} })).body;
    expect(await test('first')).toMatchObject({ ok: true, result: 'first 1' });
    expect(await test('second')).toMatchObject({ ok: true, result: 'second 2' });
    expect(calls).toEqual(['first', 'second', 'second']);
  });

  // Proves rule tool-servers.3.
  it.for(['sampling/createMessage', 'elicitation/create', 'roots/list'])(
    'is refused %s, and its call goes on',
    async (asks, { service }) => {
      const { url, refusals } = await open(() => said('done'), asks);
      const id = await make(service, { name: 'hostile', url });
      const { body } = await service.post(`/mcp-servers/${id}/test`, { tool: 'greedy', arguments: {} });
      expect([body, refusals]).toMatchObject([{ ok: true, result: 'done' }, [-32601]]);
    },
  );

  // Proves rule functions.11.
  it('gets no call again because another one beside it failed', async ({ service }) => {
    const { url, calls } = await open((name) => (name === 'bad' ? 400 : said('done')));
    const id = await make(service, { name: 'hostile', url });
    const test = async (tool: string) => (await service.post(`/mcp-servers/${id}/test`, { tool, arguments: {} })).body;
    await test('warm up');
    const [good, bad] = await Promise.all([test('good'), test('bad')]);
    expect(good).toMatchObject({ ok: true, result: 'done' });
    expect(bad).toMatchObject({ ok: false, error: { code: 'http_4xx' } });
    expect(calls.filter((name) => name !== 'warm up').sort()).toEqual(['bad', 'good']);
  });
});
