import { describe, expect } from 'vitest';
import { it } from '../../support/account-test.ts';
import { KnowingAgent, settle } from '../../support/agents.ts';
import { visit } from '../../support/public-pages.ts';
import type { TestService } from '../../support/test-service.ts';
import { watchPage, type WatchedStream } from '../../support/watched-stream.ts';
import { until } from '../../support/until.ts';

interface Widget {
  readonly id: string;
  readonly public_id: string;
}

const html = { headers: { accept: 'text/html,application/xhtml+xml' } };

async function widgetOf(service: TestService, body: object = {}): Promise<Widget> {
  const answer = await service.post('/widgets', { name: 'Shop', ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.widget as Widget;
}

const tokenOf = async (service: TestService, { public_id: id }: Widget, body: object = {}) => {
  const answer = await visit(service, 'POST', `/w/${id}/visitors`, { body });
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body.token);
};

const write = (service: TestService, { public_id: id }: Widget, token: string, text: string, more: object = {}) =>
  visit(service, 'POST', `/w/${id}/messages`, { token, body: { text, ...more } });

const read = async (service: TestService, { public_id: id }: Widget, token: string) =>
  (await visit(service, 'GET', `/w/${id}/messages`, { token })).body.messages as { from: string; text: string; id: string }[];

/** An agent that answers "When are you open?". */
async function agentOf(service: TestService, name = 'Ada'): Promise<string> {
  const agent = await KnowingAgent.make(service, { name, active: true });
  await agent.learn([['When are you open?', 'From nine to five.']]);
  await settle(service);
  return agent.id;
}

const advance = async (service: TestService, seconds: number) =>
  expect((await service.sandbox('POST', '/clock/advance', { seconds })).status).toBe(200);

describe('a widget', () => {
  // Proves rules widgets.1, widgets.2, widgets.3.
  it('has defaults, an address that nobody can guess, and a name of its own', async ({ service }) => {
    const widget = await widgetOf(service);
    const { name } = (await service.get('/users/me')).body.user as { name: string };
    expect(widget).toMatchObject({
      id: expect.stringMatching(/^wgt_/) as string,
      kind: 'chat',
      agent_id: null,
      title: name,
      greeting: null,
      colour: '#2563eb',
      position: 'right',
      language: 'en',
      allowed_origins: [],
      ask_before: [],
      daily_ai_replies: 200,
      enabled: true,
      number: null,
      chat_url: null,
      clicks: null,
      public_id: expect.stringMatching(/^[\w-]{22,}$/) as string,
      page_url: expect.stringMatching(/^http.*\/w\/[\w-]{22,}$/) as string,
      embed_code: expect.stringMatching(/^<script src="http[^"]+\/embed\.js" async><\/script>$/) as string,
    });
    expect(await service.post('/widgets', { name: ' shop ' })).toMatchObject({ status: 409, body: { reason: 'name_taken' } });
    const other = await widgetOf(service, { name: 'Other' });
    expect((await service.put(`/widgets/${other.id}`, { name: 'SHOP' })).status).toBe(409);
    const changed = await service.put(`/widgets/${other.id}`, { title: 'Help', daily_ai_replies: null });
    expect(changed.body.widget).toMatchObject({ title: 'Help', daily_ai_replies: null, public_id: other.public_id });
    expect((await service.get('/widgets')).body.widgets).toHaveLength(2);
    expect((await service.delete(`/widgets/${other.id}`)).status).toBe(200);
    expect((await visit(service, 'GET', `/w/${other.public_id}/config.json`)).status).toBe(404);
  });

  // Proves rules widgets.3, widgets.10.
  it('is a channel of its name, and has addresses that no request decides', async ({ service }) => {
    const widget = await widgetOf(service);
    const channel = async () => {
      const { channels } = (await service.get('/channels')).body as { channels: Record<string, unknown>[] };
      return channels.filter((each) => each.channel === 'chat_widget').map(({ identity, name, status }) => [identity, name, status]);
    };
    expect(await channel()).toEqual([[widget.id, 'Shop', 'connected']]);
    await service.put(`/widgets/${widget.id}`, { name: 'Bakery' });
    expect(await channel()).toEqual([[widget.id, 'Bakery', 'connected']]);
    await service.put(`/widgets/${widget.id}`, { enabled: false });
    expect(await channel()).toEqual([[widget.id, 'Bakery', 'disconnected']]);
    await service.put(`/widgets/${widget.id}`, { enabled: true });
    const other = await widgetOf(service, { name: 'Other' });
    await service.delete(`/widgets/${other.id}`);
    expect(await channel()).toEqual([[widget.id, 'Bakery', 'connected']]);
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
    for (const path of ['', '/embed.js']) {
      const { status, text } = await visit(service, 'GET', `/w/${widget.public_id}${path}`, { headers });
      expect([status, text.includes('evil')]).toEqual([200, false]);
    }
  });

  // Proves rules messages.16, broadcasts.41.
  it('that is disabled reaches its visitors no more, whatever other widgets there are, and a preview says so', async ({ service }) => {
    const widget = await widgetOf(service);
    await widgetOf(service, { name: 'Other' });
    await write(service, widget, await tokenOf(service, widget), 'Hello');
    const [{ id: contact_id }] = (await service.get('/contacts')).body.contacts as [{ id: string }];
    await service.put(`/widgets/${widget.id}`, { enabled: false });
    expect((await service.post('/contacts/send', { contact_id, body: 'x' })).body.reason).toBe('channel_not_connected');
    const draft = { name: 'x', channel: 'chat_widget', body: 'x', contact_ids: [contact_id] };
    const { id } = (await service.post('/broadcasts', draft)).body.broadcast as { id: string };
    const { preview } = (await service.get(`/broadcasts/${id}/preview`)).body;
    expect(preview).toMatchObject({ recipients: 1, reachable: 0, unreachable: { channel_not_connected: 1 } });
  });

  // Proves rules widgets.4, widgets.5.
  it.for([
    [{ kind: 'phone' }, 400],
    [{ colour: 'blue' }, 400],
    [{ language: 'pt' }, 400],
    [{ allowed_origins: ['https://shop.example/page'] }, 400],
    [{ allowed_origins: ['http://shop.example'] }, 400],
    [{ allowed_origins: ['http://localhost:3000', 'http://127.0.0.1', 'https://shop.example'] }, 201],
    [{ ask_before: ['age'] }, 400],
    [{ daily_ai_replies: -1 }, 400],
    [{ agent_id: 'agt_none' }, 404],
    [{ number: '+14155550100' }, 400],
    [{ kind: 'chatapp' }, 400],
    [{ kind: 'chatapp', number: '+14155550199', chat_url: 'https://chat.example/{number}?text={text}' }, 400],
    [{ kind: 'chatapp', number: '+14155550100', chat_url: 'https://chat.example/{number}' }, 400],
    [{ kind: 'chatapp', number: '+14155550100', chat_url: 'https://{number}.example/{text}' }, 400],
    [{ allowed_origins: ['https://a;script-src'] }, 400],
    [{ allowed_origins: ['https://*'] }, 400],
    [{ kind: 'chatapp', number: '+14155550100', chat_url: 'http://chat.example/{number}?text={text}' }, 400],
    [{ kind: 'chatapp', number: '+14155550100', chat_url: 'https://chat.example/{number}?text={text}' }, 201],
  ] as const)('with %j is answered with %d', async ([fields, status], { service }) => {
    await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
    expect((await service.post('/widgets', { name: 'x', ...fields })).status).toBe(status);
  });

  // Proves rules widgets.6, widgets.7.
  it('of the kind chatapp opens the chat app, and counts the clicks', async ({ service }) => {
    await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
    const chat_url = 'https://chat.example/{number}?text={text}';
    const fields = { kind: 'chatapp', number: '+14155550100', chat_url, prefilled_text: 'Hello & bye' };
    const widget = await widgetOf(service, fields);
    const path = `/w/${widget.public_id}`;
    expect((await visit(service, 'HEAD', `${path}/go`)).status).toBe(302);
    const gone = await visit(service, 'GET', `${path}/go`);
    expect([gone.status, gone.headers.location]).toEqual([302, 'https://chat.example/%2B14155550100?text=Hello%20%26%20bye']);
    expect((await service.get(`/widgets/${widget.id}`)).body.widget.clicks).toBe(1);
    expect((await visit(service, 'GET', path, html)).text).toContain(`href="${path}/go"`);
    expect((await visit(service, 'POST', `${path}/visitors`, { body: {} })).status).toBe(404);
    expect((await service.put(`/widgets/${widget.id}`, { prefilled_text: null })).body.widget.prefilled_text).toBeNull();
  });

  // Proves rules widgets.15, widgets.17.
  it('has a page with a strict policy, whose errors are pages too', async ({ service }) => {
    const widget = await widgetOf(service, { title: '<b>"Shop"</b>', greeting: '</script><x>', allowed_origins: ['https://shop.example'] });
    const page = await visit(service, 'GET', `/w/${widget.public_id}`, html);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain('frame-ancestors https://shop.example');
    expect(policy).not.toContain('unsafe');
    expect(page.headers['referrer-policy']).toBe('no-referrer');
    expect(page.headers['access-control-allow-origin']).toBeUndefined();
    expect(page.text).not.toMatch(/<b>|<x>|style=|onload=|<script>/);
    const script = /src="(\/pages\/chat-[\da-f]+\.js)"/.exec(page.text)?.[1] ?? '';
    const asset = await visit(service, 'GET', script, { headers: { 'accept-encoding': 'gzip' } });
    expect(asset.headers).toMatchObject({ 'content-encoding': 'gzip', 'cache-control': 'public, max-age=31536000, immutable' });
    const embed = await visit(service, 'GET', `/w/${widget.public_id}/embed.js`);
    expect(embed.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(embed.text).not.toContain('</b>');
    await service.put(`/widgets/${widget.id}`, { enabled: false });
    const [closed, unknown] = [
      await visit(service, 'GET', `/w/${widget.public_id}`, html),
      await visit(service, 'GET', '/w/unknown', html),
    ];
    expect([closed.status, closed.text]).toEqual([404, unknown.text]);
    expect(closed.headers['content-type']).toBe('text/html; charset=utf-8');
    expect((await visit(service, 'GET', '/w/unknown')).body).toMatchObject({ success: false, error_code: 404 });
    expect((await visit(service, 'PUT', `/w/${widget.public_id}/messages`)).status).toBe(405);
    expect((await visit(service, 'GET', '/w/a%00/config.json')).status).toBe(404);
  });
});

describe('a visitor', () => {
  // Proves rules widgets.8, widgets.9, widgets.10, widgets.13.
  it('becomes a contact with the first message, and a phone number becomes a note', async ({ service }) => {
    const widget = await widgetOf(service, { ask_before: ['name', 'phone'] });
    const begin = (body: object) => visit(service, 'POST', `/w/${widget.public_id}/visitors`, { body });
    expect((await begin({ name: 'Ada' })).body).toMatchObject({ error_code: 400, field: 'phone' });
    expect((await begin({ name: 'Ada', phone: '12' })).status).toBe(400);
    expect((await begin({ name: 'Ada', phone: '+14155550123', email: 'x' })).status).toBe(400);
    const token = await tokenOf(service, widget, { name: 'Ada Lovelace', phone: '+14155550123', email: 'ada@example.com' });
    expect((await service.get('/contacts')).body.contacts).toEqual([]);
    expect(await read(service, widget, token)).toEqual([]);
    const sent = await write(service, widget, token, 'Hello');
    expect([sent.status, sent.body.message]).toEqual([
      201,
      { id: expect.stringMatching(/^msg_/) as string, from: 'visitor', text: 'Hello', media: null, at: expect.any(String) as string },
    ]);
    const [contact] = (await service.get('/contacts')).body.contacts as { id: string }[];
    expect(contact).toMatchObject({
      channel: 'chat_widget',
      identity: expect.stringMatching(/^visitor:/) as string,
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@example.com',
      phone_number: null,
    });
    const notes = await service.get(`/notes?entity_type=contact&entity_id=${contact?.id}`);
    expect(notes.body.notes).toMatchObject([{ text: 'Phone number: +14155550123' }]);
    // A team member answers from the inbox, and the interface sends.
    await service.post('/contacts/send', { contact_id: contact?.id, body: 'Hi from the interface' });
    const [last] = await read(service, widget, token);
    expect(last).toMatchObject({ from: 'team', text: 'Hi from the interface' });
    await service.delete(`/contacts/${contact?.id}`);
    expect((await write(service, widget, token, 'Again')).status).toBe(401);
  });

  // Proves rules widgets.11, widgets.12.
  it('is answered by the agent of the widget, in a job of its own', async ({ service }) => {
    await agentOf(service, 'Bob');
    const widget = await widgetOf(service, { agent_id: await agentOf(service) });
    const token = await tokenOf(service, widget);
    await service.sandbox('POST', '/jobs', { hold: ['widget_reply'] });
    await write(service, widget, token, 'When are you open?');
    await settle(service);
    expect(await read(service, widget, token)).toHaveLength(1);
    await service.sandbox('POST', '/jobs', { hold: [] });
    await settle(service);
    expect(await read(service, widget, token)).toMatchObject([
      { from: 'agent', text: 'From nine to five.' },
      { from: 'visitor', text: 'When are you open?' },
    ]);
    const [, asked] = await read(service, widget, token);
    const trace = (await service.get(`/messages/${asked?.id}/trace`)).body;
    expect(trace).toMatchObject({ trace: { decision: { step: 'channel_default', entry_point_id: null } } });
  });

  // Proves rule widgets.11.
  it('is answered as routing decides once the agent of the widget is gone', async ({ service }) => {
    const other = await agentOf(service, 'Bob');
    const gone = (await service.post('/agents', { name: 'Gone', active: false })).body.agent_id as string;
    const widget = await widgetOf(service, { agent_id: gone });
    await service.delete(`/agents/${gone}`);
    expect((await service.get(`/widgets/${widget.id}`)).body.widget.agent_id).toBeNull();
    const token = await tokenOf(service, widget);
    await write(service, widget, token, 'When are you open?');
    await settle(service);
    expect(await read(service, widget, token)).toMatchObject([{ from: 'agent' }, { from: 'visitor' }]);
    expect((await service.get('/contacts')).body.contacts).toMatchObject([{ agent_id: other }]);
  });

  // Proves rule widgets.13.
  it('repeats a message without writing it twice', async ({ service }) => {
    const widget = await widgetOf(service);
    const token = await tokenOf(service, widget);
    const first = await write(service, widget, token, 'One', { client_id: 'a' });
    const again = await write(service, widget, token, 'One', { client_id: 'a' });
    expect([again.status, again.body.message]).toEqual([201, first.body.message]);
    const other = await tokenOf(service, widget);
    expect((await write(service, widget, other, 'One', { client_id: 'a' })).body.message.id).not.toBe(first.body.message.id);
    expect(await read(service, widget, token)).toHaveLength(1);
    const page = await visit(service, 'GET', `/w/${widget.public_id}/messages?limit=0`, { token });
    expect(page.status).toBe(400);
  });

  // Proves rules widgets.15, widgets.16.
  it('needs a token of this widget, which ends 180 days after its last use', async ({ service }) => {
    const [widget, other] = [await widgetOf(service), await widgetOf(service, { name: 'Other' })];
    await service.sandbox('POST', '/clock', { frozen: true });
    const token = await tokenOf(service, widget);
    expect((await write(service, other, token, 'x')).status).toBe(401);
    expect((await visit(service, 'POST', `/w/${widget.public_id}/messages`, { body: { text: 'x' } })).status).toBe(401);
    expect((await visit(service, 'GET', `/w/${widget.public_id}/messages?token=${token}`)).status).toBe(401);
    expect((await write(service, widget, token, ' ')).status).toBe(400);
    expect((await write(service, widget, token, 'x'.repeat(4_001))).status).toBe(400);
    expect((await write(service, widget, token, 'x'.repeat(4_000))).status).toBe(201);
    await advance(service, 179 * 86_400);
    await read(service, widget, token);
    await advance(service, 179 * 86_400);
    expect((await write(service, widget, token, 'x')).status).toBe(201);
    await advance(service, 180 * 86_400 + 3_601);
    expect((await write(service, widget, token, 'x')).status).toBe(401);
    const stored = await service.write((db) => db.selectFrom('visitors').select('token').execute());
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  // Proves rule widgets.14.
  it('may send ten messages a minute, and an address sixty', async ({ service }) => {
    const widget = await widgetOf(service);
    const address = '2001:db8:1:2::7';
    const tokens = [];
    for (let count = 0; count < 7; count++) tokens.push(await tokenOf(service, widget));
    const send = (token: string, from: string) =>
      visit(service, 'POST', `/w/${widget.public_id}/messages`, { token, body: { text: 'x' }, address: from });
    for (let count = 0; count < 10; count++) expect((await send(tokens[0] ?? '', address)).status).toBe(201);
    const eleventh = await send(tokens[0] ?? '', address);
    expect([eleventh.status, Number(eleventh.headers['retry-after'])]).toEqual([429, 60]);
    for (let count = 0; count < 49; count++)
      expect((await send(tokens[1 + Math.floor(count / 10)] ?? '', '2001:db8:1:2:ffff::1')).status).toBe(201);
    expect((await send(tokens[6] ?? '', address)).status).toBe(429);
    expect((await send(tokens[6] ?? '', '2001:db8:1:3::1')).status).toBe(201);
    // The limits count in real time.
    service.clock.now += 61_000;
    expect((await send(tokens[0] ?? '', address)).status).toBe(201);
    for (let count = 0; count < 30; count++)
      expect((await visit(service, 'POST', `/w/${widget.public_id}/visitors`, { body: {}, address: '192.0.2.1' })).status).toBe(201);
    expect((await visit(service, 'POST', `/w/${widget.public_id}/visitors`, { body: {}, address: '192.0.2.1' })).status).toBe(429);
  });

  // Proves rule widgets.14.
  it('may hold 50 streams at an address', async ({ service }) => {
    const widget = await widgetOf(service);
    const token = await tokenOf(service, widget);
    const open = (address: string, with_ = token) => watchPage(service, `/w/${widget.public_id}/stream`, { token: with_, address });
    const streams = await Promise.all(Array.from({ length: 50 }, () => open('192.0.2.1')));
    expect(streams.filter((each) => typeof each === 'number')).toEqual([]);
    // The limits of the address come before the token.
    expect([await open('192.0.2.1'), await open('192.0.2.1', 'wvt_unknown')]).toEqual([429, 429]);
    expect([typeof (await open('192.0.2.2')), await open('192.0.2.2', 'wvt_unknown')]).toEqual(['object', 401]);
    const [first] = streams as WatchedStream[];
    first?.stream.end();
    await until(() => first?.isEnded === true);
    expect(typeof (await open('192.0.2.1'))).toBe('object');
  });

  // Proves rule widgets.14.
  it('is handed over once the replies of the day are used up', async ({ service }) => {
    const widget = await widgetOf(service, { agent_id: await agentOf(service), daily_ai_replies: 1 });
    await service.sandbox('POST', '/clock', { now: '2099-05-05T10:00:00Z' });
    const kept = await tokenOf(service, widget);
    const ask = async (token?: string) => {
      token ??= await tokenOf(service, widget);
      await write(service, widget, token, 'When are you open?');
      await settle(service);
      return (await read(service, widget, token)).length;
    };
    expect([await ask(), await ask(), await ask(kept)]).toEqual([2, 1, 1]);
    const told = async (kind: string) => (await service.get(`/notifications?kind=${kind}`)).body.notifications as object[];
    expect(await told('widget_limit')).toMatchObject([{ severity: 'warning', entity: { type: 'widget', id: widget.id } }]);
    expect(await told('people_alerted')).toHaveLength(2);
    // The next day begins within the same conversation.
    await advance(service, 14 * 3_600);
    expect([await ask(kept), await ask()]).toEqual([3, 1]);
    expect(await told('widget_limit')).toHaveLength(2);
  });

  // Proves rules widgets.13, widgets.16.
  it('gets what is written by a stream, which ends when the widget is disabled or the contact deleted', async ({ service }) => {
    const widget = await widgetOf(service, { agent_id: await agentOf(service) });
    const open = async (token: string, last?: string) => {
      return (await watchPage(service, `/w/${widget.public_id}/stream`, { token, lastEventId: last })) as WatchedStream;
    };
    const token = await tokenOf(service, widget);
    const stream = await open(token);
    await until(() => stream.text !== '');
    await write(service, widget, token, 'When are you open?');
    await settle(service);
    await until(() => stream.events.length === 2);
    expect(stream.events).toMatchObject([
      { event: 'message', data: { from: 'visitor' } },
      { event: 'message', data: { from: 'agent', text: 'From nine to five.' } },
    ]);
    const late = await open(token, stream.ids[0]);
    await until(() => late.events.length === 1);
    const all = await open(token, 'unknown');
    await until(() => all.events.length === 2);
    const another = await open(await tokenOf(service, widget));
    const [contact] = (await service.get('/contacts')).body.contacts as { id: string }[];
    await service.delete(`/contacts/${contact?.id}`);
    await until(() => stream.isEnded && late.isEnded && all.isEnded);
    expect([another.isEnded, another.events]).toEqual([false, []]);
    await service.put(`/widgets/${widget.id}`, { enabled: false });
    await until(() => another.isEnded);
    await service.put(`/widgets/${widget.id}`, { enabled: true });
    await service.sandbox('POST', '/clock', { frozen: true });
    const old = await open(await tokenOf(service, widget));
    await until(() => old.text !== '');
    await advance(service, 180 * 86_400);
    await until(() => old.isEnded);
    const last = await open(await tokenOf(service, widget));
    await until(() => last.text !== '');
    await service.sandbox('POST', '/reset');
    await until(() => last.isEnded);
  });
});
