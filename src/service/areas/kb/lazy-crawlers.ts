import type { Crawler, Crawlers, CrawlingOptions } from './crawling/crawler.ts';
import type { PrivateAddresses } from '../../network/addresses.ts';

declare module '../../parts.ts' {
  interface Parts {
    readonly crawling: LazyCrawlers;
  }
}

/** Loads the crawlers on first use, because most commands read no pages. */
export class LazyCrawlers {
  readonly #options: CrawlingOptions;
  #crawlers: Promise<Crawlers> | undefined;

  constructor(options: CrawlingOptions) {
    this.#options = options;
  }

  get allowPrivate(): PrivateAddresses {
    return this.#options.allowPrivate;
  }

  /** Opens the crawler of an account. */
  async open(accountId: string): Promise<Crawler> {
    this.#crawlers ??= import('./crawling/crawler.ts').then(({ Crawlers: Opened }) => new Opened(this.#options));
    return (await this.#crawlers).of(accountId);
  }

  /** Reads the robots.txt of a page's host anew for the next page, because somebody asks for the page. */
  async forgetRules(url: URL): Promise<void> {
    (await this.#crawlers)?.robots.forget(url);
  }

  /** Aborts the requests in progress. */
  async close(): Promise<void> {
    await (await this.#crawlers)?.close();
  }
}
