import { createGunzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { SaxesParser } from 'saxes';
import { stepByStep } from '../../../store/turns.ts';
import { Unreadable } from '../reading/document.ts';
import { hostOf, pageAddress } from '../../../../contract/areas/kb/address.ts';
import type { Crawler } from './crawler.ts';

/** The limits of a sitemap according to the protocol: the number of entries, and the decompressed size in bytes. */
const entriesMax = 50_000;
const bytesMax = 50 * 1024 * 1024;

/** The maximum number of sitemaps that are read for a site, and the maximum nesting of sitemap indexes. */
const sitemapsMax = 200;
const depthMax = 3;

/** The maximum number of syntax errors in a sitemap. */
const errorsMax = 100;

/** The time limit for reading the sitemaps of a site, in real milliseconds. */
const timeLimit = 120_000;

/** A page that a sitemap lists. */
export interface SitemapEntry {
  readonly url: URL;
  /** The importance of the page within its site, from 0 to 1; null when not given. */
  readonly priority: number | null;
}

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

interface Sitemap {
  readonly sitemaps: string[];
  readonly entries: SitemapEntry[];
}

async function readSitemap(crawler: Crawler, url: URL): Promise<Sitemap> {
  const sitemap: Sitemap = { sitemaps: [], entries: [] };
  try {
    const bytes = await crawler.fetchFile(url, bytesMax);
    if (bytes) await parseSitemap(bytes, url, sitemap);
  } catch {
    // Entries read before the syntax error are kept.
  }
  return sitemap;
}

async function parseSitemap(bytes: Buffer, base: URL, { sitemaps, entries }: Sitemap): Promise<void> {
  const parser = new SaxesParser();
  // The parser continues after text that is not XML and may report its words as addresses. Relative addresses are therefore
  // ignored after the first error.
  let errors = 0;
  parser.on('error', (error) => {
    if (++errors > errorsMax) throw error;
  });
  let text = '';
  let location = '';
  let priority: number | null = null;
  let isFull = false;
  // Images and videos of a page have their own addresses, in other namespaces.
  let prefix = '';
  parser.on('opentag', ({ name }) => {
    text = '';
    if (/(^|:)(url|sitemap)$/.test(name)) prefix = name.slice(0, name.indexOf(':') + 1);
  });
  parser.on('text', (piece) => (text += piece));
  // `write` also escapes ampersands in CDATA sections, where they are literal.
  parser.on('cdata', (piece) => (text += piece.replaceAll('&amp;', '&')));
  parser.on('closetag', ({ name }) => {
    const local = name.slice(name.indexOf(':') + 1);
    if (name === `${prefix}loc`) location = text.trim();
    if (name === `${prefix}priority`) priority = Number.parseFloat(text);
    if (local !== 'url' && local !== 'sitemap') return;
    const page = pageAddress(URL.parse(location, errors > 0 ? undefined : base.href)?.href ?? '');
    if (page && local === 'sitemap') sitemaps.push(page.href);
    else if (page) entries.push({ url: page, priority: priority !== null && priority >= 0 && priority <= 1 ? priority : null });
    [location, priority] = ['', null];
    isFull = entries.length + sitemaps.length >= entriesMax;
  });
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const stream = isPacked ? Readable.from([bytes]).pipe(createGunzip()) : Readable.from([bytes]);
  const decoder = new TextDecoder();
  // The end of a piece, if it may be the start of an entity.
  let held = '';
  const write = (piece: string) => {
    const whole = held + piece;
    held = /&[#\w]{0,10}$/.exec(whole)?.[0] ?? '';
    // Many sitemaps contain unescaped ampersands in addresses.
    parser.write(whole.slice(0, whole.length - held.length).replace(/&(?!#?\w{1,10};)/g, '&amp;'));
  };
  const serveOthers = stepByStep();
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw new Unreadable('The sitemap unpacks to more than 50 MiB');
    // Parses small pieces, so that other requests are served in between.
    for (let from = 0; from < chunk.length && !isFull; from += pieceBytes) {
      write(decoder.decode(chunk.subarray(from, from + pieceBytes), { stream: true }));
      await serveOthers();
    }
    if (isFull) return;
  }
  parser.close();
}

const pieceBytes = 64 * 1024;
