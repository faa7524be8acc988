/** The number of characters in a text: code points, of which some have two UTF-16 units. */
export function characterCount(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
