/** Text as it is compared: without regard to case, and to the ways in which characters can be written. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
