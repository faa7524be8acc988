import { type PageLink, type PageLinks, Unreachable, Unreadable } from '../reading/document.ts';
import { hostOf, pageKey } from '../../../../contract/areas/kb/address.ts';
import { addressesMax, bestPages, type FoundPage } from '../sites/found-pages.ts';
import { scoreOf } from '../sites/scores.ts';
import type { Crawler } from './crawler.ts';
import { readSitemaps } from './sitemaps.ts';
import { Unread } from './unread.ts';

/** The time limit for following the links of a site, in real milliseconds. */
const timeLimit = 120_000;

/** The number of addresses that are kept for each wanted page, and the minimum number. */
const knownPerPage = 5;
const linksAtLeast = 1_000;

/** The number of pages that are read at the same time. */
const readAtOnce = 8;

/** The maximum number of pages that are followed if they differ only in numbers or parameters, such as in calendars. */
const variantsMax = 50;

/** The pages of a site. */
export interface Discovery {
  readonly sourceType: 'sitemap' | 'link_discovery';
  /** Best first. */
  readonly pages: readonly FoundPage[];
  /** Whether the site may have more pages. */
  readonly isLimited: boolean;
  /** What could not be read now, as a sentence without a full stop. */
  readonly unread: string | null;
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
  const unread = new Unread();
  const listed = await readSitemaps(crawler, start, wanted, realNow, unread);
  if (!listed) {
    const found = await fromLinks(crawler, start, wanted, realNow, unread);
    return found instanceof URL ? found : { ...found, unread: unread.notice };
  }
  const pages = bestPages(listed.pages, wanted);
  const isLimited = listed.isCut || pages.length < listed.pages.length;
  return { sourceType: 'sitemap', pages, isLimited, unread: unread.notice };
}

async function fromLinks(crawler: Crawler, start: URL, wanted: number, realNow: () => number, unread: Unread): Promise<LinkedPages | URL> {
  const deadline = realNow() + timeLimit;
  const site = new LinkedSite(start, wanted);
  let level = [start.href];
  for (let depth = 0; level.length > 0; depth++) {
    const next: string[] = [];
    for await (const page of inOrder(level, (url) => tryReadLinks(crawler, new URL(url), depth === 0, unread))) {
      if (site.isFull || realNow() > deadline) return site.discovery(true);
      if (!page) continue;
      if (site.has(page.url)) next.push(...site.add(page, depth));
      else if (depth === 0) return page.url;
    }
    level = next;
  }
  return site.discovery(false);
}

type LinkedPages = Omit<Discovery, 'unread'>;

/** A page that was read, with its links. */
type LinkedPage = PageLinks & { readonly url: URL };

/** The pages of a site that are found by following links. */
class LinkedSite {
  readonly #host: string;
  readonly #wanted: number;
  readonly #seen: Set<string>;
  readonly #pages = new Map<string, FoundPage>();
  /** The length of the addresses of the pages, in characters. */
  #length = 0;
  /** The number of followed links, by form. */
  readonly #forms = new Map<string, number>();

  constructor(start: URL, wanted: number) {
    this.#host = hostOf(start);
    this.#wanted = wanted;
    this.#seen = new Set([pageKey(start)]);
  }

  /** Whether as many pages were found as are wanted. */
  get isFull(): boolean {
    return this.#pages.size >= this.#wanted || this.#length > addressesMax;
  }

  has(url: URL): boolean {
    return hostOf(url) === this.#host;
  }

  /** Adds a page of the site. @returns its links to pages that were not seen before */
  add(page: LinkedPage, depth: number): string[] {
    const { title } = page;
    const own = page.canonical === null ? page.url : new URL(page.canonical);
    const url = this.has(own) ? own : page.url;
    const key = pageKey(url);
    if (!page.isHidden && !this.#pages.has(key)) {
      this.#pages.set(key, { url: url.href, key, title, depth, ...scoreOf({ url, title, depth, priority: null }) });
      this.#length += url.href.length;
    }
    this.#seen.add(key);
    return page.links.flatMap((link) => this.#follow(link) ?? []);
  }

  /** @returns the address of a page to read; undefined when it was seen before, or when its site may make such pages endlessly */
  #follow({ url, key, form }: PageLink): string | undefined {
    // Each page can have thousands of links, so only as many are kept as can be useful.
    if (this.#seen.size >= knownPerPage * this.#wanted + linksAtLeast || this.#seen.has(key)) return undefined;
    if (form !== null) {
      const followed = this.#forms.get(form) ?? 0;
      this.#forms.set(form, followed + 1);
      if (followed >= variantsMax) return undefined;
    }
    this.#seen.add(key);
    return url;
  }

  /** The best pages. @param isLimited whether some links were not followed */
  discovery(isLimited: boolean): LinkedPages {
    return { sourceType: 'link_discovery', pages: bestPages([...this.#pages.values()], this.#wanted), isLimited };
  }
}

/** Reads the links of a page. Fails only if the start of the site cannot be read. */
async function tryReadLinks(crawler: Crawler, url: URL, isStart: boolean, unread: Unread) {
  try {
    const page = await crawler.readLinks(url);
    if (page || !isStart) return page;
    throw new Unreadable('The address is not that of a web page');
  } catch (error) {
    if (!(error instanceof Unreadable) || isStart) throw error;
    if (error instanceof Unreachable) unread.add(url, error);
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
