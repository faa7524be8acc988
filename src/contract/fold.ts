/** Folds text for comparisons that ignore case and Unicode variants of the same character. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
