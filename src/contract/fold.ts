/** Folds text for comparisons that ignore case and Unicode variants of the same character. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Folds text for comparisons that also ignore how much white space there is, and of which kind. No key of it is stored. */
export function foldSpaces(text: string): string {
  // Upper case first, because it writes ß as SS.
  return fold(text.toUpperCase()).trim().replace(/\s+/gu, ' ');
}
