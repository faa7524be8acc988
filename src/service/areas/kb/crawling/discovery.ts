import { compareTexts } from '../../../../contract/compare-texts.ts';
import { stepByStep } from '../../../store/step-scheduler.ts';
import { type PageLinks, Unreadable } from '../reading/document.ts';
import { hostOf, pageAddress, pageKey } from '../../../../contract/areas/kb/address.ts';
import type { Crawler } from './crawler.ts';
import { type Score, scoreOf } from './scores.ts';
import { readSitemaps } from './sitemaps.ts';
import { Traps } from './traps.ts';

/** The time limit for following the links of a site, or for checking what its sitemaps list, in real milliseconds. */
const timeLimit = 120_000;

/** The number of addresses that are kept for each wanted page, and the minimum number. */
const knownPerPage = 5;
const linksAtLeast = 1_000;

/** The number of pages that are read at the same time. */
const readAtOnce = 8;

/** File name extensions of addresses that are not pages. */
const files =
  /\.(png|jpe?g|gif|svg|webp|avif|ico|css|js|mjs|json|xml|rss|atom|woff2?|ttf|zip|gz|tgz|rar|7z|dmg|exe|mp[34]|m4a|wav|avi|mov|webm|ics)$/i;

/** A page of a site. */
interface FoundPage extends Score {
  readonly url: string;
  readonly title: string | null;
  readonly depth: number;
}

/** The pages of a site. */
export interface Discovery {
  readonly sourceType: 'sitemap' | 'link_discovery';
  /** Best first. */
  readonly pages: readonly FoundPage[];
  /** Whether the site may have more pages. */
  readonly isLimited: boolean;
}

/**
 * Finds the pages of a site from its sitemaps, or else by following links. If the start redirects to another host, such as from
 * `example.com` to `www.example.com`, that host is used.
 * @param wanted the maximum number of pages
 * @throws Unreadable with a sentence that explains why the site cannot be read
 */
export async function discover(crawler: Crawler, start: URL, wanted: number, realNow: () => number): Promise<Discovery> {
  const found = await discoverAt(crawler, start, wanted, realNow);
  if (!(found instanceof URL)) return found;
  const there = await discoverAt(crawler, found, wanted, realNow);
  if (there instanceof URL) throw new Unreadable(`The address leads to ${hostOf(found)}, and from there to ${hostOf(there)}`);
  return there;
}

/** Finds the pages of a site. @returns the address that the start redirects to, when that is on another host */
async function discoverAt(crawler: Crawler, start: URL, wanted: number, realNow: () => number): Promise<Discovery | URL> {
  const listed = await readSitemaps(crawler, start, wanted + 1, realNow);
  return listed.length > 0 ? await fromSitemaps(crawler, start, listed, wanted, realNow) : await fromLinks(crawler, start, wanted, realNow);
}

type Listed = Awaited<ReturnType<typeof readSitemaps>>;

async function fromSitemaps(crawler: Crawler, start: URL, listed: Listed, wanted: number, realNow: () => number): Promise<Discovery> {
  const { allows } = await crawler.rulesFor(start);
  const deadline = realNow() + timeLimit;
  const pages = new Map<string, FoundPage>();
  const add = (url: URL, priority: number | null) => {
    if (files.test(url.pathname) || !allows(url.href) || pages.has(pageKey(url))) return;
    const depth = url.pathname.split('/').filter((segment) => segment !== '').length;
    pages.set(pageKey(url), { url: url.href, title: null, depth, ...scoreOf({ url, title: null, depth, priority }) });
  };
  const serveOthers = stepByStep();
  for (const { url, priority } of listed) {
    if (realNow() > deadline) break;
    add(url, priority);
    // Each address is compared with all rules of the host, which takes time.
    await serveOthers();
  }
  return { sourceType: 'sitemap', pages: best([...pages.values()], wanted), isLimited: pages.size > wanted };
}

async function fromLinks(crawler: Crawler, start: URL, wanted: number, realNow: () => number): Promise<Discovery | URL> {
  const deadline = realNow() + timeLimit;
  const site = new LinkedSite(start, wanted);
  let level = [start.href];
  for (let depth = 0; level.length > 0; depth++) {
    const next: string[] = [];
    for await (const page of inOrder(level, (url) => tryReadLinks(crawler, new URL(url), depth === 0))) {
      if (site.isFull || realNow() > deadline) return site.discovery(true);
      if (!page) continue;
      if (site.has(page.url)) next.push(...site.add(page, depth));
      else if (depth === 0) return page.url;
    }
    level = next;
  }
  return site.discovery(false);
}

/** A page that was read, with its links. */
type LinkedPage = PageLinks & { readonly url: URL };

/** The pages of a site that are found by following links. */
class LinkedSite {
  readonly #host: string;
  readonly #wanted: number;
  readonly #traps = new Traps();
  readonly #seen: Set<string>;
  readonly #pages = new Map<string, FoundPage>();

  constructor(start: URL, wanted: number) {
    this.#host = hostOf(start);
    this.#wanted = wanted;
    this.#seen = new Set([pageKey(start)]);
  }

  /** Whether all wanted pages were found. */
  get isFull(): boolean {
    return this.#pages.size >= this.#wanted;
  }

  has(url: URL): boolean {
    return hostOf(url) === this.#host;
  }

  /** Adds a page of the site. @returns its links to pages that were not seen before */
  add(page: LinkedPage, depth: number): string[] {
    const { title } = page;
    const own = pageAddress(page.canonical ?? '') ?? page.url;
    const url = this.has(own) ? own : page.url;
    const key = pageKey(url);
    if (!page.isHidden && !this.#pages.has(key))
      this.#pages.set(key, { url: url.href, title, depth, ...scoreOf({ url, title, depth, priority: null }) });
    this.#seen.add(key);
    return page.links.flatMap((link) => this.#follow(link) ?? []);
  }

  /** @returns the address of a page to read; undefined when it was seen before, or is not a page of the site */
  #follow(link: string): string | undefined {
    // Each page can have thousands of links, so only as many are kept as can be useful.
    if (this.#seen.size >= knownPerPage * this.#wanted + linksAtLeast) return undefined;
    const url = pageAddress(link);
    if (!url || !this.has(url) || files.test(url.pathname) || this.#seen.has(pageKey(url)) || !this.#traps.follow(url)) return undefined;
    this.#seen.add(pageKey(url));
    return url.href;
  }

  /** The best pages. @param isLimited whether some links were not followed */
  discovery(isLimited: boolean): Discovery {
    return { sourceType: 'link_discovery', pages: best([...this.#pages.values()], this.#wanted), isLimited };
  }
}

/** Reads the links of a page. Fails only if the start of the site cannot be read. */
async function tryReadLinks(crawler: Crawler, url: URL, isStart: boolean) {
  try {
    const page = await crawler.readLinks(url);
    if (page || !isStart) return page;
    throw new Unreadable('The address is not that of a web page');
  } catch (error) {
    if (!(error instanceof Unreadable) || isStart) throw error;
    return null;
  }
}

/** Reads several pages at a time and yields them in order, so that the result does not depend on which response arrives first. */
async function* inOrder<Page>(urls: readonly string[], read: (url: string) => Promise<Page>): AsyncGenerator<Page> {
  const reading: Promise<Page>[] = [];
  for (const url of urls) {
    const page = read(url);
    // Prevents an unhandled rejection. The error is thrown when the page is awaited.
    page.catch(() => {});
    if (reading.push(page) === readAtOnce) yield (await reading.shift()) as Page;
  }
  for (const page of reading) yield await page;
}

function best(pages: FoundPage[], wanted: number): FoundPage[] {
  return pages.sort((a, b) => b.score - a.score || a.depth - b.depth || compareTexts(a.url, b.url)).slice(0, wanted);
}
