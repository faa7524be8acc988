import { describe, expect, it } from 'vitest';
import { builtIn } from '../../../../src/service/areas/answers/built-in.ts';
import { greetingOf, handoverOf, isGreeting } from '../../../../src/service/areas/answers/greetings.ts';
import { phrases } from '../../../../src/service/areas/answers/phrases.ts';
import { costOf, estimateUsage } from '../../../../src/service/areas/answers/token-costs.ts';
import { isSure, rivalsOf } from '../../../../src/service/areas/answers/rivals.ts';
import type { AgentProfile, FoundFaq, Knowledge } from '../../../../src/service/areas/answers/writer.ts';

const agent: AgentProfile = {
  accountId: 'acc_1',
  name: 'Ada',
  language: 'en',
  tier: 'standard',
  instructions: null,
  rules: null,
  goal: null,
  personality: null,
};

const found = (faqId: string, question: string, score: number): FoundFaq => {
  const answer = `The answer of ${faqId}.`;
  return { faqId, question, answer, score, sourceId: null, url: null, passage: answer, place: 0, reply: answer };
};

const none: Knowledge = { isEmpty: false, faqs: [], isSure: false, rivals: [], choices: null };

const knowingAll = (faqs: readonly FoundFaq[]): Knowledge => ({ ...none, faqs, isSure: isSure(faqs), rivals: rivalsOf(faqs) });

/** Knows FAQs with these scores. */
const knowing = (...scores: number[]): Knowledge =>
  knowingAll(scores.map((score, index) => found(`faq_${index + 1}`, `When do you open on day ${index + 1}?`, score)));

const nothing: Knowledge = { ...none, isEmpty: true };

const answer = async (message: string, knowledge: Knowledge, more: Partial<AgentProfile> = {}) =>
  (await builtIn.answer({ agent: { ...agent, ...more }, agentId: 'agt_1', knowledge, earlier: [], message })).result;

describe('the built-in writer', () => {
  // Proves rules answers.19, answers.29.
  it('answers with a FAQ that matches well enough, otherwise greets or hands over', async () => {
    expect(await answer('When do you open?', knowing(0.21))).toEqual({ source: 'faq', text: 'The answer of faq_1.', faqId: 'faq_1' });
    expect(await answer('Hello', knowing(1))).toMatchObject({ source: 'faq' });
    expect(await answer('When do you open?', knowing(0.2))).toEqual({
      source: 'handover',
      text: 'Thank you for your message. A member of our team will get back to you.',
    });
    expect(await answer('Hello!', knowing(0.3, 0.25))).toEqual({ source: 'greeting', text: "Hello, I'm Ada. How can I help you?" });
    expect(await answer('Hello!', knowing(0.8, 0.75))).toMatchObject({ source: 'clarify' });
    expect(await answer('Hello!', { ...knowing(0), faqs: [] })).toMatchObject({ source: 'greeting' });
    expect(await answer('When do you open?', nothing)).toMatchObject({ source: 'greeting' });
    expect(await answer('When do you open?', none)).toMatchObject({ source: 'handover' });
  });

  // Proves rules answers.44, answers.45, answers.46.
  it('asks which FAQ is meant when several match about as well, and answers with the one that is chosen', async () => {
    const faqs = ['Refunds?', 'Returns?', 'Repairs?', 'Rentals?'].map((question, index) => found(`faq_${index}`, question, 0.8));
    const [refunds, returns, ...others] = faqs as [FoundFaq, FoundFaq, ...FoundFaq[]];
    expect(await answer('About my order', knowingAll(faqs.slice(0, 3)))).toEqual({
      source: 'clarify',
      text: 'Which of these do you mean? Please reply with its number.\n1. Refunds?\n2. Returns?\n3. Repairs?',
      choices: ['faq_0', 'faq_1', 'faq_2'].map((faqId) => ({ faqId, place: 0 })),
    });
    expect(await answer('About my order', knowingAll(faqs))).toMatchObject({ source: 'handover' });
    const choosing = { ...none, choices: [refunds, returns] };
    expect(await answer(' 2. ', choosing)).toMatchObject({ source: 'faq', faqId: 'faq_1' });
    for (const number of ['②', '2番でお願いします', '2번', 'Nummer 2, bitte', '٢', '2?'])
      expect(await answer(number, choosing)).toMatchObject({ faqId: 'faq_1' });
    for (const other of [
      '3',
      'not 2',
      'open at 2pm?',
      '2 days open?',
      '2歳の子も通えますか',
      '大人2名で見学したいのですが、いつ行けばいいですか',
    ])
      expect(await answer(other, choosing)).toMatchObject({ source: 'handover' });
    const clearly = { ...choosing, faqs: [returns, ...others] };
    expect(await answer('the returns', clearly)).toMatchObject({ source: 'faq', faqId: 'faq_1' });
    expect(await answer('the rest', { ...choosing, faqs: others })).toMatchObject({ source: 'handover' });
    const somethingElse = { ...knowingAll(others.slice(0, 1)), choices: [refunds, returns] };
    expect(await answer('what else', somethingElse)).toMatchObject({ source: 'faq', faqId: 'faq_2' });
  });

  // Proves rules answers.29, answers.44.
  it.each([
    ['faq', [0.9, 0.79]],
    ['clarify', [0.9, 0.81]],
    ['faq', [0.32, 0.21]],
    ['clarify', [0.3, 0.19]],
    ['clarify', [0.13, 0.08]],
    ['handover', [0.12, 0.08]],
    ['handover', [0.2, 0.09]],
    ['clarify', [0.5, 0.45, 0.42, 0.39]],
    ['handover', [0.5, 0.45, 0.42, 0.41]],
  ])('replies with %s when FAQs have the scores %j', async (source, scores) => {
    expect(await answer('Are you open?', knowing(...scores))).toMatchObject({ source });
  });

  it('asks only about FAQs that match half as well as the best one', async () => {
    expect(await answer('Are you open?', knowing(0.3, 0.25, 0.1))).toMatchObject({ choices: [{ faqId: 'faq_1' }, { faqId: 'faq_2' }] });
  });

  it('needs no network and chooses no tags', () => {
    expect([builtIn.provider, builtIn.chooseTags]).toEqual(['sandbox', null]);
  });

  // Proves rule answers.35.
  it('counts the tokens that a model would be sent', async () => {
    const { usage } = await builtIn.answer({ agent, agentId: 'agt_1', knowledge: knowing(1), earlier: [], message: 'When do you open?' });
    const longer = await builtIn.answer({
      agent,
      agentId: 'agt_1',
      knowledge: knowing(1),
      earlier: [],
      message: `When do you open?${'x'.repeat(400)}`,
    });
    expect(usage).toMatchObject({ cachedInputTokens: 0, outputTokens: 5 });
    expect(longer.usage.inputTokens - usage.inputTokens).toBe(100);
  });
});

describe('greetings', () => {
  it('are known in more than ten languages', () => {
    expect(phrases.length).toBeGreaterThan(10);
    for (const { names, greeting, plainGreeting, handover, clarify, greetings } of phrases) {
      expect(greeting).toContain('{name}');
      for (const text of [plainGreeting, handover, clarify]) expect(text.length).toBeGreaterThan(5);
      for (const name of names) {
        expect(greetingOf('Ada', name), name).toBe(greeting.replace('{name}', 'Ada'));
        expect(greetingOf(null, name), name).toBe(plainGreeting);
        expect(handoverOf(name), name).toBe(handover);
      }
      for (const each of greetings) expect(isGreeting(`${each}!`, null), each).toBe(true);
    }
  });

  it.each([
    ['de', 'Hallo, ich bin Ada. Wie kann ich Ihnen helfen?'],
    ['de-CH', 'Hallo, ich bin Ada. Wie kann ich Ihnen helfen?'],
    ['German', 'Hallo, ich bin Ada. Wie kann ich Ihnen helfen?'],
    ['Deutsch (Sie)', 'Hallo, ich bin Ada. Wie kann ich Ihnen helfen?'],
    ['pt_BR', 'Olá, eu sou Ada. Como posso ajudar?'],
    ['Español', 'Hola, soy Ada. ¿En qué puedo ayudarle?'],
    ['Русский', 'Здравствуйте, я Ada. Чем могу помочь?'],
    ['中文', '您好，我是Ada。请问有什么可以帮您？'],
    ['Klingon', "Hello, I'm Ada. How can I help you?"],
    ['', "Hello, I'm Ada. How can I help you?"],
    [null, "Hello, I'm Ada. How can I help you?"],
  ])('for the language %s are %j', (language, greeting) => {
    expect(greetingOf('Ada', language)).toBe(greeting);
  });

  it('contain the name unchanged', () => {
    expect(greetingOf("$& $1 O'Neil", 'en')).toBe("Hello, I'm $& $1 O'Neil. How can I help you?");
    expect(greetingOf('  ', 'en')).toBe('Hello! How can I help you?');
  });

  it.each([
    'Hi',
    'HELLO!!!',
    'hey there 👋',
    'Good morning, how are you?',
    'Grüß Gott',
    "What's up",
    '¡Hola! ¿Qué tal?',
    'Hi Ada',
    '👋',
    '你好！',
    'こんにちは。',
  ])('are recognized: %j', (message) => {
    expect(isGreeting(message, 'Ada')).toBe(true);
  });

  it.each([
    'Hi, when do you open?',
    'history',
    'hello world tour tickets',
    '',
    '???',
    'Hi '.repeat(100),
    'Bob',
    'hey you owe me money',
    'Ada Lovelace',
  ])('are not recognized in %j', (message) => {
    expect(isGreeting(message, 'Ada')).toBe(false);
  });
});

describe('drafting without a model', () => {
  const optimize = async (
    instructions: string | null,
    feedback: string | null,
    complaint: { message: string | null; feedback: string } | null = null,
  ) => (await builtIn.optimize({ agent: { ...agent, instructions }, feedback, complaint, pages: [] })).result;

  // Proves rule answers.32.
  it.each([
    [null, ' Be  brief ', 'Be brief.'],
    ['Be kind.', 'Be brief!', 'Be kind.\nBe brief!'],
    ['Be kind.  \n\n\n\nBe kind.\nBe brief.', 'Be brief', 'Be kind.\n\nBe brief.'],
  ])('turns the instructions %j with the feedback %j into %j', async (instructions, feedback, expected) => {
    expect(await optimize(instructions, feedback)).toEqual({ instructions: expected });
  });

  it('quotes the reply that a complaint is about', async () => {
    expect(await optimize('Be kind.', null, { message: 'No\nway', feedback: 'too rude' })).toEqual({
      instructions: 'Be kind.\nDo not reply as in “No way”: too rude.',
    });
    expect(await optimize(null, null, { message: null, feedback: 'too rude' })).toEqual({ instructions: 'too rude.' });
  });

  const draft = async (questions: string[], more: Partial<AgentProfile> = {}, existing: string[] = []) =>
    (await builtIn.draftTags({ agent: { ...agent, ...more }, questions, existing: existing.map((name) => ({ name, description: null })) }))
      .result;

  it('derives tags from the most frequent words, and quotes those words', async () => {
    const questions = [
      'How long does delivery take?',
      'What does the delivery cost?',
      'Do you have deliveries on Sundays?',
      'Can I return it?',
    ];
    const [first, ...others] = await draft(questions);
    expect(first).toEqual({ name: 'Delivery', description: 'The contact writes "delivery" or "deliveries".' });
    expect(others.map(({ name }) => name)).toContain('Cost');
    expect((await draft(questions, {}, ['delivery'])).map(({ name }) => name)).not.toContain('Delivery');
    expect(await draft(['Returns?', 'How to return?', 'Returned'])).toEqual([
      { name: 'Returns', description: 'The contact writes "returns", "return" or "returned".' },
    ]);
  });

  it('derives tags from the texts of an agent without FAQs, or uses common ones', async () => {
    expect((await draft([], { goal: 'Sell bicycles. Repair bicycles.' }))[0]).toEqual({
      name: 'Bicycles',
      description: 'The contact writes "bicycles".',
    });
    const common = await draft([]);
    expect(common.map(({ name }) => name)).toEqual(['Interested', 'Complaint', 'Appointment']);
    expect(await draft([], {}, ['INTERESTED', 'complaint', 'Appointment'])).toEqual([]);
  });
});

describe('AI call costs', () => {
  // Proves rules answers.36, answers.37.
  it.each([
    ['economy', 1_000_000, 1_000_000, 1_000_000, [100_000, 10_000, 400_000]],
    ['mini', 1_000_000, 1_000_000, 1_000_000, [250_000, 25_000, 1_000_000]],
    ['standard', 1_000_000, 1_000_000, 1_000_000, [1_000_000, 100_000, 4_000_000]],
    ['max', 1_000_000, 1_000_000, 1_000_000, [5_000_000, 500_000, 20_000_000]],
    // Ties are rounded to the even neighbour.
    ['economy', 5, 50, 0, [0, 0, 0]],
    ['economy', 15, 150, 0, [2, 2, 0]],
    ['economy', 25, 250, 0, [2, 2, 0]],
    ['mini', 2, 20, 1, [0, 0, 1]],
    ['mini', 6, 60, 1, [2, 2, 1]],
    ['mini', 3, 30, 1, [1, 1, 1]],
    ['standard', 0, 5, 0, [0, 0, 0]],
    ['standard', 0, 15, 0, [0, 2, 0]],
  ] as const)(
    'the tier %s with %d input, %d cached and %d output tokens',
    (tier, inputTokens, cachedInputTokens, outputTokens, [input, cacheRead, output]) => {
      expect(costOf(tier, { inputTokens, cachedInputTokens, outputTokens })).toEqual({ input, cacheRead, output });
    },
  );

  it('count characters, not code units', () => {
    const tokens = (...texts: string[]) =>
      estimateUsage(
        texts.map((content) => ({ role: 'user', content })),
        '',
      ).inputTokens;
    expect([tokens('🙂🙂🙂🙂'), tokens('12345'), tokens('ab', 'cd'), tokens('')]).toEqual([1, 2, 1, 0]);
  });
});
