import { describe, expect } from 'vitest';
import { KnowingAgent, settle } from '../../../support/agents.ts';
import type { TestService } from '../../../support/test-service.ts';
import { askSet, readSet, setNames } from '../../../support/question-sets.ts';
import { it } from '../../../support/service-test.ts';
import { isLongSweep } from '../../../support/sweeps.ts';
import { questionSets } from '../faqs/questions.ts';

it.beforeEach(async ({ service }) => {
  await service.freshAccount();
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
  en: { asked: 150, first: 146, answered: 132, wrong: 1, offTopic: 12, offTopicAnswered: 0 },
  de: { asked: 100, first: 98, answered: 90, wrong: 0, offTopic: 10, offTopicAnswered: 0 },
  es: { asked: 60, first: 59, answered: 47, wrong: 0, offTopic: 6, offTopicAnswered: 0 },
  fr: { asked: 50, first: 49, answered: 43, wrong: 0, offTopic: 6, offTopicAnswered: 0 },
};

describe('the search', () => {
  // Proves rules answers.20, answers.29: the figures are the same on both engines.
  it.for(questionSets)('finds what contacts ask for in $language', async (set, { service }) => {
    expect(await measure(service, set)).toEqual(reached[set.language]);
  });
});

/**
 * What a tenth of each public set reaches, and a third of each chat and bank: questions, right FAQ first, among five, answered right, wrong,
 * asked back, and named it, answered in the wanted words; questions about other things, answered, asked back. The figures of all are in
 * `docs/interface/answers.md`.
 */
const reachedInSets: Record<(typeof setNames)[number], readonly number[]> = {
  banking: [60, 41, 53, 32, 5, 12, 9, 0, 20, 0, 1],
  clinc: [31, 23, 28, 16, 1, 7, 7, 0, 10, 1, 0],
  hwu: [26, 18, 22, 6, 2, 7, 6, 0, 0, 0, 0],
  'covid-en': [25, 19, 21, 14, 1, 8, 5, 0, 0, 0, 0],
  'paragraphs-en': [40, 38, 38, 32, 0, 5, 5, 32, 0, 0, 0],
  'paragraphs-de': [40, 35, 38, 25, 1, 10, 9, 24, 0, 0, 0],
  'paragraphs-ro': [29, 28, 29, 24, 0, 3, 3, 24, 0, 0, 0],
  'chat-ar': [30, 11, 19, 7, 3, 5, 4, 0, 9, 1, 1],
  'chat-de': [30, 12, 23, 8, 2, 6, 3, 0, 9, 1, 0],
  'chat-en': [30, 11, 21, 8, 1, 6, 6, 0, 9, 0, 0],
  'chat-es': [37, 15, 21, 8, 3, 4, 3, 0, 10, 0, 2],
  'chat-fr': [37, 18, 25, 12, 4, 8, 6, 0, 10, 1, 1],
  'chat-it': [37, 20, 27, 14, 1, 3, 1, 0, 10, 1, 0],
  'chat-ja': [30, 16, 20, 6, 1, 6, 4, 0, 9, 0, 2],
  'chat-nl': [37, 12, 24, 5, 2, 12, 9, 0, 10, 2, 0],
  'chat-pt': [37, 14, 20, 10, 4, 10, 5, 0, 10, 0, 0],
  'chat-ru': [30, 9, 17, 4, 1, 8, 4, 0, 9, 1, 1],
  'chat-tr': [30, 17, 23, 13, 1, 5, 3, 0, 9, 1, 1],
  'chat-zh': [30, 10, 18, 6, 2, 6, 3, 0, 9, 0, 0],
  'bank-he': [19, 12, 14, 7, 1, 4, 2, 0, 4, 0, 0],
  'bank-hi': [19, 9, 18, 7, 2, 5, 4, 0, 4, 0, 2],
  'bank-id': [19, 16, 19, 11, 2, 1, 1, 0, 4, 0, 0],
  'bank-ko': [19, 14, 19, 10, 1, 2, 2, 0, 4, 0, 0],
  'bank-th': [19, 13, 19, 11, 1, 6, 6, 0, 4, 1, 1],
  'bank-vi': [19, 15, 18, 11, 1, 5, 5, 0, 4, 1, 0],
  'bank-zh': [34, 30, 32, 22, 0, 6, 6, 0, 7, 0, 0],
};

// Proves rules answers.20, answers.29, answers.41, answers.44.
it.runIf(isLongSweep).for(setNames)('the search finds what some of the questions of %s ask for', async (name, { service }) => {
  const set = readSet(name);
  const oneIn = /^(?:chat|bank)-/.test(name) ? 3 : 10;
  const agent = await KnowingAgent.make(service, { language: set.lang });
  const ids = await agent.learn(set.faqs.map(({ question, answer }) => [question, answer]));
  await settle(service);
  const labels = new Map(ids.map((id, index) => [id, set.faqs[index]?.label ?? '']));
  expect(Object.values(await askSet(set, labels, (question) => agent.ask(question), oneIn))).toEqual(reachedInSets[name]);
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
