import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AnswerRequest,
  type ChooseTagsRequest,
  type Reply,
  type Writer,
  WriterFailed,
  type Written,
} from '../../../src/service/areas/answers/writer.ts';
import { Events } from '../../support/events.ts';
import { Receiver } from '../../support/receiver.ts';
import { TestService } from '../../support/test-service.ts';

let service: TestService;
let events: Events;
let campaign: string;
let agent: string;

const shop = '+14155550100';

beforeAll(async () => {
  service = await TestService.open();
});

beforeEach(() => prepare(service));

afterEach(() => events.close());

afterAll(() => service.close());

/** Prepares an account with an agent that knows a FAQ and answers all messages on a channel. */
async function prepare(on: TestService): Promise<void> {
  await on.freshAccount();
  events = await Events.of(on);
  await connect(on, 'chatapp', shop);
  agent = (await on.post('/agents', { name: 'Ada' })).body.agent_id;
  campaign = (await on.post('/campaigns', { name: 'FAQs', agent_id: agent })).body.campaign.id;
  await on.post('/faqs', { campaign_id: campaign, question: 'When are you open?', answer: 'From nine to five.' });
  await on.sandbox('POST', '/settle');
  await events.take();
}

async function connect(on: TestService, channel: string, identity: string): Promise<void> {
  await on.sandbox('POST', `/accounts/${on.accountId}/channels`, { channel, identity });
}

const update = (body: Record<string, unknown>, on = service) => on.put(`/agents/${agent}`, body);

let numbers = 3_000_000;
const number = () => `+1415${++numbers}`;

async function write(text: string, more: Record<string, unknown> = {}, on = service) {
  const answer = await on.sandbox('POST', `/accounts/${on.accountId}/inbound`, { channel: 'chatapp', from: number(), text, ...more });
  expect(answer.status).toBe(201);
  return answer.body;
}

const setAccount = (body: Record<string, unknown>, on = service) => on.sandbox('PATCH', `/accounts/${on.accountId}`, body);

const balance = async (on = service) => (await on.get('/users/me/credits')).body.balance as number;

const session = async (id: string, on = service) => (await on.get(`/chat-sessions/${id}`)).body.chat_session;

const alerts = async () => (await events.take()).filter(({ event }) => event === 'the service Alerted').map(({ data }) => data.alert);

describe('an inbound message', () => {
  // Proves rules answers.19, answers.6, answers.18, answers.34, credits.31.
  it('is answered with the matching FAQ for one credit', async () => {
    const { contact_id, session_id, decision, reply } = await write('when are you open');
    expect(decision).toMatchObject({ step: 'single_agent', agent_id: agent });
    expect(reply).toEqual({ message_id: expect.stringMatching(/^msg_/), body: 'From nine to five.', source: 'faq' });
    const { messages } = (await service.get(`/contacts/${contact_id}/messages`)).body;
    expect(messages[0]).toMatchObject({
      id: reply.message_id,
      session_id,
      direction: 'outbound',
      status: 'sent',
      sender: 'ai',
      agent_id: agent,
      campaign_id: null,
    });
    expect(await balance()).toBe(999);
    expect((await service.get(`/faqs?campaign_id=${campaign}`)).body.faqs[0].usage_count).toBe(1);
    expect(await session(session_id)).toMatchObject({ agent_id: agent, alerted: false, outcome: null });
    expect(await events.names()).toEqual(['Contact Created', 'New Message', 'Credits Spent']);
    const calls = await service.write((db) => db.selectFrom('ai_calls').selectAll().where('account_id', '=', service.accountId).execute());
    expect(calls).toMatchObject([{ kind: 'answer', provider: 'sandbox', tier: 'standard', agent_id: agent, message_id: reply.message_id }]);
  });

  // Proves rules answers.6, credits.31.
  it('costs one credit even on a free channel', async () => {
    await connect(service, 'chat_widget', 'shop');
    expect((await write('hello', { channel: 'chat_widget', from: 'visitor' })).reply.source).toBe('greeting');
    expect(await balance()).toBe(999);
  });

  // Proves rules answers.18, answers.33.
  it('causes one AI call for each reply, and none without a reply', async () => {
    const from = number();
    for (const text of ['when are you open', 'hello', 'do you sell boats?']) expect((await write(text, { from })).reply).not.toBeNull();
    await service.patch(`/agents/${agent}/active`, { active: false });
    expect((await write('when are you open', { from })).reply).toBeNull();
    await service.patch(`/agents/${agent}/active`, { active: true });
    await setAccount({ own_ai_key: 'failing' });
    expect((await write('when are you open', { from })).reply).toBeNull();
    const calls = await service.write((db) =>
      db.selectFrom('ai_calls').select('kind').where('account_id', '=', service.accountId).execute(),
    );
    expect(calls.map(({ kind }) => kind)).toEqual(['answer', 'answer', 'answer']);
    expect((await service.get(`/faqs?campaign_id=${campaign}`)).body.faqs[0].usage_count).toBe(1);
  });

  // Proves rules answers.19, inbound.3, answers.14, sessions.10.
  it('is handed over if there is no answer, with one alert per session and reason', async () => {
    const from = number();
    const { reply, session_id: id, contact_id } = await write('do you sell bicycles?', { from });
    expect(reply.source).toBe('handover');
    expect(await alerts()).toEqual([{ contact_id, chat_session_id: id, agent_id: agent, reason: 'no_answer' }]);
    expect(await session(id)).toMatchObject({ alerted: true, outcome: 'handed_off', concluded_at: null });
    expect((await write('do you sell boats?', { from })).reply.source).toBe('handover');
    expect(await alerts()).toEqual([]);
    expect((await write('when are you open', { from })).reply.source).toBe('faq');
    await service.sandbox('POST', '/clock', { frozen: true });
    await service.sandbox('POST', '/clock/advance', { seconds: 86_400 });
    expect(await session(id)).toMatchObject({ alerted: true, outcome: 'handed_off', concluded_at: expect.any(String) });
    const next = await write('do you sell boats?', { from });
    expect(await alerts()).toEqual([{ contact_id, chat_session_id: next.session_id, agent_id: agent, reason: 'no_answer' }]);
    await service.sandbox('POST', '/clock', { frozen: false });
  });
});

describe('an agent stays silent', () => {
  const expectSilence = async (more: Record<string, unknown> = {}) => {
    const { decision, reply } = await write('when are you open', more);
    expect(reply).toBeNull();
    expect(await alerts()).toEqual([]);
    expect(await balance()).toBe(1000);
    return decision;
  };

  // Proves rules answers.2, routing.38, agents.14.
  it('when it is inactive, but stays the decided agent', async () => {
    const { entry_point_id } = (await service.put('/entry-points/channel-defaults', { channel: 'chatapp', agent_id: agent })).body;
    await service.patch(`/agents/${agent}/active`, { active: false });
    expect(await expectSilence()).toMatchObject({ step: 'channel_default', agent_id: agent, entry_point_id });
    await service.patch(`/agents/${agent}/active`, { active: true });
    expect((await write('when are you open')).reply.source).toBe('faq');
  });

  describe('outside its hours, at noon UTC on a Monday', () => {
    beforeAll(() => service.sandbox('POST', '/clock', { now: '2027-03-08T12:00:00Z' }));

    afterAll(() => service.sandbox('POST', '/clock', { frozen: false }));

    // Proves rules answers.2, agents.22, agents.23, agents.24.
    it.each([
      ['UTC', { monday: { start_time: '12:00', end_time: '13:00' } }, true],
      [
        'UTC',
        {
          monday: [
            { start_time: '08:00', end_time: '12:00' },
            { start_time: '12:01', end_time: '13:00' },
          ],
        },
        false,
      ],
      ['UTC', { sunday: { start_time: '22:00', end_time: '12:01' } }, true],
      ['UTC', { sunday: { start_time: '22:00', end_time: '12:00' } }, false],
      ['UTC', { sunday: { start_time: '12:00', end_time: '12:00' } }, false],
      ['UTC', { monday: { start_time: '00:00', end_time: '24:00' } }, true],
      ['UTC', { tuesday: { start_time: '00:00', end_time: '24:00' }, monday: [] }, false],
      ['America/New_York', { monday: { start_time: '07:00', end_time: '07:01' } }, true],
      ['Asia/Tokyo', { monday: { start_time: '12:00', end_time: '13:00' } }, false],
      ['Pacific/Kiritimati', { tuesday: { start_time: '02:00', end_time: '03:00' } }, true],
      ['UTC', {}, true],
    ])('in the zone %s with the hours %j', async (timezone, availability, isOpen) => {
      await update({ timezone, availability });
      if (isOpen) expect((await write('when are you open')).reply.source).toBe('faq');
      else expect(await expectSilence()).toMatchObject({ step: 'single_agent', agent_id: agent });
    });
  });

  // Proves rule answers.2.
  it('when the contact cannot be messaged', async () => {
    for (const state of ['do_not_disturb', 'private_mode']) {
      const from = number();
      const { contact } = (await service.post('/contacts', { phone_number: from })).body;
      await service.put(`/contacts/${contact.id}`, { [state]: true });
      await events.take();
      await expectSilence({ from });
    }
    expect(await expectSilence({ channel: 'sms' })).toMatchObject({ step: 'single_agent', agent_id: agent });
  });

  // Proves rules inbound.1, answers.6.
  it('without credits, but still alerts the team', async () => {
    await setAccount({ credits: 0 });
    await events.take();
    const answered = await write('when are you open');
    expect(answered).toMatchObject({ decision: { step: 'single_agent', agent_id: agent }, reply: null });
    expect(await alerts()).toEqual([]);
    const { reply, session_id: id } = await write('do you sell boats?');
    expect(reply).toBeNull();
    expect(await alerts()).toMatchObject([{ chat_session_id: id, reason: 'no_answer' }]);
    await update({ alert_human_when: 'a person' });
    expect((await write('give me a person')).reply).toBeNull();
    expect(await alerts()).toMatchObject([{ reason: 'asked' }]);
  });

  // Proves rule answers.3.
  it('after its maximum number of replies, until the next session', async () => {
    await update({ max_messages: 2 });
    const from = number();
    for (let reply = 0; reply < 2; reply++) expect((await write('when are you open', { from })).reply.source).toBe('faq');
    await events.take();
    const { reply, session_id: id, contact_id } = await write('when are you open', { from });
    expect(reply).toBeNull();
    expect(await alerts()).toEqual([{ contact_id, chat_session_id: id, agent_id: agent, reason: 'max_messages' }]);
    expect((await write('when are you open', { from })).reply).toBeNull();
    await update({ max_messages: null });
    expect((await write('when are you open', { from })).reply).toBeNull();
    // Another agent that takes over the conversation has its own limit.
    const { agent_id: other } = (await service.post('/agents', { name: 'Bea' })).body;
    await service.write((db) =>
      db
        .updateTable('contacts')
        .set({ agent_id: other as string })
        .where('id', '=', contact_id)
        .execute(),
    );
    expect((await write('hello', { from })).reply).toMatchObject({ source: 'greeting' });
    await service.write((db) => db.updateTable('contacts').set({ agent_id: agent }).where('id', '=', contact_id).execute());
    expect(await alerts()).toEqual([]);
    expect(await balance()).toBe(997);
    await service.sandbox('POST', '/clock', { frozen: true });
    await service.sandbox('POST', '/clock/advance', { seconds: 86_400 });
    expect((await write('when are you open', { from })).reply.source).toBe('faq');
    await service.sandbox('POST', '/clock', { frozen: false });
  });
});

// Proves rules answers.5, inbound.2, inbound.3.
it.each([
  ['I want a HUMAN\nBEING now', true],
  ['this is a scam', true],
  ['lawyer', true],
  ['in der STRASSE', true],
  ['ΘΕΣΣΑΛΟΝΙΚΗ', true],
  ['human', false],
  ['when are you open', false],
])('the phrases of alert_human_when are matched in %j: %j', async (text, isFound) => {
  await update({ alert_human_when: 'human  being, scam;\n , Lawyer, Straße, Θεσ' });
  const { reply, session_id: id } = await write(text);
  if (isFound) expect(reply.source).toBe('handover');
  expect((await alerts()).map(({ reason }: { reason: string }) => reason)).toEqual(
    isFound ? ['asked'] : text === 'human' ? ['no_answer'] : [],
  );
  if (isFound) expect((await session(id)).alerted).toBe(true);
});

describe('tagging rules', () => {
  const tagsOf = async (contact: string) =>
    (await service.get(`/contacts/${contact}`)).body.contact.tags.map((tag: { name: string }) => tag.name).sort();

  // Proves rules answers.4, answers.15, inbound.11.
  it('apply if a message contains a phrase quoted in their description', async () => {
    const description = 'The contact says "big  order" or „Großauftrag“';
    await update({
      tags: [
        { name: 'VIP', description },
        { name: 'None', description: 'Says big order' },
        { name: 'Blank', description: 'Says " "' },
      ],
    });
    const from = number();
    const { contact_id: contact } = await write('a BIG\norder', { from });
    expect(await tagsOf(contact)).toEqual(['VIP']);
    const { contact_id: german } = await write('ein GROSSAUFTRAG');
    expect(await tagsOf(german)).toEqual(['VIP']);
    expect(await tagsOf((await write('an order')).contact_id)).toEqual([]);
    await service.delete(`/contacts/${contact}/tags/${(await service.get(`/contacts/${contact}`)).body.contact.tags[0].id}`);
    await write('something else', { from });
    expect(await tagsOf(contact)).toEqual([]);
  });

  // Proves rule answers.40.
  it('leave out a tag of which the contact has no room for another', async () => {
    const from = number();
    const { contact_id: contact } = await write('hello', { from });
    const tags = Array.from({ length: 200 }, (_, index) => `tag ${index}`);
    const rows = [tags.slice(0, 100), tags.slice(100)].map((some) => ({ phone_number: from, tags: some }));
    expect((await service.post('/contacts/import', { contacts: rows, on_duplicate: 'update' })).body.imported).toBe(2);
    await update({ tags: [{ name: 'VIP', description: '"gold"' }] });
    expect((await write('gold', { from })).reply).not.toBeNull();
    expect(await tagsOf(contact)).toEqual(tags.sort());
  });

  // Proves rules answers.4, answers.3, inbound.1.
  it('apply before the reply limit and credits are checked, but not if the agent is inactive', async () => {
    await update({ max_messages: 1, tags: [{ name: 'VIP', description: '"gold"' }] });
    await setAccount({ credits: 0 });
    const from = number();
    const { contact_id: contact } = await write('gold', { from });
    expect(await tagsOf(contact)).toEqual(['VIP']);
    await service.patch(`/agents/${agent}/active`, { active: false });
    expect(await tagsOf((await write('gold')).contact_id)).toEqual([]);
  });

  // Proves rules campaigns.8, campaigns.9.
  it('and people who give a tag of a campaign call its webhook, for contacts in its conversations', async () => {
    const receiver = await Receiver.open();
    const { id: tagId } = (await service.post('/tags', { name: 'VIP' })).body.tag;
    await service.post(`/campaigns/${campaign}/tags`, { tag_id: tagId, webhook: receiver.url('/campaign') });
    await service.put(`/channel-routing/chatapp`, { campaignId: campaign });
    await update({ tags: [{ name: 'VIP', description: '"gold"', webhook: receiver.url('/rule') }] });
    const called = async () => {
      await service.sandbox('POST', '/settle');
      return receiver.take().map(({ path, body }) => [path, body.data.contact.id, body.data.tag.name, body.data.agent_id] as unknown[]);
    };
    const { contact_id: byAgent } = await write('gold');
    expect((await called()).toSorted()).toEqual([
      ['/campaign', byAgent, 'VIP', agent],
      ['/rule', byAgent, 'VIP', agent],
    ]);
    const from = number();
    const { contact_id: byPerson } = await write('hello', { from });
    for (let twice = 0; twice < 2; twice++) await service.post(`/contacts/${byPerson}/tags`, { tag_id: tagId });
    expect(await called()).toEqual([['/campaign', byPerson, 'VIP', null]]);
    const imported = number();
    const { contact_id: byImport } = await write('hello', { from: imported });
    const rows = [imported, number()].map((phone) => ({ phone_number: phone, tags: ['VIP', 'Other'] }));
    await service.post('/contacts/import', { contacts: rows, on_duplicate: 'update' });
    expect(await called()).toEqual([['/campaign', byImport, 'VIP', null]]);
    // A deleted tag is no tag of the campaign any more.
    const { id: otherId } = (await service.post('/tags', { name: 'Another' })).body.tag;
    await service.post(`/campaigns/${campaign}/tags`, { tag_id: otherId, webhook: receiver.url('/other') });
    await service.delete(`/tags/${otherId}`);
    expect((await service.get(`/campaigns/${campaign}`)).body.campaign.tags).toEqual([
      { tag_id: tagId, webhook: receiver.url('/campaign') },
    ]);
    // Neither without a conversation of the campaign, nor after it has ended.
    const { contact } = (await service.post('/contacts', { phone_number: number() })).body;
    await service.post(`/contacts/${contact.id}/tags`, { tag_id: tagId });
    const { contact_id: before } = await write('hello');
    service.clock.now += 25 * 3_600_000;
    await service.sandbox('POST', '/settle');
    await service.post(`/contacts/${before}/tags`, { tag_id: tagId });
    expect(await called()).toEqual([]);
    await receiver.close();
  });

  // Proves rules inbound.12, inbound.13, webhooks.105.
  it('call their webhook once per contact, with retries', async () => {
    const receiver = await Receiver.open();
    receiver.behaviour = 500;
    await update({ tags: [{ name: 'VIP', description: '"gold"', webhook: receiver.url('/tagged') }] });
    const [rule] = (await service.get(`/agents/${agent}`)).body.agent.tags;
    await service.sandbox('POST', '/clock', { frozen: true });
    const from = number();
    const { contact_id: contact } = await write('gold', { from });
    await write('gold again', { from });
    await service.sandbox('POST', '/settle');
    const [first, ...none] = receiver.take();
    expect(none).toEqual([]);
    expect(first?.body).toMatchObject({
      event: 'Tag Applied',
      event_id: expect.stringMatching(/^evt_/),
      occurred_at: expect.any(String),
      user: { id: service.accountId, name: 'Test account', email: null },
      data: { contact: { id: contact, tags: [{ id: rule.tag_id, name: 'VIP' }] }, tag: { id: rule.tag_id, name: 'VIP' }, agent_id: agent },
    });
    expect(Object.keys((first?.body as { data: object }).data)).toEqual(['contact', 'tag', 'agent_id']);
    expect(first?.headers).toMatchObject({
      'x-webhook-event': 'Tag Applied',
      'x-webhook-attempt': '1',
      'x-webhook-delivery': expect.any(String),
    });
    expect(first?.headers).not.toHaveProperty('x-webhook-signature');
    receiver.behaviour = 200;
    await service.sandbox('POST', '/clock/advance', { seconds: 60 });
    expect(receiver.take()[0]?.headers).toMatchObject({
      'x-webhook-attempt': '2',
      'x-webhook-delivery': first?.headers['x-webhook-delivery'],
    });
    const { deliveries } = (await service.sandbox('GET', `/deliveries?account_id=${service.accountId}`)).body;
    const [tagged] = deliveries.filter((each: { event: string }) => each.event === 'Tag Applied');
    expect(tagged).toMatchObject({ webhook_id: null, state: 'delivered' });
    expect((await service.get('/webhooks')).body.webhooks).toHaveLength(1);
    await service.delete(`/tags/${rule.tag_id}`);
    const { contact_id: later } = await write('gold');
    expect(await tagsOf(later)).toEqual(['VIP']);
    const [recreated] = (await service.get('/tags')).body.tags;
    expect(recreated.id).not.toBe(rule.tag_id);
    expect((await service.get(`/agents/${agent}`)).body.agent.tags).toEqual([{ ...rule, tag_id: recreated.id }]);
    await service.sandbox('POST', '/clock', { frozen: false });
    await receiver.close();
  });

  // Proves rule webhooks.106.
  it('call no webhook if the plan has no webhooks', async () => {
    const receiver = await Receiver.open();
    await update({ tags: [{ name: 'VIP', description: '"gold"', webhook: receiver.url() }] });
    await setAccount({ plan: { webhooks: false } });
    const { contact_id: contact } = await write('gold');
    await service.sandbox('POST', '/settle');
    expect(await tagsOf(contact)).toEqual(['VIP']);
    expect(receiver.take()).toEqual([]);
    await receiver.close();
  });
});

describe('a comment', () => {
  const comment = async (text: string, more: Record<string, unknown> = {}) => {
    const body = { channel: 'photo_social', post_id: 'post_1', from: `fan${++numbers}`, text, ...more };
    const answer = await service.sandbox('POST', `/accounts/${service.accountId}/comments`, body);
    expect(answer.status).toBe(201);
    return answer.body;
  };

  const rule = async (body: Record<string, unknown>) =>
    (await service.post(`/agents/${agent}/entry-points`, { type: 'photo_social_comment', channels: ['photo_social'], ...body })).body
      .entry_point_id as string;

  beforeEach(() => connect(service, 'photo_social', 'shop'));

  // Proves rules answers.13, inbound.5, inbound.9, inbound.7, routing.12, routing.30.
  it('is answered with fixed texts, privately and publicly', async () => {
    await update({ max_messages: 1 });
    const exact = { first_response_mode: 'exact_text', first_response_exact_text: 'Hi {{first_name}}!' };
    const id = await rule({ ...exact, match_config: { keywords: ['price'] }, public_comment_reply_exact_text: 'Sent, {{first_name}}.' });
    const { contact_id, message_id, decision, reply, public_reply } = await comment('PRICE please', { first_name: 'Ann' });
    expect(decision).toMatchObject({ step: 'rule', agent_id: agent, entry_point_id: id });
    expect(reply).toEqual({ message_id: expect.any(String), body: 'Hi Ann!', source: 'exact_text' });
    expect(public_reply).toBe('Sent, Ann.');
    const { messages } = (await service.get(`/contacts/${contact_id}/messages`)).body;
    expect(messages).toMatchObject([
      { id: reply.message_id, sender: 'automated', agent_id: agent },
      { id: message_id, sender: 'contact', body: 'PRICE please', channel: 'photo_social' },
    ]);
    expect(await balance()).toBe(999);
    expect((await comment('the price?')).reply.body).toBe('Hi there!');
    expect((await comment('what price?', { first_name: '$& $1' })).reply.body).toBe('Hi $& $1!');
    expect((await comment('a price', { first_name: ' ' })).reply.body).toBe('Hi there!');
    expect((await comment('nice')).decision).toMatchObject({ step: 'none', agent_id: null });
  });

  // Proves rules answers.4, inbound.9.
  it('gets no fixed text if it asks for a person', async () => {
    await update({ alert_human_when: 'human' });
    await rule({ first_response_mode: 'exact_text', first_response_exact_text: 'Hi' });
    expect((await comment('a human please')).reply.source).toBe('handover');
  });

  // Proves rules inbound.6, inbound.7, routing.36.
  it("is answered at once by the rule's agent or by the agent of the contact", async () => {
    await rule({ match_config: { post_ids: ['post_1'] } });
    const from = 'fan';
    expect(await comment('when are you open', { from })).toMatchObject({ reply: { source: 'faq' }, public_reply: null });
    const other = await comment('when are you open', { from, post_id: 'post_2' });
    expect(other).toMatchObject({ decision: { step: 'existing_agent', agent_id: agent }, reply: { source: 'faq' }, public_reply: null });
    expect((await comment('when are you open', { post_id: 'post_2' })).decision.step).toBe('none');
  });

  // Proves rules answers.11, inbound.6.
  it('is answered after the delay of its rule, and the decision is made again then', async () => {
    await service.sandbox('POST', '/clock', { frozen: true });
    await rule({
      match_config: { delay_minutes: 5 },
      first_response_mode: 'exact_text',
      first_response_exact_text: 'Hi {{first_name}}',
      public_comment_reply_exact_text: 'Done',
    });
    const first = await comment('hello', { first_name: 'Ann' });
    expect(first).toMatchObject({ decision: { step: 'rule', agent_id: agent }, reply: null, public_reply: null });
    const { contact_id: paused } = await comment('hello');
    await service.post(`/contacts/${paused}/pause`);
    const messages = async (contact: string) =>
      (await service.get(`/contacts/${contact}/messages`)).body.messages.map((each: { body: string }) => each.body);
    await service.sandbox('POST', '/clock/advance', { seconds: 299 });
    expect(await messages(first.contact_id)).toEqual(['hello']);
    const { fired } = (await service.sandbox('POST', '/clock/advance', { seconds: 1 })).body;
    const replies = fired.filter((each: { kind: string }) => each.kind === 'comment_reply');
    expect(replies).toHaveLength(2);
    expect(replies).toContainEqual(expect.objectContaining({ message_id: first.message_id, public_reply: 'Done' }));
    expect(replies).toContainEqual(expect.objectContaining({ message_id: expect.any(String), public_reply: null }));
    expect(await messages(first.contact_id)).toEqual(['Hi Ann', 'hello']);
    expect(await messages(paused)).toEqual(['hello']);
    const kept = await service.write((db) =>
      db.selectFrom('decisions').select('public_reply').where('message_id', '=', first.message_id).execute(),
    );
    expect(kept).toEqual([{ public_reply: 'Done' }]);
    await service.sandbox('POST', '/clock', { frozen: false });
  });

  // Proves rule inbound.6.
  it.each([
    ['retired', (id: string) => service.put(`/entry-points/${id}`, { enabled: false })],
    ['deleted', (id: string) => service.delete(`/entry-points/${id}`)],
  ])('is not answered once its rule is %s', async (_what, end) => {
    await service.sandbox('POST', '/clock', { frozen: true });
    await rule({ match_config: { delay_minutes: 5 }, first_response_mode: 'exact_text', first_response_exact_text: 'Hi' });
    const { decision, contact_id: contact } = await comment('hello');
    expect((await end(decision.entry_point_id)).status).toBe(200);
    await service.sandbox('POST', '/clock/advance', { seconds: 600 });
    expect((await service.get(`/contacts/${contact}/messages`)).body.messages).toHaveLength(1);
    await service.sandbox('POST', '/clock', { frozen: false });
  });

  // Proves rule routing.31.
  it('from a contact who has never written also matches keyword rules', async () => {
    await rule({});
    const body = { type: 'keyword', channels: ['photo_social'], match_config: { keywords: ['menu'] } };
    const id = (await service.post(`/agents/${agent}/entry-points`, body)).body.entry_point_id;
    await rule({});
    expect((await comment('menu')).decision.entry_point_id).toBe(id);
  });

  // Proves rule sandbox.98.
  it('is only possible on a channel with posts', async () => {
    const body = { channel: 'chatapp', post_id: 'p', from: number(), text: 'x' };
    expect((await service.sandbox('POST', `/accounts/${service.accountId}/comments`, body)).status).toBe(400);
  });
});

describe('a new follower', () => {
  const follow = async (more: Record<string, unknown> = {}) => {
    const answer = await service.sandbox('POST', `/accounts/${service.accountId}/followers`, { from: `fan${++numbers}`, ...more });
    expect(answer.status).toBe(201);
    return answer.body;
  };

  const rule = (body: Record<string, unknown> = {}) =>
    service.post(`/agents/${agent}/entry-points`, { type: 'photo_social_follower', channels: ['photo_social_private'], ...body });

  // Proves rules inbound.8, routing.37, sandbox.99.
  it('is greeted if a rule is in force and the account is connected', async () => {
    const { entry_point_id: id } = (await rule()).body;
    expect(await follow()).toMatchObject({ decision: { step: 'none' }, message_id: null, session_id: null, reply: null });
    await connect(service, 'photo_social_private', 'shop');
    const { contact_id, session_id, decision, message_id, reply } = await follow({ first_name: 'Ann' });
    expect(decision).toMatchObject({ step: 'rule', agent_id: agent, entry_point_id: id });
    expect(message_id).toBeNull();
    expect(reply).toMatchObject({ source: 'greeting', body: expect.stringContaining('Ada') });
    expect((await session(session_id)).contact_id).toBe(contact_id);
    const { contact } = (await service.get(`/contacts/${contact_id}`)).body;
    expect(contact).toMatchObject({ channel: 'photo_social_private', first_name: 'Ann', agent_id: agent });
  });

  // Proves rule inbound.8.
  it('is greeted even if a FAQ is about greetings', async () => {
    await connect(service, 'photo_social_private', 'shop');
    await rule();
    await service.post('/faqs', { campaign_id: campaign, question: 'Hello', answer: 'From a FAQ' });
    await service.sandbox('POST', '/settle');
    expect((await follow()).reply.source).toBe('greeting');
  });

  // Proves rules answers.14, inbound.8.
  it('with an open conversation is greeted within its reply limit', async () => {
    await connect(service, 'photo_social_private', 'shop');
    await rule();
    await update({ max_messages: 1 });
    const from = `fan${++numbers}`;
    expect((await write('hello', { from, channel: 'photo_social_private' })).reply).not.toBeNull();
    expect((await follow({ from })).reply).toBeNull();
    expect((await alerts()).map(({ reason }: { reason: string }) => reason)).toEqual(['max_messages']);
  });

  // Proves rules answers.13, inbound.8.
  it('gets the fixed text of its rule', async () => {
    await connect(service, 'photo_social_private', 'shop');
    await rule({ first_response_mode: 'exact_text', first_response_exact_text: 'Welcome, {{first_name}}' });
    expect((await follow()).reply).toMatchObject({ source: 'exact_text', body: 'Welcome, there' });
  });
});

describe('a writer that calls a model', () => {
  /** A writer that behaves like a model: it takes time and can fail. */
  class Model implements Writer {
    readonly provider = 'model.example';
    readonly isLocal = false;
    readonly modelOf = () => 'small';
    asked: AnswerRequest[] = [];
    /** Called when the model is asked. Returns its answer. */
    work: (request: AnswerRequest) => Promise<Reply> = async () => ({ source: 'model', text: 'A model’s answer' });
    chosenFrom: ChooseTagsRequest[] = [];
    readonly chooseTags: NonNullable<Writer['chooseTags']> = async (request) => {
      this.chosenFrom.push(request);
      const { rules } = request;
      return written({
        add: rules.filter(({ name }) => name === 'VIP').map(({ tagId }) => tagId),
        remove: rules.map(({ tagId }) => tagId),
      });
    };
    optimize = async () => written({ goal: 'Better' });
    draftTags = async () => written([]);
    writeFaqs = async () => written([]);
    summarize = async () => written('A summary');
    close = async () => {};

    answer = async (request: AnswerRequest): Promise<Written<Reply>> => {
      this.asked.push(request);
      return written(await this.work(request));
    };
  }

  const written = <Result>(result: Result): Written<Result> => ({
    result,
    usage: { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 },
  });

  let model: Model;
  let remote: TestService;

  beforeAll(async () => {
    model = new Model();
    remote = await TestService.open({ writer: model });
  });

  beforeEach(async () => {
    await events.close();
    await prepare(remote);
    model.asked = [];
    model.work = async () => ({ source: 'model', text: 'A model’s answer' });
  });

  afterAll(() => remote.close());

  // Proves rules answers.11, answers.6, inbound.4.
  it('sends and charges the answer when it arrives', async () => {
    const from = number();
    let meanwhile = 0;
    model.work = async () => {
      // No transaction is open while the model writes, so the account can be written to.
      meanwhile = (await remote.post('/tags', { name: 'meanwhile' })).status;
      return { source: 'model', text: 'Hello from the model' };
    };
    await remote.put(`/agents/${agent}`, { instructions: 'Be kind', rules: 'No jokes', goal: 'Sell', personality: 'Calm', language: 'en' });
    const { reply } = await write('when are you open', { from }, remote);
    expect(meanwhile).toBe(201);
    expect(reply).toMatchObject({ source: 'model', body: 'Hello from the model' });
    expect(await balance(remote)).toBe(999);
    await write('and on Sunday?', { from }, remote);
    expect(model.asked[0]).toMatchObject({
      agent: {
        name: 'Ada',
        language: 'en',
        tier: 'standard',
        instructions: 'Be kind',
        rules: 'No jokes',
        goal: 'Sell',
        personality: 'Calm',
      },
      knowledge: { faqs: [{ question: 'When are you open?' }], isEmpty: false },
      earlier: [],
      message: 'when are you open',
    });
    expect(model.asked[1]?.earlier).toEqual([
      { from: 'contact', text: 'when are you open' },
      { from: 'account', text: 'Hello from the model' },
    ]);
  });

  // Proves rules answers.4, answers.5, inbound.6.
  it('is asked about a comment with a delay only if nothing else answers it', async () => {
    await remote.sandbox('POST', '/clock', { frozen: true });
    await connect(remote, 'photo_social', 'shop');
    await remote.put(`/agents/${agent}`, { alert_human_when: 'human' });
    const addRule = (postId: string, body: object = {}) =>
      remote.post(`/agents/${agent}/entry-points`, {
        type: 'photo_social_comment',
        channels: ['photo_social'],
        match_config: { delay_minutes: 5, post_ids: [postId] },
        ...body,
      });
    await addRule('fixed', { first_response_mode: 'exact_text', first_response_exact_text: 'Hi' });
    await addRule('open');
    const comment = async (postId: string, text: string) => {
      const body = { channel: 'photo_social', post_id: postId, from: `fan${++numbers}`, text };
      return (await remote.sandbox('POST', `/accounts/${remote.accountId}/comments`, body)).body.contact_id as string;
    };
    await comment('fixed', 'hello');
    await comment('open', 'a human please');
    const paused = await comment('open', 'hello');
    await remote.post(`/contacts/${paused}/pause`);
    await comment('open', 'which colours?');
    await remote.sandbox('POST', '/clock/advance', { seconds: 300 });
    expect(model.asked.map(({ message }) => message)).toEqual(['which colours?']);
    for (const change of [
      () => setAccount({ own_ai_key: 'failing' }, remote),
      () => setAccount({ own_ai_key: 'none', credits: 0 }, remote),
      () => remote.put(`/agents/${agent}`, { availability: { monday: [] } }),
    ]) {
      await comment('open', 'hello');
      await change();
      await remote.sandbox('POST', '/clock/advance', { seconds: 300 });
      expect(model.asked).toHaveLength(1);
    }
    await remote.sandbox('POST', '/clock', { frozen: false });
  });

  // Proves rule answers.11.
  it.each<[string, (contact: string) => Promise<unknown>]>([
    [
      'a person took over the conversation',
      (contact) => remote.sandbox('POST', `/accounts/${remote.accountId}/team-replies`, { contact_id: contact, text: 'x' }),
    ],
    ['the contact is paused', (contact) => remote.post(`/contacts/${contact}/pause`)],
    ['the agent is inactive', () => remote.patch(`/agents/${agent}/active`, { active: false })],
    ['the agent has closed', () => remote.put(`/agents/${agent}`, { availability: { sunday: [] } })],
    ['the contact wants no messages', (contact) => remote.put(`/contacts/${contact}`, { do_not_disturb: true })],
    ['the credits are gone', () => setAccount({ credits: 0 }, remote)],
    [
      'the agent is deleted',
      async () => {
        await remote.delete(`/campaigns/${campaign}`);
        expect((await remote.delete(`/agents/${agent}`)).status).toBe(200);
      },
    ],
    ['the contact is deleted', (contact) => remote.delete(`/contacts/${contact}`)],
  ])('sends no answer if meanwhile %s', async (_what, change) => {
    const from = number();
    const { contact } = (await remote.post('/contacts', { phone_number: from })).body;
    let before = 0;
    model.work = async () => {
      await change(contact.id);
      before = await balance(remote);
      return { source: 'model', text: 'Too late' };
    };
    expect((await write('when are you open', { from }, remote)).reply).toBeNull();
    expect(await balance(remote)).toBe(before);
    expect(remote.errors).toEqual([]);
  });

  // Proves rules answers.19, answers.12.
  it('hands over if the model says so, and alerts the team if the model fails', async () => {
    model.work = async () => ({ source: 'handover', text: 'A person follows' });
    expect((await write('x', {}, remote)).reply).toMatchObject({ source: 'handover', body: 'A person follows' });
    expect(await alerts()).toMatchObject([{ reason: 'no_answer' }]);
    expect(await balance(remote)).toBe(999);
    model.work = () => Promise.reject(new WriterFailed('The model did not answer in time'));
    expect((await write('x', {}, remote)).reply).toBeNull();
    expect(await alerts()).toMatchObject([{ reason: 'model_failed' }]);
    expect(await balance(remote)).toBe(999);
  });

  // Proves rules inbound.1, answers.5, answers.12.
  it('is not asked without credits, for phrases that ask for a person, or with a failing key', async () => {
    await remote.put(`/agents/${agent}`, { alert_human_when: 'person' });
    expect((await write('a person', {}, remote)).reply.source).toBe('handover');
    await setAccount({ own_ai_key: 'failing' }, remote);
    expect((await write('x', {}, remote)).reply).toBeNull();
    expect((await alerts()).map(({ reason }: { reason: string }) => reason)).toEqual(['asked', 'model_failed']);
    await setAccount({ own_ai_key: 'none', credits: 0 }, remote);
    expect((await write('x', {}, remote)).reply).toBeNull();
    expect(model.asked).toEqual([]);
  });

  // Proves rule answers.15.
  it('chooses tags in a job, and removes only tags that it may remove', async () => {
    const rules = [{ name: 'VIP' }, { name: 'Old', ai_can_remove: true }, { name: 'Kept' }];
    await remote.put(`/agents/${agent}`, { tags: rules });
    const from = number();
    const { contact } = (await remote.post('/contacts', { phone_number: from })).body;
    for (const name of ['Old', 'Kept']) await remote.post(`/contacts/${contact.id}/tags`, { name });
    await write('gold', { from }, remote);
    await remote.sandbox('POST', '/settle');
    const { tags } = (await remote.get(`/contacts/${contact.id}`)).body.contact;
    expect(tags.map((tag: { name: string }) => tag.name).sort()).toEqual(['Kept', 'VIP']);
  });

  // Proves rule answers.15.
  it('chooses tags from the messages before the given one, however many followed', async () => {
    await remote.put(`/agents/${agent}`, { tags: [{ name: 'VIP' }] });
    const from = number();
    await write('one', { from }, remote);
    await remote.sandbox('POST', '/settle');
    await remote.sandbox('POST', '/jobs', { hold: ['agent_tags'] });
    for (let more = 2; more <= 30; more++) await write(`message ${more}`, { from }, remote);
    model.chosenFrom = [];
    await remote.sandbox('POST', '/jobs', { hold: [] });
    await remote.sandbox('POST', '/settle');
    const before = (message: string) => model.chosenFrom.find((each) => each.message === message)?.earlier.map(({ text }) => text);
    const reply = 'A model’s answer';
    expect(before('message 2')).toEqual(['one', reply]);
    expect(before('message 3')).toEqual(['one', reply, 'message 2', reply]);
    expect(before('message 30')).toEqual(Array.from({ length: 10 }, (_, index) => [`message ${index + 20}`, reply]).flat());
  });

  // Proves rules inbound.6, inbound.10.
  it('answers comments after their delay, and follows their instructions', async () => {
    await connect(remote, 'photo_social', 'shop');
    await remote.sandbox('POST', '/clock', { frozen: true });
    await remote.put(`/agents/${agent}`, { instructions: 'Be kind' });
    const config = { delay_minutes: 1, reply_instructions: 'Mention the sale' };
    await remote.post(`/agents/${agent}/entry-points`, { type: 'photo_social_comment', channels: ['photo_social'], match_config: config });
    const body = { channel: 'photo_social', post_id: 'p', from: 'fan', text: 'hello' };
    const { contact_id: contact } = (await remote.sandbox('POST', `/accounts/${remote.accountId}/comments`, body)).body;
    expect(model.asked).toEqual([]);
    await remote.sandbox('POST', '/clock/advance', { seconds: 60 });
    expect(model.asked[0]?.agent.instructions).toBe('Be kind\n\nMention the sale');
    expect((await remote.get(`/contacts/${contact}/messages`)).body.messages[0]).toMatchObject({ body: 'A model’s answer', sender: 'ai' });
    await remote.sandbox('POST', '/clock', { frozen: false });
  });
});
