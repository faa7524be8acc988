import { foldAccents } from '../../text/fold.ts';
import { unspacedScripts } from '../../text/scripts.ts';

// The words by which messages are searched (rule messages.42).

/** A word of a text, folded. */
export interface Word {
  readonly text: string;
  /** Whether its script has no spaces, so that it is found wherever it stands. */
  readonly isUnspaced: boolean;
}

const letters = '[\\p{L}\\p{N}\\p{M}]';
const wordPattern = new RegExp(`([[${unspacedScripts}]&&${letters}]+)|[${letters}--[${unspacedScripts}]]+`, 'gv');

/** The words of a text: letters and digits in a row. */
export function wordsOf(text: string): Word[] {
  return Array.from(foldAccents(text).matchAll(wordPattern), ([word, unspaced]) => ({ text: word, isUnspaced: unspaced !== undefined }));
}

/** Whether a text has every word that is searched for: one that begins with it, or in scripts without spaces one that contains it. */
export function hasWords(text: string, searched: readonly Word[]): boolean {
  const words = wordsOf(text);
  return searched.every((wanted) =>
    words.some((word) =>
      wanted.isUnspaced
        ? word.isUnspaced && word.text.includes(wanted.text)
        : withOneSigma(word.text).startsWith(withOneSigma(wanted.text)),
    ),
  );
}

/** Where a word begins with another one, the sigma at the end of that may be one within the word. */
function withOneSigma(text: string): string {
  return text.replaceAll('ς', 'σ');
}

/** The beginnings of words that a searched word stands for. */
export function beginningsOf(text: string): string[] {
  return /[σς]$/u.test(text) ? ['σ', 'ς'].map((sigma) => text.slice(0, -1) + sigma) : [text];
}
