import { hostOf, pageAddress } from '../../../../contract/areas/kb/address.ts';
import { type Sitemap, Unreachable, Unreadable } from '../reading/document.ts';
import { addressesMax, type FoundPage } from '../sites/found-pages.ts';
import type { Crawler } from './crawler.ts';
import type { Unread } from './unread.ts';

/** The maximum number of sitemaps that are read for a site, and the maximum nesting of sitemap indexes. */
const sitemapsMax = 200;
const depthMax = 3;

/** The time limit for reading the sitemaps of a site, in real milliseconds. */
const timeLimit = 120_000;

/** The pages that the sitemaps of a site list, as far as they may be read. */
interface Listed {
  readonly pages: FoundPage[];
  /** Whether a sitemap lists more of them. */
  readonly isCut: boolean;
}

/**
 * Reads the sitemaps of a site. Skips pages and sitemaps on other hosts, and broken sitemaps.
 * @param wanted the number of pages beyond which no more sitemaps are read
 * @param unread gets the sitemaps that could not be read now
 * @returns undefined when they list no pages
 */
export async function readSitemaps(
  crawler: Crawler,
  site: URL,
  wanted: number,
  realNow: () => number,
  unread: Unread,
): Promise<Listed | undefined> {
  const { sitemaps } = await crawler.rulesFor(site);
  const deadline = realNow() + timeLimit;
  const pages = new Map<string, FoundPage>();
  let [length, listsPages, isCut] = [0, false, false];
  const known = new Set<string>();
  const waiting: { readonly url: URL; readonly depth: number }[] = [];
  const add = (address: string, depth: number) => {
    const url = pageAddress(URL.parse(address, site.href)?.href ?? '');
    if (!url || hostOf(url) !== hostOf(site) || known.has(url.href) || known.size >= sitemapsMax) return;
    known.add(url.href);
    waiting.push({ url, depth });
  };
  for (const address of sitemaps.length > 0 ? sitemaps : ['/sitemap.xml']) add(address, 0);
  for (const { url, depth } of waiting) {
    if (pages.size > wanted || length > addressesMax || realNow() > deadline) break;
    const found = await tryReadSitemap(crawler, url, site, wanted + 1, unread);
    if (!found) continue;
    if (depth < depthMax) for (const address of found.sitemaps) add(address, depth + 1);
    listsPages ||= found.listsPages;
    isCut ||= found.isCut;
    for (const page of found.pages) {
      if (pages.has(page.key)) continue;
      pages.set(page.key, page);
      length += page.url.length;
    }
  }
  return listsPages ? { pages: [...pages.values()], isCut } : undefined;
}

async function tryReadSitemap(crawler: Crawler, url: URL, site: URL, wanted: number, unread: Unread): Promise<Sitemap | undefined> {
  try {
    return await crawler.readSitemap(url, site, wanted);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    if (error instanceof Unreachable) unread.add(url, error);
    return undefined;
  }
}
