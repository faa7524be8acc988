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

/** Folds text for comparisons that also ignore the amount and kind of white space. Never stored as a key. */
export function foldSpaces(text: string): string {
  return fold(foldCase(text)).trim().replace(/\s+/gu, ' ');
}
