import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { it } from '../../../support/account-test.ts';
import { isSignedWith, Receiver } from '../../../support/receiver.ts';

let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.open();
});

afterAll(() => receiver.close());

beforeEach(() => {
  receiver.take();
  receiver.behaviour = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"weather":"sunny"}');
});

const weather = () => ({
  name: 'get_weather',
  description: 'The weather of a city',
  url: receiver.url('/weather'),
  parameters: { type: 'object', properties: { city: { type: 'string', minLength: 1 } }, required: ['city'], additionalProperties: false },
});

describe('a custom function', () => {
  // Proves rule functions.1.
  it('has defaults, is listed newest first, changes and is deleted', async ({ service }) => {
    const { status, body } = await service.post('/custom-functions', { name: 'plain', url: receiver.url() });
    expect(status).toBe(201);
    expect(body.custom_function).toMatchObject({
      id: expect.stringMatching(/^fun_/) as string,
      name: 'plain',
      description: null,
      parameters: { type: 'object', properties: {}, additionalProperties: false },
      method: 'POST',
      headers: {},
      timeout_seconds: 10,
      enabled: true,
      signing_enabled: false,
    });
    const { id } = body.custom_function;
    await service.post('/custom-functions', weather());
    const listed = await service.get('/custom-functions?limit=1');
    expect(listed.body.custom_functions.map(({ name }: { name: string }) => name)).toEqual(['get_weather']);
    const rest = await service.get(`/custom-functions?limit=1&cursor=${listed.body.next_cursor as string}`);
    expect(rest.body.custom_functions.map(({ name }: { name: string }) => name)).toEqual(['plain']);
    const changed = await service.put(`/custom-functions/${id as string}`, { enabled: false, timeout_seconds: 15 });
    expect(changed.body.custom_function).toMatchObject({ name: 'plain', enabled: false, timeout_seconds: 15 });
    expect((await service.put(`/custom-functions/${id as string}`, {})).body.error).toBe('No fields to update');
    expect((await service.delete(`/custom-functions/${id as string}`)).status).toBe(200);
    expect((await service.get(`/custom-functions/${id as string}`)).body.reason).toBe('custom_function_not_found');
  });

  // Proves rule functions.2.
  it('has a name of its own', async ({ service }) => {
    await service.post('/custom-functions', weather());
    const again = await service.post('/custom-functions', weather());
    expect([again.status, again.body.reason, again.body.field]).toEqual([409, 'name_taken', 'name']);
    const { body } = await service.post('/custom-functions', { name: 'other', url: receiver.url() });
    const renamed = await service.put(`/custom-functions/${body.custom_function.id as string}`, { name: 'get_weather' });
    expect(renamed.status).toBe(409);
    expect((await service.put(`/custom-functions/${body.custom_function.id as string}`, { name: 'other' })).status).toBe(200);
  });

  // Proves rule functions.2.
  it.for(['send_media', 'Upper', '1st', 'with-dash', '', 'a'.repeat(64)])('is not called %j', async (name, { service }) => {
    const { status, body } = await service.post('/custom-functions', { ...weather(), name });
    expect([status, body.field]).toEqual([400, 'name']);
  });

  // Proves rule functions.4.
  it.for([
    [{ type: 'array' }, 'parameters.type'],
    [{ type: 'object', properties: { zip: { type: 'string', pattern: '(a+)+$' } } }, 'parameters.properties.zip.pattern'],
    [{ type: 'object', properties: { a: { $ref: '#' } } }, 'parameters.properties.a.$ref'],
    [{ type: 'object', properties: { a: { type: 'text' } } }, 'parameters.properties.a.type'],
    [{ type: 'object', anyOf: [{ minLength: -1 }] }, 'parameters.anyOf.0.minLength'],
    [{ type: 'object', description: 'x'.repeat(17_000) }, 'parameters'],
  ])('has no parameters such as %j', async ([parameters, field], { service }) => {
    const { status, body } = await service.post('/custom-functions', { ...weather(), parameters });
    expect([status, body.field]).toEqual([400, field]);
  });

  // Proves rule functions.5.
  it.for(['not a url', 'ftp://example.com/', 'https://user:secret@example.com/'])('is not at %s', async (url, { service }) => {
    const { status, body } = await service.post('/custom-functions', { ...weather(), url });
    expect([status, body.field]).toEqual([400, 'url']);
  });
});

describe('headers', () => {
  const secretHeaders = { Authorization: 'Bearer secret-1', 'X-Team': 'blue' };

  // Proves rule functions.6.
  it('are sent, and their values are never shown', async ({ service }) => {
    const { body } = await service.post('/custom-functions', { ...weather(), headers: secretHeaders });
    expect(body.custom_function.headers).toEqual({ Authorization: '********', 'X-Team': '********' });
    const path = `/custom-functions/${body.custom_function.id as string}`;
    const kept = await service.put(path, { headers: { authorization: '********' } });
    expect(kept.body.custom_function.headers).toEqual({ authorization: '********' });
    await service.post(`${path}/test`, { arguments: { city: 'Berlin' } });
    expect(receiver.received[0]?.headers).toMatchObject({ authorization: 'Bearer secret-1' });
    expect(receiver.received[0]?.headers['x-team']).toBeUndefined();
    const unknown = await service.put(path, { headers: { 'X-New': '********' } });
    expect([unknown.status, unknown.body.field]).toEqual([400, 'headers.X-New']);
  });

  // Proves rule functions.6.
  it('must be sent anew when the address leads to another server', async ({ service }) => {
    const { body } = await service.post('/custom-functions', { ...weather(), headers: secretHeaders });
    const path = `/custom-functions/${body.custom_function.id as string}`;
    const elsewhere = { url: 'http://127.0.0.2:9/weather' };
    for (const headers of [undefined, { Authorization: '********' }]) {
      const refused = await service.put(path, { ...elsewhere, ...(headers && { headers }) });
      expect(refused.status).toBe(400);
    }
    expect((await service.put(path, { url: receiver.url('/elsewhere') })).status).toBe(200);
    expect((await service.put(path, { ...elsewhere, headers: { Authorization: 'new' } })).status).toBe(200);
  });

  // Proves rule functions.6.
  it.for([
    'Host',
    'content-length',
    'Content-Type',
    'ACCEPT',
    'Connection',
    'Transfer-Encoding',
    'Expect',
    'keep-alive',
    'Upgrade',
    'TE',
    'Trailer',
    'Proxy-Connection',
    'X-Webhook-Event',
    'Mcp-Session-Id',
    'a b',
  ])('do not include %s', async (name, { service }) => {
    const { status, body } = await service.post('/custom-functions', { ...weather(), headers: { [name]: 'x' } });
    expect([status, body.field]).toEqual([400, `headers.${name}`]);
  });

  it('have values of one line, and are at most 20', async ({ service }) => {
    expect((await service.post('/custom-functions', { ...weather(), headers: { A: 'x\r\nHost: y' } })).status).toBe(400);
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, 'x']));
    expect((await service.post('/custom-functions', { ...weather(), headers: many })).body.field).toBe('headers');
    expect((await service.post('/custom-functions', { ...weather(), headers: { A: '1', a: '2' } })).body.field).toBe('headers.a');
  });
});

describe('a test of a function', () => {
  // Proves rules functions.7, functions.8.
  it('sends the arguments with what the service knows, marked as a test', async ({ service }) => {
    const { body } = await service.post('/custom-functions', weather());
    const path = `/custom-functions/${body.custom_function.id as string}`;
    const tested = await service.post(`${path}/test`, { arguments: { city: 'Berlin' } });
    expect(tested.body).toMatchObject({ ok: true, status_code: 200, result: { weather: 'sunny' }, error: null });
    expect(tested.body.duration_ms).toBeGreaterThanOrEqual(0);
    const [received] = receiver.received;
    expect(received?.body).toEqual({
      call_id: expect.stringMatching(/^call_/) as string,
      function: 'get_weather',
      arguments: { city: 'Berlin' },
      user: { id: service.accountId, name: expect.any(String) as string, email: null },
      contact: null,
      agent_id: null,
      chat_session_id: null,
      test: true,
    });
    expect(received?.headers).toMatchObject({
      'x-webhook-event': 'Function Called',
      'x-webhook-delivery': received?.body.call_id as string,
      'content-type': 'application/json',
    });
    expect(received?.headers['x-webhook-signature']).toBeUndefined();
  });

  // Proves rule functions.7.
  it('is signed once there is a secret, which is shown once', async ({ service }) => {
    const { body } = await service.post('/custom-functions', weather());
    const path = `/custom-functions/${body.custom_function.id as string}`;
    const { signing_secret: secret } = (await service.post(`${path}/signing-secret`)).body as { signing_secret: string };
    expect((await service.get(path)).body.custom_function).toMatchObject({ signing_enabled: true });
    await service.post(`${path}/test`, { arguments: { city: 'Berlin' } });
    const [signed] = receiver.take();
    expect(signed && isSignedWith(secret, signed)).toBe(true);
    expect((await service.delete(`${path}/signing-secret`)).status).toBe(200);
    await service.post(`${path}/test`, { arguments: { city: 'Berlin' } });
    expect(receiver.received[0]?.headers['x-webhook-signature']).toBeUndefined();
    expect((await service.get(path)).body.custom_function.signing_enabled).toBe(false);
  });

  // Proves rule functions.7.
  it('by GET sends only the arguments, in the query', async ({ service }) => {
    const { body } = await service.post('/custom-functions', {
      ...weather(),
      method: 'GET',
      url: receiver.url('/weather?units=metric'),
      parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' }, fields: { type: 'array' } } },
    });
    const given = { city: 'São Paulo & co', days: 3, fields: ['wind', 'rain'] };
    await service.post(`/custom-functions/${body.custom_function.id as string}/test`, { arguments: given });
    expect(receiver.received[0]).toMatchObject({
      path: '/weather?units=metric&city=S%C3%A3o+Paulo+%26+co&days=3&fields=wind&fields=rain',
      text: '',
    });
  });

  // Proves rule functions.4.
  it.for([
    [{}, 'city'],
    [{ city: '' }, 'city'],
    [{ city: 'Berlin', more: 1 }, 'more'],
    [{ city: 7 }, 'city'],
  ])('with the arguments %j sends nothing', async ([given, named], { service }) => {
    const { body } = await service.post('/custom-functions', weather());
    const tested = await service.post(`/custom-functions/${body.custom_function.id as string}/test`, { arguments: given });
    expect(tested.body).toMatchObject({ ok: false, status_code: null, result: null, error: { code: 'invalid_arguments' } });
    expect(tested.body.error.text).toContain(named);
    expect(receiver.received).toEqual([]);
  });

  // Proves rule functions.8.
  it.for([
    ['application/json', '[1,2]', { ok: true, result: [1, 2] }],
    ['application/problem+json', '"a"', { ok: true, result: 'a' }],
    ['text/plain', 'plain text', { ok: true, result: 'plain text' }],
    ['application/json', '', { ok: true, result: null }],
    ['application/json', '{"half":', { ok: false, error: { code: 'unreadable' } }],
    ['text/plain; charset=iso-8859-1', Buffer.from('caf\xe9', 'latin1'), { ok: true, result: 'café' }],
    ['text/plain', Buffer.from('caf\xe9', 'latin1'), { ok: false, error: { code: 'unreadable' } }],
    ['image/png', Buffer.from('\x89PNG', 'latin1'), { ok: false, error: { code: 'unreadable' } }],
    ['application/octet-stream', 'plain', { ok: false, error: { code: 'unreadable' } }],
    ['application/octet-stream', '', { ok: true, result: null }],
  ] as const)('reads the answer %s %j', async ([type, text, expected], { service }) => {
    receiver.behaviour = (response) => response.writeHead(200, { 'content-type': type }).end(text);
    const { body } = await service.post('/custom-functions', weather());
    const tested = await service.post(`/custom-functions/${body.custom_function.id as string}/test`, { arguments: { city: 'Berlin' } });
    expect(tested.body).toMatchObject(expected);
  });

  // Proves rules functions.5, functions.8.
  it.for([
    [302, 'http_3xx'],
    [404, 'http_4xx'],
    [503, 'http_5xx'],
  ] as const)('says that the status %i is a failure', async ([status, code], { service }) => {
    receiver.behaviour = (response) => response.writeHead(status, { location: receiver.url('/other') }).end();
    const { body } = await service.post('/custom-functions', weather());
    const tested = await service.post(`/custom-functions/${body.custom_function.id as string}/test`, { arguments: { city: 'Berlin' } });
    expect(tested.body).toMatchObject({ ok: false, status_code: status, result: null, error: { code } });
    expect(receiver.received).toHaveLength(1);
  });

  it('says that nobody answers', async ({ service }) => {
    const { body } = await service.post('/custom-functions', { ...weather(), url: 'http://127.0.0.1:9/' });
    const tested = await service.post(`/custom-functions/${body.custom_function.id as string}/test`, { arguments: { city: 'Berlin' } });
    expect(tested.body).toMatchObject({ ok: false, status_code: null, error: { code: 'connection_failed' } });
  });

  it('does not take hours for large arguments', async ({ service }) => {
    const parameters = { type: 'object', properties: { all: { type: 'array', items: { anyOf: Array(900).fill({ const: 1 }) } } } };
    const { body } = await service.post('/custom-functions', { ...weather(), parameters });
    const given = { all: Array(20_000).fill(2) };
    const tested = await service.post(`/custom-functions/${body.custom_function.id as string}/test`, { arguments: given });
    expect(tested.body.error).toMatchObject({ code: 'invalid_arguments', text: expect.stringContaining('too many') as string });
  });
});

describe('functions of agents', () => {
  // Proves rule functions.3.
  it('are attached, shown by the agent, copied with it, detached, and gone with the function', async ({ service }) => {
    const agent = (await service.post('/agents', { name: 'Ada' })).body.agent_id as string;
    const ids: string[] = [];
    for (const name of ['one', 'two'])
      ids.push((await service.post('/custom-functions', { name, url: receiver.url() })).body.custom_function.id as string);
    const [one = '', two = ''] = ids;
    const attached = await service.post(`/agents/${agent}/custom-functions`, { custom_function_ids: [two] });
    expect(attached.body).toMatchObject({ agent_id: agent, custom_function_ids: [two] });
    const both = await service.post(`/agents/${agent}/custom-functions`, { custom_function_ids: [one, two] });
    expect(both.body.custom_function_ids).toEqual([one, two]);
    expect((await service.get(`/agents/${agent}`)).body.agent.custom_function_ids).toEqual([one, two]);
    const listed = await service.get(`/agents/${agent}/custom-functions?limit=1`);
    expect(listed.body.custom_functions.map(({ id }: { id: string }) => id)).toEqual([two]);
    expect(listed.body.next_cursor).not.toBeNull();
    const copy = (await service.post(`/agents/${agent}/duplicate`)).body.agent_id as string;
    expect((await service.get(`/agents/${copy}`)).body.agent.custom_function_ids).toEqual([one, two]);
    expect((await service.delete(`/agents/${agent}/custom-functions/${one}`)).status).toBe(200);
    expect((await service.delete(`/custom-functions/${two}`)).status).toBe(200);
    expect((await service.get(`/agents/${agent}`)).body.agent.custom_function_ids).toEqual([]);
    const unknown = await service.post(`/agents/${agent}/custom-functions`, { custom_function_ids: [one, 'fun_none'] });
    expect(unknown.status).toBe(404);
    expect((await service.get(`/agents/${agent}`)).body.agent.custom_function_ids).toEqual([]);
  });

  // Proves rule functions.3.
  it('are at most 20', async ({ service }) => {
    const agent = (await service.post('/agents', { name: 'Ada' })).body.agent_id as string;
    const ids: string[] = [];
    for (let count = 0; count < 21; count++)
      ids.push((await service.post('/custom-functions', { name: `f${count}`, url: receiver.url() })).body.custom_function.id as string);
    const path = `/agents/${agent}/custom-functions`;
    expect((await service.post(path, { custom_function_ids: ids })).status).toBe(400);
    expect((await service.post(path, { custom_function_ids: ids.slice(0, 20) })).status).toBe(200);
  });
});
