import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptOf, passagesOf } from '../../../../src/service/areas/faqs/passages.ts';

const sentences = (count: number, words = 20) =>
  Array.from({ length: count }, (_, index) => `Sentence ${index} ${'word '.repeat(words - 3)}end.`).join(' ');

describe('the passages of an answer', () => {
  // Proves rule answers.41.
  it('have about 60 words, and begin with the last sentence of the one before', () => {
    const [first = '', second = '', third] = passagesOf(sentences(5));
    expect(first).toMatch(/^Sentence 0 .*end\. Sentence 2 (word )+end\.$/);
    expect(second).toMatch(/^Sentence 2 .*end\. Sentence 4 (word )+end\.$/);
    expect(third).toBeUndefined();
    expect(passagesOf('At nine.')).toEqual(['At nine.']);
    expect(passagesOf('')).toEqual(['']);
  });

  // Proves rule answers.41.
  it('have about 240 characters in scripts without spaces', () => {
    const answer = Array.from({ length: 20 }, (_, index) => `第${index}条は、${'営業時間'.repeat(10)}です。`).join('');
    const passages = passagesOf(answer);
    for (const passage of passages.slice(0, -1)) expect(Math.abs(passage.length - 220)).toBeLessThan(40);
    expect([passages.length > 4, passages[1]?.startsWith(passages[0]?.split(/(?<=。)/u).at(-1) ?? '-')]).toEqual([true, true]);
  });

  it.each([
    'word '.repeat(500),
    '店'.repeat(5_000),
    'a. '.repeat(2_000),
    '\n'.repeat(2_000),
    'a'.padEnd(99).repeat(200),
    '.'.repeat(19_000),
    `${'x'.repeat(19_000)}.`,
  ])('are bounded whatever the text is', (text) => {
    const passages = passagesOf(text);
    expect(passages.length).toBeLessThan(200);
    for (const passage of passages) expect(passage.length).toBeLessThanOrEqual(1_000);
  });

  it('have every word of the answer', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3_000 }), (text) => {
        const words = new Set(passagesOf(text).join(' ').split(/\s+/u).join(''));
        for (const letter of text.replace(/\s+/gu, '')) expect(words.has(letter)).toBe(true);
      }),
    );
  });
});

const replyOf = (answer: string, place: number) => excerptOf(answer, place).reply;

describe('the reply', () => {
  // Proves rules answers.42, answers.43.
  it('is the whole of a short answer, and whole sentences around the passage of a long one', () => {
    const short = sentences(5, 15);
    expect([short.length <= 600, replyOf(short, 1)]).toEqual([true, short]);
    const long = sentences(40);
    const reply = replyOf(long, 8);
    expect(long).toContain(reply);
    expect(reply).toContain(passagesOf(long)[8]);
    expect(excerptOf(long, 8).passage).toBe(passagesOf(long)[8]);
    expect(reply).toMatch(/^Sentence .*end\.$/);
    expect([reply.length <= 1_000, reply.length > 800, reply.startsWith('Sentence 0 ')]).toEqual([true, true, false]);
    expect(replyOf(long, 0)).toMatch(/^Sentence 0 /);
  });

  it.each([
    ['a number', 'It costs 2.50 euros.'],
    ['an address', 'See www.shop.example for more.'],
    ['a quotation', 'The sign says "No entry."'],
    ['short forms', 'Dr. Hill, Mr. Ng and z. B. alle 15 Min. für Nr. 12.'],
    ['short forms before numbers', 'From Jan. 5 on, kl. 9 in Vol. 2, Gen. Lee and Mme. Curie are here.'],
    ['German ordinals anywhere', 'Im Laufe des 18. und 19. Jahrhunderts, vom 5. bis 7. Mai.'],
    ['a short form before a small letter', 'Штраф 1500 руб. и блокировка.'],
    ['an ordinal', 'Ab dem 2. Tag und am 3. Mai ist alles gut.'],
    ['a sentence of Hindi', 'नियम यह है।'],
    ['the number of an item', '7. Bring the key.'],
  ])('divides no sentence at %s', (_, sentence) => {
    const others = (word: string) => `${`Here are some ${word} of other things.`.padEnd(41, '.')} `.repeat(9);
    // At each place in the text, so that a passage ends before and after it.
    for (let before = 0; before < 9; before++) {
      const text = `${'Some are long. '.repeat(before)}${others('words')}${sentence} ${others('lists')}`;
      for (const passage of passagesOf(text)) {
        const pieces = sentence.split(' ').filter((word) => passage.split(/\s+/u).includes(word));
        expect(passage.includes(sentence) || !pieces.includes(sentence.split(' ').at(-1) ?? '')).toBe(true);
      }
    }
  });

  // A sentence may be longer than a passage.
  it('has whole sentences, however long, and does not end with what only introduces more', () => {
    const long = `${sentences(10)} Whoever ${'walks and '.repeat(45)}rests is welcome. ${sentences(10)}`;
    const places = passagesOf(long).keys();
    for (const place of places) expect(replyOf(long, place)).toMatch(/^(?:Sentence|Whoever) [^]*(?:end|welcome)\.$/);
    const far = `The service goes to ${Array.from({ length: 150 }, (_, place) => `Town${place}`).join(', ')} and Zurich. ${sentences(4)}`;
    const last = passagesOf(far).findIndex((passage) => passage.includes('Zurich'));
    expect(replyOf(far, last)).toContain('Zurich');
    const two = `Sentence ${'letter '.repeat(123)}end. Sentence ${'letter '.repeat(48)}end. ${sentences(2)}`;
    for (const place of passagesOf(two).keys()) expect(replyOf(two, place)).toMatch(/^Sentence [^]*end\.$/);
    const parts = `${sentences(5)}\n\nDelivery\n\n${sentences(12)}\n\nYou need:\n\n${sentences(12)}`;
    for (const place of passagesOf(parts).keys()) expect(replyOf(parts, place)).toMatch(/end\.$/);
  });
});
