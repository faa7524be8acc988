import { describe, expect } from 'vitest';
import { it } from '../../support/account-test.ts';
import { KnowingAgent, settle } from '../../support/agents.ts';
import type { TestService } from '../../support/test-service.ts';

it.beforeEach(async ({ service }) => {
  expect(
    (await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' })).status,
  ).toBe(201);
  agent = await KnowingAgent.make(service);
  await agent.learn([['Where is the shop?', 'In Berlin.']]);
  await service.put('/entry-points/channel-defaults', { channel: 'chatapp', agent_id: agent.id });
  await settle(service);
});

/** The agent of the current test, which answers everything. */
let agent: KnowingAgent;

const day = 86_400_000;

const contactNumber = (contact: number) => `+1415556${String(contact).padStart(4, '0')}`;

/** Writes to the agent. @param contact the number of the contact @returns the id of the contact */
async function write(service: TestService, text: string, contact = 1): Promise<string> {
  const body = { channel: 'chatapp', from: contactNumber(contact), text };
  const answer = await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, body);
  expect(answer.status).toBe(201);
  service.clock.now += 1_000;
  return answer.body.contact_id as string;
}

const gaps = async (service: TestService, query = '') => (await service.get(`/knowledge-gaps${query}`)).body.gaps;

/** The only gap of the account. */
async function onlyGap(service: TestService) {
  const all = await gaps(service);
  expect(all).toHaveLength(1);
  return all[0];
}

const tasks = async (service: TestService) => (await service.get('/tasks?limit=100')).body.tasks;

const answer = (service: TestService, id: string, body: Record<string, unknown>) =>
  service.post(`/knowledge-gaps/${id}/answer`, { campaignId: agent.campaign, ...body });

describe('a message without an answer', () => {
  // Proves rules gaps.1, gaps.6.
  it('makes a gap', async ({ service }) => {
    const at = service.clock.now;
    const contact = await write(service, ' Are you open on Sunday? ');
    expect(await onlyGap(service)).toEqual({
      id: expect.stringMatching(/^gap_/),
      question: 'Are you open on Sunday?',
      wordings: ['Are you open on Sunday?'],
      count: 1,
      agent_ids: [agent.id],
      contact_ids: [contact],
      status: 'open',
      faq_id: null,
      task_id: null,
      first_at: new Date(at).toISOString(),
      last_at: new Date(at).toISOString(),
      created_at: new Date(at).toISOString(),
      updated_at: new Date(at).toISOString(),
    });
    const { id } = await onlyGap(service);
    expect((await service.get(`/knowledge-gaps/${id}`)).body.gap).toEqual(await onlyGap(service));
    expect((await service.get('/knowledge-gaps/gap_none')).status).toBe(404);
  });

  // Proves rule gaps.2.
  it('joins the gap that has its wording, or whose question it finds', async ({ service }) => {
    await write(service, 'Are you open on Sunday?');
    await write(service, 'are you OPEN, on sunday');
    expect(await onlyGap(service)).toMatchObject({ count: 2, wordings: ['Are you open on Sunday?'] });
    await write(service, 'open on a Sunday?');
    await write(service, 'do you sell parking permits?');
    expect((await gaps(service)).map(({ count }: { count: number }) => count)).toEqual([1, 3]);
  });

  // Proves rule gaps.3.
  it('makes none when it is answered, a greeting, without words, or handed over for another reason', async ({ service }) => {
    for (const text of ['Where is the shop?', 'Hello', 'Hi Ada!', '?!', '👍', '…']) await write(service, text);
    await service.put(`/agents/${agent.id}`, { alert_human_when: 'manager' });
    await write(service, 'Give me the manager of the moon');
    expect(await gaps(service)).toEqual([]);
    await service.sandbox('POST', `/accounts/${service.accountId}/ask`, { agent_id: agent.id, question: 'Are you open on Sunday?' });
    expect(await gaps(service)).toEqual([]);
  });

  // Proves rules gaps.4, gaps.5.
  it('counts wordings: the most frequent is the question, by which others join', async ({ service }) => {
    await write(service, 'Are you open on Sunday?');
    await write(service, 'sunday opening?');
    await write(service, 'Sunday opening');
    const gap = await onlyGap(service);
    expect(gap).toMatchObject({ question: 'sunday opening?', wordings: ['sunday opening?', 'Are you open on Sunday?'], count: 3 });
    for (const words of ['the', 'a', 'is', 'on', 'what', 'and', 'or', 'this', 'that', 'for'])
      await write(service, `${words} Sunday opening?`);
    expect((await onlyGap(service)).wordings).toHaveLength(10);
  });

  // Proves rule gaps.6.
  it('names the ten contacts who asked last', async ({ service }) => {
    const contacts: string[] = [];
    for (let contact = 0; contact < 12; contact++) contacts.push(await write(service, 'Are you open on Sunday?', contact));
    await write(service, 'Are you open on Sunday?', 0);
    expect((await onlyGap(service)).contact_ids).toEqual([contacts[0], ...contacts.slice(3).reverse()]);
  });
});

describe('the list of gaps', () => {
  // Proves rules gaps.7, gaps.8.
  it('is newest first, filtered by agent and status, or the most frequent', async ({ service }) => {
    const questions = ['Are you open on Sunday?', 'Do you sell parking permits?', 'Is there a student discount?'];
    for (const [index, text] of questions.entries()) for (let time = 0; time <= index % 2; time++) await write(service, text);
    const asked = async (query: string) => (await gaps(service, query)).map(({ question }: { question: string }) => question);
    expect(await asked('')).toEqual(questions.toReversed());
    expect(await asked('?sort=frequent')).toEqual([questions[1], questions[2], questions[0]]);
    const one = (await service.get('/knowledge-gaps?sort=frequent&limit=1')).body;
    expect(one).toMatchObject({ gaps: [{ question: questions[1] }], next_cursor: null });
    const first = (await service.get('/knowledge-gaps?limit=2')).body;
    expect(first.gaps).toHaveLength(2);
    expect(await asked(`?limit=2&cursor=${first.next_cursor}`)).toEqual([questions[0]]);
    const other = await KnowingAgent.make(service);
    expect(await asked(`?agent_id=${other.id}`)).toEqual([]);
    expect(await asked(`?agent_id=${agent.id}&status=open&sort=frequent`)).toHaveLength(3);
    await service.post(`/knowledge-gaps/${(await gaps(service))[0].id}/dismiss`);
    expect(await asked('?status=dismissed')).toEqual([questions[2]]);
    expect(await asked(`?status=open&agent_id=${agent.id}`)).toEqual([questions[1], questions[0]]);
    for (const query of ['status=none', 'sort=newest', 'sort=frequent&cursor=x'])
      expect((await service.get(`/knowledge-gaps?${query}`)).status).toBe(400);
    expect((await service.get('/knowledge-gaps?agent_id=agt_none')).status).toBe(404);
  });

  // Proves rule gaps.9.
  it('has 1,000 open gaps at most: the least frequent, oldest one goes', async ({ service }) => {
    await write(service, 'Are you open on Sunday?');
    await write(service, 'Are you open on Sunday?');
    await write(service, 'Do you sell parking permits?');
    await service.write(async (db) => {
      const at = service.clock.now;
      const own = { account_id: service.accountId, count: 1, first_at: at, last_at: at, created_at: at, updated_at: at };
      const more = Array.from({ length: 998 }, (_, index) => ({
        ...own,
        id: `gap_${service.accountId}_${index}`,
        question: `q${index}`,
        status: 'open' as const,
      }));
      for (let from = 0; from < more.length; from += 100)
        await db
          .insertInto('knowledge_gaps')
          .values(more.slice(from, from + 100) as never)
          .execute();
    });
    await write(service, 'Is there a student discount?');
    const oldest = (await gaps(service, '?sort=frequent&limit=1'))[0];
    expect(oldest).toMatchObject({ question: 'Are you open on Sunday?', count: 2 });
    const count = await service.write((db) =>
      db.selectFrom('knowledge_gaps').select('question').where('account_id', '=', service.accountId).execute(),
    );
    expect(count).toHaveLength(1_000);
    expect(count.map(({ question }) => question)).not.toContain('Do you sell parking permits?');
    await settle(service);
    await write(service, 'Do you sell parking permits?');
    expect((await gaps(service, '?limit=1'))[0]).toMatchObject({ question: 'Do you sell parking permits?', count: 1 });
  });
});

describe('the task to answer', () => {
  // Proves rule gaps.10.
  it('is made when a second contact asks', async ({ service }) => {
    await write(service, 'Are you open on Sunday?');
    await write(service, 'Are you open on Sunday?');
    expect(await tasks(service)).toEqual([]);
    const at = service.clock.now;
    await write(service, 'Are you open on Sunday?', 2);
    await write(service, 'Are you open on Sunday?', 3);
    const [task, ...others] = await tasks(service);
    expect(others).toEqual([]);
    expect(task).toMatchObject({
      title: 'Answer: Are you open on Sunday?',
      status: 'open',
      contact_id: null,
      due_at: new Date(at + 7 * day).toISOString(),
    });
    expect((await onlyGap(service)).task_id).toBe(task.id);
    await service.delete(`/tasks/${task.id}`);
    await write(service, 'Are you open on Sunday?', 4);
    expect((await onlyGap(service)).task_id).toBeNull();
    expect(await tasks(service)).toEqual([]);
  });

  // Proves rule gaps.11.
  it('is made twenty times a day at most; later ones are made on another day', async ({ service }) => {
    const words =
      'apple bicycle candle dolphin elephant feather guitar hammer island jacket kettle ladder mirror needle orange pencil quilt rocket saddle turtle umbrella'.split(
        ' ',
      );
    for (const word of words) for (const contact of [1, 2]) await write(service, `about ${word}`, contact);
    expect(await gaps(service)).toHaveLength(21);
    expect(await tasks(service)).toHaveLength(20);
    service.clock.now += day;
    await write(service, 'about umbrella', 1);
    expect((await tasks(service))[0].title).toBe('Answer: about umbrella');
  });

  // Proves rule gaps.12.
  it('is completed with the answer, and open again when the question still has none', async ({ service }) => {
    for (const contact of [1, 2]) await write(service, 'Are you open on Sunday?', contact);
    const { id } = await onlyGap(service);
    const { status, body } = await answer(service, id, { answer: 'Yes, from nine.' });
    expect(status).toBe(200);
    expect(body.gap).toMatchObject({ id, status: 'answered', faq_id: body.faq_id });
    expect(await tasks(service)).toMatchObject([{ status: 'completed' }]);
    await settle(service);
    const [answered] = (await agent.ask('Are you open on Sunday?')).faqs;
    expect(answered?.faq_id).toBe(body.faq_id);
    await write(service, 'Are you open on Sunday?');
    expect(await onlyGap(service)).toMatchObject({ status: 'answered', count: 2 });
    await service.delete(`/faqs/${body.faq_id}`);
    expect((await onlyGap(service)).faq_id).toBeNull();
    await write(service, 'Are you open on Sunday?');
    expect(await onlyGap(service)).toMatchObject({ id, status: 'open', count: 3 });
    expect(await tasks(service)).toMatchObject([{ status: 'open', title: 'Answer: Are you open on Sunday?' }]);
  });

  // Proves rule gaps.13.
  it('is completed when the gap is dismissed, which then only counts', async ({ service }) => {
    for (const contact of [1, 2]) await write(service, 'Are you open on Sunday?', contact);
    const { id } = await onlyGap(service);
    expect((await service.post(`/knowledge-gaps/${id}/dismiss`)).body.gap).toMatchObject({ status: 'dismissed', faq_id: null });
    await write(service, 'Are you open on Sunday?', 3);
    expect(await onlyGap(service)).toMatchObject({ status: 'dismissed', count: 3 });
    expect(await tasks(service)).toMatchObject([{ status: 'completed' }]);
    expect((await service.post('/knowledge-gaps/gap_none/dismiss')).status).toBe(404);
  });

  it('is told of as every task is', async ({ service }) => {
    await service.post('/webhooks', {
      name: 'w',
      url: 'http://127.0.0.1:9/',
      subscribed_to: ['Task Created', 'Task Updated', 'Task Completed'],
    });
    for (const contact of [1, 2]) await write(service, 'Are you open on Sunday?', contact);
    const { id } = await onlyGap(service);
    const { faq_id: faqId } = (await answer(service, id, { answer: 'Yes' })).body;
    await service.delete(`/faqs/${faqId}`);
    await write(service, 'Are you open on Sunday?');
    const { deliveries } = (await service.sandbox('GET', `/deliveries?account_id=${service.accountId}`)).body;
    expect(deliveries.map(({ event }: { event: string }) => event)).toEqual(['Task Updated', 'Task Completed', 'Task Created']);
  });
});

describe('an answer', () => {
  // Proves rule faqs.31.
  it('stays when its FAQ is merged into another one', async ({ service }) => {
    await agent.learn([['Is there a garage?', 'On the left.']]);
    await settle(service);
    await write(service, 'Where can I leave my bicycle?');
    const { id } = await onlyGap(service);
    const { faq_id: faqId } = (await answer(service, id, { question: 'Is there a garage?', answer: 'On the left.' })).body;
    await service.post('/faqs/dedupe');
    await settle(service);
    const [only, ...others] = ((await service.get('/faqs?limit=100')).body.faqs as { id: string; question: string }[]).filter(
      ({ question }) => question.includes('garage'),
    );
    expect([others, only?.id === faqId, (await onlyGap(service)).faq_id]).toEqual([[], false, only?.id]);
  });

  // Proves rule gaps.14.
  it('is suggested from all FAQs of the account, the best first', async ({ service }) => {
    await write(service, 'Are you open on Sunday?');
    const { campaign } = (await service.post('/campaigns', { name: 'Nobody answers from it' })).body;
    const make = async (question: string) =>
      (await service.post('/faqs', { campaign_id: campaign.id, question, answer: 'x' })).body.faq_id as string;
    const far = await make('Which shops open on Sunday in winter and in summer?');
    const exact = await make('are you open on sunday?');
    await settle(service);
    const { id } = await onlyGap(service);
    const { faqs } = (await service.get(`/knowledge-gaps/${id}/suggestions`)).body;
    expect(faqs.map(({ faq_id: each }: { faq_id: string }) => each)).toEqual([exact, far]);
    expect(faqs[0]).toEqual({ faq_id: exact, question: 'are you open on sunday?', score: 1 });
    expect((await service.get('/knowledge-gaps/gap_none/suggestions')).status).toBe(404);
  });

  // Proves rule gaps.15.
  it('is a FAQ that there is, or a new one with the question of the gap or another', async ({ service }) => {
    await write(service, 'Are you open on Sunday?');
    const { id } = await onlyGap(service);
    for (const body of [{}, { faqId: 'x', answer: 'y' }, { answer: ' ' }]) expect((await answer(service, id, body)).status).toBe(400);
    expect((await answer(service, id, { faqId: 'faq_none' })).status).toBe(404);
    expect((await answer(service, id, { campaignId: 'cmp_none', answer: 'x' })).status).toBe(404);
    expect((await answer(service, 'gap_none', { answer: 'x' })).status).toBe(404);
    const made = (await answer(service, id, { answer: 'Yes' })).body.faq_id;
    expect((await service.get(`/faqs/${made}`)).body.faq).toMatchObject({
      question: 'Are you open on Sunday?',
      answer: 'Yes',
      campaign_ids: [agent.campaign],
    });
    const other = (await answer(service, id, { answer: 'Yes', question: 'Sunday?' })).body.faq_id;
    expect((await service.get(`/faqs/${other}`)).body.faq.question).toBe('Sunday?');
    const { campaign } = (await service.post('/campaigns', { name: 'x' })).body;
    const linked = await answer(service, id, { campaignId: campaign.id, faqId: made });
    expect(linked.body).toMatchObject({ faq_id: made, gap: { status: 'answered', faq_id: made } });
    expect((await service.get(`/faqs/${made}`)).body.faq.campaign_ids).toEqual([agent.campaign, campaign.id]);
  });
});

describe('a deleted contact', () => {
  // Proves rule gaps.16.
  it('takes its wordings along, and the gaps that nobody else asked, with their tasks', async ({ service }) => {
    const one = await write(service, 'Sunday opening?', 1);
    await write(service, 'Sunday opening?', 1);
    const two = await write(service, 'Are you open on Sunday?', 2);
    await write(service, 'Do you sell parking permits?', 1);
    const sunday = (await gaps(service))[1];
    expect(sunday).toMatchObject({ question: 'Sunday opening?', count: 3, contact_ids: [two, one] });
    expect(await tasks(service)).toMatchObject([{ title: 'Answer: Sunday opening?' }]);
    expect((await service.delete(`/contacts/${one}`)).status).toBe(200);
    expect(await onlyGap(service)).toMatchObject({
      id: sunday.id,
      question: 'Are you open on Sunday?',
      wordings: ['Are you open on Sunday?'],
      count: 1,
      contact_ids: [two],
    });
    expect(await tasks(service)).toMatchObject([{ title: 'Answer: Are you open on Sunday?' }]);
    await settle(service);
    await write(service, 'open on a Sunday?', 3);
    expect(await onlyGap(service)).toMatchObject({ count: 2 });
    const three = (await onlyGap(service)).contact_ids[0];
    await service.delete(`/contacts/${two}`);
    await service.delete(`/contacts/${three}`);
    expect(await gaps(service)).toEqual([]);
    expect(await tasks(service)).toEqual([]);
    await settle(service);
    const rows = await service.write((db) =>
      db.selectFrom('faq_terms').selectAll().where('scope', '=', `gaps ${service.accountId}`).execute(),
    );
    expect(rows).toEqual([]);
  });
});

it('a deleted account leaves no gap, no group and no index of them', async ({ service }) => {
  const { api_key: key } = await service.makeAccount({ kind: 'agency' });
  const { sub_account: sub } = (await service.post('/subaccounts', { name: 'Shop', email: 'shop@shop.example' }, { key })).body;
  const own = { sub_account_id: sub.id as string };
  const post = async (path: string, body: object) => (await service.post(path, { ...own, ...body }, { key })).body;
  await service.sandbox('POST', `/accounts/${sub.id}/channels`, { channel: 'chatapp', identity: '+14155550111' });
  const { agent_id: agentId } = await post('/agents', { name: 'Ada' });
  const { campaign } = await post('/campaigns', { name: 'Support', agent_id: agentId });
  const { faq_id: faqId } = await post('/faqs', { campaign_id: campaign.id, question: 'Where is the shop?', answer: 'In Berlin.' });
  const { kb_group: group } = await post('/kb-groups', { name: 'Shop' });
  await post(`/kb-groups/${group.id}/faqs`, { faq_ids: [faqId] });
  const inbound = { channel: 'chatapp', from: contactNumber(1), text: 'Are you open on Sunday?' };
  expect((await service.sandbox('POST', `/accounts/${sub.id}/inbound`, inbound)).status).toBe(201);
  await settle(service);
  const count = async () =>
    await service.write(async (db) => [
      (
        await db
          .selectFrom('faq_terms')
          .select('scope')
          .where('scope', 'in', [`gaps ${sub.id}`, group.id])
          .execute()
      ).length,
      (await db.selectFrom('faq_search').select('scopes').where('account_id', '=', sub.id).execute()).length,
      (await db.selectFrom('knowledge_gaps').select('id').where('account_id', '=', sub.id).execute()).length,
      (await db.selectFrom('gap_wordings').select('key').where('account_id', '=', sub.id).execute()).length,
      (await db.selectFrom('kb_groups').select('id').where('account_id', '=', sub.id).execute()).length,
    ]);
  expect((await count()).every((rows) => rows > 0)).toBe(true);
  expect((await service.delete(`/subaccounts/${sub.id}`, { key })).status).toBe(200);
  await service.service.runMaintenance();
  expect(await count()).toEqual([0, 0, 0, 0, 0]);
});
