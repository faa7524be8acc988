import { fold } from '../../fold.ts';
import { isSimilar } from '../../similarity.ts';

/** The minimum similarity of a near match to a keyword (rule routing.29). */
export const nearMiss = 0.8;

/** The form of a keyword, or of a text that may be one, for comparison: case and white space are ignored. */
export function keywordForm(text: string): string {
  return fold(text).replace(/\s+/gu, '');
}

/** The texts of a message that are compared with keywords: the whole message, and its first line that is not empty. */
export function keywordTexts(text: string): readonly string[] {
  const line = text.split(/\r\n|\r|\n/).find((each) => each.trim() !== '') ?? '';
  return [...new Set([keywordForm(text), keywordForm(line)])].filter((each) => each !== '');
}

/** Finds the keyword that equals a message. @param texts of the message (see `keywordTexts`) */
export function findKeyword(texts: readonly string[], keywords: readonly string[]): string | undefined {
  return keywords.find((keyword) => texts.includes(keywordForm(keyword)));
}

/** Finds a keyword that is similar to a message. @param texts of the message (see `keywordTexts`) */
export function findNearKeyword(texts: readonly string[], keywords: readonly string[]): string | undefined {
  return keywords.find((keyword) => texts.some((text) => isSimilar(text, keywordForm(keyword), nearMiss)));
}

// Matches a character of a script without spaces between words, a word of another script, or a sign that is not part of a word.
const word =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]]+|\S/gv;

/** The words of a comment or a keyword, case-folded. In scripts without spaces between words, each character counts as a word. */
export function commentWords(text: string): string[] {
  return fold(text).match(word) ?? [];
}

/** Finds a keyword that occurs in a comment as whole words. */
export function matchComment(text: string, keywords: readonly string[]): string | undefined {
  const words = commentWords(text);
  const form = keywordForm(text);
  return keywords.find((keyword) => keywordForm(keyword) === form || includesWords(words, commentWords(keyword)));
}

function includesWords(words: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length === 0) return false;
  return words.some((_, at) => wanted.every((word, offset) => words[at + offset] === word));
}
