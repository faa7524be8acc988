import { describe, expect } from 'vitest';
import { it } from '../../../support/account-test.ts';
import { KnowingAgent, settle } from '../../../support/agents.ts';

const others = [
  ['How do I change my address?', 'In your account.'],
  ['Which payments do you take?', 'Cards.'],
  ['Do you have gift cards?', 'Yes, at the till.'],
] as const;

// Proves rule answers.25.
describe('an answer agrees with the message in its', () => {
  it.for([
    ['numbers', 'What is the fee for a transfer of 100 EUR?', 'What is the fee for a transfer of 1,000 EUR?'],
    ['numbers, of which only one is the same', 'Where is room 12 on floor 3?', 'Where is room 14 on floor 3?'],
    ['names', 'Is phone support included in the Pro plan?', 'Is phone support included in the Gold plan?'],
    ['days', 'Are you open on Sunday?', 'are you open on Monday'],
    ['names with the same root', 'How long does a parcel to Austria take?', 'How long does a parcel to Australia take?'],
    ['signs', 'What does a course in C# cost?', 'what does a course in C++ cost'],
  ] as const)('%s', async ([, question, asked], { service }) => {
    const agent = await KnowingAgent.make(service);
    await agent.learn([...others, [question, 'This is it.']]);
    await settle(service);
    const [same, other] = [await agent.ask(question.toLowerCase()), await agent.ask(asked)];
    expect([same.answer, other.faqs[0]?.score ?? 0]).toEqual(['This is it.', expect.toSatisfy((score: number) => score <= 0.7)]);
  });

  it.for([
    ["which items can't be returned?", 1],
    ['which items can’t be returned', 1],
    ['which items cant be returned', 1],
    ['which items can be returned', 0],
  ] as const)('negation: %s', async ([asked, place], { service }) => {
    const agent = await KnowingAgent.make(service);
    const ids = await agent.learn([
      ['Which items can be returned?', 'All unworn items.'],
      ['Which items cannot be returned?', 'Opened ones.'],
      ...others,
    ]);
    await settle(service);
    expect((await agent.find(asked)).slice(0, 2)).toEqual([ids[place], ids[1 - place]]);
  });
});

// Proves rules answers.24, answers.25.
it.for([
  ['de', 'Wie geht die Abmeldung?', 'Wie geht die Anmeldung?', 'Im Rathaus.'],
  ['en', 'How do I unsubscribe from the newsletter?', 'How do I subscribe to the newsletter?', 'In the form below.'],
  ['ru', 'Во сколько выезд?', 'Во сколько въезд?', 'С 14:00.'],
] as const)('the opposite of a word is no misspelling of it (%s)', async ([language, asked, question, answer], { service }) => {
  const agent = await KnowingAgent.make(service, { language });
  await agent.learn([[question, answer], ...others]);
  await settle(service);
  const score = async (message: string) => (await agent.ask(message)).faqs[0]?.score ?? 0;
  expect([await score(question), await score(asked)]).toEqual([1, expect.toSatisfy((low: number) => low <= 0.5)]);
});

it.for([
  [
    'fr',
    'je reçois jamais le code',
    ['Comment je reçois le code ?', 'Par SMS.'],
    ['Pourquoi je ne reçois pas le code ?', 'Vérifiez le numéro.'],
  ],
  ['ru', 'код никогда не приходит', ['Когда код приходит?', 'Сразу.'], ['Код не приходит', 'Проверьте номер.']],
  ['en', 'the code doesnt arrive', ['When does the code arrive?', 'At once.'], ['Why does the code not arrive?', 'Check the number.']],
  ['tr', 'kod ne zaman gelir', ['Kod gelmiyor, değil mi?', 'Numaranızı kontrol edin.'], ['Kod ne kadar sürede gelir?', 'Hemen.']],
] as const)('a text is negated by the words of its language (%s)', async ([language, asked, other, meant], { service }) => {
  const agent = await KnowingAgent.make(service, { language });
  const [, id] = await agent.learn([other, meant, ...others]);
  await settle(service);
  expect((await agent.find(asked))[0]).toBe(id);
});

it.for([
  ['the final sign', 'What is the price?', 'what is the price'],
  ['accents', '¿Cuánto cuesta?', 'cuanto cuesta'],
  ['a full stop of Japanese', '利用規約を教えてください。', '利用規約を教えてください'],
] as const)('a message without %s is the question', async ([, question, asked], { service }) => {
  const agent = await KnowingAgent.make(service);
  await agent.learn([[question, 'This.'], ['What is the price of a suite?', '250.'], ['¿Cuánto cuesta una suite?', '300.'], ...others]);
  await settle(service);
  const { source, answer, faqs } = await agent.ask(asked);
  expect([source, answer, faqs[0]?.score]).toEqual(['faq', 'This.', 1]);
});

it('digits of other scripts are the same numbers', async ({ service }) => {
  const agent = await KnowingAgent.make(service, { language: 'ar' });
  await agent.learn([
    ['ما هي ميزات غرفة 101؟', 'شرفة خاصة.'],
    ['ما هي ميزات غرفة 305؟', 'إطلالة على البحر.'],
  ]);
  await settle(service);
  expect((await agent.ask('ما هي ميزات غرفة ٣٠٥')).answer).toBe('إطلالة على البحر.');
});

// Proves rule answers.29.
it('a message without a subject has no answer, unless it is the question', async ({ service }) => {
  const agent = await KnowingAgent.make(service);
  await agent.learn([['What does it cost to have a wisdom tooth taken out?', 'From 200 euros.'], ['How are you?', 'Fine.'], ...others]);
  await settle(service);
  expect((await agent.ask('what does it')).source).not.toBe('faq');
  expect((await agent.ask('how are you')).answer).toBe('Fine.');
});

// Proves rule answers.44.
it('FAQs that say the same but for signs are not a choice', async ({ service }) => {
  const agent = await KnowingAgent.make(service);
  await agent.learn([['How can I pay?', 'By card or cash.'], ['How to pay?', 'By card or cash'], ...others]);
  await settle(service);
  expect(await agent.ask('pay')).toMatchObject({ source: 'faq', answer: expect.stringContaining('By card or cash') });
});

// Proves rule answers.29.
describe('one word that a question shares with a message', () => {
  it.for([
    ['I lost my card', 'Yes.'],
    ['Where is my order?', 'Up to an hour before.'],
    ['What is the weather in Spain?', 'In five days.'],
    ['Do you have a shop in Spain?', 'In five days.'],
  ])('is not enough for an answer: %s', async ([asked, wrong], { service }) => {
    const agent = await KnowingAgent.make(service);
    await agent.learn([
      ['Can I pay by card?', 'Yes.'],
      ['Can I cancel my order?', 'Up to an hour before.'],
      ['Do you deliver to Spain?', 'In five days.'],
      ['When do you open?', 'At nine.'],
      ['Are dogs allowed?', 'Yes, on a lead.'],
      ['How do I reach you?', 'By phone.'],
    ]);
    await settle(service);
    const { source, answer } = await agent.ask(asked ?? '');
    expect([source === 'faq', answer]).toEqual([false, expect.not.stringContaining(wrong ?? '')]);
    expect((await agent.ask('Spain?')).source).not.toBe('greeting');
  });
});

// Proves rule answers.23.
describe('a compound is found by its parts', () => {
  it.for([
    ['Wie hoch sind die Versandkosten?', 'Kosten für den Versand?'],
    ['Welche Kündigungsfrist gibt es?', 'Welche Frist hat die Kündigung?'],
    ['Welche Zahlungsarten gibt es?', 'Welche Arten der Zahlung nehmen Sie?'],
    ['Welches Rückgaberecht habe ich?', 'Habe ich ein Recht auf Rückgabe?'],
  ] as const)('%s', async ([question, asked], { service }) => {
    const agent = await KnowingAgent.make(service, { language: 'de' });
    await agent.learn([
      [question, 'Das steht im Vertrag.'],
      ['Wann haben Sie geöffnet?', 'Um neun.'],
      ['Wo finde ich Sie?', 'Am Markt.'],
      ['Haben Sie Geschenke?', 'Ja.'],
    ]);
    await settle(service);
    expect((await agent.ask(asked)).answer).toBe('Das steht im Vertrag.');
  });
});
