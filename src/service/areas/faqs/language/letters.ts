/** Letters with two spellings that removing accents does not unify. */
const spelledOut: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

/** Removes case, accents and other variants of letters. */
export function foldLetters(text: string): string {
  const bare = text.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '').normalize('NFC');
  return bare.replace(/[ßæœøłđðþı]/g, (letter) => spelledOut[letter] ?? letter);
}

export function hasDigit(word: string): boolean {
  return /\p{N}/u.test(word);
}

/** Scripts without spaces between words. Pairs of characters are used as words. */
export const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/u;
