/** The first characters of a text. The limit counts code points, so that no character is split. */
export function firstCharacters(text: string, count: number): string {
  return [...text.slice(0, 2 * count)].slice(0, count).join('');
}
