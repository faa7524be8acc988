import { unspacedScripts } from '../../../../contract/text/scripts.ts';

export function hasDigit(word: string): boolean {
  return /\p{N}/u.test(word);
}

/** Letters of scripts without spaces between words, without their punctuation; and those of other scripts. */
export const unspaced = new RegExp(`[[${unspacedScripts}]&&[\\p{L}\\p{M}\\p{N}]]+`, 'v');
export const spaced = new RegExp(`[[\\p{L}\\p{M}\\p{N}]--[${unspacedScripts}]]+`, 'v');

/** Writes the digits of all scripts as 0 to 9: ٣ is 3. */
export function westernDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => String(digitValue(digit)));
}

/** The value of a digit in any script. The ten digits of a script follow each other. */
function digitValue(digit: string): number {
  const isDigit = (code: number) => /\p{Nd}/u.test(String.fromCodePoint(code));
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && isDigit(code - value - 1)) value++;
  return value;
}
