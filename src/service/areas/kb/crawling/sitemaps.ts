import { hostOf, pageAddress } from '../../../../contract/areas/kb/address.ts';
import type { Crawler } from './crawler.ts';
import { parseSitemap, type Sitemap, sitemapBytesMax, type SitemapEntry } from './sitemap-parser.ts';

/** The maximum number of sitemaps that are read for a site, and the maximum nesting of sitemap indexes. */
const sitemapsMax = 200;
const depthMax = 3;

/** The time limit for reading the sitemaps of a site, in real milliseconds. */
const timeLimit = 120_000;

/**
 * Reads the pages listed in the sitemaps of a site. Skips pages and sitemaps on other hosts, and broken sitemaps.
 * @param wanted the number of pages after which reading may stop
 */
export async function readSitemaps(crawler: Crawler, site: URL, wanted: number, realNow: () => number): Promise<SitemapEntry[]> {
  const { sitemaps } = await crawler.rulesFor(site);
  const deadline = realNow() + timeLimit;
  const entries: SitemapEntry[] = [];
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
    if (entries.length >= wanted || realNow() > deadline) break;
    const found = await readSitemap(crawler, url);
    if (depth < depthMax) for (const address of found.sitemaps) add(address, depth + 1);
    for (const entry of found.entries) if (hostOf(entry.url) === hostOf(site)) entries.push(entry);
  }
  return entries;
}

async function readSitemap(crawler: Crawler, url: URL): Promise<Sitemap> {
  const sitemap: Sitemap = { sitemaps: [], entries: [] };
  try {
    const bytes = await crawler.fetchFile(url, sitemapBytesMax);
    if (bytes) await parseSitemap(bytes, url, sitemap);
  } catch {
    // Entries read before the syntax error are kept.
  }
  return sitemap;
}
