/** Folds text for comparisons that ignore case and Unicode variants of the same character. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Folds text for comparisons that also ignore the amount and kind of white space. Never stored as a key. */
export function foldSpaces(text: string): string {
  // Upper case first: it turns ß into SS.
  return fold(text.toUpperCase()).trim().replace(/\s+/gu, ' ');
}
