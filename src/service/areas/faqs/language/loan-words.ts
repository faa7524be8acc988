// Japanese loan words, which are written in katakana (rule answers.27).

/** The loan words of a text, and a text that is one. */
export const loanWords = /\p{Script=Katakana}[\p{Script=Katakana}ー]*/gu;
const loanWord = /^[\p{Script=Katakana}ー]+$/u;

/** The smallest length of a loan word that is a part of another, and the greatest of the ends by which words are found. */
export const shortestLoanWord = 3;
const longestEnd = 6;

/** A word without the long vowel at its end, which can be left out: サーバー is サーバ. */
export function withoutLongVowel(word: string): string {
  return word.replace(/(?<=[\p{Script=Katakana}ー]{2})ー$/u, '');
}

/** The keys that a loan word shares with those that begin or end with it: カード and クレジットカード. */
export function endKeys(word: string): string[] {
  if (!loanWord.test(word)) return [];
  const keys = new Set<string>();
  for (let length = shortestLoanWord; length <= Math.min(word.length, longestEnd); length++)
    keys.add(word.slice(0, length)).add(word.slice(-length));
  return [...keys];
}

/** Whether a loan word is the beginning or the end of another one, which has at least two letters more. */
export function isEndOf(part: string, whole: string): boolean {
  if (part.length < shortestLoanWord || whole.length < part.length + 2 || !loanWord.test(part) || !loanWord.test(whole)) return false;
  return whole.startsWith(part) || whole.endsWith(part);
}
