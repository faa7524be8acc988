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

/**
 * Measures the search on a set of questions: how often the right FAQ comes first, and how often it matches well enough to answer.
 */
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

/** The expected results, which are the figures in `docs/interface/answers.md`. */
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

/** FAQs whose words each occur in more than 100 of them: 20 products of 15 kinds, each with 10 questions. */
function productFaqs() {
  const products =
    'kettle toaster mixer blender lamp sofa chair desk shelf mirror carpet curtain pillow blanket mattress wardrobe bicycle helmet tent jacket';
  const kinds = 'Alpha Bravo Copper Delta Eagle Falcon Granite Harbor Indigo Jasmine Kodiak Lunar Maple Nordic Orchid';
  const questions = [
    'How do I clean the {}?',
    'What does the {} weigh?',
    'Is the {} waterproof?',
    'How long does delivery of the {} take?',
    'Can I return the {}?',
    'Which warranty does the {} have?',
    'In which colours is the {} available?',
    'Where can I find the manual of the {}?',
    'Can I order spare parts for the {}?',
    'Is the {} suitable for children?',
  ];
  const named = products.split(' ').flatMap((product) => kinds.split(' ').map((kind) => ({ product, kind })));
  return named.flatMap((name) => questions.map((question) => ({ ...name, question })));
}

// Proves rule answers.28: pairs of words find what no single word could within the bound.
it('the search finds one of 3,000 FAQs whose words are each too common to search for', async () => {
  const agent = await KnowingAgent.make(service);
  const faqs = productFaqs();
  const ids = await agent.learn(faqs.map(({ product, kind, question }) => [question.replace('{}', `${product} ${kind}`), 'See its page.']));
  await settle(service);
  let [asked, first] = [0, 0];
  for (const [index, { product, kind, question }] of faqs.entries()) {
    if (index % 30 !== 7) continue;
    const mistyped = product.replace(/^(..)(.)(.)/, '$1$3$2');
    for (const message of [`${kind} ${product}: ${question.replace('the {}', 'it')}`, question.replace('{}', `${mistyped} ${kind}`)]) {
      asked++;
      if ((await agent.find(message))[0] === ids[index]) first++;
    }
  }
  expect([asked, first]).toEqual([200, 185]);
});
