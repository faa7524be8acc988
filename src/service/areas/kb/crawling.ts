import type { Crawler, Crawlers, CrawlingOptions } from './crawling/crawler.ts';

/** Loads the crawlers on first use, because most commands read no pages. */
export class Crawling {
  readonly #options: CrawlingOptions;
  #crawlers: Promise<Crawlers> | undefined;

  constructor(options: CrawlingOptions) {
    this.#options = options;
  }

  get allowPrivate(): boolean {
    return this.#options.allowPrivate;
  }

  /** Opens the crawler of an account. */
  async open(accountId: string): Promise<Crawler> {
    this.#crawlers ??= import('./crawling/crawler.ts').then(({ Crawlers: Opened }) => new Opened(this.#options));
    return (await this.#crawlers).of(accountId);
  }

  /** Aborts the requests in progress. */
  async close(): Promise<void> {
    await (await this.#crawlers)?.close();
  }
}
