import { compareTexts } from '../../../../contract/text/compare-texts.ts';
import type { Score } from './scores.ts';

/** A page of a site. */
export interface FoundPage extends Score {
  readonly url: string;
  /** Identifies the page (`pageKey`). */
  readonly key: string;
  readonly title: string | null;
  readonly depth: number;
}

/**
 * The maximum length of the addresses of a site's pages together, in characters. Addresses of usual length reach it only beyond
 * the maximum number of pages. The service sorts, stores and sends them at once.
 */
export const addressesMax = 4 * 1024 * 1024;

/**
 * The best pages of a site, best first: as many as are wanted, and as have addresses of the maximum length together.
 * @param pages is sorted
 */
export function bestPages(pages: FoundPage[], wanted: number): FoundPage[] {
  pages.sort((a, b) => b.score - a.score || a.depth - b.depth || compareTexts(a.url, b.url));
  let length = 0;
  const end = pages.findIndex(({ url }, index) => index === wanted || (length += url.length) > addressesMax);
  return end < 0 ? pages : pages.slice(0, end);
}
