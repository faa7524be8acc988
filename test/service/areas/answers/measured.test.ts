import { describe, expect } from 'vitest';
import { KnowingAgent, settle } from '../../../support/agents.ts';
import type { TestService } from '../../../support/test-service.ts';
import { askSet, type Found, readSet, setNames } from '../../../support/question-sets.ts';
import { it } from '../../../support/service-test.ts';
import { isLongSweep } from '../../../support/sweeps.ts';
import { questionSets } from '../faqs/questions.ts';

it.beforeAll(async ({ service }) => {
  await service.liftLimits();
});

/**
 * Measures the search on a set of questions: how often the right FAQ comes first, and how often it matches well enough to answer.
 */
async function measure(service: TestService, set: (typeof questionSets)[number]) {
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
  en: { asked: 150, first: 146, answered: 130, wrong: 1, offTopic: 12, offTopicAnswered: 0 },
  de: { asked: 100, first: 98, answered: 91, wrong: 0, offTopic: 10, offTopicAnswered: 0 },
  es: { asked: 60, first: 59, answered: 47, wrong: 0, offTopic: 6, offTopicAnswered: 0 },
  fr: { asked: 50, first: 49, answered: 41, wrong: 0, offTopic: 6, offTopicAnswered: 0 },
};

describe('the search', () => {
  // Proves rules answers.20, answers.29: the figures are the same on both engines.
  it.for(questionSets)('finds what contacts ask for in $language', async (set, { service }) => {
    expect(await measure(service, set)).toEqual(reached[set.language]);
  });
});

/** What a tenth of the public sets reaches. The figures of all are in `docs/interface/answers.md`. */
const reachedInPublic: Record<(typeof setNames)[number], Found> = {
  banking: { asked: 60, first: 41, five: 54, right: 33, wrong: 8, askedBack: 9, named: 7, inWords: 0, others: 20, othersAnswered: 0 },
  'covid-en': { asked: 25, first: 19, five: 21, right: 13, wrong: 1, askedBack: 8, named: 5, inWords: 0, others: 0, othersAnswered: 0 },
  'paragraphs-en': {
    asked: 40,
    first: 38,
    five: 38,
    right: 31,
    wrong: 0,
    askedBack: 4,
    named: 4,
    inWords: 31,
    others: 0,
    othersAnswered: 0,
  },
  'paragraphs-de': {
    asked: 40,
    first: 36,
    five: 38,
    right: 24,
    wrong: 1,
    askedBack: 3,
    named: 3,
    inWords: 23,
    others: 0,
    othersAnswered: 0,
  },
};

// Proves rules answers.20, answers.29, answers.41, answers.44.
it.runIf(isLongSweep).for(setNames)('the search finds what a tenth of the questions of %s ask for', async (name, { service }) => {
  const set = readSet(name);
  const agent = await KnowingAgent.make(service, { language: set.lang });
  const ids = await agent.learn(set.faqs.map(({ question, answer }) => [question, answer]));
  await settle(service);
  const labels = new Map(ids.map((id, index) => [id, set.faqs[index]?.label ?? '']));
  expect(await askSet(set, labels, (question) => agent.ask(question), 10)).toEqual(reachedInPublic[name]);
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
it('the search finds one of 3,000 FAQs whose words are each too common to search for', async ({ service }) => {
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
  expect([asked, first]).toEqual([200, 200]);
});
