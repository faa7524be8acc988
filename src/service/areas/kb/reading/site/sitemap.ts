import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SaxesParser } from 'saxes';
import { pageKey } from '../../../../../contract/areas/kb/address.ts';
import { Nesting } from '../../../../../workbook/nesting.ts';
import { bestPages, type FoundPage } from '../../sites/found-pages.ts';
import { type RobotsRule, RobotsRules } from '../../sites/robots-rules.ts';
import { scoreOf } from '../../sites/scores.ts';
import { decoderOf, encodingOf } from '../charset.ts';
import { type Sitemap, sitemapBytes } from '../document.ts';
import { addressOnHost, isPage } from './site-pages.ts';

/** The maximum number of entries of a sitemap, according to the protocol. */
const entriesMax = 50_000;

/** The maximum number of further sitemaps that a sitemap lists. */
const sitemapsMax = 200;

/** The maximum number of syntax errors in a sitemap. */
const errorsMax = 100;

/** The size of the pieces that are parsed at once, in bytes. */
const pieceBytes = 64 * 1024;

/** The maximum number of comparisons of characters with wildcards of robots.txt, which take twenty seconds at most. */
const comparisonsMax = 10_000_000_000;

/** What a sitemap is read for. */
export interface SitemapTask {
  /** The address of the sitemap. */
  readonly url: string;
  /** The `Content-Type` header of the sitemap. */
  readonly contentType: string | null;
  /** The host of the site. Sitemaps and pages of other hosts are left out. */
  readonly host: string;
  /** The rules of the host. */
  readonly rules: readonly RobotsRule[];
  /** The maximum number of pages. */
  readonly wanted: number;
}

/**
 * Reads a sitemap as far as it can be read: up to the maximum number of entries, and up to what is damaged or nested deeply. A
 * sitemap is XML, a feed (RSS or Atom), or a text file with an address in each line.
 * @param bytes the file, which may be packed with gzip
 */
export async function readSitemap(bytes: Buffer, task: SitemapTask): Promise<Sitemap> {
  const entries = new Entries(task);
  try {
    let parser: Parser | undefined;
    for await (const piece of textPieces(bytes, task.contentType)) {
      parser ??= /^\s*</.test(piece) ? new SitemapParser(entries, task.url) : new LineParser(entries);
      parser.write(piece);
      if (entries.isFull) break;
    }
    if (!entries.isFull) parser?.close();
  } catch {
    // What was read before is kept.
  }
  return entries.sitemap(task.wanted);
}

/** Finds the entries of a sitemap in its pieces. */
interface Parser {
  write(piece: string): void;
  close(): void;
}

/** The text of a sitemap up to the maximum size, in small pieces. */
async function* textPieces(bytes: Buffer, contentType: string | null): AsyncGenerator<string> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const stream = isPacked ? Readable.from([bytes]).pipe(createGunzip()) : Readable.from([bytes]);
  let decode: ((piece: Buffer) => string) | undefined;
  let left = sitemapBytes;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const read = chunk.subarray(0, left);
    decode ??= decoderOf(encodingOf(wholeCharacters(read.subarray(0, pieceBytes)), contentType));
    for (let from = 0; from < read.length; from += pieceBytes) yield decode(read.subarray(from, from + pieceBytes));
    left -= read.length;
    if (left === 0) return;
  }
}

/** The beginning of a text without its last character if that may be cut. */
function wholeCharacters(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.findLastIndex((byte) => byte < 0x80) + 1);
}

/** What a sitemap lists, of the site only. */
class Entries {
  readonly #task: SitemapTask;
  readonly #rules: RobotsRules;
  readonly #sitemaps = new Set<string>();
  readonly #pages = new Map<string, FoundPage>();
  #count = 0;
  #listsPages = false;
  #comparisons = 0;

  constructor(task: SitemapTask) {
    this.#task = task;
    this.#rules = new RobotsRules(task.rules);
  }

  /** Whether there may be no more entries. */
  get isFull(): boolean {
    return this.#count >= entriesMax || this.#comparisons > comparisonsMax;
  }

  /** Adds a sitemap. @param base what the address is relative to; undefined when it must not be relative */
  addSitemap(location: string, base: string | undefined): void {
    if (this.isFull) return;
    this.#count++;
    const url = addressOnHost(location, base, this.#task.host);
    if (url && this.#sitemaps.size < sitemapsMax) this.#sitemaps.add(url.href);
  }

  /** Adds a page, unless it may not be read. @param priority its importance within the site, from 0 to 1; null when not given */
  addPage(location: string, base: string | undefined, priority: number | null): void {
    if (this.isFull) return;
    this.#count++;
    const url = addressOnHost(location, base, this.#task.host);
    if (!url) return;
    this.#listsPages = true;
    this.#comparisons += this.#rules.comparisons(url);
    const key = pageKey(url);
    if (this.#pages.has(key) || !isPage(url) || !this.#rules.allows(url)) return;
    const depth = url.pathname.split('/').filter((segment) => segment !== '').length;
    this.#pages.set(key, { url: url.href, key, title: null, depth, ...scoreOf({ url, title: null, depth, priority }) });
  }

  /** What was added, with the best of the pages. */
  sitemap(wanted: number): Sitemap {
    const pages = bestPages([...this.#pages.values()], wanted);
    const isCut = pages.length < this.#pages.size || this.#comparisons > comparisonsMax;
    return { sitemaps: [...this.#sitemaps], pages, listsPages: this.#listsPages, isCut };
  }
}

/** Finds the entries of a text file: absolute addresses, one in each line. */
class LineParser implements Parser {
  readonly #entries: Entries;
  /** The end of the last piece: the beginning of a line. */
  #held = '';

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  write(piece: string): void {
    const lines = (this.#held + piece).split(/[\r\n]+/);
    // A longer line is no address.
    this.#held = (lines.pop() ?? '').slice(0, pieceBytes);
    for (const line of lines) this.#add(line.trim().split(/\s/, 1)[0] ?? '');
  }

  close(): void {
    this.write('\n');
  }

  #add(location: string): void {
    if (/\.xml(\.gz)?$/i.test(location)) this.#entries.addSitemap(location, undefined);
    else this.#entries.addPage(location, undefined, null);
  }
}

/** The elements of the entries of sitemaps and feeds. */
const entryNames: ReadonlySet<string> = new Set(['url', 'sitemap', 'item', 'entry']);

/** Finds the entries of a sitemap or a feed while its XML is read. */
class SitemapParser implements Parser {
  readonly #parser = new SaxesParser();
  readonly #entries: Entries;
  /** The address of the sitemap. */
  readonly #base: string;
  readonly #nesting = new Nesting();
  #errors = 0;
  /** The end of the last piece, if it may be the start of an entity. */
  #held = '';
  /** The namespace of elements without a prefix. */
  #namespace = '';
  #entry: Entry | undefined;
  #text = '';

  constructor(entries: Entries, base: string) {
    this.#entries = entries;
    this.#base = base;
    this.#parser.on('error', (error) => {
      if (++this.#errors > errorsMax) throw error;
    });
    this.#parser.on('opentag', ({ name, attributes }) => this.#open(name.toLowerCase(), attributes));
    this.#parser.on('text', (piece) => (this.#text += piece));
    // `write` also escapes ampersands in CDATA sections, where they are literal.
    this.#parser.on('cdata', (piece) => (this.#text += piece.replaceAll('&amp;', '&')));
    this.#parser.on('closetag', ({ name }) => this.#close(name.toLowerCase()));
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

  #open(name: string, { href = '', rel = 'alternate', xmlns }: Readonly<Record<string, string>>): void {
    this.#nesting.open();
    this.#text = '';
    const entry = this.#entry;
    if (entry) {
      entry.depth++;
      // Images and videos of a page have addresses of their own, in other namespaces or deeper.
      entry.isOwn = entry.depth === 1 && (xmlns === undefined || xmlns === this.#namespace);
      if (entry.isOwn && name === `${entry.prefix}link` && rel === 'alternate') entry.link ||= href.trim();
      return;
    }
    if (xmlns !== undefined) this.#namespace = xmlns;
    const kind = localName(name);
    if (!entryNames.has(kind)) return;
    this.#entry = { kind, prefix: name.slice(0, -kind.length), depth: 0, isOwn: false, link: '', id: '', priority: null };
  }

  #close(name: string): void {
    this.#nesting.close();
    const entry = this.#entry;
    if (!entry) return;
    if (entry.depth === 0) {
      this.#entry = undefined;
      return this.#add(entry);
    }
    if (entry.isOwn && name.startsWith(entry.prefix)) setField(entry, name.slice(entry.prefix.length), this.#text.trim());
    entry.depth--;
    entry.isOwn = false;
  }

  #add({ kind, link, id, priority }: Entry): void {
    const location = link || id;
    if (location === '') return;
    // The parser continues after text that is not XML and may report its words as addresses. Relative addresses are therefore
    // ignored after the first error.
    const base = this.#errors > 0 ? undefined : this.#base;
    if (kind === 'sitemap') this.#entries.addSitemap(location, base);
    else this.#entries.addPage(location, base, priority !== null && priority >= 0 && priority <= 1 ? priority : null);
  }
}

/** An entry that is being read. */
interface Entry {
  /** The name of its element, and the prefix of its namespace. */
  readonly kind: string;
  readonly prefix: string;
  /** How deep below it the parser is, and whether the open element is a field of it. */
  depth: number;
  isOwn: boolean;
  /** Its address. */
  link: string;
  /** Its id, if that is an address. */
  id: string;
  priority: number | null;
}

function setField(entry: Entry, name: string, text: string): void {
  if (text === '') return;
  if (name === 'loc' || name === 'link') entry.link ||= text;
  if ((name === 'guid' || name === 'id') && /^https?:/i.test(text)) entry.id = text;
  if (name === 'priority') entry.priority = Number.parseFloat(text);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
