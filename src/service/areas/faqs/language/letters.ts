import { spellOut } from '../../../../contract/text/fold.ts';
import { unspacedScripts } from '../../../../contract/text/scripts.ts';

/** Removes case, accents and other variants of letters. */
export function foldLetters(text: string): string {
  // Most words have none of these. What follows takes twenty times as long.
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  return spellOut(text.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '').normalize('NFC'));
}

export function hasDigit(word: string): boolean {
  return /\p{N}/u.test(word);
}

/** Scripts without spaces between words. Pairs of characters are used as words. */
export const unspaced = new RegExp(`[${unspacedScripts}]+`, 'u');
