import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findKeyword, findNearKeyword, keywordForm, keywordTexts, matchComment } from '../../../../src/contract/areas/routing/matching.ts';
import { keysOfCommentRule, keysOfKeyword, keysOfMessage, wordsOfComment } from '../../../../src/service/areas/routing/keys.ts';

const letters = fc.constantFrom('a', 'b', 'c', ' ', '🙂');

/** A text, and the result of a few random edits. */
const pair = fc
  .tuple(
    fc.string({ unit: letters, minLength: 1, maxLength: 45 }),
    fc.array(fc.tuple(fc.nat(50), fc.constantFrom('insert', 'delete', 'replace'), letters), { maxLength: 9 }),
  )
  .map(([keyword, edits]) => {
    const characters = [...keyword];
    for (const [at, edit, letter] of edits) {
      const place = at % (characters.length + 1);
      if (edit === 'insert') characters.splice(place, 0, letter);
      else characters.splice(place, 1, ...(edit === 'replace' ? [letter] : []));
    }
    return { keyword, text: characters.join('') };
  });

it('the keys of a message include one of every keyword that matches exactly or nearly', () => {
  let found = 0;
  fc.assert(
    fc.property(pair, fc.boolean(), fc.constantFrom('', '\nmore'), ({ keyword, text }, isFuzzy, more) => {
      const message = text + more;
      const texts = keywordTexts(message);
      const isSame = findKeyword(texts, [keyword]) !== undefined;
      if (!isSame && !(isFuzzy && findNearKeyword(texts, [keyword]) !== undefined)) return;
      found++;
      const form = keywordForm(keyword);
      const { length } = [...form];
      if (length === 0) return;
      const wanted = new Set(keysOfMessage(texts, [1, length, 90]).map(({ start, piece }) => `${start} ${piece}`));
      expect(keysOfKeyword(form, isFuzzy).some(({ start, piece }) => wanted.has(`${start} ${piece}`))).toBe(true);
    }),
    { numRuns: 5_000 },
  );
  expect(found).toBeGreaterThan(1_000);
});

it('the number of keys of a message is bounded', () => {
  const different = (characters: number) => String.fromCodePoint(...Array.from({ length: characters }, (_, index) => 0x4e00 + index));
  const keys = (characters: number) => keysOfMessage([different(characters)], [characters]).length;
  expect(keys(10)).toBeLessThan(20);
  expect(keys(200)).toBeLessThan(2_500);
});

it('the words of a comment include one of every keyword that matches', () => {
  const text = fc.array(fc.constantFrom('price', 'list', 'Price', '价', '格', '🔥', 'x', '!'), { minLength: 1, maxLength: 6 });
  const spaced = fc.tuple(text, fc.constantFrom(' ', '', '\n')).map(([words, space]) => words.join(space));
  fc.assert(
    fc.property(spaced, spaced, fc.constantFrom([], ['a']), (comment, keyword, posts) => {
      if (matchComment(comment, [keyword]) === undefined) return;
      const words = new Set(wordsOfComment(comment));
      expect(keysOfCommentRule(posts, [keyword]).some(({ word }) => words.has(word))).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});
