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
