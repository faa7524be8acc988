import { describe, expect } from 'vitest';
import { Receiver } from '../../support/receiver.ts';
import { it } from '../../support/service-test.ts';
import { TestService } from '../../support/test-service.ts';

// What `sandbox.demo` makes, as its user finds it. The tests of analytics have the figures of the history.

const reset = async (service: TestService) => {
  const { account_id, api_key } = (await service.sandbox('POST', '/reset')).body as { account_id: string; api_key: string };
  Object.assign(service, { accountId: account_id, key: api_key });
  await service.liftLimits();
};

const fill = async (service: TestService, body: object = {}) => {
  expect((await service.sandbox('POST', '/demo', { messages: 6_000, days: 60, ...body })).status).toBe(200);
};

const all = async <Row>(service: TestService, path: string, rows: string): Promise<Row[]> => {
  const found: Row[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await service.get(`${path}${path.includes('?') ? '&' : '?'}limit=100${cursor && `&cursor=${cursor}`}`);
    found.push(...(body[rows] as Row[]));
    cursor = body.next_cursor as string | null;
  }
  return found;
};

const write = async (service: TestService, from: string, text: string) =>
  (await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, { channel: 'chatapp', from, text })).body as object;

interface Message {
  id: string;
  body: string;
  sender: string;
  direction: string;
  created_at: string;
}

const messagesOf = async (service: TestService, contactId: string) =>
  (await all<Message>(service, `/contacts/${contactId}/messages`, 'messages')).reverse();

const lovelace = async (service: TestService) => (await service.get('/contacts?search=Lovelace')).body.contacts as { id: string }[];

// Proves rule activity.17.
describe('the demonstration', () => {
  it.beforeEach(async ({ service }) => {
    await reset(service);
    await service.sandbox('POST', '/clock', { frozen: true });
    await fill(service);
  });

  it('has FAQs that the agents answered with, and still do', async ({ service }) => {
    const faqs = await all<{ id: string; question: string; answer: string; usage_count: number }>(service, '/faqs', 'faqs');
    const agents = (await service.get('/agents')).body.agents as { id: string; name: string }[];
    expect(agents.map(({ name }) => name)).toEqual(['Max', 'Ada']);
    for (const { question, answer, usage_count: uses } of faqs) {
      const { messages } = (await service.get(`/messages?search=${encodeURIComponent(answer)}&sender=ai&limit=1`)).body;
      expect([question, messages.length]).toEqual([question, 1]);
      expect([question, uses > 50]).toEqual([question, true]);
      for (const { id } of agents) {
        const asked = await service.sandbox('POST', `/accounts/${service.accountId}/ask`, { agent_id: id, question });
        expect(asked.body).toMatchObject({ answer });
      }
    }
  });

  it('has a rule by which the contacts who asked its keyword have its agent', async ({ service }) => {
    const agents = (await service.get('/agents')).body.agents as { id: string; name: string }[];
    const max = agents.find(({ name }) => name === 'Max')?.id;
    const keyword = 'Can I move my appointment to Friday?';
    const asked = await write(service, '+14155550999', keyword);
    expect(asked).toMatchObject({ decision: { step: 'rule', agent_id: max }, reply: { source: 'faq' } });
    let seen = 0;
    const contacts = await all<{ id: string; channel: string; agent_id: string | null }>(service, '/contacts', 'contacts');
    for (const { id, channel, agent_id: agent } of contacts) {
      const [first, second] = await messagesOf(service, id);
      // Those whom a person answered have no agent, and rules do not apply to sms.
      if (first?.body !== keyword || second?.sender !== 'ai') continue;
      expect([id, agent === max]).toEqual([id, channel !== 'sms']);
      seen++;
    }
    expect(seen).toBeGreaterThan(5);
  });

  it('has a gap that counts who asked, of each wording, and the task to answer it', async ({ service }) => {
    const gaps = (await service.get('/knowledge-gaps')).body.gaps as {
      question: string;
      wordings: string[];
      count: number;
      task_id: string | null;
    }[];
    const gap = gaps.find(({ question }) => question.includes('gluten'));
    const sessions = await all<{ id: string }>(service, '/chat-sessions?alerted=true', 'chat_sessions');
    expect(gap?.wordings).toHaveLength(2);
    // The other one is that of today.
    expect(gaps.map(({ count }) => count).reduce((sum, count) => sum + count)).toBe(sessions.length);
    // The title has the wording that was the most frequent then.
    const { task } = (await service.get(`/tasks/${gap?.task_id ?? ''}`)).body;
    expect(task).toMatchObject({ status: 'open', title: expect.stringMatching(/^Answer: .*gluten-free bread\?$/) as string });
  });

  it('has a receiver that was disabled after ten failures, and gets what it missed once it is repaired', async ({ service }) => {
    const { deliveries } = (await service.sandbox('GET', '/deliveries?limit=100&webhook_id=Back%20office')).body as {
      deliveries: { state: string; attempts: { at: string; status_code: number }[] }[];
    };
    const failed = deliveries.filter(({ state }) => state === 'failed');
    expect(failed.map(({ attempts }) => attempts.map(({ status_code }) => status_code))).toEqual(failed.map(() => [500]));
    expect(failed).toHaveLength(10);
    const last = failed[0]?.attempts[0]?.at ?? '';
    const { health, missed } = (await service.get('/webhooks/Back office/health')).body;
    expect(health).toMatchObject({ is_disabled: true, disabled_at: last, consecutive_failures: 10, total_failures: 10 });
    expect(missed).toBeGreaterThan(0);
    const { notifications } = (await service.get('/notifications?kind=webhook_disabled')).body;
    expect(notifications).toMatchObject([{ created_at: last }]);
    const { errors } = (await service.get('/error-log?source=delivery')).body as {
      errors: { code: string; count: number; last_at: string }[];
    };
    expect(errors[0]).toMatchObject({ code: 'http_5xx', last_at: last });

    const receiver = await Receiver.open();
    expect((await service.put('/webhooks/Back office', { url: receiver.url() })).status).toBe(200);
    expect((await service.post('/webhooks/Back office/replay', { from: last, which: 'missed' })).body).toMatchObject({ queued: missed });
    await service.sandbox('POST', '/settle');
    expect(receiver.received).toHaveLength(missed as number);
    await receiver.close();
  });

  it('has a broadcast that failed, with its recipients and reasons, and one that waits for approval', async ({ service }) => {
    const { broadcasts } = (await service.get('/broadcasts')).body;
    expect(broadcasts).toMatchObject([
      { name: 'Winter menu', status: 'Pending Approval' },
      { name: 'Winter sale', status: 'Failed', counts: { total: 12, sent: 0, failed: 12 } },
    ]);
    const { recipients } = (await service.get(`/broadcasts/${broadcasts[1].id}/recipients`)).body as {
      recipients: { status: string; error: { code: string } }[];
    };
    expect(new Set(recipients.map(({ status, error }) => `${status} ${error.code}`))).toEqual(new Set(['failed not_reachable']));
    expect((await service.get('/error-log?source=broadcast')).body.errors).toHaveLength(12);
    expect((await service.get('/notifications?kind=broadcast_failed')).body.notifications).toHaveLength(1);
    const before = (await service.get('/users/me/credits')).body.balance as number;
    expect((await service.post(`/broadcasts/${broadcasts[0].id}/approve`)).status).toBe(200);
    await service.sandbox('POST', '/settle');
    const { counts, status } = (await service.get(`/broadcasts/${broadcasts[0].id}`)).body.broadcast;
    expect([status, counts.sent + counts.failed]).toEqual(['Sent', counts.total]);
    expect((await service.get('/users/me/credits')).body.balance).toBeLessThan(before);
  });

  it('explains the replies of the last days, and a person who answered last has taken the contact over', async ({ service }) => {
    const answered = (await service.get('/messages?sender=ai&limit=100')).body.messages as {
      id: string;
      body: string;
      agent_id: string;
    }[];
    const faqs = await all<{ id: string; answer: string }>(service, '/faqs', 'faqs');
    for (const { id, body, agent_id } of answered) {
      const faq = faqs.find(({ answer }) => answer === body);
      const { trace } = (await service.get(`/messages/${id}/trace`)).body as {
        trace: { source: string | null; decision: object; faqs: object[] };
      };
      if (faq)
        expect(trace).toMatchObject({
          source: 'faq',
          faqs: [{ faq_id: faq.id, chosen: true }],
          decision: { agent_id },
        });
    }
    const people = (await service.get('/messages?sender=human&limit=20')).body.messages as { contact_id: string; channel: string }[];
    const [{ contact_id: id } = { contact_id: '' }] = people.filter(({ channel }) => channel === 'chatapp');
    const { contact } = (await service.get(`/contacts/${id}`)).body as { contact: { phone_number: string } };
    const last = (await messagesOf(service, id)).filter(({ sender }) => sender === 'ai' || sender === 'human').at(-1);
    const { decision } = (await write(service, contact.phone_number, 'When are you open?')) as { decision: { step: string } };
    expect([decision.step === 'takeover', id]).toEqual([last?.sender === 'human', id]);
  });

  it('has a conversation of today that a person took over, with the reason of each answer', async ({ service }) => {
    const [ada] = await lovelace(service);
    const said = await messagesOf(service, ada?.id ?? '');
    expect(said.map(({ sender }) => sender)).toEqual(['contact', 'ai', 'contact', 'ai', 'human']);
    const [, answered, asked, handedOver] = said;
    expect((await service.get(`/messages/${answered?.id}/trace`)).body.trace).toMatchObject({
      decision: { step: 'channel_default' },
      source: 'faq',
      faqs: [{ question: 'When are you open?', score: 1, chosen: true }],
    });
    expect((await service.get(`/messages/${handedOver?.id}/trace`)).body.trace).toMatchObject({ source: 'handover', reply_to: asked?.id });
    // Agents are silent, until somebody resumes the contact.
    expect(await write(service, '+14155550123', 'When are you open?')).toMatchObject({ decision: { step: 'takeover' }, reply: null });
    const { tasks } = (await service.get('/tasks?status=open')).body as { tasks: { due_at: string; contact_id: string | null }[] };
    expect(tasks.some(({ due_at: due }) => Date.parse(due) < service.clock.now)).toBe(true);
    expect(tasks.some(({ contact_id: contact }) => contact === ada?.id)).toBe(true);
  });

  it('has clients with histories of their own', async ({ service }) => {
    const { sub_accounts: clients } = (await service.get('/subaccounts')).body as {
      sub_accounts: { id: string; name: string; balance: number }[];
    };
    expect(clients.map(({ name, balance }) => [name, balance])).toEqual([
      ['City Dental', 50],
      ['Corner Bakery', 200],
    ]);
    for (const { id, name } of clients) {
      const { totals } = (await service.get(`/analytics/summary?sub_account_id=${id}`)).body;
      expect([name, totals.sent > 50]).toEqual([name, true]);
      const { agents } = (await service.get(`/agents?sub_account_id=${id}`)).body as { agents: { name: string }[] };
      expect(agents.map((agent) => agent.name)).toEqual([name === 'City Dental' ? 'Dan' : 'Bea']);
      expect((await service.get(`/knowledge-gaps?sub_account_id=${id}`)).body.gaps).toHaveLength(1);
    }
    expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
  });

  // Proves rule snapshots.4.
  it('is copied to a client once, however often its snapshot is applied', async ({ service }) => {
    const { sub_account: client } = (await service.post('/subaccounts', { name: 'Copy' })).body;
    const { snapshot } = (await service.post('/snapshots', { name: 'Demonstration' })).body;
    const counts: unknown[] = [];
    for (let times = 0; times < 2; times++) {
      const { job_id: id } = (await service.post(`/snapshots/${snapshot.id}/apply`, { account_ids: [client.id] })).body;
      await service.sandbox('POST', '/settle');
      counts.push((await service.get(`/snapshots/${snapshot.id}/jobs/${id}`)).body.accounts[0]);
    }
    expect(counts).toMatchObject([
      { status: 'completed', skipped: 0 },
      { status: 'completed', created: 0 },
    ]);
  });

  it('does not repeat what it has made when it is made again', async ({ service }) => {
    const found = async () => ({
      said: (await messagesOf(service, (await lovelace(service))[0]?.id ?? '')).length,
      tasks: (await service.get('/tasks')).body.tasks.length as number,
      broadcasts: (await service.get('/broadcasts')).body.broadcasts.length as number,
      clients: (await service.get('/subaccounts')).body.sub_accounts.length as number,
      disabled: (await service.get('/notifications?kind=webhook_disabled')).body.notifications.length as number,
    });
    const before = await found();
    await fill(service, { messages: 500, days: 20, seed: 9 });
    expect(await found()).toEqual(before);
    expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
  });
});

// Proves rule activity.17.
it('the demonstration leaves what the user has under its names as it is', async ({ service }) => {
  await reset(service);
  const webhook = { name: 'Back office', url: 'https://mine.example/hooks', subscribed_to: ['Task Created'] };
  expect((await service.post('/webhooks', webhook)).status).toBe(200);
  const { campaign } = (await service.post('/campaigns', { name: 'Spring menu' })).body as { campaign: { id: string } };
  const own = [
    { campaign_id: campaign.id, question: 'When are you open?', answer: 'We never close.' },
    { campaign_id: campaign.id, question: 'Do you have gluten-free bread?', answer: 'Always.' },
  ];
  for (const faq of own) expect((await service.post('/faqs', faq)).status).toBe(200);
  const { contact } = (await service.post('/contacts', { phone_number: '+14155550123' })).body as { contact: { id: string } };
  expect((await service.put(`/contacts/${contact.id}`, { do_not_disturb: true })).status).toBe(200);
  await fill(service, { messages: 1_000, days: 20 });
  expect(await messagesOf(service, contact.id)).toEqual([]);
  expect((await service.get('/webhooks/Back office/health')).body).toMatchObject({ health: null, missed: 0 });
  expect((await service.get('/webhooks')).body.webhooks).toContainEqual(expect.objectContaining(webhook));
  // Agents answered with its FAQ, and nobody asked what it answers already.
  expect((await service.get('/messages?search=never%20close&sender=ai&limit=1')).body.messages).toHaveLength(1);
  expect((await service.get('/messages?search=from%20nine%20to%20six&sender=ai&limit=1')).body.messages).toEqual([]);
  expect((await service.get('/messages?search=gluten&limit=1')).body.messages).toEqual([]);
});

// Proves rule activity.17.
it('the demonstration of a contact whose number was there already, and of a clock at the beginning of time', async () => {
  const early = await TestService.open({ clock: Date.parse('1970-01-02T00:00:00Z') });
  await early.sandbox('POST', `/accounts/${early.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  await write(early, '+14155550123', 'Hello');
  await fill(early, { messages: 500 });
  const [ada] = await lovelace(early);
  expect((await messagesOf(early, ada?.id ?? '')).map(({ body }) => body)).toContain('I am sorry, Ada. The refund is on its way.');
  expect((await early.get('/tasks')).body.tasks.length).toBeGreaterThan(1);
  await early.close();
});

// Proves rule activity.17.
it.for([20, 600])('the demonstration has as many messages as are asked for, and counts all of them: %s', async (messages, { service }) => {
  await reset(service);
  await service.sandbox('POST', '/clock', { frozen: true });
  const made = (await service.sandbox('POST', '/demo', { messages, days: 10 })).body as Record<string, number>;
  const counted = await service.write(async (db) => {
    const countIn = async (table: 'messages' | 'contacts' | 'chat_sessions') =>
      (
        await db
          .selectFrom(table as 'messages')
          .select('seq')
          .where('account_id', '=', service.accountId)
          .execute()
      ).length;
    const [sent, contacts, sessions] = [await countIn('messages'), await countIn('contacts'), await countIn('chat_sessions')];
    const entries = await db.selectFrom('credit_ledger').select('reason').where('account_id', '=', service.accountId).execute();
    const ledger = entries.filter(({ reason }) => reason !== 'starting_credits').length;
    return { messages: sent, contacts, sessions, ledger_records: ledger };
  });
  expect(made).toMatchObject(counted);
  expect(counted.messages).toBe(messages);
  expect(await lovelace(service)).toHaveLength(messages < 50 ? 0 : 1);
});

// Proves rule activity.17.
it('the demonstration emits nothing', async ({ service }) => {
  await reset(service);
  const receiver = await Receiver.open();
  const events = [
    'New Message',
    'Replies',
    'Task Created',
    'Broadcast Started',
    'the service Alerted',
    'Credits Spent',
    'Low Credit Balance',
  ];
  expect((await service.post('/webhooks', { url: receiver.url(), subscribed_to: events })).status).toBe(200);
  await fill(service, { messages: 500, days: 20 });
  await service.sandbox('POST', '/settle');
  expect(receiver.received).toEqual([]);
  await receiver.close();
});
