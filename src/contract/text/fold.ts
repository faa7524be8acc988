/** Folds text for comparisons that ignore case and Unicode variants of the same character. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Folds the case of text as Unicode's full case folding does, so that `STRASSE` is `Straße`. */
export function foldCase(text: string): string {
  // Lower case first: the upper case of a capital ẞ is itself. The dotless ı has the upper case of i, and is another letter.
  const parts = text.toLowerCase().split('ı');
  return parts.map((part) => part.toUpperCase().toLowerCase()).join('ı');
}

/**
 * Folds text for comparisons that ignore Unicode variants, and the case as `foldCase` does, also in a part of a word: a sigma has
 * another form at the end. Never stored as a key.
 */
export function foldFully(text: string): string {
  return fold(foldCase(text)).replaceAll('ς', 'σ');
}

/** Folds text for comparisons that also ignore the amount and kind of white space. Never stored as a key. */
export function foldSpaces(text: string): string {
  return foldFully(text).trim().replace(/\s+/gu, ' ');
}

/** Letters with two spellings that removing accents does not unify. */
const spelledOut: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

/** Folds case, accents, and the points of Hebrew and Arabic. Vowel signs of other scripts stay: they are letters there. */
export function foldAccents(text: string): string {
  // Most words have none of these. What follows takes twenty times as long.
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  const bare = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/gu, '');
  return bare.normalize('NFC').replace(/[ßæœøłđðþı]/g, (letter) => spelledOut[letter] ?? letter);
}
