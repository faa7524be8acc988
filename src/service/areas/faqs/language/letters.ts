import { unspacedScripts } from '../../../../contract/text/scripts.ts';

export function hasDigit(word: string): boolean {
  return /\p{N}/u.test(word);
}

/** Letters of scripts without spaces between words, without their punctuation; and those of other scripts. */
export const unspaced = new RegExp(`[[${unspacedScripts}]&&[\\p{L}\\p{M}\\p{N}]]+`, 'v');
export const spaced = new RegExp(`[[\\p{L}\\p{M}\\p{N}]--[${unspacedScripts}]]+`, 'v');
