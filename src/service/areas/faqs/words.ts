import { weakWords } from './weak-words.ts';

// Splits a text into the words by which FAQs are found. The rules work for all languages, because neither a FAQ nor a message
// states its language (rules answers.23 to answers.27).

/** Letters with two spellings that removing accents does not unify. */
const spelledOut: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

/** Endings that are removed from a word, longest first. */
const endings = ['ments', 'ungen', 'ment', 'ing', 'ung', 'ed', 'en', 'er', 'es', 'e', 's'] as const;

/** The minimum number of letters that must remain without the ending. */
const shortestStem = 3;

/** Words are related if their first letters, up to this number, are the same. */
const rootLength = 4;

/** The number of letters at the beginning of a word in which typos are recognized. */
const typoLength = 6;

/** The weight of a match by a word with typos, and by a word with the same root. An identical word has the weight 1. */
const likeness = { typo: 0.8, root: 0.75 } as const;

/** Scripts without spaces between words. Pairs of characters are used as words. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/u;

const wordPattern = new RegExp(`${unspaced.source}|[\\p{L}\\p{N}]+`, 'gu');

const hasDigit = (word: string) => /\p{N}/u.test(word);

/** The distinct words of a text in order, without their endings. Stop words are left out, unless there are no other words. */
export function wordsOf(text: string): string[] {
  const all = (foldLetters(text).match(wordPattern) ?? []).flatMap(partsOf);
  const telling = all.filter((word) => !weakWords.has(word) && (word.length > 1 || hasDigit(word)));
  return [...new Set((telling.length > 0 ? telling : all).map(stemOf))];
}

/**
 * The share of the words of two texts, including stop words, that both contain. Breaks ties between matches with the same score.
 */
export function sharedWords(one: string, other: string): number {
  const [left, right] = [one, other].map((text) => new Set(foldLetters(text).match(wordPattern) ?? []));
  const all = left && right ? left.union(right).size : 0;
  return all === 0 ? 0 : (left as Set<string>).intersection(right as Set<string>).size / all;
}

/** Removes case, accents and other variants of letters. */
export function foldLetters(text: string): string {
  const bare = text.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '').normalize('NFC');
  return bare.replace(/[ßæœøłđðþı]/g, (letter) => spelledOut[letter] ?? letter);
}

/** A word, or the pairs of neighbouring characters of a text without spaces. */
function partsOf(found: string): string[] {
  if (!unspaced.test(found)) return [found];
  const characters = [...found];
  return characters.length === 1 ? characters : characters.slice(1).map((character, index) => (characters[index] ?? '') + character);
}

function stemOf(word: string): string {
  if (hasDigit(word)) return word;
  let stem = word;
  // Twice, for words such as `settings`: the first ending removed is the plural.
  for (let round = 0; round < 2; round++) {
    const ending = endings.find((each) => stem.endsWith(each) && stem.length - each.length >= shortestStem);
    if (ending !== undefined) stem = stem.slice(0, -ending.length);
  }
  return stem.replace(/([^aeiou])\1$/, '$1');
}

/** The key shared by words with the same root; undefined for a word that has no related words. */
export function rootKey(word: string): string | undefined {
  return word.length < rootLength || hasDigit(word) || unspaced.test(word) ? undefined : `${[...word].slice(0, rootLength).join('')}-`;
}

/**
 * The keys that a word shares with its misspellings: its first letters, and its first letters without one of them. If a letter is
 * missing, added, replaced or swapped with its neighbour, one key is still shared.
 */
export function typoKeys(word: string): string[] {
  if (word.length < rootLength - 1 || hasDigit(word) || unspaced.test(word)) return [];
  // Splits into code points: lone surrogates are not valid text, and a database would treat different ones as the same.
  const letters = [...word].slice(0, typoLength);
  return [...new Set([letters, ...letters.map((_, index) => letters.toSpliced(index, 1))].map((key) => key.join('')))];
}

/**
 * The similarity of two words, from 0 to 1: whether they are the same, one is a misspelling of the other, or they have the same
 * root.
 */
export function likenessOf(one: string, other: string): number {
  if (one === other) return 1;
  const root = rootKey(one);
  if (isMisspelling(one, other)) return likeness.typo;
  return root !== undefined && root === rootKey(other) ? likeness.root : 0;
}

/** Whether one word is the other with one typo, or two in long words. In short words, only two swapped letters are recognized. */
function isMisspelling(one: string, other: string): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  if (shorter.length < 3 || typoKeys(one).length === 0 || typoKeys(other).length === 0) return false;
  if (longer.length < 5 || shorter.length < 4) return shorter.length === longer.length && longer.length > 3 && isExchange(one, other);
  const typos = longer.length >= 8 ? 2 : 1;
  return typoDistance(one, other, typos) <= typos;
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
