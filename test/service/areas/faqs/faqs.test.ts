import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestService } from '../../../support/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await TestService.open();
});

afterAll(async () => {
  await service.close();
});

beforeEach(async () => {
  await service.freshAccount();
});

async function campaign(name = 'Support'): Promise<string> {
  const { body } = await service.post('/campaigns', { name });
  return body.campaign.id as string;
}

async function faq(campaignId: string, question: string, more: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await service.post('/faqs', { campaign_id: campaignId, question, answer: `About ${question}`, ...more });
  expect(status).toBe(200);
  return body.faq_id as string;
}

const get = async (id: string) => (await service.get(`/faqs/${id}`)).body.faq;

const questionsOf = async (query = '') =>
  (await service.get(`/faqs${query}`)).body.faqs.map(({ question }: { question: string }) => question) as string[];

const settle = async () => expect((await service.sandbox('POST', '/settle')).status).toBe(200);

describe('FAQs', () => {
  // Proves rules faqs.1, faqs.2.
  it('are created with defaults, and answer 200', async () => {
    const support = await campaign();
    const id = await faq(support, 'When do you open?');
    expect(id).toMatch(/^faq_/);
    expect(await get(id)).toEqual({
      id,
      question: 'When do you open?',
      answer: 'About When do you open?',
      category: null,
      tags: [],
      is_active: true,
      is_global: false,
      usage_count: 0,
      order_index: 0,
      campaign_ids: [support],
      created_at: '2027-03-01T12:00:00.000Z',
      updated_at: '2027-03-01T12:00:00.000Z',
    });
  });
});

describe('the search data', () => {
  it('are prepared', async () => {
    const support = await campaign();
    const id = await faq(support, 'When do you open?');
    await settle();
    expect(service.errors).toEqual([]);
    expect((await service.sandbox('GET', '/jobs')).body.waiting).toEqual({});
    await service.put(`/faqs/${id}`, { question: 'Closed?' });
    await settle();
    await service.delete(`/faqs/${id}`);
    await settle();
    expect(await questionsOf()).toEqual([]);
    expect(service.errors).toEqual([]);
  });
});
