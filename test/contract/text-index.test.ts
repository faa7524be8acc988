import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TextIndex } from '../../src/contract/text/text-index.ts';

it('a text index finds what a search finds', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '🙂'), maxLength: 40 });
  fc.assert(
    // The first 64 phrases are searched for without an index.
    fc.property(text, fc.array(text, { minLength: 70, maxLength: 120 }), (given, others) => {
      const index = new TextIndex(given);
      const parts = others.map((other, at) => given.slice(at % 7, (at % 7) + other.length));
      for (const phrase of [...others, ...parts]) expect(index.includes(phrase)).toBe(given.includes(phrase));
    }),
    { numRuns: 1_000 },
  );
});

it('a text index finds phrases of a long text that repeats itself', () => {
  const text = 'abbb'.repeat(5_000);
  const index = new TextIndex(text);
  for (let length = 0; length < 200; length++) expect(index.includes(`${'b'.repeat(length % 4)}a`)).toBe(true);
  expect(index.includes('abbbb')).toBe(false);
});
