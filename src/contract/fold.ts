/** Folds text for comparisons that ignore case and Unicode variants of the same character. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Folds text for comparisons that also ignore how much white space there is, and of which kind. */
export function foldSpaces(text: string): string {
  return fold(text).trim().replace(/\s+/gu, ' ');
}
