import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { visit } from '../../support/public-pages.ts';
import { TestService } from '../../support/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await TestService.open();
});

beforeEach(async () => {
  await service.freshAccount({ name: 'Bakery' });
});

afterAll(() => service.close());

const set = (body: object, key = service.key) => service.put('/account-config', body, { key });

const control = (path: string, body: object = {}, method = 'POST') =>
  service.sandbox(method, `/accounts/${service.accountId}${path}`, body);

const settle = () => service.sandbox('POST', '/settle');

const connect = () => control('/channels', { channel: 'chatapp', identity: '+14155550100' });

/** Creates a template, which is approved. @returns its id */
async function approvedTemplate(text: string): Promise<string> {
  const body = { name: 'greeting', language: 'en', body: text, status: 'submitted' };
  const id = (await service.post('/chatapp-templates/docs', body)).body.template_id as string;
  await control(`/templates/${id}/review`, { outcome: 'approved' });
  return id;
}

const defaults = {
  business_name: null,
  timezone: 'UTC',
  language: null,
  default_country: null,
  session_hours: 24,
  quiet_hours: null,
  low_credit_threshold: null,
  auto_recharge_enabled: false,
  auto_recharge_credits: 1000,
};

// Proves rules config.1, config.4, config.7, config.9, config.11.
it('has defaults, and is changed by field', async () => {
  expect((await service.get('/account-config')).body.account_config).toEqual(defaults);
  const change = { business_name: 'Brot', quiet_hours: { start_time: '22:00', end_time: '07:00' }, auto_recharge_credits: 250 };
  expect((await set(change)).body.account_config).toEqual({ ...defaults, ...change });
  expect((await set({ quiet_hours: null, low_credit_threshold: 5 })).body.account_config).toMatchObject({
    quiet_hours: null,
    business_name: 'Brot',
  });
  const { account } = (await control('', { auto_recharge_enabled: true, auto_recharge_credits: 300 }, 'PATCH')).body;
  expect([account.low_credit_threshold, account.auto_recharge_credits]).toEqual([5, 300]);
  expect((await service.get('/account-config')).body.account_config).toMatchObject({
    auto_recharge_enabled: true,
    auto_recharge_credits: 300,
  });
  for (const [field, value] of [
    ['session_hours', 0],
    ['session_hours', 169],
    ['session_hours', 1.5],
    ['session_hours', null],
    ['default_country', 'de'],
    ['default_country', 'ZZ'],
    ['timezone', 'Mars'],
    ['auto_recharge_credits', 99],
    ['auto_recharge_credits', 100_001],
    ['auto_recharge_credits', 100.5],
    ['quiet_hours', { start_time: '08:00', end_time: '08:00' }],
    ['business_name', ''],
  ] as const)
    expect([field, (await set({ [field]: value })).body.field]).toEqual([field, field]);
  expect((await set({ quiet_hours: { start_time: '25:00', end_time: '08:00' } })).body.field).toBe('quiet_hours.start_time');
  expect((await set({})).body.error).toBe('No fields to update');
});

// Proves rules config.2, config.3.
it('shows billing to those who may see it, and lets owners and the main key change it', async () => {
  const editor = await service.signIn(['team.edit']);
  const accountant = await service.signIn(['billing.view', 'team.edit']);
  const hidden = { low_credit_threshold: null, auto_recharge_enabled: null, auto_recharge_credits: null };
  expect((await service.get('/account-config', { key: editor })).body.account_config).toEqual({ ...defaults, ...hidden });
  expect((await service.get('/account-config', { key: accountant })).body.account_config).toEqual(defaults);
  for (const key of [editor, accountant]) expect((await set({ auto_recharge_enabled: true }, key)).status).toBe(403);
  expect((await set({ language: 'de' }, editor)).body.account_config).toEqual({ ...defaults, ...hidden, language: 'de' });
  const scoped = (await service.post('/api-keys', { scopes: { tags: ['Account Config'], read_only: false } })).body.api_key as string;
  expect((await set({ low_credit_threshold: 1 }, scoped)).body.error_code).toBe('key_scope_denied');
  expect((await set({ low_credit_threshold: 'x' }, scoped)).body.error_code).toBe('key_scope_denied');
  // What a caller may not change is refused before its value is looked at.
  for (const key of [editor, accountant]) expect((await set({ auto_recharge_credits: 1, timezone: 'Mars' }, key)).status).toBe(403);
  expect((await service.get('/account-config', { key: scoped })).body.account_config.auto_recharge_credits).toBe(1000);
  const owner = await service.signIn([], { role: 'owner' });
  expect((await set({ low_credit_threshold: 1 }, owner)).status).toBe(200);
});

// Proves rule config.11.
it('the automatic recharge adds as many credits as the account says', async () => {
  await connect();
  await control('', { credits: 100, auto_recharge_enabled: true, auto_recharge_credits: 250 }, 'PATCH');
  await service.post('/contacts/send', { phone_number: '+14155550123', channel: 'chatapp', body: 'x' });
  expect((await service.get('/users/me/credits')).body.balance).toBe(349);
});

// Proves rule config.11.
it('the automatic recharge has room at the largest balance and threshold', async () => {
  await connect();
  const most = 1_000_000_000;
  await control('', { credits: most, low_credit_threshold: most, auto_recharge_enabled: true, auto_recharge_credits: 100_000 }, 'PATCH');
  const sent = await service.post('/contacts/send', { phone_number: '+14155550123', channel: 'chatapp', body: 'x' });
  expect(sent.status).toBe(201);
  expect((await service.get('/users/me/credits')).body.balance).toBe(most - 1 + 100_000);
});

// Proves rules config.5, config.6, config.7.
it('new records and numbers follow it', async () => {
  await set({ timezone: 'Europe/Berlin', language: 'de', default_country: 'DE' });
  expect((await service.post('/events', { name: 'x' })).body.event.timezone).toBe('Europe/Berlin');
  expect((await service.post('/events', { name: 'x', timezone: 'UTC' })).body.event.timezone).toBe('UTC');
  const agent = async (more: object) => {
    const { agent_id: id } = (await service.post('/agents', { name: 'Ada', ...more })).body;
    const { language, timezone } = (await service.get(`/agents/${id}`)).body.agent;
    return [language, timezone];
  };
  expect(await agent({})).toEqual(['de', 'Europe/Berlin']);
  expect(await agent({ language: 'en', timezone: 'UTC' })).toEqual(['en', 'UTC']);
  expect((await service.post('/contacts', { phone_number: '030 1234567' })).body.contact).toMatchObject({
    phone_number: '+49301234567',
    country: 'DE',
  });
  const { contact_ids: ids } = (
    await service.post('/contacts/import', { contacts: [{ phone_number: '(0)171 1234567' }, { phone_number: '+14155550123' }] })
  ).body;
  expect(ids).toHaveLength(2);
  await connect();
  const sent = await service.post('/contacts/send', { phone_number: '030 1234567', channel: 'chatapp', body: 'x' });
  expect(sent.status).toBe(201);
  const start = '2027-03-02T09:00:00Z';
  const events = [{ id: 'x', summary: 'Visit', start, end: start, attendees: [{ phone: '0171 1234567' }] }];
  await control('', { calendar: { connected: true, events } }, 'PATCH');
  const { agent_id } = (await service.post('/agents', { name: 'Front desk' })).body;
  await service.post('/appointments/import-calendar-events', { agent_id, identifier: 'PHONE_NUMBER' });
  await settle();
  expect((await service.get('/appointments')).body.appointments).toMatchObject([{ contact_id: ids[0] }]);
  const template = await approvedTemplate('Hello');
  const templateSent = await service.post('/chatapp-templates/send', { phoneNumber: '030 1234569', whatsappTemplateId: template });
  expect(templateSent.body).toMatchObject({ success: true });
  expect((await service.get('/contacts?search=1234569')).body.contacts).toMatchObject([{ phone_number: '+49301234569' }]);
  await set({ default_country: null });
  expect((await service.post('/contacts', { phone_number: '030 1234568' })).status).toBe(400);
});

// Proves rule config.7.
it('guests of booking pages write national numbers', async () => {
  await set({ default_country: 'DE' });
  const hours = { start_time: '09:00', end_time: '17:00' };
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  const availability = Object.fromEntries(days.map((day) => [day, hours]));
  const { event } = (await service.post('/events', { name: 'Visit', availability, slot_minutes: 60, booking_page: {} })).body;
  const path = `/b/${event.booking_page.public_id}`;
  const [{ start_time }] = (await visit(service, 'GET', `${path}/slots`)).body.slots;
  const booked = await visit(service, 'POST', `${path}/bookings`, { body: { start_time, name: 'Ada', phone_number: '030 1234567' } });
  expect(booked.status, booked.text).toBe(201);
  expect((await service.get('/contacts')).body.contacts).toMatchObject([{ phone_number: '+49301234567' }]);
});

// Proves rule config.5.
it('the name of the business fills templates', async () => {
  await connect();
  const id = await approvedTemplate('Welcome to {{business_name}}');
  const { id: contact } = (await service.post('/contacts', { phone_number: '+14155550123' })).body.contact;
  const text = async (variables?: object) => {
    const { message_id: message } = (
      await service.post('/chatapp-templates/send', { contactId: contact, whatsappTemplateId: id, ...(variables && { variables }) })
    ).body;
    const { messages } = (await service.get(`/contacts/${contact}/messages`)).body;
    return (messages as { id: string; body: string }[]).find((each) => each.id === message)?.body;
  };
  expect(await text()).toBe('Welcome to Bakery');
  await set({ business_name: 'Brot & Co' });
  expect(await text()).toBe('Welcome to Brot & Co');
  expect(await text({ business_name: 'Us' })).toBe('Welcome to Us');
  const newest = async () => (await service.get(`/contacts/${contact}/messages`)).body.messages[0];
  const broadcast = { name: 'x', channel: 'chatapp', template_id: id, contact_ids: [contact] };
  const { id: spring } = (await service.post('/broadcasts', broadcast)).body.broadcast;
  for (const step of ['submit', 'approve']) await service.post(`/broadcasts/${spring}/${step}`);
  await settle();
  expect(await newest()).toMatchObject({ sender: 'automated', body: 'Welcome to Brot & Co' });
  const action = { type: 'message', contact_id: contact, template_id: id };
  const run_at = new Date(service.clock.now + 3_600_000).toISOString();
  expect((await service.post('/scheduled-tasks', { name: 'x', action, run_at })).status).toBe(201);
  await set({ business_name: 'Brot' });
  service.clock.now += 3_600_000;
  await settle();
  expect(await newest()).toMatchObject({ body: 'Welcome to Brot' });
});

// Proves rule config.8.
it('chat sessions end after the hours of their last message', async () => {
  await connect();
  const write = () => control('/inbound', { channel: 'chatapp', from: '+14155550155', text: 'Hi' });
  const open = async () => {
    await settle();
    return (await service.get('/chat-sessions')).body.chat_sessions.map(
      (each: { concluded_at: string | null }) => each.concluded_at === null,
    );
  };
  await write();
  await set({ session_hours: 1 });
  service.clock.now += 2 * 3_600_000;
  expect(await open()).toEqual([true]);
  await write();
  service.clock.now += 3_600_000 - 1;
  expect(await open()).toEqual([true]);
  service.clock.now += 1;
  expect(await open()).toEqual([false]);
  await set({ session_hours: 48 });
  await write();
  service.clock.now += 47 * 3_600_000;
  expect(await open()).toEqual([true, false]);
  service.clock.now += 3_600_000;
  expect(await open()).toEqual([false, false]);
});

// Proves rules config.9, config.10.
it('broadcasts rest in quiet hours', async () => {
  await connect();
  // 13:00 in Berlin.
  await set({ timezone: 'Europe/Berlin', quiet_hours: { start_time: '13:00', end_time: '08:30' } });
  service.clock.now = Date.parse('2027-04-01T11:00:00.000Z');
  const { id: contact } = (await service.post('/contacts', { phone_number: '+14155550123' })).body.contact;
  const broadcast = async () => {
    const { id } = (await service.post('/broadcasts', { name: 'x', channel: 'chatapp', body: 'x', contact_ids: [contact] })).body.broadcast;
    for (const step of ['submit', 'approve']) await service.post(`/broadcasts/${id}/${step}`);
    return id as string;
  };
  const status = async (id: string) => {
    await settle();
    return (await service.get(`/broadcasts/${id}`)).body.broadcast.status as string;
  };
  const first = await broadcast();
  expect(await status(first)).toBe('Sending');
  expect((await service.post('/contacts/send', { contact_id: contact, body: 'x' })).status).toBe(201);
  service.clock.now = Date.parse('2027-04-02T06:29:59.999Z');
  expect(await status(first)).toBe('Sending');
  service.clock.now += 1;
  expect(await status(first)).toBe('Sent');
  service.clock.now = Date.parse('2027-04-02T12:00:00.000Z');
  const second = await broadcast();
  expect(await status(second)).toBe('Sending');
  await set({ quiet_hours: null });
  expect(await status(second)).toBe('Sent');
  const { messages } = (await service.get(`/contacts/${contact}/messages`)).body;
  expect(messages).toHaveLength(3);
  // Where it is 13:00 now, quiet hours begin; where it is 12:00, they are over at once.
  await set({ quiet_hours: { start_time: '13:00', end_time: '15:00' }, timezone: 'Europe/London' });
  const third = await broadcast();
  expect(await status(third)).toBe('Sending');
  await set({ timezone: 'Atlantic/Azores' });
  expect(await status(third)).toBe('Sent');
});

// Proves rule config.10.
it('broadcasts rest between two parts when quiet hours begin', async () => {
  let parts = 0;
  const failpoint = (name: string) => {
    if (name === 'broadcast.leased' && ++parts === 2) other.clock.now += 3_600_000;
  };
  const other = await TestService.open({ failpoint });
  await other.sandbox('POST', `/accounts/${other.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  await other.put('/account-config', { quiet_hours: { start_time: '13:00', end_time: '14:00' } });
  const contacts = Array.from({ length: 130 }, (_, index) => ({ phone_number: `+1415555${1000 + index}` }));
  const { contact_ids } = (await other.post('/contacts/import', { contacts })).body;
  const { id } = (await other.post('/broadcasts', { name: 'x', channel: 'chatapp', body: 'x', contact_ids })).body.broadcast;
  const read = async () => {
    await other.sandbox('POST', '/settle');
    const { status, counts } = (await other.get(`/broadcasts/${id}`)).body.broadcast;
    return [status, counts.sent];
  };
  await other.post(`/broadcasts/${id}/submit`);
  await other.post(`/broadcasts/${id}/approve`);
  expect(await read()).toEqual(['Sending', 125]);
  other.clock.now += 3_600_000;
  expect(await read()).toEqual(['Sent', 130]);
  await other.close();
});
