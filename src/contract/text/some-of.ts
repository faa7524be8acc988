/** The maximum number of names that a text lists, unless only one would be left. */
export const mostNamed = 5;

/** Names as a sentence has them, `Ada, Ben and Cem`, with the number of those that are too many. */
export function sentenceOf(names: readonly string[]): string {
  if (names.length > mostNamed + 1 || names.length < 2) return someOf(names);
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** The first names of a list and the number of the others: `Ada, Ben and 3 more`. */
export function someOf(names: readonly string[]): string {
  if (names.length <= mostNamed + 1) return names.join(', ');
  return `${names.slice(0, mostNamed).join(', ')} and ${names.length - mostNamed} more`;
}
