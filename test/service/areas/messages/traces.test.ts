import { describe, expect } from 'vitest';
import { it } from '../../../support/account-test.ts';
import { KnowingAgent, settle } from '../../../support/agents.ts';
import type { TestService } from '../../../support/test-service.ts';

const control = (service: TestService, path: string, body: object) =>
  service.sandbox('POST', `/accounts/${service.accountId}${path}`, body);

it.beforeEach(async ({ service }) => {
  await control(service, '/channels', { channel: 'chatapp', identity: '+14155550100' });
});

const inbound = async (service: TestService, text: string) =>
  (await control(service, '/inbound', { channel: 'chatapp', from: '+14155550155', text })).body;

const trace = async (service: TestService, id: string) => (await service.get(`/messages/${id}/trace`)).body.trace;

const nothing = {
  decision: null,
  public_reply: null,
  reply_to: null,
  source: null,
  faqs: null,
  tool_calls: null,
  model: null,
  duration_ms: null,
  credits: null,
  broadcast_id: null,
  scheduled_task_id: null,
};

async function knowing(service: TestService): Promise<{ agent: KnowingAgent; faqs: string[] }> {
  const agent = await KnowingAgent.make(service);
  const faqs = await agent.learn([
    ['When are you open?', 'From nine to five.'],
    ['Where are you?', 'At the harbour.'],
  ]);
  await service.put('/entry-points/channel-defaults', { channel: 'chatapp', agent_id: agent.id });
  await settle(service);
  return { agent, faqs };
}

// Proves rules messages.45, messages.46, messages.47.
it('an answer has its decision, its FAQs, what it took and what it cost', async ({ service }) => {
  const { agent, faqs } = await knowing(service);
  const { message_id: id, reply, decision } = await inbound(service, 'When are you open?');
  expect(decision.agent_id).toBe(agent.id);
  expect(await trace(service, id)).toEqual({ ...nothing, decision });
  expect(await trace(service, reply.message_id)).toEqual({
    ...nothing,
    tool_calls: [],
    decision,
    reply_to: id,
    source: 'faq',
    faqs: [{ faq_id: faqs[0], question: 'When are you open?', score: 1, chosen: true }],
    duration_ms: expect.any(Number),
    credits: 1,
  });
});

// Proves rule messages.46.
it('the FAQs of an answer stay as they stood', async ({ service }) => {
  const { faqs } = await knowing(service);
  const { reply } = await inbound(service, 'When are you open?');
  const before = await trace(service, reply.message_id);
  await service.put(`/faqs/${faqs[0]}`, { question: 'Which hours?' });
  expect(await trace(service, reply.message_id)).toEqual(before);
});

// Proves rules messages.45, messages.46.
it('an answer without a FAQ tells those that were not good enough, and a fixed text none', async ({ service }) => {
  const { agent, faqs } = await knowing(service);
  const { reply } = await inbound(service, 'Do you deliver pianos where nobody is open to them?');
  const given = await trace(service, reply.message_id);
  expect([given.source, given.faqs.some(({ chosen }: { chosen: boolean }) => chosen)]).toEqual(['handover', false]);
  expect(faqs).toContain(given.faqs[0]?.faq_id);
  await service.post(`/agents/${agent.id}/entry-points`, {
    type: 'photo_social_comment',
    channels: ['photo_social'],
    match_config: { keywords: ['nice'] },
    first_response_mode: 'exact_text',
    first_response_exact_text: 'Hello',
    public_comment_reply_exact_text: 'Thanks',
  });
  await control(service, '/channels', { channel: 'photo_social', identity: 'shop' });
  const comment = (await control(service, '/comments', { channel: 'photo_social', post_id: 'p', from: 'ada', text: 'Nice' })).body;
  expect(await trace(service, comment.message_id)).toEqual({ ...nothing, decision: comment.decision, public_reply: 'Thanks' });
  expect(await trace(service, comment.reply.message_id)).toMatchObject({ source: 'exact_text', faqs: null, reply_to: comment.message_id });
});

describe('a message that nobody asked for', () => {
  // Proves rule messages.47.
  it('has its price, and the broadcast that sent it', async ({ service }) => {
    const { message_id: id, contact_id: contact } = (
      await service.post('/contacts/send', { phone_number: '+14155550155', channel: 'chatapp', body: 'Hi' })
    ).body;
    expect(await trace(service, id)).toEqual({ ...nothing, credits: 1 });
    const broadcast = (await service.post('/broadcasts', { name: 'Spring', channel: 'chatapp', body: 'Hello', contact_ids: [contact] }))
      .body.broadcast.id as string;
    await service.post(`/broadcasts/${broadcast}/submit`);
    await service.post(`/broadcasts/${broadcast}/approve`);
    await settle(service);
    const [sent] = (await service.get(`/messages?broadcast_id=${broadcast}`)).body.messages;
    expect(await trace(service, sent.id)).toEqual({ ...nothing, credits: 1, broadcast_id: broadcast });
  });

  it('has none on another account', async ({ service }) => {
    const { message_id: id } = await inbound(service, 'Hi');
    await service.freshAccount();
    expect((await service.get(`/messages/${id}/trace`)).body.reason).toBe('message_not_found');
  });
});

// Proves rule messages.53.
it('traces are kept as long as events, and deleted with their contact', async ({ service }) => {
  await knowing(service);
  const { reply, contact_id: contact } = await inbound(service, 'When are you open?');
  const stored = async () =>
    await service.write((db) => db.selectFrom('reply_traces').select('message_id').where('contact_id', '=', contact).execute());
  expect(await stored()).toHaveLength(1);
  service.clock.now += 31 * 86_400_000;
  const { status, body } = await service.get(`/messages/${reply.message_id}/trace`);
  expect([status, body.error]).toEqual([404, 'The trace of this message is no longer kept']);
  await service.service.runMaintenance();
  expect(await stored()).toEqual([]);
  const later = await inbound(service, 'When are you open?');
  expect((await service.get(`/messages/${later.reply.message_id}/trace`)).status).toBe(200);
  await service.delete(`/contacts/${contact}`);
  expect((await service.get(`/messages/${later.reply.message_id}/trace`)).status).toBe(404);
  expect(await stored()).toEqual([]);
});
