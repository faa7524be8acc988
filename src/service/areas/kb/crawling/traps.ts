import { limits } from '../../../../contract/limits.ts';

/** The number of segments from which a path leads nowhere. */
const segmentsMax = 15;

/** How often a segment may occur in a path. */
const repetitionsMax = 2;

/** How many pages are followed that differ only in numbers: of a calendar, or behind a query. */
const variantsMax = 50;

/** Tells the addresses that sites generate without end. */
export class Traps {
  /** How many addresses of each form were followed. */
  readonly #forms = new Map<string, number>();

  /** Whether an address may be followed. It counts as followed then. */
  follow(url: URL): boolean {
    const segments = url.pathname.split('/').filter((segment) => segment !== '');
    if (url.href.length > limits.pageUrlLength || segments.length > segmentsMax || hasRepetition(segments)) return false;
    if (url.search === '' && !/\/(19|20)\d\d(\/|-|$)/.test(url.pathname)) return true;
    const form = `${url.pathname.replace(/\d+/g, '#')}?${[...url.searchParams.keys()].sort().join('&')}`;
    const followed = this.#forms.get(form) ?? 0;
    this.#forms.set(form, followed + 1);
    return followed < variantsMax;
  }
}

function hasRepetition(segments: readonly string[]): boolean {
  const counts = new Map<string, number>();
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  return [...counts.values()].some((count) => count > repetitionsMax);
}
