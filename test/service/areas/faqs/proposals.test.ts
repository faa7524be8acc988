import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KnowingAgent, settle } from '../../../support/agents.ts';
import { readSet } from '../../../support/question-sets.ts';
import { TestService } from '../../../support/test-service.ts';

let service: TestService;
let agent: KnowingAgent;

beforeAll(async () => {
  service = await TestService.open();
});

afterAll(() => service.close());

beforeEach(async () => {
  await service.freshAccount();
  agent = await KnowingAgent.make(service);
});

async function propose(body: Record<string, unknown> = {}) {
  expect((await service.post('/faqs/dedupe', { propose: true, ...body })).status).toBe(202);
  await settle(service);
  return (await service.get('/faqs/dedupe')).body.job as { status: string; merged: unknown[]; proposals: unknown[] };
}

describe('a duplicate check that proposes', () => {
  // Proves rules faqs.36, faqs.47, faqs.48.
  it('changes nothing, and lists what could be merged with the reason', async () => {
    const pay = 'You can pay by invoice, by card or by bank transfer when you order.';
    const [card, cards, open, opened, ship, shipped] = await agent.learn([
      ['Which cards do you accept?', pay],
      ['Do you accept cards?', pay],
      ['When do you open?', 'At nine.'],
      ['When do you open', 'At ten on Sundays, at nine on all other days.'],
      ['How long does shipping take?', 'About three days.'],
      ['How long does shiping take?', 'About three days.'],
      ['What does a gift box cost?', pay],
    ]);
    const { status, merged, proposals } = await propose();
    expect([status, merged]).toEqual(['completed', []]);
    expect(proposals).toEqual([
      { faq_ids: [ship, shipped], reason: 'duplicate', score: 1 },
      { faq_ids: [open, opened], reason: 'same_question', score: 1 },
      { faq_ids: [card, cards], reason: 'same_answer', score: 0.82 },
    ]);
    expect((await service.get('/faqs?limit=100')).body.faqs).toHaveLength(7);
  });

  it('does not propose FAQs whose answers have other numbers', async () => {
    await agent.learn([
      ['When do I get my refund for an order?', 'Within 14 days of delivery, in your account.'],
      ['When do I get a refund for my order?', 'Within 30 days of delivery, in your account.'],
    ]);
    expect((await propose()).proposals).toEqual([]);
  });

  it('compares nothing across campaigns', async () => {
    const other = await KnowingAgent.make(service);
    await agent.learn([['When do you open?', 'At nine.']]);
    await other.learn([['When do you open?', 'At ten.']]);
    expect((await propose()).proposals).toEqual([]);
  });

  it('finds most rewordings of questions that have the same answer', async () => {
    const set = readSet('covid-en');
    const answers = new Map(set.faqs.map(({ label, answer }) => [label, answer]));
    await agent.learn([
      ...set.faqs.map(({ question, answer }) => [question, answer] as const),
      ...set.queries.map(({ text, label }) => [text, answers.get(label) ?? ''] as const),
    ]);
    const { proposals } = await propose();
    const proposed = new Set(proposals.flatMap((proposal) => (proposal as { faq_ids: string[] }).faq_ids));
    expect(proposed.size).toBe(190);
  });
});
