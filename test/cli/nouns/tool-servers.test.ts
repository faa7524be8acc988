import { expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import { Receiver } from '../../support/receiver.ts';

const tool = {
  name: 'find_order',
  inputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
};

/** What a tool server answers to the methods of the protocol. */
const answers: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'shop', version: '1' } },
  'tools/list': { tools: [tool] },
  'tools/call': { content: [{ type: 'text', text: 'On its way' }] },
};

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' }).extend('server', async ({}, { onCleanup }) => {
  const server = await Receiver.open();
  server.behaviour = (response, { body }) => {
    const { id, method } = (body ?? {}) as { id?: number; method?: string };
    if (body === null) return void response.writeHead(405).end();
    if (id === undefined) return void response.writeHead(202).end();
    const result = answers[method ?? ''];
    const error = { code: -32_601, message: 'Method not found' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
  };
  onCleanup(() => server.close());
  return server;
});

it('refresh reads the tools, and test checks arguments before it calls one', async ({ home, server }) => {
  await home.sandbox('tool-servers', 'create', 'shop', server.url());
  const refreshed = await home.sandbox('tool-servers', 'refresh', 'shop', '-o', 'json');
  expect([refreshed.code, refreshed.json.mcp_server]).toMatchObject([0, { status: 'connected', tools: [{ name: 'find_order' }] }]);
  const calls = () => server.received.filter(({ body }) => body?.method === 'tools/call').map(({ body }) => body.params.arguments);
  const wrong = await home.sandbox('tool-servers', 'test', 'shop', 'find_order', 'number=many');
  expect([wrong.code, wrong.stderr, calls()]).toEqual([2, expect.stringContaining("number 'many' must be a number"), []]);
  const missing = await home.sandbox('tool-servers', 'test', 'shop', 'find_order');
  expect([missing.code, missing.stderr, calls()]).toEqual([2, expect.stringContaining('number (integer, required)'), []]);
  const { code, stdout } = await home.sandbox('tool-servers', 'test', 'shop', 'find_order', 'number=1042');
  expect([code, stdout, calls()]).toEqual([0, expect.stringContaining('On its way'), [{ number: 1042 }]]);
});

it('refresh and test exit 1 when the server fails', async ({ home, server }) => {
  await home.sandbox('tool-servers', 'create', 'shop', server.url());
  server.behaviour = 500;
  expect((await home.sandbox('tool-servers', 'refresh', 'shop')).code).toBe(1);
  expect((await home.sandbox('tool-servers', 'test', 'shop', 'find_order', 'number=1')).code).toBe(1);
});
