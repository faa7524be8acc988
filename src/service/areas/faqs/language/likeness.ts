import { foldAccents } from '../../../../contract/text/fold.ts';
import { hasDigit, unspaced } from './letters.ts';
import { isEndOf } from './loan-words.ts';

// Compares words that are not the same (rules answers.22 and answers.24).

/** Words are related if their first letters, up to this number, are the same. */
const rootLength = 4;

/** The number of letters at the beginning of a word in which typos are recognized. */
const typoLength = 6;

/** How much a word in another form, such as without its accents, is like the word. */
export const variantLikeness = 0.95;

/** How much a word with typos, and one with the same root, is like another word. The same word is 1. */
export const typoLikeness = 0.8;
const rootLikeness = 0.4;

/** How much a part of a compound is like the compound. */
export const partLikeness = 0.8;

/** The key shared by words with the same root; undefined for a word that has no related words. */
export function rootKey(word: string): string | undefined {
  return word.length < rootLength || hasDigit(word) || unspaced.test(word) ? undefined : `${[...word].slice(0, rootLength).join('')}-`;
}

/**
 * The keys that a word shares with its misspellings: its first letters, and its first letters without one of them. If a letter is
 * missing, added, replaced or swapped with its neighbour, one key is still shared.
 */
export function typoKeys(word: string): string[] {
  if (!canBeMisspelled(word)) return [];
  // Splits into code points: lone surrogates are not valid text, and a database would treat different ones as the same.
  const letters = [...word].slice(0, typoLength);
  return [...new Set([letters, ...letters.map((_, index) => letters.toSpliced(index, 1))].map((key) => key.join('')))];
}

function canBeMisspelled(word: string): boolean {
  return word.length >= rootLength && !hasDigit(word) && !unspaced.test(word);
}

/**
 * The similarity of a word to another one, from 0 to 1: whether they are the same, it is the other without its accents, one is a
 * misspelling of the other or a part of it, or they have the same root.
 * @param isWord whether a word is one of the language. Of two of them, neither is a misspelling
 */
export function likenessOf(one: string, other: string, isWord: (word: string) => boolean = () => false): number {
  if (one === other) return 1;
  if (one.length === other.length && one === foldAccents(other)) return variantLikeness;
  if (isEndOf(one, other) || isEndOf(other, one)) return partLikeness;
  const root = rootKey(one);
  if (isMisspelling(one, other) && !(isWord(one) && isWord(other))) return typoLikeness;
  return root !== undefined && root === rootKey(other) ? rootLikeness : 0;
}

/** Whether one word is the other with one typo, or two in long words. In short words, only two swapped letters are recognized. */
export function isMisspelling(one: string, other: string): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  if (!canBeMisspelled(one) || !canBeMisspelled(other) || areOpposites(shorter, longer)) return false;
  if (longer.length < 5 || shorter.length < 4) return shorter.length === longer.length && longer.length > 3 && isExchange(one, other);
  const typos = longer.length >= 8 ? 2 : 1;
  return typoDistance(one, other, typos) <= typos;
}

/** The beginnings of words that mean the opposite: subscribe and unsubscribe, Anmeldung and Abmeldung, вход and выход. */
const opposing = new Set([' un', ' dis', ' de', ' in', ' im', ' не', 'an ab', 'ab an', 'въ вы', 'вы въ', 'в вы']);

/** Whether two words differ only by such a beginning. */
function areOpposites(shorter: string, longer: string): boolean {
  let same = 0;
  while (same < shorter.length && shorter.at(-1 - same) === longer.at(-1 - same)) same++;
  // A beginning and what follows can share a letter.
  return [same, same - 1].some(
    (rest) => rest >= 3 && opposing.has(`${shorter.slice(0, shorter.length - rest)} ${longer.slice(0, longer.length - rest)}`),
  );
}

/** Whether two words differ only by two swapped adjacent letters. */
function isExchange(one: string, other: string): boolean {
  const at = [...one].findIndex((letter, index) => letter !== other[index]);
  return at >= 0 && one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2);
}

/** The number of typos between two words (optimal string alignment), or more than `most`. */
function typoDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      let cost = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (isSame ? 0 : 1));
      const isExchanged = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isExchanged) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    if (Math.min(...current) > most) return most + 1;
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}
