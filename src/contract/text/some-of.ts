/** The maximum number of names that a text lists. */
const mostNamed = 5;

/** The first names of a list and the number of the others: `Ada, Ben and 3 more`. */
export function someOf(names: readonly string[]): string {
  return names.slice(0, mostNamed).join(', ') + (names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '');
}
