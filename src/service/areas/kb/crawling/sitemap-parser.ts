import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SaxesParser } from 'saxes';
import { pageAddress } from '../../../../contract/areas/kb/address.ts';
import { Nesting } from '../../../../workbook/nesting.ts';
import { stepByStep } from '../../../store/step-scheduler.ts';
import { Unreadable } from '../reading/document.ts';

/** The maximum number of entries of a sitemap, according to the protocol. */
const entriesMax = 50_000;

/** The maximum decompressed size of a sitemap according to the protocol, in bytes. */
export const sitemapBytesMax = 50 * 1024 * 1024;

/** The maximum number of syntax errors in a sitemap. */
const errorsMax = 100;

/** The size of the pieces that are parsed at once, in bytes. */
const pieceBytes = 64 * 1024;

/** A page that a sitemap lists. */
export interface SitemapEntry {
  readonly url: URL;
  /** The importance of the page within its site, from 0 to 1; null when not given. */
  readonly priority: number | null;
}

/** What a sitemap lists: further sitemaps, as addresses, and pages. */
export interface Sitemap {
  readonly sitemaps: string[];
  readonly entries: SitemapEntry[];
}

/**
 * Reads a sitemap up to the maximum number of entries, in steps, so that other requests are served in between.
 * @param bytes the file, which may be packed with gzip
 * @param base the address of the file
 * @param sitemap gets what the file lists, and keeps what was found before an error
 * @throws Unreadable when the sitemap unpacks to more than 50 MiB, Error when it has too many syntax errors or its elements
 * are nested too deeply
 */
export async function parseSitemap(bytes: Buffer, base: URL, sitemap: Sitemap): Promise<void> {
  const parser = new SitemapParser(base, sitemap);
  const serveOthers = stepByStep();
  for await (const piece of textPieces(bytes)) {
    parser.write(piece);
    await serveOthers();
    if (parser.isFull) return;
  }
  parser.close();
}

/** The text of a sitemap, in small pieces. */
async function* textPieces(bytes: Buffer): AsyncGenerator<string> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const stream = isPacked ? Readable.from([bytes]).pipe(createGunzip()) : Readable.from([bytes]);
  const decoder = new TextDecoder();
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > sitemapBytesMax) throw new Unreadable('The sitemap unpacks to more than 50 MiB');
    for (let from = 0; from < chunk.length; from += pieceBytes)
      yield decoder.decode(chunk.subarray(from, from + pieceBytes), { stream: true });
  }
}

/** Adds the entries of a sitemap to `sitemap` while its XML is read. */
class SitemapParser {
  readonly #parser = new SaxesParser();
  readonly #base: URL;
  readonly #sitemap: Sitemap;
  readonly #nesting = new Nesting();
  #errors = 0;
  /** The end of the last piece, if it may be the start of an entity. */
  #held = '';
  /** The namespace prefix of the entry. Images and videos of a page have their own addresses, in other namespaces. */
  #prefix = '';
  #text = '';
  #location = '';
  #priority: number | null = null;

  constructor(base: URL, sitemap: Sitemap) {
    this.#base = base;
    this.#sitemap = sitemap;
    this.#parser.on('error', (error) => {
      if (++this.#errors > errorsMax) throw error;
    });
    this.#parser.on('opentag', ({ name }) => this.#open(name));
    this.#parser.on('text', (piece) => (this.#text += piece));
    // `write` also escapes ampersands in CDATA sections, where they are literal.
    this.#parser.on('cdata', (piece) => (this.#text += piece.replaceAll('&amp;', '&')));
    this.#parser.on('closetag', ({ name }) => this.#close(name));
  }

  /** Whether the sitemap has the maximum number of entries. */
  get isFull(): boolean {
    return this.#sitemap.entries.length + this.#sitemap.sitemaps.length >= entriesMax;
  }

  write(piece: string): void {
    const whole = this.#held + piece;
    this.#held = /&[#\w]{0,10}$/.exec(whole)?.[0] ?? '';
    // Many sitemaps contain unescaped ampersands in addresses.
    this.#parser.write(whole.slice(0, whole.length - this.#held.length).replace(/&(?!#?\w{1,10};)/g, '&amp;'));
  }

  close(): void {
    this.#parser.close();
  }

  #open(name: string): void {
    this.#nesting.open();
    this.#text = '';
    if (/(^|:)(url|sitemap)$/.test(name)) this.#prefix = name.slice(0, name.indexOf(':') + 1);
  }

  #close(name: string): void {
    this.#nesting.close();
    if (name === `${this.#prefix}loc`) this.#location = this.#text.trim();
    if (name === `${this.#prefix}priority`) this.#priority = Number.parseFloat(this.#text);
    const local = name.slice(name.indexOf(':') + 1);
    if (local === 'url' || local === 'sitemap') this.#add(local);
  }

  #add(kind: 'url' | 'sitemap'): void {
    const [location, priority] = [this.#location, this.#priority];
    [this.#location, this.#priority] = ['', null];
    // The parser continues after text that is not XML and may report its words as addresses. Relative addresses are therefore
    // ignored after the first error.
    const url = pageAddress(URL.parse(location, this.#errors > 0 ? undefined : this.#base.href)?.href ?? '');
    if (!url) return;
    if (kind === 'sitemap') this.#sitemap.sitemaps.push(url.href);
    else this.#sitemap.entries.push({ url, priority: priority !== null && priority >= 0 && priority <= 1 ? priority : null });
  }
}
