import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KnowingAgent, settle } from '../../../support/agents.ts';
import { TestService } from '../../../support/test-service.ts';
import { questionSets } from '../faqs/questions.ts';

let service: TestService;

beforeAll(async () => {
  service = await TestService.open();
  await service.liftLimits();
});

afterAll(async () => {
  await service.close();
});

/** What the search answers of a set: how often the right FAQ is first, and how often it is good enough to answer. */
async function measure(set: (typeof questionSets)[number]) {
  const agent = await KnowingAgent.make(service);
  const ids = await agent.learn(set.faqs.map(({ question, answer }) => [question, answer]));
  await settle(service);
  const result = { asked: 0, first: 0, answered: 0, wrong: 0, offTopic: 0, offTopicAnswered: 0 };
  for (const [index, faq] of set.faqs.entries())
    for (const message of [...faq.reworded, ...faq.mistyped]) {
      const { source, faqs: found } = await agent.ask(message);
      const isRight = found[0]?.faq_id === ids[index];
      result.asked++;
      if (isRight) result.first++;
      if (source === 'faq') result[isRight ? 'answered' : 'wrong']++;
    }
  for (const message of set.offTopic) {
    result.offTopic++;
    if ((await agent.ask(message)).source === 'faq') result.offTopicAnswered++;
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
  // Proves rules answers.20, answers.29: the figures are the same on both engines.
  it.each(questionSets)('finds what contacts ask for in $language', async (set) => {
    expect(await measure(set)).toEqual(reached[set.language]);
  });
});
