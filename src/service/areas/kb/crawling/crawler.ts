import { DocumentReader } from '../reading/reader.ts';
import { documentBytes, type DocumentFormat, formatOfName, type PageLinks, type ReadDocument, Unreadable } from '../reading/document.ts';
import { hostOf, pageAddress } from './address.ts';
import { HostTurns } from './host-turns.ts';
import { type Fetched, PageClient } from './page-client.ts';
import { crawlerName, Robots, type Rules } from './robots.ts';

const redirectsMax = 5;

/** What a host said about the version of a page. */
export interface PageVersion {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** A page that was read. */
export interface ReadPage extends PageVersion {
  readonly document: ReadDocument;
  /** Where redirects led to. */
  readonly url: URL;
}

interface CrawlerOptions {
  /** Whether pages may be at private addresses. */
  readonly allowPrivate: boolean;
  readonly version: string;
  readonly realNow: () => number;
  /** How long a request, and the reading of a document, may take, in real milliseconds. */
  readonly readingLimits?: { readonly request?: number; readonly reading?: number };
}

/** Fetches and reads pages, as politely as their hosts ask for. */
export class Crawler {
  readonly #client: PageClient;
  readonly #robots: Robots;
  readonly #reader: DocumentReader;
  readonly #hosts = new HostTurns();

  constructor({ allowPrivate, version, realNow, readingLimits = {} }: CrawlerOptions) {
    this.#client = new PageClient(allowPrivate, `${crawlerName}/${version}`, readingLimits.request);
    this.#robots = new Robots(this.#client, realNow);
    this.#reader = new DocumentReader(readingLimits.reading);
  }

  /**
   * Reads a page when it is its turn.
   * @param begin runs when its turn has come; the page is left alone when it returns false
   * @param known the version that was read before: a page that has not changed since is not read again
   * @returns undefined when `begin` returned false
   * @throws Unreadable with a sentence that says why it cannot be read
   */
  async readPage(url: URL, begin: () => Promise<boolean>, known?: PageVersion): Promise<ReadPage | 'unchanged' | undefined> {
    return await this.#hosts.run(hostOf(url), async () => {
      if (!(await begin())) return undefined;
      const fetched = await this.#get(url, versionHeaders(known));
      if (fetched.status === 304 && known) return 'unchanged';
      checkStatus(fetched);
      const contentType = fetched.headers['content-type'] ?? null;
      const format = formatOfPage(contentType, fetched.url, fetched.body);
      const document = await this.#reader.read({ bytes: fetched.body, format, contentType, url: fetched.url.href });
      const { etag = null, 'last-modified': lastModified = null } = fetched.headers;
      return { document, url: fetched.url, etag, lastModified };
    });
  }

  /** Reads the links of a page when it is its turn. Null when it is not HTML. @throws Unreadable */
  async readLinks(url: URL): Promise<(PageLinks & { readonly url: URL }) | null> {
    return await this.#hosts.run(hostOf(url), async () => {
      const fetched = await this.#get(url, {});
      checkStatus(fetched);
      const contentType = fetched.headers['content-type'] ?? null;
      if (formatOfPage(contentType, fetched.url, fetched.body) !== 'html') return null;
      const links = await this.#reader.links({ bytes: fetched.body, contentType, url: fetched.url.href });
      return { ...links, url: fetched.url };
    });
  }

  /**
   * Reads a document of an account when it is its turn: the documents of an account take turns like the pages of a host.
   * @param load gets the document when its turn has come; it is left alone when that returns undefined
   * @throws Unreadable
   */
  async readDocument(
    accountId: string,
    format: DocumentFormat,
    load: () => Promise<Uint8Array | undefined>,
  ): Promise<ReadDocument | undefined> {
    return await this.#hosts.run(`documents of ${accountId}`, async () => {
      const bytes = await load();
      return bytes && (await this.#reader.read({ bytes, format, contentType: null, url: 'document:' }));
    });
  }

  /** Fetches a file of a host, such as a sitemap; undefined when there is none. @throws Unreadable */
  async fetchFile(url: URL, maxBytes: number): Promise<Buffer | undefined> {
    return await this.#hosts.run(hostOf(url), async () => {
      const fetched = await this.#get(url, {}, maxBytes);
      return fetched.status >= 200 && fetched.status < 300 ? fetched.body : undefined;
    });
  }

  rulesFor(url: URL): Promise<Rules> {
    return this.#robots.rulesFor(url);
  }

  /** Cuts off the requests in progress, and ends what reads documents. */
  async close(): Promise<void> {
    this.#hosts.close();
    this.#reader.close();
    await this.#client.close();
  }

  /** Fetches a page and follows its redirects. Each hop is checked against the host's rules. */
  async #get(url: URL, headers: Record<string, string>, maxBytes = documentBytes): Promise<Fetched & { readonly url: URL }> {
    let at = url;
    for (let hop = 0; hop <= redirectsMax; hop++) {
      const { allows, delay } = await this.#robots.rulesFor(at);
      if (!allows(at.href)) throw new Unreadable(`The page may not be read: robots.txt of ${hostOf(at)} does not allow it`);
      await this.#hosts.pause(hostOf(at), delay);
      const fetched = await this.#client.get(at, { maxBytes, headers });
      const { location } = fetched.headers;
      if (fetched.status < 300 || fetched.status >= 400 || fetched.status === 304 || location === undefined) return { ...fetched, url: at };
      const next = pageAddress(URL.parse(location, at.href)?.href ?? '');
      if (!next) throw new Unreadable('The page redirects to an address that is not http or https');
      at = next;
    }
    throw new Unreadable(`The page redirects more than ${redirectsMax} times`);
  }
}

function versionHeaders(known: PageVersion | undefined): Record<string, string> {
  return {
    ...(known?.etag && { 'if-none-match': known.etag }),
    ...(known?.lastModified && { 'if-modified-since': known.lastModified }),
  };
}

function checkStatus({ status }: Fetched): void {
  if (status === 404 || status === 410) throw new Unreadable(`The page does not exist: the server answered ${status}`);
  if (status === 401 || status === 403) throw new Unreadable(`The page is not public: the server answered ${status}`);
  if (status < 200 || status >= 300) throw new Unreadable(`The page cannot be read: the server answered ${status}`);
}

/** The formats of documents by their media types. */
const formats: Readonly<Record<string, DocumentFormat>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/csv': 'csv',
};

/** The format of a page by its header; without a telling one, by its first bytes and the ending of its address. */
function formatOfPage(contentType: string | null, url: URL, body: Buffer): DocumentFormat {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const ending = formatOfName(url.pathname);
  if (type === 'text/plain' && (ending === 'md' || ending === 'csv')) return ending;
  const format = formats[type];
  if (format) return format;
  if (type !== '' && type !== 'application/octet-stream' && type !== 'binary/octet-stream')
    throw new Unreadable(`The page is of the type ${type.slice(0, 100)}, which has no text`);
  if (body.subarray(0, 5).toString('latin1') === '%PDF-') return 'pdf';
  return ending ?? 'html';
}
