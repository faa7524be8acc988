import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../../../src/contract/fold.ts';
import { isSimilar } from '../../../../src/contract/similarity.ts';
import { type ComparedFaq, findDuplicates } from '../../../../src/service/areas/faqs/duplicates.ts';

function duplicatesOf(faqs: readonly ComparedFaq[]): (number | undefined)[] {
  const finding = findDuplicates(faqs);
  for (;;) {
    const step = finding.next();
    if (step.done) return step.value;
  }
}

/** A naive implementation of the rules, which compares every pair. */
function naively(faqs: readonly ComparedFaq[]): (number | undefined)[] {
  const lower = (text: string) => text.normalize('NFC').toLowerCase();
  const bare = (text: string) => lower(text).replace(/[\p{P}\s]+/gu, '') || lower(text).replace(/\s+/gu, '');
  const compared = (text: string) => fold(text).trim().replace(/\s+/gu, ' ');
  const similar = (a: string, b: string) => isSimilar(compared(a), compared(b), 0.9);
  const joined: (number | undefined)[] = [];
  for (const [index, faq] of faqs.entries()) {
    const kept = faqs.findIndex((other, at) => {
      if (at >= index || joined[at] !== undefined) return false;
      return bare(other.question) === bare(faq.question) || (similar(other.question, faq.question) && similar(other.answer, faq.answer));
    });
    joined.push(kept < 0 ? undefined : kept);
  }
  return joined;
}

/** Texts that are often similar: made of a few pieces, with a few typos. */
const text = fc
  .tuple(
    fc.array(fc.constantFrom('how do i ', 'return ', 'a parcel ', 'THE parcel', ', please', ' 12', ' 13', '🙂', 'ä', '  ', '?', 'x'), {
      minLength: 1,
      maxLength: 12,
    }),
    fc.array(fc.tuple(fc.nat(60), fc.constantFrom('', 'e', 'r', ' ', '🙂')), { maxLength: 4 }),
  )
  .map(([pieces, typos]) => {
    const characters = [...pieces.join('')];
    for (const [at, typo] of typos) characters.splice(at % (characters.length + 1), typo === '' ? 1 : 0, ...[typo].filter(Boolean));
    return characters.join('') || 'x';
  });

describe('duplicates', () => {
  // Proves rules faqs.28, faqs.29, faqs.30: none is missed, although few pairs are compared.
  it('are the same as those found by comparing every pair', () => {
    const faqs = fc.array(fc.record({ question: text, answer: text }), { maxLength: 60 });
    fc.assert(
      fc.property(faqs, (each) => {
        expect(duplicatesOf(each)).toEqual(naively(each));
      }),
      { numRuns: 400 },
    );
  });

  it('are found up to the exact limit of similarity, for any length', () => {
    const length = fc.integer({ min: 1, max: 120 });
    const alphabet = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', ' ', '1');
    const pair = length.chain((size) =>
      fc.tuple(
        fc.array(alphabet, { minLength: size, maxLength: size }),
        fc.array(fc.tuple(fc.nat(size), fc.constantFrom('replace', 'insert', 'delete'), alphabet), {
          minLength: Math.floor(size / 10),
          maxLength: Math.floor(size / 10) + 1,
        }),
      ),
    );
    fc.assert(
      fc.property(pair, ([original, edits]) => {
        const edited = [...original];
        for (const [at, kind, character] of edits) edited.splice(at, kind === 'insert' ? 0 : 1, ...(kind === 'delete' ? [] : [character]));
        const faqs = [original, edited].map((each) => ({ question: each.join('') || 'x', answer: 'the same' }));
        expect(duplicatesOf(faqs)).toEqual(naively(faqs));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['case, punctuation and white space', ['How do I return it?', ' how do I, return IT ', 'How do I returnit!?'], [undefined, 0, 0]],
    ['punctuation alone', ['???', '!!!', '? ??'], [undefined, undefined, 0]],
    ['nothing in common', ['Yes?', 'No?'], [undefined, undefined]],
    ['other symbols', ['Can I pay in €?', 'Can I pay in $?'], [undefined, undefined]],
  ])('depend on the characters of the questions: %s', (_, questions, expected) => {
    const faqs = questions.map((question, index) => ({ question, answer: `${index} `.repeat(20) }));
    expect(duplicatesOf(faqs)).toEqual(expected);
  });

  it('need similar questions and similar answers', () => {
    const question = 'How long does the delivery to Norway take?';
    const answer = 'The delivery to Norway takes from three to five working days.';
    const faqs = [
      { question, answer },
      { question: question.replace('Norway', 'Norwai'), answer: 'Nobody knows.' },
      { question: 'What about it?', answer },
      { question: question.replace('Norway', 'Norwai!'), answer: answer.replace('five', 'six') },
    ];
    expect(duplicatesOf(faqs)).toEqual([undefined, undefined, undefined, 0]);
  });

  it('are merged into the oldest FAQ that is kept, never into another duplicate', () => {
    const answer = 'The same answer for all of them, which is long enough.';
    const faqs = ['aaaaaaaaaa', 'aaaaaaaaab', 'aaaaaaaabb', 'aaaaaaabbb'].map((question) => ({ question, answer }));
    expect(duplicatesOf(faqs)).toEqual([undefined, 0, undefined, 2]);
  });

  it('are found in a step for each comparison of long texts', () => {
    // The answers share most of their grams, so that each pair is compared.
    const middle = 'abcdefghij'.repeat(250);
    const end = (seed: number) => Array.from({ length: 250 }, (_, at) => String.fromCodePoint(0x4e00 + seed * 500 + at)).join('');
    const faqs = [...'abcdefgh'].map((letter, seed) => ({
      question: `Which delivery has the ${letter}?`,
      answer: end(seed) + middle + end(seed + 20),
    }));
    let steps = 0;
    for (const finding = findDuplicates(faqs); finding.next().done !== true;) steps++;
    expect(steps).toBeGreaterThan((faqs.length * (faqs.length - 1)) / 2);
  });
});
