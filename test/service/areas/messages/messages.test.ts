import { afterEach, describe, expect } from 'vitest';
import { it } from '../../../support/account-test.ts';
import { Events } from '../../../support/events.ts';
import { epoch, TestService } from '../../../support/test-service.ts';

const hour = 3600;
let events: Events;
const own = '+14155550100';

it.beforeEach(async ({ service }) => {
  service.clock.now = Math.max(service.clock.now, epoch);
  await service.sandbox('POST', '/clock', { frozen: true });
  await connect(service, 'chatapp', own);
  events = await Events.of(service);
});

afterEach(() => events.close());

let made = 0;
const number = () => `+1415${6660100 + made++}`;

const connect = async (service: TestService, channel: string, identity: string) =>
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel, identity });
const control = async (service: TestService, path: string, body: object) =>
  await service.sandbox('POST', `/accounts/${service.accountId}/${path}`, body);
const send = async (service: TestService, body: object) =>
  await service.post('/contacts/send', { channel: 'chatapp', body: 'Hello', ...body });
const write = async (service: TestService, from: string, more: object = {}) =>
  await control(service, 'inbound', { channel: 'chatapp', from, text: 'Hi', ...more });
const receipt = async (service: TestService, message_id: string, status: string) =>
  await control(service, 'receipts', { message_id, status });
const messages = async (service: TestService, contact: string, query = '') =>
  (await service.get(`/contacts/${contact}/messages?${query}`)).body.messages;
const balance = async (service: TestService) => (await service.get('/users/me/credits')).body.balance as number;
const advance = async (service: TestService, seconds: number) => (await service.sandbox('POST', '/clock/advance', { seconds })).body;
const sessions = async (service: TestService, contact: string) =>
  (await service.get(`/chat-sessions?contact_id=${contact}`)).body.chat_sessions;

describe('sending a message', () => {
  // Proves rules messages.1, messages.4, messages.10, messages.17, messages.19, credits.14, credits.20, sessions.1.
  it('delivers it at once, costs a credit, and starts a conversation', async ({ service }) => {
    const contact = (await service.post('/contacts', { phone_number: number() })).body.contact;
    await events.take();
    const { status, body } = await service.post('/contacts/send', { contact_id: contact.id, body: 'Hello' });
    expect([status, body]).toEqual([
      201,
      { success: true, message_id: expect.stringMatching(/^msg_/), contact_id: contact.id, channel: 'chatapp' },
    ]);
    const [session] = await sessions(service, contact.id);
    expect(await messages(service, contact.id)).toEqual([
      {
        id: body.message_id,
        contact_id: contact.id,
        session_id: session.id,
        channel: 'chatapp',
        direction: 'outbound',
        type: 'text',
        body: 'Hello',
        status: 'sent',
        sender: 'automated',
        agent_id: null,
        campaign_id: null,
        template_id: null,
        tool: null,
        media: null,
        created_at: session.started_at,
      },
    ]);
    expect(session).toMatchObject({ contact_id: contact.id, channel: 'chatapp', concluded_at: null, outcome: null });
    expect((await service.get(`/contacts/${contact.id}`)).body.contact.last_message_at).toBe(session.started_at);
    expect(await balance(service)).toBe(999);
    expect(await events.take()).toMatchObject([{ event: 'Credits Spent', data: { credits: { balance: 999 } } }]);
  });

  // Proves rules messages.6, messages.7, contacts.17.
  it('creates a contact once for a new number or account', async ({ service }) => {
    const phone_number = number();
    const first = await send(service, { phone_number });
    const second = await send(service, { phone_number });
    expect(second.body.contact_id).toBe(first.body.contact_id);
    expect(await events.names()).toEqual(['Contact Created', 'Credits Spent', 'Credits Spent']);
    await connect(service, 'photo_social', 'shop');
    const { body } = await send(service, { channel: 'photo_social', identity: 'ada' });
    expect((await service.get(`/contacts/${body.contact_id}`)).body.contact).toMatchObject({ identity: 'ada', channel: 'photo_social' });
  });

  // Proves rules messages.7, messages.17.
  it('to a number leaves the other fields of its contact unchanged', async ({ service }) => {
    await connect(service, 'sms', own);
    const fields = { phone_number: number(), channel: 'sms', first_name: 'Ada', company: 'ACME' };
    const { contact } = (await service.post('/contacts', fields)).body;
    await advance(service, 60);
    const { body } = await send(service, { phone_number: contact.phone_number });
    const [message] = await messages(service, contact.id);
    expect(message).toMatchObject({ id: body.message_id, channel: 'chatapp' });
    expect((await service.get(`/contacts/${contact.id}`)).body.contact).toEqual({ ...contact, last_message_at: message.created_at });
  });

  // Proves rules messages.6, messages.14.
  it('emits Contact Created with the channel of the first sent message', async ({ service }) => {
    const phone_number = number();
    const [refused, sent] = await Promise.all([send(service, { phone_number, channel: 'sms' }), send(service, { phone_number })]);
    expect([refused.status, sent.status]).toEqual([400, 201]);
    const { contact } = (await service.get(`/contacts/${sent.body.contact_id}`)).body;
    expect(contact.channel).toBe('chatapp');
    expect((await events.take())[0]).toMatchObject({ event: 'Contact Created', data: { contact } });
  });

  // Proves rules messages.15, credits.14, sessions.2.
  it('creates one contact and charges each message if many are concurrent', async ({ service }) => {
    const phone_number = number();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(service, { phone_number })));
    expect(new Set(answers.map(({ body }) => body.contact_id)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.message_id)).size).toBe(20);
    expect(await balance(service)).toBe(980);
    expect(await sessions(service, answers[0]?.body.contact_id)).toHaveLength(1);
  });

  // Proves rule credits.15.
  it.for(['email', 'chat_widget', 'custom_channel'])('costs nothing on %s', async (channel, { service }) => {
    await connect(service, channel, 'ours');
    expect((await send(service, { channel, identity: 'ada@shop.example' })).status).toBe(201);
    expect(await balance(service)).toBe(1000);
    expect(await events.names()).toEqual(['Contact Created']);
  });

  // Proves rule messages.8.
  it('reaches a number on all channels with numbers, but an account only on its own channel', async ({ service }) => {
    await connect(service, 'sms', own);
    const { body } = await send(service, { phone_number: number() });
    expect((await service.post('/contacts/send', { contact_id: body.contact_id, channel: 'sms', body: 'x' })).body.channel).toBe('sms');
    await connect(service, 'photo_social', 'shop');
    const other = await service.post('/contacts/send', { contact_id: body.contact_id, channel: 'photo_social', body: 'x' });
    expect(other.status).toBe(400);
  });

  // Proves rules messages.11, messages.14, contacts.27.
  it.for([{ do_not_disturb: true }, { private_mode: true }])('returns 422 for a contact with %j', async (state, { service }) => {
    const contact = (await service.post('/contacts', { phone_number: number() })).body.contact;
    await service.put(`/contacts/${contact.id}`, state);
    expect((await service.post('/contacts/send', { contact_id: contact.id, body: 'x' })).status).toBe(422);
    expect(await balance(service)).toBe(1000);
    expect(await messages(service, contact.id)).toEqual([]);
  });

  // Proves rules messages.9, messages.14, webhooks.33.
  // Proves rule messages.40.
  it('on chatapp reaches only contacts who wrote there within 24 hours, if the account has a conversation window', async ({ service }) => {
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { conversation_window: true });
    await connect(service, 'sms', own);
    const from = number();
    const refused = await send(service, { phone_number: number() });
    expect([refused.status, refused.body.reason]).toEqual([400, 'outside_window']);
    const { contact_id: contact } = (await write(service, from)).body;
    await advance(service, 24 * hour);
    expect((await send(service, { phone_number: from })).status).toBe(201);
    await advance(service, 1);
    // Messages of the account do not count.
    expect((await send(service, { phone_number: from })).body).toMatchObject({ error_code: 400, reason: 'outside_window' });
    expect((await control(service, 'team-replies', { contact_id: contact, text: 'Hello' })).body.reason).toBe('outside_window');
    expect((await send(service, { phone_number: from, channel: 'sms' })).status).toBe(201);
    const broadcast = async (body: object) => {
      const { id } = (await service.post('/broadcasts', { name: 'x', channel: 'chatapp', contact_ids: [contact], ...body })).body.broadcast;
      for (const step of ['submit', 'approve']) await service.post(`/broadcasts/${id}/${step}`);
      await service.sandbox('POST', '/settle');
      return (await service.get(`/broadcasts/${id}`)).body.broadcast;
    };
    expect(await broadcast({ body: 'Sale' })).toMatchObject({ status: 'Failed', counts: { sent: 0, failed: 1 } });
    const template = (await service.post('/chatapp-templates/docs', { name: 'sale', body: 'Sale', language: 'en', status: 'submitted' }))
      .body;
    await advance(service, 61);
    expect(await broadcast({ template_id: template.template_id })).toMatchObject({ status: 'Sent', counts: { sent: 1 } });
    expect((await service.sandbox('GET', `/accounts/${service.accountId}`)).body.account.conversation_window).toBe(true);
  });

  it('returns 400 without a connected channel of the kind, and creates no contact', async ({ service }) => {
    const { status, body } = await send(service, { channel: 'sms', phone_number: number() });
    expect([status, body.error]).toEqual([400, 'channel: sms is not connected']);
    expect((await service.get('/contacts')).body.contacts).toEqual([]);
    expect(await events.names()).toEqual([]);
  });

  // Proves rules messages.9, messages.11, messages.12, messages.13.
  it('reports the reasons for a refusal in a fixed order', async ({ service }) => {
    const settings = (body: object) => service.sandbox('PATCH', `/accounts/${service.accountId}`, body);
    const { contact } = (await service.post('/contacts', { channel: 'photo_social', identity: 'ada' })).body;
    const refusal = async (contact_id: string, channel = 'photo_social') => {
      const { status, body } = await service.post('/contacts/send', { contact_id, channel, body: 'x' });
      return [status, body.error as string];
    };
    await settings({ credits: 0 });
    await service.put(`/contacts/${contact.id}`, { do_not_disturb: true });
    expect(await refusal('con_x', 'page_social')).toEqual([404, 'Contact not found']);
    expect(await refusal(contact.id, 'page_social')).toEqual([422, expect.any(String)]);
    await service.put(`/contacts/${contact.id}`, { do_not_disturb: false });
    expect(await refusal(contact.id, 'page_social')).toEqual([400, expect.stringContaining('cannot be reached')]);
    expect(await refusal(contact.id)).toEqual([400, 'channel: photo_social is not connected']);
    await connect(service, 'photo_social', 'shop');
    expect(await refusal(contact.id)).toEqual([402, expect.any(String)]);
    await settings({ credits: 1 });
    expect(await refusal(contact.id)).toEqual([201, undefined]);
  });

  // Proves rules messages.12, messages.14, credits.3, credits.12.
  it('returns 402 without enough credits, and creates nothing', async ({ service }) => {
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 2.5 });
    await events.take();
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(service, { phone_number: number() })));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 402, 402, 402]);
    expect(await balance(service)).toBe(0.5);
    expect((await service.get('/contacts')).body.contacts).toHaveLength(2);
    expect((await events.names()).filter((name) => name === 'Credits Spent')).toHaveLength(2);
  });

  // Proves rule messages.15.
  it('is not affected by a failing message in the same transaction', async ({ service }) => {
    const contact = (await service.post('/contacts', { phone_number: number() })).body.contact;
    const answers = await Promise.all([
      service.post('/contacts/send', { contact_id: 'con_unknown', body: 'x' }),
      service.post('/contacts/send', { contact_id: contact.id, body: 'x' }),
      send(service, { channel: 'sms', phone_number: number() }),
      send(service, { phone_number: number() }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 201, 400, 201]);
  });

  // Proves rules messages.2, messages.3, messages.5.
  it.for([
    {},
    { phone_number: '+14155550111' },
    { channel: 'chatapp' },
    { channel: 'chatapp', phone_number: '0415' },
    { channel: 'photo_social', phone_number: '+14155550111' },
    { channel: 'chatapp', phone_number: '+14155550111', body: '' },
    { channel: 'chatapp', phone_number: '+14155550111', body: ' \n' },
    { channel: 'chatapp', phone_number: '+14155550111', body: 'x'.repeat(10_001) },
    { contact_id: 7 },
    { contact_id: 'con_x', phone_number: '+14155550111' },
    { contact_id: 'con_x', identity: 'ada' },
  ])('returns 400 with %j', async (body, { service }) => {
    expect((await service.post('/contacts/send', { body: 'Hello', ...body })).status).toBe(400);
  });

  // Proves rules messages.16, sandbox.54.
  it('uses the number that the contact last wrote to', async ({ service }) => {
    const other = '+14155550101';
    await connect(service, 'chatapp', other);
    const from = number();
    await send(service, { phone_number: from });
    const { body } = await write(service, from, { to: other });
    await control(service, 'team-replies', { contact_id: body.contact_id, text: 'x' });
    // Without `to`, the message goes to the same number.
    await write(service, from);
    await send(service, { phone_number: from });
    const store = await service.database.open();
    const rows = await store.read((db) =>
      db
        .selectFrom('messages')
        .select('own_identity')
        .where('contact_id', '=', body.contact_id as string)
        .orderBy('seq')
        .execute(),
    );
    await store.close();
    expect(rows.map(({ own_identity: identity }) => identity)).toEqual([own, other, other, other, other]);
  });
});

// Proves rule messages.16.
it('messages are sent from the number of the open conversation, otherwise from the oldest connected one', async ({ service }) => {
  const [older, newer] = [number(), number()];
  for (const identity of [older, newer]) await connect(service, 'chatapp_web', identity);
  const drop = (phone: string) => control(service, `pairings/${encodeURIComponent(phone)}/drop`, {});
  const { contact } = (await service.post('/contacts', { phone_number: number(), channel: 'chatapp_web' })).body;
  const leavesFrom = async () => {
    const { body } = await service.post('/contacts/send', { contact_id: contact.id, body: 'x' });
    const store = await service.database.open();
    const row = await store.read((db) =>
      db
        .selectFrom('messages')
        .select('own_identity')
        .where('id', '=', body.message_id as string)
        .executeTakeFirst(),
    );
    await store.close();
    return row?.own_identity;
  };
  await drop(older);
  expect(await leavesFrom()).toBe(newer);
  await connect(service, 'chatapp_web', older);
  expect(await leavesFrom()).toBe(newer);
  await advance(service, 24 * hour);
  expect(await leavesFrom()).toBe(older);
  await write(service, contact.phone_number as string, { channel: 'chatapp_web', to: newer });
  expect(await leavesFrom()).toBe(newer);
  await drop(newer);
  expect(await leavesFrom()).toBe(older);
});

describe('a delivery report', () => {
  // Proves rules messages.21, messages.23, messages.24, sandbox.55, sandbox.56.
  it('changes a message to delivered and read, and emits each event once', async ({ service }) => {
    const { body } = await send(service, { phone_number: number() });
    await events.take();
    for (const [status, reached] of [
      ['delivered', 'delivered'],
      ['delivered', 'delivered'],
      ['read', 'read'],
      ['delivered', 'read'],
    ] as const)
      expect((await receipt(service, body.message_id, status)).body.message).toMatchObject({ id: body.message_id, status: reached });
    expect((await receipt(service, body.message_id, 'failed')).status).toBe(409);
    expect(await events.take()).toMatchObject([
      { event: 'Deliveries', data: { message: { id: body.message_id, status: 'delivered' } } },
      { event: 'Reads', data: { message: { id: body.message_id, status: 'read' } } },
    ]);
  });

  // Proves rule messages.22.
  it('implies that a read message was delivered', async ({ service }) => {
    const { body } = await send(service, { phone_number: number() });
    await events.take();
    await receipt(service, body.message_id, 'read');
    expect(await events.names()).toEqual(['Deliveries', 'Reads']);
  });

  // Proves rules messages.21, messages.24, messages.26, credits.18.
  it('refunds a failed message once', async ({ service }) => {
    const { body } = await send(service, { phone_number: number() });
    expect(await balance(service)).toBe(999);
    for (let time = 0; time < 2; time++) expect((await receipt(service, body.message_id, 'failed')).body.message.status).toBe('failed');
    expect(await balance(service)).toBe(1000);
    expect((await receipt(service, body.message_id, 'read')).status).toBe(409);
  });

  // Proves rules messages.21, messages.25.
  it('returns 404 for an unknown message or one of another account, and 409 for an inbound one', async ({ service }) => {
    const { body } = await write(service, number());
    expect((await receipt(service, body.message_id, 'read')).status).toBe(409);
    expect((await receipt(service, 'msg_unknown', 'read')).status).toBe(404);
    const other = await service.makeAccount();
    const foreign = { message_id: body.message_id as string, status: 'read' };
    expect((await service.sandbox('POST', `/accounts/${other.account_id}/receipts`, foreign)).status).toBe(404);
    expect((await receipt(service, body.message_id, 'lost')).status).toBe(400);
  });
});

describe('an inbound message', () => {
  // Proves rules messages.20, messages.28, messages.31, messages.34, contacts.17, credits.17, sandbox.52, sandbox.53.
  it('creates a contact and is routed to nobody', async ({ service }) => {
    const from = number();
    const { status, body } = await write(service, from, { first_name: 'Ada' });
    expect(status).toBe(201);
    expect(body).toEqual({
      success: true,
      contact_id: expect.stringMatching(/^con_/),
      message_id: expect.stringMatching(/^msg_/),
      session_id: expect.stringMatching(/^ses_/),
      decision: expect.objectContaining({ step: 'none', agent_id: null, entry_point_id: null }),
      reply: null,
      tool_calls: [],
    });
    expect(await messages(service, body.contact_id)).toMatchObject([
      { id: body.message_id, session_id: body.session_id, direction: 'inbound', status: 'received', sender: 'contact', body: 'Hi' },
    ]);
    expect((await service.get(`/contacts/${body.contact_id}`)).body.contact).toMatchObject({ phone_number: from, first_name: 'Ada' });
    expect(await balance(service)).toBe(1000);
    expect(await events.take()).toMatchObject([
      { event: 'Contact Created', data: { contact: { id: body.contact_id } } },
      { event: 'New Message', data: { message: { id: body.message_id } } },
    ]);
  });

  // Proves rule messages.31.
  it('fills in missing names, but replaces none', async ({ service }) => {
    const from = number();
    const names = async (given: object) => {
      const { body } = await write(service, from, given);
      const { contact } = (await service.get(`/contacts/${body.contact_id}`)).body;
      return [contact.first_name as unknown, contact.last_name as unknown];
    };
    expect(await names({})).toEqual([null, null]);
    expect(await names({ first_name: 'Ada' })).toEqual(['Ada', null]);
    expect(await names({ first_name: 'Eve', last_name: 'L' })).toEqual(['Ada', 'L']);
    expect(await names({ first_name: 'Eve', last_name: 'M' })).toEqual(['Ada', 'L']);
  });

  // Proves rules messages.29, messages.30.
  it('is a reply if a message was sent earlier in the conversation', async ({ service }) => {
    const from = number();
    await write(service, from);
    await send(service, { phone_number: from });
    await events.take();
    const { body } = await write(service, from);
    expect(await events.take()).toMatchObject([
      { event: 'New Message', data: { message: { id: body.message_id } } },
      { event: 'Replies', data: { message: { id: body.message_id } } },
    ]);
    await advance(service, 24 * hour);
    await events.take();
    await write(service, from);
    expect(await events.names()).toEqual(['New Message']);
  });

  // Proves rules messages.19, messages.34, messages.35, contacts.23, contacts.26, credits.16, sandbox.57.
  it('is routed to takeover after a team reply until resumed, and while paused', async ({ service }) => {
    const from = number();
    const { body } = await write(service, from);
    const step = async () => (await write(service, from)).body.decision.step as string;
    const reply = await control(service, 'team-replies', { contact_id: body.contact_id, text: 'I am Eve' });
    expect(reply.body).toMatchObject({ message_id: expect.any(String), contact_id: body.contact_id, channel: 'chatapp' });
    expect(await balance(service)).toBe(999);
    expect((await messages(service, body.contact_id, 'limit=1'))[0]).toMatchObject({ sender: 'human', status: 'sent', body: 'I am Eve' });
    expect(await step()).toBe('takeover');
    await service.post(`/contacts/${body.contact_id}/resume`);
    expect(await step()).toBe('none');
    await service.post(`/contacts/${body.contact_id}/pause`);
    expect(await step()).toBe('takeover');
    expect(await events.names()).toContain('Contact Resumed');
  });

  // Proves rule sandbox.58.
  it("is answered by the team on the channel last used by the contact, otherwise on the contact's own", async ({ service }) => {
    await connect(service, 'sms', own);
    const { contact } = (await service.post('/contacts', { phone_number: number(), channel: 'sms' })).body;
    const channel = async () => (await control(service, 'team-replies', { contact_id: contact.id, text: 'x' })).body.channel as string;
    expect(await channel()).toBe('sms');
    await write(service, contact.phone_number as string);
    expect(await channel()).toBe('chatapp');
    await send(service, { contact_id: contact.id, channel: 'sms' });
    expect(await channel()).toBe('chatapp');
  });

  // Proves rule sandbox.59.
  it('is not taken over by a rejected team reply', async ({ service }) => {
    const from = number();
    const { contact_id } = (await write(service, from)).body;
    const reply = async (id = contact_id as string) => (await control(service, 'team-replies', { contact_id: id, text: 'x' })).status;
    expect(await reply('con_x')).toBe(404);
    await service.put(`/contacts/${contact_id}`, { private_mode: true });
    expect(await reply()).toBe(422);
    await service.put(`/contacts/${contact_id}`, { private_mode: false });
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 0 });
    expect(await reply()).toBe(402);
    await write(service, from, { channel: 'sms' });
    expect(await reply()).toBe(400);
    expect((await write(service, from)).body.decision.step).toBe('none');
    expect(await messages(service, contact_id, 'direction=outbound')).toEqual([]);
  });

  // Proves rule sandbox.54.
  it('goes to the number that the contact wrote to before, otherwise to the oldest', async ({ service }) => {
    const other = number();
    await connect(service, 'chatapp', other);
    const [one, two] = [number(), number()];
    await write(service, one);
    await write(service, two, { to: other });
    await write(service, two);
    const store = await service.database.open();
    const rows = await store.read((db) =>
      db.selectFrom('messages').select('own_identity').where('account_id', '=', service.accountId).orderBy('seq').execute(),
    );
    await store.close();
    expect(rows.map(({ own_identity: identity }) => identity)).toEqual([own, other, other]);
  });

  // Proves rule sandbox.67.
  it('is not created by triggering an event in the sandbox', async ({ service }) => {
    for (const event of ['Contact Created', 'New Message', 'Credits Spent', 'Chat Concluded']) await control(service, 'events', { event });
    expect(await events.names()).toHaveLength(4);
    const { body } = await service.get('/contacts');
    const store = await service.database.open();
    const counts = await store.read((db) =>
      db.selectFrom('daily_counts').selectAll().where('account_id', '=', service.accountId).execute(),
    );
    await store.close();
    expect([body.contacts, counts, await balance(service)]).toEqual([[], [], 1000]);
  });

  // Proves rules messages.32, messages.33, sandbox.51.
  it('must be sent to a connected number, and can only reply to a message of the same contact', async ({ service }) => {
    expect((await write(service, number(), { to: '+14155550199' })).status).toBe(400);
    expect((await write(service, 'ada')).status).toBe(400);
    const sent = (await send(service, { phone_number: number() })).body;
    expect((await write(service, number(), { reply_to_message_id: sent.message_id })).status).toBe(404);
    expect((await write(service, number(), { reply_to_message_id: 'msg_unknown' })).status).toBe(404);
    expect((await service.get('/contacts')).body.contacts).toHaveLength(1);
    expect((await write(service, number(), { to: own })).status).toBe(201);
    expect((await write(service, number(), { to: '+1 (415) 555-0100' })).status).toBe(201);
  });
});

describe('the messages of a contact', () => {
  // Proves rule conventions.69.
  it('have their own cursors', async ({ service }) => {
    const [one, two] = [number(), number()];
    for (const phone_number of [one, one, two, two]) await send(service, { phone_number });
    const [second, first] = (await service.get('/contacts')).body.contacts;
    const { next_cursor: cursor } = (await service.get(`/contacts/${first.id}/messages?limit=1`)).body;
    expect((await service.get(`/contacts/${first.id}/messages?limit=1&cursor=${cursor}`)).status).toBe(200);
    expect((await service.get(`/contacts/${second.id}/messages?limit=1&cursor=${cursor}`)).status).toBe(400);
  });

  // Proves rules messages.37, messages.38.
  it('are filtered by direction and type, newest first, page by page', async ({ service }) => {
    const from = number();
    for (let index = 0; index < 3; index++) {
      await write(service, from, { text: `in ${index}` });
      await send(service, { phone_number: from, body: `out ${index}` });
    }
    const [{ id }] = (await service.get('/contacts')).body.contacts;
    const bodies = (rows: { body: string }[]) => rows.map(({ body }) => body);
    expect(bodies(await messages(service, id))).toEqual(['out 2', 'in 2', 'out 1', 'in 1', 'out 0', 'in 0']);
    expect(bodies(await messages(service, id, 'direction=inbound'))).toEqual(['in 2', 'in 1', 'in 0']);
    expect(bodies(await messages(service, id, 'filter=text&direction=outbound&limit=2'))).toEqual(['out 2', 'out 1']);
    expect(await messages(service, id, 'filter=media')).toEqual([]);
    for (const query of ['filter=x', 'direction=x', 'limit=0'])
      expect((await service.get(`/contacts/${id}/messages?${query}`)).status).toBe(400);
  });
});

describe('a conversation', () => {
  // Proves rules sessions.1, sessions.3, sessions.5.
  it('concludes with its outcome after 24 hours without a message', async ({ service }) => {
    const from = number();
    const { body } = await write(service, from);
    await advance(service, 23 * hour);
    await write(service, from);
    await advance(service, 23 * hour);
    expect((await sessions(service, body.contact_id))[0]).toMatchObject({ concluded_at: null });
    await events.take();
    await advance(service, hour);
    const [session] = await sessions(service, body.contact_id);
    expect(session).toMatchObject({ id: body.session_id, outcome: 'unanswered' });
    expect(Date.parse(session.concluded_at)).toBe(Date.parse((await messages(service, body.contact_id))[0].created_at) + 24 * hour * 1000);
    expect((await events.take()).filter(({ event }) => event === 'Chat Concluded')).toMatchObject([{ data: { chat_session: session } }]);
    expect((await service.get(`/chat-sessions/${session.id}`)).body.chat_session).toEqual(session);
    await write(service, from);
    expect(await sessions(service, body.contact_id)).toHaveLength(2);
  });

  // Proves rules sandbox.17, sessions.5.
  it('concludes at the new time if a clock change makes it overdue', async ({ service }) => {
    const { body } = await write(service, number());
    const now = new Date(Date.parse((await service.sandbox('GET', '/clock')).body.now as string) + 48 * hour * 1000).toISOString();
    await service.sandbox('POST', '/clock', { now });
    await service.sandbox('POST', '/settle');
    expect((await service.get(`/chat-sessions/${body.session_id}`)).body.chat_session.concluded_at).toBe(now);
  });

  // Proves rule sessions.4.
  it('concludes before the next message if its job is held', async ({ service }) => {
    const from = number();
    const { body } = await write(service, from);
    await service.sandbox('POST', '/jobs', { hold: ['session_end'] });
    await advance(service, 25 * hour);
    const next = await write(service, from);
    expect(next.body.session_id).not.toBe(body.session_id);
    expect((await service.get(`/chat-sessions/${body.session_id}`)).body.chat_session.outcome).toBe('unanswered');
    await service.sandbox('POST', '/jobs', { hold: [] });
  });

  // Proves rule sessions.5.
  it('has the time of its actual conclusion, even if that is late', async ({ service }) => {
    const { body } = await write(service, number());
    const session = async () => (await service.get(`/chat-sessions/${body.session_id}`)).body.chat_session;
    await service.sandbox('POST', '/jobs', { hold: ['session_end'] });
    const { now } = await advance(service, 25 * hour);
    expect(await session()).toMatchObject({ concluded_at: null });
    await service.sandbox('POST', '/jobs', { hold: [] });
    await service.sandbox('POST', '/settle');
    expect(await session()).toMatchObject({ concluded_at: now, updated_at: now });
  });

  // Proves rules sessions.1, sessions.5.
  it('has the update time of its last message, then that of its conclusion', async ({ service }) => {
    const from = number();
    const { body } = await write(service, from);
    const { now: later } = await advance(service, hour);
    await send(service, { phone_number: from });
    const session = async () => (await service.get(`/chat-sessions/${body.session_id}`)).body.chat_session;
    const open = await session();
    expect(open).toMatchObject({ updated_at: later, created_at: open.started_at });
    await advance(service, 24 * hour);
    const concluded = await session();
    expect(concluded).toEqual({ ...open, concluded_at: expect.any(String), outcome: 'answered', updated_at: concluded.concluded_at });
  });

  // Proves rule sessions.6.
  it.for([
    ['handed_off', ['in', 'team']],
    ['replied', ['out', 'in']],
    ['answered', ['in', 'out']],
    ['unanswered', ['in', 'in']],
    ['no_reply', ['out', 'out']],
  ] as const)('ends as %s after %j', async ([outcome, steps], { service }) => {
    const phone = number();
    const { contact } = (await service.post('/contacts', { phone_number: phone })).body;
    for (const step of steps) {
      if (step === 'in') await write(service, phone);
      else if (step === 'out') await send(service, { phone_number: phone });
      else await control(service, 'team-replies', { contact_id: contact.id, text: 'x' });
    }
    await advance(service, 24 * hour);
    expect(await sessions(service, contact.id)).toMatchObject([{ outcome }]);
  });

  // Proves rules sessions.1, sessions.7.
  it('is separate for each channel', async ({ service }) => {
    await connect(service, 'sms', own);
    const phone_number = number();
    const { body } = await send(service, { phone_number });
    await send(service, { phone_number, channel: 'sms' });
    expect((await sessions(service, body.contact_id)).map(({ channel }: { channel: string }) => channel)).toEqual(['sms', 'chatapp']);
  });

  // Proves rule webhooks.34.
  it('emits Chat Concluded only to subscriptions with a matching tag', async ({ service }) => {
    const tag = (await service.post('/tags', { name: 'VIP' })).body.tag.id as string;
    await service.put('/webhooks/1', { subscribed_to_tags: [tag] });
    const [one, two] = [
      (await write(service, number())).body.contact_id as string,
      (await write(service, number())).body.contact_id as string,
    ];
    await service.post(`/contacts/${one}/tags`, { tag_id: tag });
    await advance(service, 24 * hour);
    const concluded = (await events.take()).filter(({ event }) => event === 'Chat Concluded');
    expect(concluded).toMatchObject([{ data: { chat_session: { contact_id: one } } }]);
    expect(await sessions(service, two)).toMatchObject([{ outcome: 'unanswered' }]);
  });
});

// Proves rules summaries.1, summaries.2, summaries.4.
it('a summary is written at midnight UTC for accounts with messages', async ({ service }) => {
  const from = number();
  await write(service, from);
  await send(service, { phone_number: from });
  const quiet = await service.makeAccount();
  const silent = await Events.of(service, quiet.api_key);
  await events.take();
  await advance(service, 24 * hour);
  const summaries = (await events.take()).filter(({ event }) => event === 'Daily Summary Created');
  expect(summaries).toHaveLength(1);
  expect(summaries[0]?.data.summary).toMatchObject({
    id: expect.stringMatching(/^sum_/),
    date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    text: '1 conversation started, 1 message sent, 1 received, 0 of them replies, 1 new contact, 1 credit spent.',
    created_at: expect.stringMatching(/T00:00:00.000Z$/),
  });
  expect(await silent.names()).toEqual([]);
  await silent.close();
});

describe('a daily summary', () => {
  it.beforeEach(async ({ service }) => {
    const { now } = (await service.sandbox('GET', '/clock')).body;
    const nextDay = new Date(Date.parse(now as string) + 24 * hour * 1000).toISOString().slice(0, 10);
    await service.sandbox('POST', '/clock', { now: `${nextDay}T12:00:00Z` });
    await events.take();
  });

  const summaries = async () =>
    (await events.take())
      .filter(({ event }) => event === 'Daily Summary Created')
      .map(({ data }) => data.summary as { date: string; text: string; created_at: string });
  const today = async (service: TestService) => ((await service.sandbox('GET', '/clock')).body.now as string).slice(0, 10);

  // Proves rules summaries.1, summaries.2, summaries.3.
  it('is written for each day with messages', async ({ service }) => {
    const from = number();
    const days = [];
    for (const messagesOfTheDay of [1, 2, 0, 1]) {
      if (messagesOfTheDay > 0) days.push(await today(service));
      for (let count = 0; count < messagesOfTheDay; count++) {
        await write(service, from);
        await advance(service, 1);
      }
      await advance(service, 24 * hour);
    }
    expect((await summaries()).map(({ date }) => date)).toEqual(days);
  });

  // Proves rule summaries.5.
  it('covers its own day even if it is written late', async ({ service }) => {
    await service.sandbox('POST', '/jobs', { hold: ['daily_summary'] });
    const day = await today(service);
    await write(service, number());
    await advance(service, 24 * hour);
    for (let count = 0; count < 2; count++) await write(service, number());
    expect(await summaries()).toEqual([]);
    await service.sandbox('POST', '/jobs', { hold: [] });
    const { now } = (await service.sandbox('GET', '/clock')).body;
    expect(await summaries()).toMatchObject([{ date: day, text: expect.stringContaining('1 received'), created_at: now }]);
  });
});
