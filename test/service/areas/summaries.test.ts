import { describe, expect } from 'vitest';
import { type SummarizeRequest, type Writer, WriterFailed } from '../../../src/service/areas/answers/writer.ts';
import { builtIn } from '../../../src/service/areas/answers/built-in.ts';
import { it } from '../../support/account-test.ts';
import { KnowingAgent, settle } from '../../support/agents.ts';
import { TestService } from '../../support/test-service.ts';

/** Connects a channel to an agent that knows one answer. */
async function setUp(service: TestService) {
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  const agent = await KnowingAgent.make(service);
  await agent.learn([['Where is the shop?', 'In Berlin.']]);
  await service.put('/entry-points/channel-defaults', { channel: 'chatapp', agent_id: agent.id });
  await settle(service);
  return agent;
}

/** Writes to the agent. @returns the ids of the contact and the session */
async function write(service: TestService, text: string, from = '+14155550123') {
  const { status, body } = await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, { channel: 'chatapp', from, text });
  expect(status).toBe(201);
  return { contact: body.contact_id as string, session: body.session_id as string };
}

const summarize = (service: TestService, session: string) => service.post(`/chat-sessions/${session}/summary`);

const balance = async (service: TestService) => (await service.get('/users/me/credits')).body.balance as number;

const list = async (service: TestService, query = '') => (await service.get(`/summaries${query}`)).body.summaries;

const today = '2027-03-01';

it.beforeEach(({ service }) => {
  service.clock.now = Date.parse(`${today}T12:00:00.000Z`);
});

describe('a summary of a session', () => {
  // Proves rules summaries.6, summaries.8, summaries.10.
  it('says without a model who asked what, who answered, and how it ended', async ({ service }) => {
    await setUp(service);
    const { contact, session } = await write(service, 'Where is the shop? I am in a hurry.');
    const before = await balance(service);
    const { status, body } = await summarize(service, session);
    expect(status).toBe(200);
    expect(body.summary).toEqual({
      id: expect.stringMatching(/^sum_/),
      kind: 'session',
      date: today,
      chat_session_id: session,
      contact_id: contact,
      text: [
        'The contact asked first: “Where is the shop?”.',
        'Those who wrote to the contact: Ada with 1 message.',
        'Nothing was booked.',
        'It was not handed to people.',
        'The conversation is still open.',
      ].join(' '),
      created_at: `${today}T12:00:00.000Z`,
    });
    expect(await balance(service)).toBe(before - 1);
    expect((await service.get(`/summaries/${body.summary.id}`)).body).toEqual(body);
  });

  // Proves rule summaries.8.
  it('names each agent that answered, and says of one that is gone that it was deleted', async ({ service }) => {
    const ada = await setUp(service);
    for (let time = 0; time < 2; time++) await write(service, 'Where is the shop?');
    const bert = await KnowingAgent.make(service, { name: 'Bert', active: true });
    await bert.learn([['Where is the shop?', 'In Rome.']]);
    await service.put('/entry-points/channel-defaults', { channel: 'chatapp', agent_id: bert.id });
    await settle(service);
    await service.delete(`/campaigns/${ada.campaign}`);
    await settle(service);
    expect((await service.delete(`/agents/${ada.id}`)).status).toBe(200);
    const { session } = await write(service, 'Where is the shop?');
    expect((await summarize(service, session)).body.summary.text).toContain('a deleted agent with 2 messages, Bert with 1 message.');
  });

  // Proves rules summaries.7, summaries.11.
  it('is the only one of its session: another one replaces its text', async ({ service }) => {
    const agent = await setUp(service);
    const { session } = await write(service, 'Where is the shop?');
    const first = (await summarize(service, session)).body.summary;
    await write(service, 'Do you sell parking permits?');
    service.clock.now += 86_400_000;
    await settle(service);
    await service.put(`/agents/${agent.id}`, { name: 'Bea' });
    const second = (await summarize(service, session)).body.summary;
    expect({ ...second, text: '' }).toEqual({ ...first, text: '' });
    expect(second.text).toBe(
      'The contact asked first: “Where is the shop?”. Those who wrote to the contact: Bea with 2 messages. Nothing was booked. ' +
        'It was handed to people because the agent had no answer. In the end, people took over.',
    );
    expect(await list(service, '?kind=session')).toEqual([second]);
  });

  // Proves rule summaries.8.
  it('names what was booked, the team and rules', async ({ service }) => {
    await setUp(service);
    const { contact, session } = await write(service, 'I want an appointment.');
    const { event } = (
      await service.post('/events', {
        name: 'Visit',
        availability: {
          monday: { active: true, start_time: '00:00', end_time: '23:59' },
          tuesday: { active: true, start_time: '00:00', end_time: '23:59' },
        },
      })
    ).body;
    const booked = await service.post('/appointments', { contact_id: contact, event_id: event.id, start_time: '2027-03-02T10:00:00.000Z' });
    expect(booked.status).toBe(201);
    await service.sandbox('POST', `/accounts/${service.accountId}/team-replies`, { contact_id: contact, text: 'See you' });
    await service.post('/contacts/send', { contact_id: contact, body: 'A reminder' });
    expect((await summarize(service, session)).body.summary.text).toBe(
      'The contact asked first: “I want an appointment”. Those who wrote to the contact: Ada with 1 message, the team with 1 message, ' +
        'automation with 1 message. An appointment was booked: 2027-03-02 10:00 (UTC). ' +
        'It was handed to people because the agent had no answer. The conversation is still open.',
    );
  });

  // Proves rules summaries.9, summaries.12.
  it('needs a session with messages, and a credit', async ({ service }) => {
    await setUp(service);
    expect((await summarize(service, 'ses_none')).status).toBe(404);
    const { session } = await write(service, 'Where is the shop?');
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 0 });
    expect((await summarize(service, session)).status).toBe(402);
    await service.write((db) => db.deleteFrom('messages').where('session_id', '=', session).execute());
    expect((await summarize(service, session)).status).toBe(400);
    expect(await list(service)).toEqual([]);
  });

  // Proves rules summaries.10, credits.10, answers.33.
  it('is charged with a reason of its own, which every report has, and is a call of AI', async ({ service }) => {
    const agent = await setUp(service);
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { own_ai_key: 'valid' });
    const { session } = await write(service, 'Where is the shop?');
    const cost = async () => (await service.get('/analytics/ai-cost')).body.totals;
    const before = await cost();
    await summarize(service, session);
    const { totals, by_reason: reasons, records } = (await service.get('/analytics/credits')).body;
    const [record] = records;
    expect(record).toMatchObject({ credits: 1, reason: 'summary', agent_id: agent.id, message_id: null, is_adjustment: false });
    expect(record.cost_usd).toBeGreaterThan(0);
    expect(reasons.summary).toBe(1);
    expect(totals.credits_used).toBe(reasons.summary + reasons.ai_reply);
    const after = await cost();
    expect(after.calls).toBe(before.calls + 1);
    expect(after.total_usd - before.total_usd).toBeCloseTo(record.cost_usd, 6);
  });

  // Proves rule summaries.13.
  it('goes with its contact', async ({ service }) => {
    await setUp(service);
    const { contact, session } = await write(service, 'Where is the shop?');
    const { id } = (await summarize(service, session)).body.summary;
    await service.delete(`/contacts/${contact}`);
    expect((await service.get(`/summaries/${id}`)).status).toBe(404);
    expect(await list(service)).toEqual([]);
  });
});

describe('with a model', () => {
  const summarizing = (work: (request: SummarizeRequest) => Promise<string>): Writer => ({
    ...builtIn,
    provider: 'model.example',
    modelOf: () => 'small',
    summarize: async (request) => ({ result: await work(request), usage: { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 } }),
  });

  // Proves rule summaries.14.
  it('the model writes, told the last messages', async () => {
    const asked: SummarizeRequest[] = [];
    const other = await TestService.open({
      writer: summarizing(async (request) => {
        asked.push(request);
        return 'A model’s summary';
      }),
    });
    await setUp(other);
    const { session } = await write(other, 'Where is the shop?');
    expect((await summarize(other, session)).body.summary.text).toBe('A model’s summary');
    expect(asked[0]?.messages).toEqual([
      { from: 'contact', text: 'Where is the shop?' },
      { from: 'account', text: 'In Berlin.' },
    ]);
    await other.close();
  });

  // Proves rules summaries.15, errors.6.
  it('a failure is 503, costs nothing, and stands in the error log', async () => {
    const other = await TestService.open({
      writer: summarizing(async () => {
        throw new WriterFailed('The model did not answer in time', 'timeout');
      }),
    });
    const agent = await setUp(other);
    const { contact, session } = await write(other, 'Where is the shop?');
    const before = await balance(other);
    expect(await summarize(other, session)).toMatchObject({ status: 503, body: { reason: 'model_failed' } });
    const logged = (code: string) => ({ source: 'model', code, entity: { type: 'agent', id: agent.id }, contact_id: contact });
    expect((await other.get('/error-log')).body.errors).toMatchObject([logged('timeout')]);
    await other.sandbox('PATCH', `/accounts/${other.accountId}`, { own_ai_key: 'failing' });
    expect(await summarize(other, session)).toMatchObject({ status: 503, body: { reason: 'model_failed' } });
    expect((await other.get('/error-log')).body.errors).toMatchObject([logged('own_key_failing'), logged('timeout')]);
    expect(await balance(other)).toBe(before);
    expect(await list(other)).toEqual([]);
    await other.close();
  });
});

describe('the list of summaries', () => {
  // Proves rules summaries.16, summaries.17.
  it('has those of days and sessions, newest first, and filters that combine', async ({ service }) => {
    await setUp(service);
    const first = await write(service, 'Where is the shop?');
    const ofFirst = (await summarize(service, first.session)).body.summary;
    expect((await service.sandbox('POST', '/clock', { frozen: true })).status).toBe(200);
    await service.sandbox('POST', '/clock/advance', { seconds: 86_400 });
    const second = await write(service, 'Where is the shop?', '+14155550124');
    const ofSecond = (await summarize(service, second.session)).body.summary;
    const all = await list(service);
    expect(all.map(({ kind, date }: { kind: string; date: string }) => [kind, date])).toEqual([
      ['session', '2027-03-02'],
      ['daily', today],
      ['session', today],
    ]);
    const ofDay = all[1];
    expect(ofDay).toMatchObject({ chat_session_id: null, contact_id: null, text: expect.stringContaining('1 conversation started') });
    expect((await service.get(`/summaries/${ofDay.id}`)).body.summary).toEqual(ofDay);
    expect(await list(service, '?kind=daily')).toEqual([ofDay]);
    expect(await list(service, `?contact_id=${first.contact}`)).toEqual([ofFirst]);
    expect(await list(service, `?chat_session_id=${second.session}&kind=session`)).toEqual([ofSecond]);
    expect(await list(service, `?chat_session_id=${second.session}&contact_id=${first.contact}`)).toEqual([]);
    expect(await list(service, `?from=${today}&to=${today}`)).toEqual([ofDay, ofFirst]);
    expect(await list(service, '?from=2027-03-02')).toEqual([ofSecond]);
    const page = (await service.get('/summaries?limit=2')).body;
    expect(await list(service, `?limit=2&cursor=${page.next_cursor}`)).toEqual([ofFirst]);
    for (const query of ['contact_id=con_none', 'chat_session_id=ses_none'])
      expect((await service.get(`/summaries?${query}`)).status).toBe(404);
    for (const query of ['kind=none', 'from=2027-03-02&to=2027-03-01', 'from=x'])
      expect((await service.get(`/summaries?${query}`)).status).toBe(400);
    expect((await service.get('/summaries/sum_none')).status).toBe(404);
    await service.sandbox('POST', '/clock', { frozen: false });
  });
});
