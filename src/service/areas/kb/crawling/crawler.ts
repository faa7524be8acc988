import { codeOfStatus } from '../../../../contract/areas/errors/codes.ts';
import { documentFormats, formatOfName, mediaTypes } from '../../../../contract/areas/kb/formats.ts';
import type { PrivateAddresses } from '../../../network/addresses.ts';
import { DocumentReader } from '../reading/reader.ts';
import {
  documentBytes,
  type DocumentFormat,
  Moved,
  type PageLinks,
  type ReadDocument,
  type Sitemap,
  sitemapBytes,
  Unreachable,
  Unreadable,
} from '../reading/document.ts';
import { sleep, type Sleep } from './sleep.ts';
import { hostOf, pageAddress } from '../../../../contract/areas/kb/address.ts';
import { HostLimits, TooManyRequests } from './host-limits.ts';
import { type Fetched, PageClient, type SizeLimit } from './page-client.ts';
import { refreshTarget } from '../sites/refresh-target.ts';
import { crawlerName } from '../sites/robots-rules.ts';
import { HostRules, type Rules } from './host-rules.ts';

const redirectsMax = 5;

const pageLimit: SizeLimit = { maxBytes: documentBytes, beyond: 'fail' };
const sitemapLimit: SizeLimit = { maxBytes: sitemapBytes, beyond: 'cut' };

/** The version of a page, from the headers of its host. */
export interface PageVersion {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** A page that was read. */
interface ReadPage extends PageVersion {
  readonly document: ReadDocument;
  /** The address after redirects. */
  readonly url: URL;
}

export interface CrawlingOptions {
  /** Whether pages may be at private addresses. */
  readonly allowPrivate: PrivateAddresses;
  readonly version: string;
  readonly realNow: () => number;
  /** The time limits of a request and of reading a document, in real milliseconds. */
  readonly readingLimits?: { readonly request?: number; readonly reading?: number } | undefined;
  /** Implements the pauses between requests to a host; in real time by default. */
  readonly sleep?: Sleep;
}

/** Shared by the crawlers of all accounts: connections, the rules and limits of hosts, and reader processes. */
export class Crawlers {
  readonly client: PageClient;
  readonly robots: HostRules;
  readonly reader: DocumentReader;
  readonly hosts: HostLimits;
  readonly realNow: () => number;

  constructor({ allowPrivate, version, realNow, readingLimits = {}, sleep: pause = sleep }: CrawlingOptions) {
    this.realNow = realNow;
    this.client = new PageClient(allowPrivate, `${crawlerName}/${version}`, readingLimits.request);
    this.reader = new DocumentReader(readingLimits.reading);
    this.hosts = new HostLimits(pause, realNow);
    this.robots = new HostRules(this.client, this.reader, this.hosts, realNow);
  }

  /** The crawler of an account. */
  of(accountId: string): Crawler {
    return new Crawler(this, accountId);
  }

  /** Aborts the requests in progress, and stops the reader processes. */
  async close(): Promise<void> {
    this.hosts.close();
    this.reader.close();
    await this.client.close();
  }
}

/** Fetches and reads pages for an account, within the limits that their hosts ask for. */
export class Crawler {
  readonly #client: PageClient;
  readonly #robots: HostRules;
  readonly #reader: DocumentReader;
  readonly #hosts: HostLimits;
  readonly #realNow: () => number;
  readonly #accountId: string;

  constructor({ client, robots, reader, hosts, realNow }: Crawlers, accountId: string) {
    this.#client = client;
    this.#robots = robots;
    this.#reader = reader;
    this.#hosts = hosts;
    this.#realNow = realNow;
    this.#accountId = accountId;
  }

  /** Runs work on a page when the limit of its host allows it. The work should not keep the page in memory after it ends. */
  withinPageLimit<Result>(url: URL, work: () => Promise<Result>): Promise<Result> {
    return this.#hosts.run(hostOf(url), work);
  }

  /** Runs work on a document when the limit of the account's documents allows it. */
  withinDocumentLimit<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#hosts.run(`documents of ${this.#accountId}`, work);
  }

  /**
   * Reads a page. Call it within `withinPageLimit`.
   * @param known the version that was read before. If the page has not changed since, it is not read again
   * @throws Unreadable with a sentence that explains why it cannot be read
   */
  async readPage(url: URL, known?: PageVersion): Promise<ReadPage | 'unchanged'> {
    return await this.#visit(url, versionHeaders(known), pageLimit, async (fetched) => {
      if (fetched.status === 304 && known) return 'unchanged';
      checkStatus(fetched);
      const contentType = fetched.headers['content-type'] ?? null;
      const format = formatOfPage(contentType, fetched.url, fetched.body);
      const document = await this.#reader.read(this.#accountId, 'document', fetched.body, { format, contentType, url: fetched.url.href });
      const { etag = null, 'last-modified': lastModified = null } = fetched.headers;
      return { document, url: fetched.url, etag, lastModified };
    });
  }

  /** Reads the links of a page, within the limit of its host. Null when it is not HTML. @throws Unreadable */
  async readLinks(url: URL): Promise<(PageLinks & { readonly url: URL }) | null> {
    const read = () =>
      this.#visit(url, {}, pageLimit, async (fetched) => {
        checkStatus(fetched);
        const contentType = fetched.headers['content-type'] ?? null;
        if (formatOfPage(contentType, fetched.url, fetched.body) !== 'html') return null;
        const robotsTag = fetched.headers['x-robots-tag'] ?? '';
        const links = await this.#reader.read(this.#accountId, 'links', fetched.body, {
          contentType,
          url: fetched.url.href,
          robotsTag,
          now: this.#realNow(),
        });
        return { ...links, url: fetched.url };
      });
    return await this.withinPageLimit(url, read);
  }

  /** Reads a document. Call it within `withinDocumentLimit`. @param load loads the document @throws Unreadable */
  async readDocument(format: DocumentFormat, load: () => Promise<Uint8Array>): Promise<ReadDocument> {
    return await this.#hosts.busy(this.#accountId, async () => {
      const bytes = await load();
      return await this.#reader.read(this.#accountId, 'document', [bytes], { format, contentType: null, url: 'document:' });
    });
  }

  /**
   * Reads a sitemap of a site, within the limit of its host; undefined when there is none.
   * @param wanted the maximum number of pages
   * @throws Unreadable
   */
  async readSitemap(url: URL, site: URL, wanted: number): Promise<Sitemap | undefined> {
    const { pages } = await this.rulesFor(site);
    const task = { url: url.href, host: hostOf(site), rules: pages.rules, wanted };
    const read = () =>
      this.#visit(url, {}, sitemapLimit, async ({ status, headers, body }) => {
        if (status < 200 || status >= 300) return undefined;
        const contentType = headers['content-type'] ?? null;
        return await this.#reader.read(this.#accountId, 'sitemap', body, { ...task, contentType });
      });
    return await this.withinPageLimit(url, read);
  }

  rulesFor(url: URL): Promise<Rules> {
    return this.#robots.rulesFor(this.#accountId, url);
  }

  /** Fetches a page, following redirects, and reads it. Each hop is checked against the rules of its host. */
  async #visit<Result>(
    url: URL,
    headers: Record<string, string>,
    limit: SizeLimit,
    read: (fetched: Fetched & { readonly url: URL }) => Promise<Result>,
  ): Promise<Result> {
    let at = url;
    for (let hop = 0; hop <= redirectsMax; hop++) {
      const { pages, delay } = await this.rulesFor(at);
      if (!pages.allows(at))
        throw new Unreadable(`The page may not be read: robots.txt of ${hostOf(at)} does not allow it`, { code: 'robots' });
      const fetch = async () => {
        const fetched = await this.#client.get(at, { ...limit, headers });
        if (fetched instanceof TooManyRequests) return fetched;
        const location = redirectOf(fetched, at);
        return location === undefined ? await attempt(() => read({ ...fetched, url: at })) : { location };
      };
      const step = await this.#hosts.request(hostOf(at), delay, () => this.#hosts.busy(this.#accountId, fetch));
      if (step.location === undefined) return step.result;
      const next = pageAddress(URL.parse(step.location, at.href)?.href ?? '');
      if (!next) throw new Unreadable('The page redirects to an address that is not http or https', { code: 'http_3xx' });
      at = next;
    }
    throw new Unreadable(`The page redirects more than ${redirectsMax} times`, { code: 'http_3xx' });
  }
}

/** Where a response redirects to, by its status or by a refresh without delay. */
function redirectOf({ status, headers }: Fetched, at: URL): string | undefined {
  if (status >= 300 && status < 400 && status !== 304) return headers.location;
  return status >= 200 && status < 300 ? refreshTarget(headers.refresh ?? '', at.href) : undefined;
}

/** What reading a page results in, or the address that the page leads to. */
async function attempt<Result>(read: () => Promise<Result>): Promise<{ result: Result; location?: never } | { location: string }> {
  try {
    return { result: await read() };
  } catch (error) {
    if (error instanceof Moved) return { location: error.location };
    throw error;
  }
}

function versionHeaders(known: PageVersion | undefined): Record<string, string> {
  return {
    ...(known?.etag && { 'if-none-match': known.etag }),
    ...(known?.lastModified && { 'if-modified-since': known.lastModified }),
  };
}

function checkStatus({ status }: Fetched): void {
  const code = codeOfStatus(status);
  if (status === 404 || status === 410) throw new Unreadable(`The page does not exist: the server answered ${status}`, { code });
  if (status === 401 || status === 403) throw new Unreadable(`The page is not public: the server answered ${status}`, { code });
  if (status >= 500 || status === 429) throw new Unreachable(`The page cannot be read: the server answered ${status}`, { code });
  if (status < 200 || status >= 300) throw new Unreadable(`The page cannot be read: the server answered ${status}`, { code });
}

/** The formats of pages, by media type. */
const formats = new Map<string, DocumentFormat>([
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ...documentFormats.map((format) => [mediaTypes[format], format] as const),
]);

/**
 * The format of a page. A PDF is recognized by its first bytes. Otherwise the header decides, or the file name extension of the
 * address.
 */
function formatOfPage(contentType: string | null, url: URL, [start]: readonly Buffer[]): DocumentFormat {
  if (start?.subarray(0, 5).toString('latin1') === '%PDF-') return 'pdf';
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const ending = formatOfName(url.pathname);
  if (type === 'text/plain' && (ending === 'md' || ending === 'csv')) return ending;
  const format = formats.get(type);
  if (format) return format;
  if (type !== '' && type !== 'application/octet-stream' && type !== 'binary/octet-stream')
    throw new Unreadable(`The page is of the type ${type.slice(0, 100)}, which has no text`);
  return ending ?? 'html';
}
