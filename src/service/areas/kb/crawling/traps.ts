import { limits } from '../../../../contract/limits.ts';

/** The number of path segments from which an address is assumed to be generated. */
const segmentsMax = 15;

/** The maximum number of times that a segment may occur in a path. */
const repetitionsMax = 2;

/** The maximum number of pages that are followed if they differ only in numbers, such as in calendars or queries. */
const variantsMax = 50;

/** Recognizes crawler traps: addresses that a site generates endlessly. */
export class Traps {
  /** The number of followed addresses, by form. */
  readonly #forms = new Map<string, number>();

  /** Whether an address may be followed. If so, it is counted as followed. */
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
