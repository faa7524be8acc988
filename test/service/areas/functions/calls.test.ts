import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeRequest } from '../../../../src/service/http/request.ts';
import { settle } from '../../../support/agents.ts';
import { FakeModel } from '../../../support/fake-model.ts';
import { visit } from '../../../support/public-pages.ts';
import { Receiver } from '../../../support/receiver.ts';
import { TestService } from '../../../support/test-service.ts';
import { until } from '../../../support/until.ts';
import { watchPage, type WatchedStream } from '../../../support/watched-stream.ts';

let receiver: Receiver;
let model: FakeModel;
let service: TestService;
let agent: string;

beforeAll(async () => {
  receiver = await Receiver.open();
  model = await FakeModel.open();
});

afterAll(async () => {
  await receiver.close();
  await model.close();
});

beforeEach(async () => {
  receiver.take();
  receiver.behaviour = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"weather":"sunny"}');
  service = await TestService.open({ model: model.settings });
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  agent = (await service.post('/agents', { name: 'Ada' })).body.agent_id as string;
});

afterEach(() => service.close());

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** Gives the agent a function. @returns its id */
async function learn(fields: Record<string, unknown> = {}): Promise<string> {
  const body = { name: 'get_weather', description: 'The weather', url: receiver.url('/weather'), parameters: city, ...fields };
  const { id } = (await service.post('/custom-functions', body)).body.custom_function as { id: string };
  await service.post(`/agents/${agent}/custom-functions`, { custom_function_ids: [id] });
  return id;
}

/** A contact writes to the agent. */
async function write(text = 'How is the weather in Berlin?', from = '+14155550123') {
  const { status, body } = await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, { channel: 'chatapp', from, text });
  expect(service.errors).toEqual([]);
  expect(status).toBe(201);
  return body as {
    contact_id: string;
    message_id: string;
    session_id: string;
    reply: { message_id: string; body: string; source: string } | null;
    tool_calls: { name: string; arguments: unknown; ok: boolean; result: unknown; duration_ms: number }[];
  };
}

const messagesOf = async (contact: string) =>
  (await service.get(`/contacts/${contact}/messages`)).body.messages.reverse() as Record<string, unknown>[];

const credits = async () => (await service.get('/users/me/credits')).body.balance as number;

const errors = async () => (await service.get('/error-log')).body.errors as Record<string, unknown>[];

describe('a call', () => {
  // Proves rules functions.9, functions.10, functions.15.
  it('is made, told to the model, and kept as a message before the reply', async () => {
    const id = await learn();
    model.says([['get_weather', { city: 'Berlin' }]], 'It is sunny.');
    const before = await credits();
    const answer = await write();
    expect(answer.reply).toMatchObject({ body: 'It is sunny.', source: 'model' });
    const call = {
      name: 'get_weather',
      arguments: { city: 'Berlin' },
      ok: true,
      result: { weather: 'sunny' },
      duration_ms: expect.any(Number) as number,
    };
    expect(answer.tool_calls).toEqual([call]);
    expect(model.told[0]?.tools).toEqual([
      { type: 'function', function: { name: 'get_weather', description: 'The weather', parameters: city } },
    ]);
    expect(model.told[1]?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Berlin"}' } }] },
      { role: 'tool', content: '{"weather":"sunny"}' },
    ]);
    expect(receiver.received[0]?.body).toMatchObject({
      function: 'get_weather',
      contact: { id: answer.contact_id, first_name: null, country: 'US' },
      agent_id: agent,
      chat_session_id: answer.session_id,
    });
    expect(receiver.received[0]?.body).not.toHaveProperty('test');
    const [question, told, reply] = await messagesOf(answer.contact_id);
    expect(question).toMatchObject({ direction: 'inbound', type: 'text', tool: null, media: null });
    expect(told).toMatchObject({
      type: 'tool_use',
      direction: 'outbound',
      sender: 'ai',
      status: 'sent',
      body: 'get_weather',
      agent_id: agent,
      session_id: answer.session_id,
      tool: call,
    });
    expect(reply).toMatchObject({ type: 'text', body: 'It is sunny.', tool: null });
    // An answer with all its rounds costs one credit.
    expect(await credits()).toBe(before - 1);
    const trace = (await service.get(`/messages/${answer.reply?.message_id ?? ''}/trace`)).body.trace;
    expect(trace.tool_calls).toEqual([call]);
    expect((await service.get('/custom-functions')).body.custom_functions[0].id).toBe(id);
  });

  // Proves rule functions.15.
  it('counts nowhere, emits nothing and takes no report', async () => {
    await learn();
    await service.post('/webhooks', { url: receiver.url('/events'), subscribed_to: ['New Message', 'Credits Spent'] });
    model.says([['get_weather', { city: 'Berlin' }]], 'It is sunny.');
    const answer = await write();
    await settle(service);
    const events = receiver.received.filter(({ path }) => path === '/events').map(({ body }) => body.event as string);
    expect(events.sort()).toEqual(['Credits Spent', 'New Message']);
    const [, told] = await messagesOf(answer.contact_id);
    const report = { message_id: told?.id, status: 'delivered' };
    expect((await service.sandbox('POST', `/accounts/${service.accountId}/receipts`, report)).status).toBe(409);
    expect((await service.get('/analytics/summary')).body.totals).toMatchObject({ total: 2, sent: 1, credits_spent: 1 });
    expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
  });

  // Proves rule functions.10.
  it.each([
    ['get_weather', { town: 'Berlin' }, 'invalid_arguments', /city/],
    ['get_weather', 'not json', 'invalid_arguments', /must be an object/],
    ['get_time', {}, 'invalid_arguments', /no tool with the name 'get_time'/],
    ['x\0y', {}, 'invalid_arguments', /no tool/],
  ])('%s %j goes back to the model as an error', async (name, given, code, text) => {
    await learn();
    model.says([[name, given]], 'I cannot say.');
    const answer = await write();
    expect(answer.reply?.body).toBe('I cannot say.');
    expect(answer.tool_calls).toMatchObject([
      { name: name.replace('\0', '\uFFFD'), ok: false, result: { code, text: expect.stringMatching(text) as string } },
    ]);
    expect(model.results).toEqual([expect.stringMatching(/^\{"error":/)]);
    expect(receiver.received).toEqual([]);
  });

  // Proves rules functions.10, functions.14.
  it('that fails is in the error log, and ten failures in a row are told once until a success', async () => {
    const id = await learn();
    receiver.behaviour = 500;
    model.says([['get_weather', { city: 'Berlin' }]], 'Sorry.');
    const failing = async () =>
      ((await service.get('/notifications?kind=function_failing')).body.notifications as { entity: unknown }[]).map(({ entity }) => entity);
    const entity = { type: 'custom_function', id };
    const ask = async () => {
      model.says([['get_weather', { city: 'Berlin' }]], 'Sorry.');
      expect((await write()).reply?.body).toBe('Sorry.');
    };
    for (let count = 0; count < 9; count++) await ask();
    expect(await failing()).toEqual([]);
    for (let count = 0; count < 3; count++) await ask();
    expect(await failing()).toEqual([entity]);
    expect(await errors()).toMatchObject([{ source: 'function', code: 'http_5xx', entity, count: 12 }]);
    receiver.behaviour = 200;
    await ask();
    receiver.behaviour = 500;
    for (let count = 0; count < 10; count++) await ask();
    expect(await failing()).toEqual([entity, entity]);
  });

  // Proves rule functions.14.
  it('of a test does not count as a failure', async () => {
    const id = await learn();
    receiver.behaviour = 500;
    for (let count = 0; count < 10; count++) await service.post(`/custom-functions/${id}/test`, { arguments: { city: 'Berlin' } });
    expect((await service.get('/notifications')).body.notifications).toEqual([]);
    expect(await errors()).toEqual([]);
  });
});

describe('the rounds of an answer', () => {
  // Proves rule functions.10.
  it('are at most five, then the model is asked once more without tools', async () => {
    await learn();
    const call = [['get_weather', { city: 'Berlin' }]] as const;
    model.says(call, call, call, call, call, 'Enough.');
    const answer = await write();
    expect(answer.reply?.body).toBe('Enough.');
    expect(answer.tool_calls).toHaveLength(5);
    expect(model.told.map(({ tools }) => tools !== undefined)).toEqual([true, true, true, true, true, false]);
  });

  // Proves rule functions.10.
  it('have at most eight calls, and refused ones count', async () => {
    await learn();
    const four = Array.from({ length: 4 }, () => ['get_weather', { city: 'Berlin' }] as const);
    model.says(four, [['get_time', {}], ...four, ...four], 'Enough.');
    const answer = await write();
    expect(answer.tool_calls.map(({ ok }) => ok)).toEqual([
      true,
      true,
      true,
      true,
      false,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(receiver.received).toHaveLength(7);
    expect(model.told.at(-1)?.tools).toBeUndefined();
    expect(model.results.at(-1)).toContain('at most 8 calls');
    // What nobody could answer is no failure of the function.
    expect(await errors()).toEqual([]);
  });

  // Proves rules functions.10, functions.15.
  it('end in a handover when the model fails, and the calls are kept', async () => {
    await learn();
    model.says([['get_weather', { city: 'Berlin' }]], { error: 'overloaded' });
    const answer = await write();
    expect(answer.reply).toBeNull();
    expect(answer.tool_calls).toHaveLength(1);
    expect((await messagesOf(answer.contact_id)).map(({ type }) => type)).toEqual(['text', 'tool_use']);
    expect((await service.get(`/chat-sessions/${answer.session_id}`)).body.chat_session.alerted).toBe(true);
  });

  // Proves rule functions.11.
  it('are kept when the reply is held back because a person took over', async () => {
    await learn();
    let contact = '';
    receiver.behaviour = (response, { body }) => {
      contact = (body as { contact: { id: string } }).contact.id;
      const reply = { contact_id: contact, text: 'I am here.' };
      void service
        .sandbox('POST', `/accounts/${service.accountId}/team-replies`, reply)
        .then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    };
    model.says([['get_weather', { city: 'Berlin' }]], 'It is sunny.');
    const answer = await write();
    expect(answer.reply).toBeNull();
    expect((await messagesOf(contact)).map(({ type, sender }) => [type, sender])).toEqual([
      ['text', 'contact'],
      ['text', 'human'],
      ['tool_use', 'ai'],
    ]);
  });

  // Proves rule functions.11.
  it('are kept when the agent is deleted while its function is called', async () => {
    await learn();
    receiver.behaviour = (response) => {
      void service
        .delete('/entry-points/channel-defaults?channel=chatapp')
        .then(() => service.get('/agents'))
        .then(({ body }) => service.delete(`/agents/${body.agents[0].id}`))
        .then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    };
    model.says([['get_weather', { city: 'Berlin' }]], 'It is sunny.');
    const answer = await write();
    expect([answer.reply, answer.tool_calls]).toMatchObject([null, [{ name: 'get_weather', ok: true }]]);
    expect((await messagesOf(answer.contact_id)).map(({ type }) => type)).toEqual(['text', 'tool_use']);
  });

  // Proves rule functions.10.
  it('tell the model at most 16 KiB of a result, and keep 2 KiB', async () => {
    await learn();
    receiver.behaviour = (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('é'.repeat(20_000));
    model.says([['get_weather', { city: 'Berlin' }]], 'Long.');
    const answer = await write();
    expect(Buffer.byteLength(model.results[0] ?? '')).toBe(16 * 1024);
    expect(model.results[0]).toMatch(/^é+$/);
    expect(answer.tool_calls[0]?.result).toBe('é'.repeat(1_024));
  });
});

// A hostile function, or model, stops no answer.
it('JSON that is nested too deeply fails the call alone', async () => {
  await learn();
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  receiver.behaviour = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(deep);
  model.says(
    [
      ['get_weather', { city: 'Berlin' }],
      ['get_weather', deep],
    ],
    'I cannot say.',
  );
  const answer = await write();
  expect(answer.reply?.body).toBe('I cannot say.');
  expect(answer.tool_calls.map(({ result }) => (result as { code: string }).code)).toEqual(['unreadable', 'invalid_arguments']);
  const { id } = (await service.get('/custom-functions')).body.custom_functions[0] as { id: string };
  const tested = await service.post(`/custom-functions/${id}/test`, { arguments: { city: 'Berlin' } });
  expect([tested.status, tested.body.error.code]).toEqual([200, 'unreadable']);
});

// Proves rule functions.13.
it('a function that was deleted while it was called has no error record', async () => {
  const id = await learn();
  receiver.behaviour = (response) => {
    void service.delete(`/custom-functions/${id}`).then(() => response.writeHead(500).end());
  };
  model.says([['get_weather', { city: 'Berlin' }]], 'Sorry.');
  expect((await write()).reply?.body).toBe('Sorry.');
  expect(await errors()).toEqual([]);
});

describe('providers', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1 };
  const message = (more: object) => ({ choices: [{ index: 0, message: { role: 'assistant', ...more }, finish_reason: 'stop' }], usage });

  // Proves rule functions.10.
  it.each([
    ['text as arguments, and an id', { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Berlin"}' } }],
    ['an object as arguments, and no id', { function: { name: 'get_weather', arguments: { city: 'Berlin' } } }],
    ['an empty id and an index', { id: '', index: 0, function: { name: 'get_weather', arguments: '{"city":"Berlin"}' } }],
  ])('that send %s', async (_, call) => {
    await learn();
    model.says(message({ content: '', tool_calls: [call, call] }), 'It is sunny.');
    const answer = await write();
    expect(answer.tool_calls.map(({ arguments: given, ok }) => [given, ok])).toEqual([
      [{ city: 'Berlin' }, true],
      [{ city: 'Berlin' }, true],
    ]);
    expect(new Set(model.told[1]?.messages.map(({ tool_call_id: id }) => id)).size).toBeGreaterThan(1);
  });
});

describe('media', () => {
  /** The answer of the public route, which needs no credential. */
  const fileAt = (path: string) =>
    service.service.fetch(makeRequest({ method: 'GET', target: path, header: () => undefined, readBody: async () => new Uint8Array() }));
  const upload = async (content: Buffer | string, filename = 'a.bin') =>
    (
      await service.call('POST', `/sandbox/accounts/${service.accountId}/uploads?filename=${filename}`, undefined, {
        key: service.token,
        raw: Buffer.from(content),
      })
    ).body.storage_path as string;
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex');

  const add = async (name: string, content: Buffer | string = png) =>
    await service.post(`/agents/${agent}/media`, { storage_path: await upload(content), name, description: `Shows ${name}` });

  // Proves rules media.1, media.2.
  it('are files of known types by content, with a name of their own', async () => {
    const { status, body } = await add('map');
    expect(status).toBe(201);
    expect(body.media).toMatchObject({ name: 'map', mime_type: 'image/png', bytes: 10, description: 'Shows map' });
    const types = ['ÿØÿ', 'GIF89a', 'RIFF1234WEBP', '%PDF-1.7', 'ID3x', 'OggS', 'RIFF1234WAVE'];
    const found: string[] = [];
    for (const [index, text] of types.entries())
      found.push((await add(`file ${index}`, Buffer.from(text, 'latin1'))).body.media.mime_type as string);
    expect(found).toEqual(['image/jpeg', 'image/gif', 'image/webp', 'application/pdf', 'audio/mpeg', 'audio/ogg', 'audio/wav']);
    expect((await add('map')).status).toBe(409);
    expect((await add('page', '<html>')).body).toMatchObject({ error_code: 400, field: 'storage_path' });
    const other = { storage_path: 'users/acc_other/uploads/x/y.png', name: 'x' };
    expect((await service.post(`/agents/${agent}/media`, other)).status).toBe(403);
    const none = { storage_path: `users/${service.accountId}/uploads/x/y.png`, name: 'x' };
    expect((await service.post(`/agents/${agent}/media`, none)).status).toBe(404);
    const listed = await service.get(`/agents/${agent}/media?limit=2`);
    expect(listed.body.media.map(({ name }: { name: string }) => name)).toEqual(['file 6', 'file 5']);
    expect((await service.delete(`/agents/${agent}/media/${body.media.id as string}`)).status).toBe(200);
    for (let count = 8; count <= 20; count++) expect((await add(`more ${count}`)).status).toBe(201);
    expect((await add('one too many')).status).toBe(400);
  });

  // Proves rules functions.9, media.3, media.4.
  it('are sent after the reply, at the price of a send, and served for 24 hours', async () => {
    await add('map');
    await service.sandbox('POST', '/clock', { frozen: true });
    model.says(
      [
        ['send_media', { name: 'map' }],
        ['send_media', { name: 'none' }],
        ['send_media', { name: 'map' }],
      ],
      'Here it is.',
    );
    const before = await credits();
    const answer = await write();
    expect(model.told[0]?.tools?.[0]?.function).toMatchObject({ name: 'send_media', parameters: { required: ['name'] } });
    expect(answer.tool_calls.map(({ ok }) => ok)).toEqual([true, false, true]);
    const sent = await messagesOf(answer.contact_id);
    expect(sent.map(({ type }) => type)).toEqual(['text', 'tool_use', 'tool_use', 'tool_use', 'text', 'media']);
    const { media } = sent.at(-1) as { media: { name: string; mime_type: string; url: string } };
    expect(media).toMatchObject({ name: 'map', mime_type: 'image/png' });
    expect(media.url).toMatch(/^http:\/\/127\.0\.0\.1:4600\/m\/[\w.-]+$/);
    const spent = before - (await credits());
    const price = await service.post('/contacts/send', { contact_id: answer.contact_id, body: 'x' });
    expect(price.status).toBe(201);
    const priceOfSend = before - spent - (await credits());
    expect(spent).toBe(1 + priceOfSend);
    const path = new URL(media.url).pathname;
    const file = await fileAt(path);
    expect(file).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/png', 'x-content-type-options': 'nosniff', 'content-security-policy': 'sandbox' },
    });
    expect(Buffer.concat(file.body.map((piece) => Buffer.from(piece)))).toEqual(png);
    expect((await fileAt(`${path.slice(0, -2)}xx`)).status).toBe(404);
    await service.sandbox('POST', '/clock/advance', { seconds: 86_399 });
    expect((await fileAt(path)).status).toBe(200);
    const anew = (await messagesOf(answer.contact_id)).findLast(({ type }) => type === 'media') as { media: { url: string } };
    await service.sandbox('POST', '/clock/advance', { seconds: 1 });
    expect((await fileAt(path)).status).toBe(404);
    expect((await fileAt(new URL(anew.media.url).pathname)).status).toBe(200);
    const { id } = (await service.get(`/agents/${agent}/media`)).body.media[0] as { id: string };
    await service.delete(`/agents/${agent}/media/${id}`);
    expect((await fileAt(new URL(anew.media.url).pathname)).status).toBe(404);
  });

  // Proves rule widgets.13.
  it('reach the visitor of a chat on a website, without the calls that sent them', async () => {
    await add('map');
    const { widget } = (await service.post('/widgets', { name: 'Shop', agent_id: agent })).body as { widget: { public_id: string } };
    const path = `/w/${widget.public_id}`;
    const token = (await visit(service, 'POST', `${path}/visitors`, { body: {} })).body.token as string;
    const stream = (await watchPage(service, `${path}/stream`, { token })) as WatchedStream;
    model.says([['send_media', { name: 'map' }]], 'Here it is.');
    await visit(service, 'POST', `${path}/messages`, { token, body: { text: 'Where are you?' } });
    await settle(service);
    const { messages } = (await visit(service, 'GET', `${path}/messages`, { token })).body as { messages: { media: { url: string } }[] };
    expect(messages.toReversed()).toMatchObject([
      { from: 'visitor', text: 'Where are you?', media: null },
      { from: 'agent', text: 'Here it is.', media: null },
      { from: 'agent', media: { name: 'map', mime_type: 'image/png' } },
    ]);
    await until(() => stream.events.length >= 3);
    expect(stream.events.map(({ data }) => data as unknown)).toMatchObject(
      messages.toReversed().map(({ media, ...rest }) => ({ ...rest, media: media && {} })),
    );
    expect((await fileAt(new URL(messages[0]?.media.url ?? '').pathname)).status).toBe(200);
  });

  it('do not count as replies', async () => {
    await add('map');
    await service.put(`/agents/${agent}`, { max_messages: 2 });
    model.says([['send_media', { name: 'map' }]], 'Here it is.');
    expect((await write()).reply).not.toBeNull();
    model.says([['send_media', { name: 'map' }]], 'Here it is again.');
    const { reply, contact_id: contact } = await write();
    expect(reply?.body).toBe('Here it is again.');
    expect((await messagesOf(contact)).filter(({ type }) => type === 'media')).toHaveLength(2);
    expect((await write()).reply).toBeNull();
  });

  // Proves rule media.3.
  it('are not sent without the credits', async () => {
    await add('map');
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 1 });
    model.says([['send_media', { name: 'map' }]], 'Here it is.');
    const answer = await write();
    expect((await messagesOf(answer.contact_id)).map(({ type }) => type)).toEqual(['text', 'tool_use', 'text']);
    // Nor some of them.
    await add('menu');
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 2 });
    model.says(
      [
        ['send_media', { name: 'map' }],
        ['send_media', { name: 'menu' }],
      ],
      'Here they are.',
    );
    await write();
    expect((await messagesOf(answer.contact_id)).filter(({ type }) => type === 'media')).toEqual([]);
  });
});
