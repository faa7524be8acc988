import { type documentFormats, formatOfName } from '../../../../contract/areas/kb/formats.ts';

/** The size limit of a page or a document, in bytes. */
export const documentBytes = 10 * 1024 * 1024;

/** The content of a page or a document. */
export interface ReadDocument {
  readonly title: string | null;
  readonly sections: readonly Section[];
  /** Questions and answers that the document marks as such. */
  readonly faqs: readonly MarkedFaq[];
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

/** The title, links and indexing directives of a page. */
export interface PageLinks {
  readonly title: string | null;
  /** The addresses of its links, in order and without duplicates. Empty when the page asks not to follow them. */
  readonly links: readonly string[];
  /** The canonical address that the page declares. */
  readonly canonical: string | null;
  /** Whether the page asks not to be indexed. */
  readonly isHidden: boolean;
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
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Unreadable';
  }
}
