import { foldFully } from '../../text/fold.ts';
import { limits } from '../../limits.ts';
import { isSimilar } from '../../text/similarity.ts';
import { TextIndex } from '../../text/text-index.ts';

/** The minimum similarity of a near match to a keyword (rule routing.29). */
export const nearMiss = 0.8;

/** The form of a keyword, or of a text that may be one, for comparison: case and white space are ignored. */
export function keywordForm(text: string): string {
  return foldFully(text).replace(/\s+/gu, '');
}

/** The greatest length of a keyword in that form: a name can have 200 characters of two code units each. */
export const keywordFormLength = 2 * limits.nameLength;

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
  return foldFully(text).match(word) ?? [];
}

/** A keyword, in the forms in which it is looked for in comments. */
export interface CommentKeyword {
  readonly keyword: string;
  readonly form: string;
  /** Its words, each between line breaks, which no word contains; empty when it has none. */
  readonly words: string;
}

export function commentKeyword(keyword: string): CommentKeyword {
  return { keyword, form: keywordForm(keyword), words: betweenBreaks(commentWords(keyword)) };
}

/** A comment in which keywords are looked for. */
export class Comment {
  readonly #form: string;
  readonly #words: TextIndex;

  /** @param text as the contact wrote it. If it stands for more characters than a text can have, the rest is left out */
  constructor(text: string) {
    this.#form = keywordForm(text);
    this.#words = new TextIndex(betweenBreaks(commentWords(foldFully(text).slice(0, limits.textLength))));
  }

  /** Whether the comment is a keyword, or has it as whole words. */
  has({ form, words }: CommentKeyword): boolean {
    return form === this.#form || (words !== '' && this.#words.includes(words));
  }
}

function betweenBreaks(words: readonly string[]): string {
  return words.length === 0 ? '' : `\n${words.join('\n')}\n`;
}

/** Finds a keyword that a comment is or has as whole words. */
export function matchComment(comment: Comment, keywords: readonly string[]): string | undefined {
  return keywords.find((keyword) => comment.has(commentKeyword(keyword)));
}
