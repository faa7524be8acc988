import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestService } from '../../../support/test-service.ts';
import { questionSets } from './questions.ts';

let service: TestService;

beforeAll(async () => {
  service = await TestService.open();
  await service.liftLimits();
});

afterAll(async () => {
  await service.close();
});

const settle = async () => expect((await service.sandbox('POST', '/settle')).status).toBe(200);

/** An agent with a campaign. */
async function agentWithCampaign(): Promise<{ agent: string; campaign: string }> {
  const agent = (await service.post('/agents', { name: 'Ada' })).body.agent_id as string;
  const { body } = await service.post('/campaigns', { name: 'Support', agent_id: agent });
  return { agent, campaign: body.campaign.id };
}

async function ask(agent: string, question: string) {
  const { status, body } = await service.sandbox('POST', `/accounts/${service.accountId}/ask`, { agent_id: agent, question });
  expect(status).toBe(200);
  return body as { answer: string | null; source: string | null; faqs: { faq_id: string; score: number }[] };
}

/** What the search answers of a set: how often the right FAQ is first, and how often it is good enough to answer. */
async function measure(set: (typeof questionSets)[number]) {
  const { agent, campaign } = await agentWithCampaign();
  const faqs = set.faqs.map(({ question, answer }) => ({ question, answer }));
  const { body } = await service.post('/faqs/import', { campaign_id: campaign, faqs });
  await settle();
  const result = { asked: 0, first: 0, answered: 0, wrong: 0, offTopic: 0, offTopicAnswered: 0 };
  for (const [index, faq] of set.faqs.entries())
    for (const message of [...faq.reworded, ...faq.mistyped]) {
      const { source, faqs: found } = await ask(agent, message);
      const isRight = found[0]?.faq_id === body.faq_ids[index];
      result.asked++;
      if (isRight) result.first++;
      if (source === 'faq') result[isRight ? 'answered' : 'wrong']++;
    }
  for (const message of set.offTopic) {
    result.offTopic++;
    if ((await ask(agent, message)).source === 'faq') result.offTopicAnswered++;
  }
  return result;
}

/** What must be found, and what the search reaches: the figures of `docs/interface/answers.md`. */
const reached = {
  en: { asked: 150, first: 147, answered: 137, wrong: 3, offTopic: 12, offTopicAnswered: 0 },
  de: { asked: 100, first: 95, answered: 90, wrong: 1, offTopic: 10, offTopicAnswered: 0 },
  es: { asked: 60, first: 60, answered: 57, wrong: 0, offTopic: 6, offTopicAnswered: 0 },
  fr: { asked: 50, first: 48, answered: 47, wrong: 1, offTopic: 6, offTopicAnswered: 0 },
};

describe('the search', () => {
  it('finds words with letters outside the basic plane, also with a typo', async () => {
    const { agent, campaign } = await agentWithCampaign();
    const questions = ['𐊀Ꭰ', '𐐨𐐩𐐪𐐫𐐬𐐭', 'When do you open?'];
    const { body } = await service.post('/faqs/import', {
      campaign_id: campaign,
      faqs: questions.map((question) => ({ question, answer: 'Yes.' })),
    });
    await settle();
    for (const [message, index] of [...questions.entries()].map(([at, text]) => [text, at] as const))
      expect((await ask(agent, message)).faqs[0]?.faq_id).toBe(body.faq_ids[index]);
    expect((await ask(agent, '𐐨𐐩𐐪𐐫𐐭')).faqs[0]?.faq_id).toBe(body.faq_ids[1]);
  });

  // Proves rules answers.20, answers.29: the figures are the same on both engines.
  it.each(questionSets)('finds what contacts ask for in $language', async (set) => {
    expect(await measure(set)).toEqual(reached[set.language]);
    expect(service.errors).toEqual([]);
  });
});
