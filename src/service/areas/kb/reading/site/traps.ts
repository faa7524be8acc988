/** The number of path segments from which an address is assumed to be generated. */
const segmentsMax = 15;

/** The maximum number of times that a segment may occur in a path. */
const repetitionsMax = 2;

/** Whether an address is that of a crawler trap: it looks as if the site generated such addresses endlessly. */
export function isTrap({ pathname }: URL): boolean {
  const segments = pathname.split('/').filter((segment) => segment !== '');
  return segments.length > segmentsMax || hasRepetition(segments);
}

/**
 * What an address has in common with those that differ from it only in numbers or parameters, such as in calendars or queries.
 * Null for an address without them, of which there are no variants.
 */
export function formOf({ pathname, search, searchParams }: URL): string | null {
  if (search === '' && !/\/(19|20)\d\d(\/|-|$)/.test(pathname)) return null;
  return `${pathname.replace(/\d+/g, '#')}?${[...searchParams.keys()].sort().join('&')}`;
}

function hasRepetition(segments: readonly string[]): boolean {
  const counts = new Map<string, number>();
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  return [...counts.values()].some((count) => count > repetitionsMax);
}
