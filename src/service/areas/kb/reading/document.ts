import type { ErrorCode } from '../../../../contract/areas/errors/codes.ts';
import { type documentFormats, formatOfName } from '../../../../contract/areas/kb/formats.ts';
import type { FoundPage } from '../sites/found-pages.ts';

/** The size limit of a page or a document, in bytes. */
export const documentBytes = 10 * 1024 * 1024;

/** How much of a sitemap is read, unpacked or not, in bytes: its maximum size according to the protocol. */
export const sitemapBytes = 50 * 1024 * 1024;

/** The content of a page or a document. */
export interface ReadDocument {
  readonly title: string | null;
  readonly sections: readonly Section[];
  /** Questions and answers that the document marks as such. */
  readonly faqs: readonly MarkedFaq[];
  /** The share of the document's text that was read, from 0 to 1; all of it if missing. */
  readonly kept?: number;
  /** The number of pages that were left out because their glyphs cannot be read. */
  readonly unreadablePages?: number;
  /** The number of pages that were read of a PDF with more than the maximum. */
  readonly firstPages?: number;
}

/** A section of a document. */
export interface Section {
  /** The headings above it, from the outermost to its own. Empty for text before the first heading. */
  readonly headings: readonly string[];
  /** Its paragraphs, separated by blank lines. Lists and tables have one line for each item or row. */
  readonly text: string;
}

export interface MarkedFaq {
  readonly question: string;
  readonly answer: string;
}

/** A link of a page to another page of its host. */
export interface PageLink {
  readonly url: string;
  /** Identifies the page (`pageKey`). */
  readonly key: string;
  /** What its variants have in common; null when an address has none. */
  readonly form: string | null;
}

/** The title, links and indexing directives of a page. */
export interface PageLinks {
  readonly title: string | null;
  /** In order and without duplicates. Empty when the page asks not to follow them. */
  readonly links: readonly PageLink[];
  /** The canonical address that the page declares. */
  readonly canonical: string | null;
  /** Whether the page asks not to be indexed. */
  readonly isHidden: boolean;
}

/** What a sitemap lists of its site. */
export interface Sitemap {
  /** The addresses of further sitemaps. */
  readonly sitemaps: readonly string[];
  /** The pages that may be read, best first. */
  readonly pages: readonly FoundPage[];
  /** Whether it lists any pages, even if none may be read. */
  readonly listsPages: boolean;
  /** Whether it lists more pages. */
  readonly isCut: boolean;
}

/** The formats of documents. */
export type DocumentFormat = 'html' | (typeof documentFormats)[number];

/** The format of a file by its file name extension. @throws Unreadable when the format cannot be read */
export function requireFormat(name: string): DocumentFormat {
  const format = formatOfName(name);
  if (!format) throw new Unreadable('Its format cannot be read');
  return format;
}

/** Reading was aborted because the service is stopping. */
export class ServiceStopping extends Error {
  constructor() {
    super('The service is stopping');
    this.name = 'ServiceStopping';
  }
}

/** A document cannot be read. The message is a sentence that explains why, and how to fix it. */
export class Unreadable extends Error {
  override readonly name: string = 'Unreadable';
  /** Why, for the error log. */
  readonly code: ErrorCode;

  constructor(message: string, { code = 'unreadable', ...options }: ErrorOptions & { readonly code?: ErrorCode } = {}) {
    super(message, options);
    this.code = code;
  }
}

/** A page only leads to another one. */
export class Moved extends Error {
  readonly location: string;

  /** @param location the absolute address of the other page */
  constructor(location: string) {
    super(`The page leads to ${location}`);
    this.name = 'Moved';
    this.location = location;
  }
}

/** A page cannot be read now, but perhaps later: its host does not answer, fails, or asks to wait. */
export class Unreachable extends Unreadable {
  override readonly name = 'Unreachable';
}
