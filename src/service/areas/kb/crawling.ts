import type { Crawler } from './crawling/crawler.ts';

export interface CrawlingOptions {
  /** Whether pages may be at private addresses. */
  readonly allowPrivate: boolean;
  readonly version: string;
  readonly realNow: () => number;
  /** How long a request, and the reading of a document, may take, in real milliseconds. */
  readonly readingLimits?: { readonly request?: number; readonly reading?: number } | undefined;
}

/** The crawler, which is loaded on first use, because most commands read no page. */
export class Crawling {
  readonly #options: CrawlingOptions;
  #crawler: Promise<Crawler> | undefined;

  constructor(options: CrawlingOptions) {
    this.#options = options;
  }

  get allowPrivate(): boolean {
    return this.#options.allowPrivate;
  }

  open(): Promise<Crawler> {
    return (this.#crawler ??= import('./crawling/crawler.ts').then(({ Crawler: Opened }) => new Opened(this.#options)));
  }

  /** Cuts off the requests in progress. */
  async close(): Promise<void> {
    await (await this.#crawler)?.close();
  }
}
