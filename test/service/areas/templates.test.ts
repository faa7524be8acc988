import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Events } from '../../support/events.ts';
import { TestService } from '../../support/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await TestService.open();
});

beforeEach(async () => {
  await service.sandbox('POST', '/clock', { frozen: true });
  await service.sandbox('POST', '/jobs', { hold: [] });
  await service.freshAccount();
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
});

afterAll(() => service.close());

const text = { name: 'order_ready', language: 'en', body: 'Hi {{first_name|there}}, your order is ready.' };
const unknown = 'tpl_000000000000000000';

const create = (fields: object = {}) => service.post('/chatapp-templates/docs', { ...text, ...fields });
const make = async (fields: object = {}) => (await create(fields)).body.template_id as string;
const get = async (id: string) => (await service.get(`/chatapp-templates/${id}`)).body.template;
const statusOf = async (id: string) => (await service.get(`/chatapp-templates/${id}/status`)).body.status as string;
const submit = (id: string) => service.post(`/chatapp-templates/${id}/submit`);
const update = (id: string, fields: object) => service.put(`/chatapp-templates/${id}`, fields);
const advance = (seconds: number) => service.sandbox('POST', '/clock/advance', { seconds });
const settings = (fields: object) => service.sandbox('PATCH', `/accounts/${service.accountId}`, fields);
const review = (id: string, body: object) => service.sandbox('POST', `/accounts/${service.accountId}/templates/${id}/review`, body);
const balance = async () => (await service.get('/users/me/credits')).body.balance as number;
const send = (fields: object) => service.post('/chatapp-templates/send', fields);

const waitingReviews = async () => ((await service.sandbox('GET', '/jobs')).body.waiting.template_review as number | undefined) ?? 0;

async function approved(fields: object = {}): Promise<string> {
  const id = await make({ status: 'submitted', ...fields });
  expect((await review(id, { outcome: 'approved' })).status).toBe(200);
  return id;
}

const contact = async (fields: object = {}) =>
  (await service.post('/contacts', { phone_number: '+14155550123', ...fields })).body.contact.id as string;
const campaign = async (channel: string | null) =>
  (await service.post('/campaigns', { name: 'Spring', channel })).body.campaign.id as string;
const messagesOf = async (id: string) => (await service.get(`/contacts/${id}/messages`)).body.messages;

describe('a template', () => {
  // Proves rules templates.4, templates.6, templates.11, templates.12.
  it('is created as a draft, with normalised placeholders and its variables', async () => {
    const answer = await create({ body: 'Hi {first_name}, [company|we| uppercase ] call you. {{ first_name }}' });
    expect([answer.status, answer.body]).toEqual([200, { success: true, template_id: expect.stringMatching(/^tpl_/), status: 'draft' }]);
    const now = (await service.sandbox('GET', '/clock')).body.now as string;
    expect(await get(answer.body.template_id)).toEqual({
      id: answer.body.template_id,
      name: 'order_ready',
      body: 'Hi {{first_name}}, {{company|we|uppercase}} call you. {{first_name}}',
      language: 'en',
      variables: ['first_name', 'company'],
      status: 'draft',
      sid: null,
      type: 'general',
      category: 'marketing',
      rejection_reason: null,
      campaign_id: null,
      date_created: now,
      date_updated: now,
      submitted_at: null,
      approved_at: null,
    });
  });

  // Proves rule templates.11.
  it('keeps the order in which its variables were sent', async () => {
    const id = await make({ body: '{{a}} {{b}}', variables: ['b', 'a'] });
    expect((await get(id)).variables).toEqual(['b', 'a']);
  });

  // Proves rules templates.4, templates.5, templates.11, templates.13, templates.15.
  it.each([
    [{ name: undefined }, 'name'],
    [{ language: undefined }, 'language'],
    [{ body: undefined }, 'body'],
    [{ body: ' ' }, 'body'],
    [{ body: 'x'.repeat(1_025) }, 'body'],
    [{ language: 'en_XX' }, 'language'],
    [{ language: 'english' }, 'language'],
    [{ status: 'approved' }, 'status'],
    [{ type: 'other' }, 'type'],
    [{ category: 'MARKETING' }, 'category'],
    [{ variables: null }, 'variables'],
    [{ variables: [] }, 'variables'],
    [{ variables: ['first_name', 'other'] }, 'variables'],
    [{ variables: ['first_name', 'first_name'] }, 'variables'],
    [{ category: 'authentication', body: 'Hello' }, 'body'],
    [{ category: 'authentication-international', body: '{{a}} {{b}}' }, 'body'],
  ])('returns 400 with %j and names the field', async (fields, field) => {
    const answer = await create(fields);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(`${field}: `)]);
    expect((await service.get('/chatapp-templates')).body.data).toEqual([]);
  });

  // Proves rules templates.4, templates.13.
  it('may have 1,024 characters as sent, and its campaign must exist in the account', async () => {
    expect((await create({ body: `[a]${'x'.repeat(1_021)}` })).status).toBe(200);
    expect((await create({ campaign_id: 'cmp_000000000000000000' })).status).toBe(404);
    const id = await make({ campaign_id: await campaign('chatapp') });
    expect((await get(id)).campaign_id).toMatch(/^cmp_/);
  });

  // Proves rule templates.14.
  it('loses its campaign when that is deleted', async () => {
    const campaignId = await campaign('chatapp');
    const id = await make({ campaign_id: campaignId });
    await service.delete(`/campaigns/${campaignId}`);
    expect((await get(id)).campaign_id).toBeNull();
  });

  it('is listed newest first with its main fields', async () => {
    const first = await make();
    const second = await make({ name: 'other' });
    const { data } = (await service.get('/chatapp-templates')).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([second, first]);
    expect(data[1]).toEqual({ id: first, name: 'order_ready', status: 'draft', language: 'en', body: text.body });
  });

  it.each([
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['POST', '/submit'],
    ['GET', '/status'],
  ])('returns 404 if it belongs to another account: %s %s', async (method, path) => {
    const id = await make();
    const { api_key: key } = await service.makeAccount();
    const body = method === 'GET' || method === 'DELETE' ? undefined : { name: 'x' };
    for (const each of [id, unknown]) {
      const answer = await service.call(method, `/v1/chatapp-templates/${each}${path}`, body, { key });
      expect([answer.status, answer.body.error]).toEqual([404, 'Template not found']);
    }
  });

  // Proves rule templates.3.
  it('requires a plan with chat-app templates', async () => {
    const id = await make();
    await settings({ plan: { chatapp_templates: false } });
    for (const answer of [
      await service.get('/chatapp-templates'),
      await create(),
      await submit(id),
      await service.get('/provider-templates'),
    ])
      expect([answer.status, answer.body.error_code]).toEqual([403, 403]);
  });
});

describe('updating a template', () => {
  // Proves rules templates.18, templates.19.
  it('keeps the other fields and the status, and updates the variables with the body', async () => {
    const id = await make({ body: '{{a}} {{b}}' });
    await advance(1);
    expect((await update(id, { body: 'Hi [c] {{a}}' })).body).toEqual({ success: true, template_id: id });
    expect(await get(id)).toMatchObject({ body: 'Hi {{c}} {{a}}', variables: ['c', 'a'], name: 'order_ready', status: 'draft' });
    await update(id, { variables: ['a', 'c'], name: 'renamed', language: 'pt_BR' });
    expect(await get(id)).toMatchObject({ body: 'Hi {{c}} {{a}}', variables: ['a', 'c'], name: 'renamed', language: 'pt_BR' });
    const { date_created, date_updated } = await get(id);
    expect(Date.parse(date_updated) - Date.parse(date_created)).toBe(1_000);
  });

  // Proves rules templates.15, templates.18, templates.19.
  it.each([[{}], [{ unknown: 1 }], [{ language: 'xx' }], [{ name: null }], [{ variables: ['z'] }], [{ body: 'x', variables: ['z'] }]])(
    'returns 400 with %j',
    async (fields) => {
      const id = await make();
      expect((await update(id, fields)).status).toBe(400);
      expect((await get(id)).body).toBe(text.body);
    },
  );

  // Proves rule templates.15.
  it('keeps the only variable of an authentication template', async () => {
    const id = await make({ category: 'authentication', body: 'Code: {{code}}' });
    expect((await update(id, { body: 'Code: {{code}} {{other}}' })).status).toBe(400);
    expect((await update(id, { body: '{{pin}}' })).status).toBe(200);
  });

  // Proves rules templates.15, templates.44.
  it('needs no variable in the body of an authentication template, which is a preview', async () => {
    const preview = { category: 'authentication', body: 'Your code is 123456' };
    expect((await create(preview)).body.field).toBe('body');
    expect((await create({ ...preview, variables: ['code', 'other'] })).body.field).toBe('variables');
    const id = await make({ ...preview, variables: ['code'] });
    expect(await get(id)).toMatchObject({ body: preview.body, variables: ['code'] });
    expect((await update(id, { body: 'Your code is 654321' })).status).toBe(200);
    expect(await get(id)).toMatchObject({ body: 'Your code is 654321', variables: ['code'] });
    expect((await update(id, { variables: ['pin'] })).status).toBe(200);
    expect((await get(id)).variables).toEqual(['pin']);
    await submit(id);
    await advance(61);
    const to = { phoneNumber: '+14155550123', whatsappTemplateId: id };
    expect((await send({ ...to, variables: { pin: '1234' } })).status).toBe(200);
    expect((await send(to)).body.error).toContain("'pin'");
    expect((await send({ ...to, variables: { pin: '1'.repeat(15) } })).status).toBe(400);
  });

  // Proves rules templates.18, templates.22.
  it('returns 400 while it is in review or approved, as does submitting it', async () => {
    const id = await make({ status: 'submitted' });
    for (const status of ['received', 'pending', 'approved']) {
      expect(await statusOf(id)).toBe(status);
      const answers = [await update(id, { name: 'x' }), await submit(id)];
      for (const answer of answers) expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(status)]);
      await advance(status === 'received' ? 5 : 55);
    }
  });
});

describe('reviewing a template', () => {
  // Proves rules templates.23, templates.25.
  it('moves it from received to pending after 5 seconds, and to approved after 60', async () => {
    const id = await make();
    const answer = await submit(id);
    expect([answer.status, answer.body]).toEqual([
      200,
      { success: true, template_id: id, status: 'received', sid: expect.stringMatching(/^cnt_/) },
    ]);
    const submitted = (await get(id)).submitted_at as string;
    await advance(4);
    expect(await statusOf(id)).toBe('received');
    expect((await advance(1)).body.fired).toMatchObject([{ kind: 'template_review' }]);
    expect(await statusOf(id)).toBe('pending');
    await advance(54);
    expect(await statusOf(id)).toBe('pending');
    await advance(1);
    expect((await service.get(`/chatapp-templates/${id}/status`)).body).toEqual({
      success: true,
      template_id: id,
      name: 'order_ready',
      status: 'approved',
      sid: answer.body.sid,
      rejection_reason: null,
      date_updated: new Date(Date.parse(submitted) + 60_000).toISOString(),
    });
    expect((await get(id)).approved_at).toBe(new Date(Date.parse(submitted) + 60_000).toISOString());
    expect((await advance(600)).body.fired).toEqual([]);
  });

  // Proves rules templates.25, sandbox.101, sandbox.102.
  it("ends with the reviewer's first decision", async () => {
    const id = await make({ status: 'submitted' });
    const answer = await review(id, { outcome: 'rejected', reason: 'Too pushy' });
    expect([answer.status, answer.body]).toEqual([
      200,
      { success: true, template: { id, name: 'order_ready', status: 'rejected', rejection_reason: 'Too pushy' } },
    ]);
    expect(await get(id)).toMatchObject({ status: 'rejected', rejection_reason: 'Too pushy', approved_at: null });
    await advance(120);
    expect(await statusOf(id)).toBe('rejected');
    expect((await review(id, { outcome: 'approved' })).status).toBe(409);
    // It can be corrected and submitted again.
    expect((await update(id, { body: 'Hi' })).status).toBe(200);
    expect(await statusOf(id)).toBe('rejected');
    expect((await submit(id)).body.status).toBe('received');
    expect((await get(id)).rejection_reason).toBeNull();
    expect((await review(id, { outcome: 'approved' })).body.template).toMatchObject({ status: 'approved', rejection_reason: null });
    expect((await get(id)).approved_at).toEqual(expect.any(String));
  });

  // Proves rules templates.25, sandbox.101.
  it('is not ended early by an earlier submission', async () => {
    const id = await make({ status: 'submitted' });
    await advance(30);
    await review(id, { outcome: 'rejected' });
    expect((await get(id)).rejection_reason).toBe('The reviewer gave no reason');
    await submit(id);
    await advance(30);
    expect(await statusOf(id)).toBe('pending');
    await advance(30);
    expect(await statusOf(id)).toBe('approved');
  });

  // Proves rule templates.25.
  it('waits while its jobs are held, and then catches up', async () => {
    await advance(120);
    await service.sandbox('POST', '/jobs', { hold: ['template_review'] });
    const id = await make({ status: 'submitted' });
    await advance(120);
    expect(await statusOf(id)).toBe('received');
    expect(await waitingReviews()).toBe(1);
    await service.sandbox('POST', '/jobs', { hold: [] });
    await service.sandbox('POST', '/settle');
    expect(await statusOf(id)).toBe('approved');
  });

  it('does nothing after the template was deleted', async () => {
    const id = await make({ status: 'submitted' });
    await service.delete(`/chatapp-templates/${id}`);
    expect((await advance(120)).body.fired).toHaveLength(1);
    expect((await review(id, { outcome: 'approved' })).status).toBe(404);
  });

  // Proves rule sandbox.102.
  it('returns 409 for a draft, and 404 for a template of another account', async () => {
    const id = await make();
    expect((await review(id, { outcome: 'approved' })).status).toBe(409);
    await service.freshAccount();
    expect((await review(id, { outcome: 'approved' })).status).toBe(404);
  });

  // Proves rule templates.21.
  it('requires the variables of a smart follow-up on submission', async () => {
    const followUp = { type: 'smart_followup', body: 'Hi {{first_name}}' };
    const refused = await create({ ...followUp, status: 'submitted' });
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('personal_context')]);
    expect((await service.get('/chatapp-templates')).body.data).toEqual([]);
    const id = await make(followUp);
    expect((await submit(id)).status).toBe(400);
    await update(id, { body: 'Hi {{first_name}}, {{personal_context}}' });
    expect((await submit(id)).body.status).toBe('received');
  });

  // Proves rule templates.24.
  it('is skipped for chatapp_web', async () => {
    await advance(120);
    const id = await make({ campaign_id: await campaign('chatapp_web') });
    expect((await submit(id)).body).toMatchObject({ status: 'approved', sid: null });
    expect(await get(id)).toMatchObject({ status: 'approved', approved_at: expect.any(String) });
    expect((await create({ campaign_id: await campaign('chatapp_web'), status: 'submitted' })).body.status).toBe('approved');
    expect(await waitingReviews()).toBe(0);
  });
});

describe('the opening message of a campaign', () => {
  const opening = async (channel: string | null, fields: object = {}) =>
    await service.post('/chatapp-templates', { ...text, campaign_id: await campaign(channel), ...fields });

  // Proves rule templates.26.
  it('is submitted on chatapp, approved on chatapp_web, and not applicable elsewhere', async () => {
    expect((await opening('chatapp')).body).toEqual({ success: true, campaign_status: 'received', template_sid: expect.any(String) });
    const [{ id }] = (await service.get('/chatapp-templates')).body.data;
    expect(await get(id)).toMatchObject({
      status: 'received',
      campaign_id: expect.any(String),
      type: 'general',
      variables: ['first_name'],
    });
    await advance(60);
    expect(await statusOf(id)).toBe('approved');
    expect((await opening('chatapp_web')).body).toMatchObject({ campaign_status: 'approved', template_sid: null });
    for (const channel of ['sms', null])
      expect((await opening(channel)).body).toMatchObject({ campaign_status: 'not_applicable', template_sid: null });
    expect((await service.get('/chatapp-templates')).body.data).toHaveLength(2);
  });

  // Proves rules templates.4, templates.13.
  it('requires all its fields and an existing campaign', async () => {
    for (const field of ['campaign_id', 'name', 'language', 'body']) {
      const answer = await opening('chatapp', { [field]: undefined });
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(field)]);
    }
    expect((await opening('chatapp', { variables: ['x'] })).status).toBe(400);
    expect((await opening('chatapp', { campaign_id: 'cmp_000000000000000000' })).status).toBe(404);
  });
});

describe('sending a template', () => {
  let events: Events;

  beforeEach(async () => {
    events = await Events.of(service);
  });

  afterEach(() => events.close());

  // Proves rules templates.28, templates.33, credits.33, credits.35.
  it('fills in the contact, costs by category, and belongs to the campaign', async () => {
    const campaignId = await campaign('chatapp');
    const id = await approved({ campaign_id: campaignId, body: 'Hi {{first_name}} of {{company|your company}}, {{code|none|uppercase}}' });
    const contactId = await contact({ first_name: 'Ada', company: 'Engines' });
    await events.take();
    const before = await balance();
    const answer = await send({ contactId, whatsappTemplateId: id, variables: { code: 'abc' } });
    expect([answer.status, answer.body]).toEqual([200, { success: true, message_id: expect.any(String), contact_id: contactId }]);
    expect(await balance()).toBe(before - 2);
    expect(await messagesOf(contactId)).toMatchObject([
      {
        id: answer.body.message_id,
        body: 'Hi Ada of Engines, ABC',
        sender: 'automated',
        status: 'sent',
        channel: 'chatapp',
        template_id: id,
        campaign_id: campaignId,
        agent_id: null,
      },
    ]);
    await service.sandbox('POST', '/settle');
    expect(await events.names()).toContain('Credits Spent');
    await service.sandbox('POST', `/accounts/${service.accountId}/receipts`, { message_id: answer.body.message_id, status: 'failed' });
    expect(await balance()).toBe(before);
  });

  // Proves rules credits.33, credits.34.
  it.each([
    ['utility', '+14155550123', 1],
    ['marketing', '+4930901820', 2],
    ['authentication', '+442079460958', 1],
    ['authentication-international', '+14155550123', 3],
    ['authentication-international', '+919876543210', 6],
    ['utility', '+5511987654321', 2],
    ['marketing', '+41446681800', 4],
  ])('of category %s to %s costs %i', async (category, phoneNumber, credits) => {
    const id = await approved({ category, body: 'Code {{code}}' });
    const before = await balance();
    expect((await send({ phoneNumber, whatsappTemplateId: id, variables: { code: 1234 } })).status).toBe(200);
    expect(before - (await balance())).toBe(credits);
  });

  // Proves rules templates.28, templates.29.
  it('returns 400 with all missing variables, and sends, charges and creates nothing', async () => {
    const id = await approved({ body: '{{a}} {{b}} {{first_name}} {{c|x}}' });
    const before = await balance();
    const answer = await send({ phoneNumber: '+14155550199', firstName: ' ', whatsappTemplateId: id, variables: { b: '', other: 'x' } });
    expect([answer.status, answer.body.error]).toEqual([400, "variables: no value for 'a', 'b', 'first_name', and no default"]);
    expect(await balance()).toBe(before);
    expect((await service.get('/contacts')).body.contacts).toEqual([]);
  });

  // Proves rule templates.28.
  it('prefers given values to those of the contact', async () => {
    const id = await approved({ body: '{{first_name}} {{last_name}} {{email}} {{phone_number}}' });
    const contactId = await contact({ first_name: 'Ada', last_name: 'Lovelace', email: 'ada@x.example' });
    await send({ contactId, whatsappTemplateId: id, variables: { first_name: 'Countess' } });
    expect((await messagesOf(contactId))[0].body).toBe('Countess Lovelace ada@x.example +14155550123');
  });

  // Proves rule templates.28.
  it('returns 400 if the message would be empty', async () => {
    const answer = await send({ contactId: await contact(), whatsappTemplateId: await approved({ body: '{{a|}}' }) });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('empty')]);
  });

  // Proves rule templates.28.
  it('does not use inherited object properties as variables', async () => {
    const id = await approved({ body: '{{constructor}} {{toString}}' });
    const answer = await send({ contactId: await contact(), whatsappTemplateId: id });
    expect(answer.body.error).toContain("'constructor', 'toString'");
  });

  it('treats `{{__proto__}}` as text, because no request can set it', async () => {
    const id = await approved({ body: 'Hello {{__proto__}}' });
    const contactId = await contact();
    expect((await send({ contactId, whatsappTemplateId: id })).status).toBe(200);
    expect((await messagesOf(contactId))[0].body).toBe('Hello {{__proto__}}');
  });

  // Proves rule templates.16.
  it.each([
    ['1'.repeat(14), 200],
    ['1'.repeat(15), 400],
  ])('with the code %s returns %i', async (code, status) => {
    const id = await approved({ category: 'authentication', body: 'Your code: {{code}}' });
    const answer = await send({ contactId: await contact(), whatsappTemplateId: id, variables: { code } });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.error).toContain("'code' must be shorter than 15 characters");
  });

  // Proves rule templates.16.
  it('is refused when one of several places of the code is too long', async () => {
    const id = await approved({ category: 'authentication', body: `{{code|${'1'.repeat(15)}}} {{code|1}}` });
    expect((await send({ contactId: await contact(), whatsappTemplateId: id })).status).toBe(400);
  });

  // Proves rule templates.31.
  it('creates a contact with the given fields for a new number; an existing contact keeps its own', async () => {
    const id = await approved();
    const person = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@x.example' };
    const { contact_id: contactId } = (await send({ phoneNumber: '+14155550123', whatsappTemplateId: id, ...person })).body;
    const { contact: made } = (await service.get(`/contacts/${contactId}`)).body;
    expect(made).toMatchObject({ first_name: 'Ada', last_name: 'Lovelace', email: 'ada@x.example', phone_number: '+14155550123' });
    expect((await messagesOf(contactId))[0].body).toBe('Hi Ada, your order is ready.');
    const again = await send({ phoneNumber: '+1 415-555-0123', whatsappTemplateId: id, firstName: 'Grace' });
    expect(again.body.contact_id).toBe(contactId);
    expect((await service.get(`/contacts/${contactId}`)).body.contact.first_name).toBe('Ada');
  });

  // Proves rules templates.27, templates.35.
  it('by name uses the newest approved template', async () => {
    const contactId = await contact();
    expect((await send({ contactId, templateName: 'order_ready' })).status).toBe(404);
    await make();
    const answer = await send({ contactId, templateName: 'order_ready' });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('draft')]);
    await approved({ body: 'old' });
    await approved({ body: 'new' });
    await make({ body: 'draft' });
    await send({ contactId, templateName: 'order_ready' });
    expect((await messagesOf(contactId))[0].body).toBe('new');
  });

  // Proves rules templates.27, templates.32, templates.34.
  it('is refused with the right status and reason', async () => {
    const contactId = await contact();
    const id = await approved({ body: 'x' });
    const pending = await make({ status: 'submitted' });
    const before = await balance();
    const refused: [object, number][] = [
      [{ whatsappTemplateId: id }, 400],
      [{ contactId }, 400],
      [{ contactId, phoneNumber: '+14155550123', whatsappTemplateId: id }, 400],
      [{ contactId, whatsappTemplateId: id, templateName: 'order_ready' }, 400],
      [{ phoneNumber: '0415', whatsappTemplateId: id }, 400],
      [{ contactId, whatsappTemplateId: id, variables: { a: null } }, 400],
      [{ contactId, whatsappTemplateId: pending }, 400],
      [{ contactId, whatsappTemplateId: unknown }, 404],
      [{ contactId: 'con_000000000000000000', whatsappTemplateId: id }, 404],
    ];
    for (const [body, status] of refused) expect([(await send(body)).status, body]).toEqual([status, body]);
    await service.put(`/contacts/${contactId}`, { do_not_disturb: true });
    expect((await send({ contactId, whatsappTemplateId: id })).status).toBe(422);
    await service.put(`/contacts/${contactId}`, { do_not_disturb: false });
    expect(await balance()).toBe(before);
    await settings({ credits: 1 });
    expect((await send({ contactId, whatsappTemplateId: id })).status).toBe(402);
    expect(await messagesOf(contactId)).toEqual([]);
  });

  // Proves rule templates.33.
  it('starts a new chat session after the last one concluded', async () => {
    const contactId = await contact();
    const id = await approved({ body: 'x' });
    await send({ contactId, whatsappTemplateId: id });
    await advance(25 * 3_600);
    await send({ contactId, whatsappTemplateId: id });
    const sessions = (await service.get(`/chat-sessions?contact_id=${contactId}`)).body.chat_sessions;
    expect(sessions.map(({ concluded_at: at }: { concluded_at: string | null }) => at !== null)).toEqual([false, true]);
  });

  // Proves rule templates.30.
  it('uses chatapp_web for a chatapp_web campaign', async () => {
    await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp_web', identity: '+14155550101' });
    const id = await make({ campaign_id: await campaign('chatapp_web'), status: 'submitted' });
    const contactId = await contact();
    expect((await send({ contactId, whatsappTemplateId: id })).status).toBe(200);
    expect((await messagesOf(contactId))[0].channel).toBe('chatapp_web');
  });
});

describe('broadcasting a template', () => {
  const draft = async (fields: object) => await service.post('/broadcasts', { name: 'Spring', channel: 'chatapp', ...fields });
  const run = async (id: string) => {
    await service.post(`/broadcasts/${id}/submit`);
    const answer = await service.post(`/broadcasts/${id}/approve`);
    await service.sandbox('POST', '/settle');
    return answer;
  };

  // Proves rules broadcasts.30, broadcasts.31.
  it('fills it in for each contact at the price of a template, and fails where a variable is missing', async () => {
    const campaignId = await campaign('chatapp');
    const template = await approved({ body: 'Hi {{first_name}}', campaign_id: campaignId });
    const ids = [
      await contact({ first_name: 'Ada' }),
      await contact({ phone_number: '+14155550124' }),
      await contact({ phone_number: '+41446681800', first_name: 'Urs' }),
    ];
    const before = await balance();
    const { id } = (await draft({ template_id: template, contact_ids: ids })).body.broadcast;
    expect((await run(id)).status).toBe(200);
    expect((await service.get(`/broadcasts/${id}`)).body.broadcast).toMatchObject({
      status: 'Sent',
      counts: { total: 3, sent: 2, failed: 1 },
    });
    expect(before - (await balance())).toBe(6);
    expect(await messagesOf(ids[0] as string)).toMatchObject([{ body: 'Hi Ada', template_id: template, campaign_id: campaignId }]);
    expect(await messagesOf(ids[1] as string)).toEqual([]);
    expect(await messagesOf(ids[2] as string)).toMatchObject([{ body: 'Hi Urs' }]);
  });

  // Proves rule broadcasts.31.
  it('requires an approved template to start; a scheduled broadcast without one fails', async () => {
    const template = await make({ body: 'Hi' });
    const recipients = { template_id: template, contact_ids: [await contact()] };
    const { id } = (await draft(recipients)).body.broadcast;
    const answer = await run(id);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('draft')]);
    expect((await service.get(`/broadcasts/${id}`)).body.broadcast.status).toBe('Pending Approval');
    const now = Date.parse((await service.sandbox('GET', '/clock')).body.now);
    const later = (await draft({ ...recipients, scheduled_at: new Date(now + 60_000).toISOString() })).body.broadcast.id as string;
    expect((await run(later)).body.broadcast.status).toBe('Scheduled');
    await advance(60);
    expect((await service.get(`/broadcasts/${later}`)).body.broadcast).toMatchObject({ status: 'Failed', counts: { failed: 1 } });
  });

  // Proves rule broadcasts.32.
  it('requires a channel for templates', async () => {
    const fields = { template_id: await approved({ body: 'Hi' }), contact_ids: [await contact()] };
    expect((await draft({ ...fields, channel: 'email' })).status).toBe(400);
    const { id } = (await draft({ ...fields, channel: 'chatapp_web' })).body.broadcast;
    expect((await service.put(`/broadcasts/${id}`, { channel: 'sms' })).status).toBe(400);
  });
});

describe("the account's own provider account", () => {
  const provider = async () => (await service.get('/chatapp-templates/provider')).body;
  const sync = async () => (await service.post('/chatapp-templates/provider-sync')).body;
  const own = async (query = '') => (await service.get(`/provider-templates${query}`)).body.templates;
  const addOwn = (fields: object = {}) => service.post('/provider-templates', { ...text, ...fields });

  // Proves rules templates.1, templates.36.
  it('does not exist on a managed connection', async () => {
    expect(await provider()).toEqual({ success: true, provider: 'managed', lane: null, waba_id: null, templates_enabled: true });
    await make();
    expect(await sync()).toEqual({ success: true, provider: 'managed', imported: 0, updated: 0, total: 1 });
    const answers = [await service.get('/provider-templates'), await addOwn(), await service.delete('/provider-templates/x')];
    for (const answer of answers) expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('managed')]);
  });

  // Proves rule templates.2.
  it('cannot create, submit and sync until its connection is complete', async () => {
    const id = await make();
    const campaignId = await campaign('chatapp');
    await settings({ template_provider: 'own_account_incomplete' });
    expect(await provider()).toMatchObject({ provider: 'own_account', lane: 'own_cloud_api', waba_id: null, templates_enabled: false });
    const answers = [
      await create(),
      await submit(id),
      await service.post('/chatapp-templates', { ...text, campaign_id: campaignId }),
      await service.post('/chatapp-templates/provider-sync'),
      await addOwn(),
      await service.get('/provider-templates'),
    ];
    for (const answer of answers) expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('not complete')]);
    expect(await statusOf(id)).toBe('draft');
    await settings({ template_provider: 'own_account' });
    expect(await provider()).toMatchObject({ waba_id: expect.stringMatching(/^\d+$/), templates_enabled: true });
    expect((await submit(id)).status).toBe(200);
  });

  // Proves rules templates.17, templates.40.
  it("contains submitted templates in the provider's format, and assigns their ids", async () => {
    await settings({ template_provider: 'own_account' });
    const id = await make({ category: 'authentication', body: 'Psst: {{code}}', status: 'submitted' });
    const { sid } = await get(id);
    expect(sid).toMatch(/^\d+$/);
    expect(await own()).toMatchObject([
      {
        id: sid,
        name: 'order_ready',
        language: 'en',
        category: 'AUTHENTICATION',
        status: 'received',
        components: [
          { type: 'BODY', text: '{{code}} is your verification code.' },
          { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
        ],
      },
    ]);
    await advance(60);
    expect([await statusOf(id), (await own())[0].status]).toEqual(['approved', 'approved']);
    expect(await sync()).toMatchObject({ provider: 'own_account', imported: 0, updated: 0, total: 1 });
  });

  // Proves rule templates.40.
  it('rejects a second template with the same name and language, and accepts a rejected one again', async () => {
    await settings({ template_provider: 'own_account' });
    const id = await make({ status: 'submitted' });
    const before = (await get(id)).sid as string;
    for (const answer of [await create({ status: 'submitted' }), await addOwn()])
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('provider refused')]);
    expect((await create({ status: 'submitted', language: 'de' })).status).toBe(200);
    await review(id, { outcome: 'rejected', reason: 'No' });
    expect((await own('?name=order_ready')).at(-1)).toMatchObject({ status: 'rejected', rejection_reason: 'No' });
    await update(id, { body: 'Better' });
    expect((await submit(id)).body).toMatchObject({ status: 'received', sid: before });
    expect((await own()).at(-1)).toMatchObject({ status: 'received', rejection_reason: null, components: [{ text: 'Better' }] });
  });

  // Proves rules templates.20, templates.39.
  it('loses templates deleted here; a template deleted there becomes a draft', async () => {
    await settings({ template_provider: 'own_account' });
    const [one, two] = [await make({ status: 'submitted' }), await make({ name: 'two', status: 'submitted' })];
    const deleted = await service.delete(`/chatapp-templates/${one}`);
    expect(deleted.body).toMatchObject({ template_id: one, note: expect.stringContaining('own account at the provider') });
    expect((await own()).map(({ name }: { name: string }) => name)).toEqual(['two']);
    expect((await service.delete('/provider-templates/two')).body).toEqual({ success: true, name: 'two' });
    expect(await sync()).toMatchObject({ imported: 0, updated: 1, total: 1 });
    expect(await get(two)).toMatchObject({ status: 'draft', sid: null });
  });

  // Proves rule templates.20.
  it('has no template for a deleted draft, and the response says so', async () => {
    await settings({ template_provider: 'own_account' });
    const id = await make();
    expect((await service.delete(`/chatapp-templates/${id}`)).body.note).toContain('never submitted');
  });

  // Proves rule templates.20.
  it('is not involved when a managed template is deleted', async () => {
    const id = await make();
    expect((await service.delete(`/chatapp-templates/${id}`)).body.note).toContain('managed');
    expect((await service.get(`/chatapp-templates/${id}`)).status).toBe(404);
  });

  // Proves rule templates.17.
  it('fixes the wording of authentication templates, whichever way they are created', async () => {
    await settings({ template_provider: 'own_account' });
    const preset = (variable: string) => [
      { type: 'BODY', text: `{{${variable}}} is your verification code.` },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ];
    const category = 'AUTHENTICATION';
    const made = [
      await addOwn({ name: 'a', category, body: 'My own {{pin}} text', footer: 'ff' }),
      await addOwn({ name: 'b', category, body: undefined, components: [{ type: 'BUTTONS', buttons: [] }] }),
      await addOwn({ name: 'c', category, body: undefined, components: [{ type: 'BODY', text: 'Enter {{1}}' }] }),
    ];
    expect(made.map(({ body }) => body.template.components)).toEqual([preset('pin'), preset('code'), preset('1')]);
    expect((await addOwn({ name: 'e', category, body: undefined, components: [{ type: 'BODY' }], variables: ['a', 'b'] })).status).toBe(
      400,
    );
    const refused = await addOwn({ name: 'd', category, body: undefined, components: [{ type: 'BODY', text: '{{1}} and {{2}}' }] });
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('exactly one variable')]);
  });

  it('checks components as it checks a body', async () => {
    await settings({ template_provider: 'own_account' });
    const addComponents = async (name: string, text: string, more = {}) =>
      await addOwn({ name, body: undefined, components: [{ type: 'BODY', text }], ...more });
    expect((await addComponents('long', '😀'.repeat(1_024))).status).toBe(201);
    expect((await addComponents('longer', '😀'.repeat(1_025))).status).toBe(400);
    expect((await addComponents('undeclared', 'x {{a}}', { variables: ['zzz'] })).status).toBe(400);
    expect((await addComponents('declared', 'x {{a}}', { variables: ['a'] })).status).toBe(201);
    const components = [
      { type: 'HEADER', format: 'TEXT', text: 'Hello {{name}}' },
      { type: 'BODY', text: 'Order {{code}}' },
    ];
    expect((await addOwn({ name: 'header', body: undefined, components, variables: ['name', 'code'] })).status).toBe(201);
  });

  it('keeps a header a header, whatever type its object names', async () => {
    await settings({ template_provider: 'own_account' });
    const { body } = await addOwn({ name: 'h', body: 'real body', header: { type: 'BODY', text: 'fake' } });
    expect(body.template.components).toEqual([
      { type: 'HEADER', text: 'fake' },
      { type: 'BODY', text: 'real body' },
    ]);
  });

  // Proves rules templates.37, templates.38.
  it('is imported by a sync, which also refreshes statuses', async () => {
    await settings({ template_provider: 'own_account' });
    const made = await addOwn({ name: 'made there', body: 'Hi [first_name]', category: 'UTILITY', footer: 'Bye' });
    expect([made.status, made.body.template]).toMatchObject([
      201,
      {
        id: expect.stringMatching(/^\d+$/),
        name: 'made there',
        category: 'UTILITY',
        status: 'received',
        rejection_reason: null,
        components: [
          { type: 'BODY', text: 'Hi {{first_name}}' },
          { type: 'FOOTER', text: 'Bye' },
        ],
      },
    ]);
    expect((await service.get('/chatapp-templates')).body.data).toEqual([]);
    expect(await sync()).toMatchObject({ imported: 1, updated: 0, total: 1 });
    const [{ id }] = (await service.get('/chatapp-templates')).body.data;
    expect(await get(id)).toMatchObject({
      name: 'made there',
      body: 'Hi {{first_name}}',
      variables: ['first_name'],
      category: 'utility',
      status: 'received',
      sid: made.body.template.id,
    });
    await advance(60);
    expect((await own())[0].status).toBe('approved');
    expect(await sync()).toMatchObject({ imported: 0, updated: 1, total: 1 });
    expect(await get(id)).toMatchObject({ status: 'approved', approved_at: expect.any(String) });
    expect(await sync()).toMatchObject({ imported: 0, updated: 0 });
  });

  // Proves rules templates.38, sandbox.101.
  it("has its statuses copied every hour while a template is in review, or immediately by a reviewer's decision", async () => {
    await settings({ template_provider: 'own_account' });
    await addOwn({ name: 'one' });
    await addOwn({ name: 'two' });
    await sync();
    const [two, one] = (await service.get('/chatapp-templates')).body.data as { id: string }[];
    await review(two?.id ?? '', { outcome: 'rejected', reason: 'No' });
    expect((await own('?name=two'))[0]).toMatchObject({ status: 'rejected', rejection_reason: 'No' });
    await advance(3_599);
    expect(await statusOf(one?.id ?? '')).toBe('received');
    await advance(1);
    expect(await statusOf(one?.id ?? '')).toBe('approved');
    expect(await statusOf(two?.id ?? '')).toBe('rejected');
    await advance(3_600 * 3);
    expect(await waitingReviews()).toBe(0);
  });

  // Proves rule sandbox.101.
  it('has its templates reviewed by provider id', async () => {
    await settings({ template_provider: 'own_account' });
    const { id: one } = (await addOwn({ name: 'one' })).body.template;
    const answer = await review(one, { outcome: 'rejected', reason: 'No' });
    expect([answer.status, answer.body.template]).toEqual([200, { id: one, name: 'one', status: 'rejected', rejection_reason: 'No' }]);
    expect((await review(one, { outcome: 'approved' })).status).toBe(409);
    await sync();
    expect((await service.get('/chatapp-templates')).body.data).toMatchObject([{ name: 'one', status: 'rejected' }]);
    const { sid } = await get(await make({ name: 'two', status: 'submitted' }));
    expect((await review(sid, { outcome: 'approved' })).body.template).toMatchObject({ name: 'two', status: 'approved' });
    expect((await own('?name=two'))[0].status).toBe('approved');
    await advance(120);
    expect((await own('?name=one'))[0].status).toBe('rejected');
  });

  // Proves rules templates.41, templates.42, templates.43.
  it('is queried by exact name, and templates can be deleted in one or all languages', async () => {
    await settings({ template_provider: 'own_account' });
    const ids: string[] = [];
    for (const language of ['en', 'de', 'pt_BR']) ids.push((await addOwn({ language })).body.template.id as string);
    const components = [
      { type: 'BODY', text: 'Hi' },
      { type: 'BUTTONS', buttons: [] },
    ];
    expect((await addOwn({ name: 'order', body: undefined, components })).body.template.components).toEqual(components);
    expect(await own('?name=order')).toHaveLength(1);
    expect(await own('?name=ORDER')).toEqual([]);
    expect((await service.delete(`/provider-templates/order?hsm_id=${ids[0]}`)).status).toBe(404);
    expect((await service.delete(`/provider-templates/order_ready?hsm_id=${ids[1]}`)).status).toBe(200);
    expect((await own('?name=order_ready')).map(({ language }: { language: string }) => language)).toEqual(['pt_BR', 'en']);
    expect((await service.delete('/provider-templates/order_ready')).status).toBe(200);
    expect((await service.delete('/provider-templates/order_ready')).status).toBe(404);
    expect(await own()).toHaveLength(1);
  });

  // Proves rule templates.42.
  it.each([
    [{ body: undefined }],
    [{ name: undefined }],
    [{ language: 'xx' }],
    [{ components: [{ type: 'BODY' }] }],
    [{ category: 'marketing' }],
    [{ body: undefined, components: [{ type: 'FOOTER', text: 'Bye' }] }],
    [{ body: undefined, components: [{ type: 'BODY', text: 'x'.repeat(1_025) }] }],
    [{ body: undefined, components: [{ text: 'no type' }] }],
    [{ variables: ['x'] }],
    [{ body: 'x'.repeat(1_025) }],
  ])('rejects %j', async (fields) => {
    await settings({ template_provider: 'own_account' });
    expect((await addOwn(fields)).status).toBe(400);
    expect(await own()).toEqual([]);
  });
});

// Proves rules credentials.19, credentials.41.
it('templates require the section Templates, and a permission to edit or to send', async () => {
  const member = await service.signIn(['messages.send']);
  const id = await approved({ body: 'x' });
  const contactId = await contact();
  const as = (key: string) => ({ key });
  expect((await service.get('/chatapp-templates', as(member))).status).toBe(200);
  expect((await service.post('/chatapp-templates/docs', text, as(member))).status).toBe(403);
  expect((await service.post('/chatapp-templates/send', { contactId, whatsappTemplateId: id }, as(member))).status).toBe(200);
  const editor = await service.signIn(['templates.edit']);
  expect((await service.post('/chatapp-templates/docs', text, as(editor))).status).toBe(200);
  expect((await service.post('/chatapp-templates/send', { contactId, whatsappTemplateId: id }, as(editor))).status).toBe(403);
  const scoped = (await service.post('/api-keys', { scopes: { tags: ['Messages'] } })).body.api_key as string;
  expect((await service.get('/chatapp-templates', as(scoped))).body.error_code).toBe('key_scope_denied');
});
