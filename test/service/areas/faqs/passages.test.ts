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

  it.each(['word '.repeat(500), '店'.repeat(5_000), 'a. '.repeat(2_000), '\n'.repeat(2_000), `${'x'.repeat(19_000)}.`])(
    'are bounded whatever the text is',
    (text) => {
      const passages = passagesOf(text);
      expect(passages.length).toBeLessThan(200);
      for (const passage of passages) expect(passage.length).toBeLessThanOrEqual(60 * 13);
    },
  );

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
});
