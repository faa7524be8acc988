import { type documentFormats, formatOfName } from '../../../../contract/areas/kb/formats.ts';

/** The size limit of a page or a document, in bytes. */
export const documentBytes = 10 * 1024 * 1024;

/** What a page or a document says. */
export interface ReadDocument {
  readonly title: string | null;
  readonly sections: readonly Section[];
  /** Questions with their answers that the document marks as such. */
  readonly faqs: readonly MarkedFaq[];
}

/** A part of a document, below a heading. */
export interface Section {
  /** The headings above it, from the outermost to its own. Empty for what stands before the first heading. */
  readonly headings: readonly string[];
  /** Its paragraphs, separated by an empty line; lists and tables have a line for each item and row. */
  readonly text: string;
}

export interface MarkedFaq {
  readonly question: string;
  readonly answer: string;
}

/** What a page says about itself and other pages. */
export interface PageLinks {
  readonly title: string | null;
  /** The addresses of its links, in order, each once. Empty when the page asks not to follow them. */
  readonly links: readonly string[];
  /** The address that the page names as its own. */
  readonly canonical: string | null;
  /** Whether the page asks to be left out of lists. */
  readonly isHidden: boolean;
}

/** The formats of documents. */
export type DocumentFormat = 'html' | (typeof documentFormats)[number];

/** The format of a file by the ending of its name. @throws Unreadable when it is not one that can be read */
export function requireFormat(name: string): DocumentFormat {
  const format = formatOfName(name);
  if (!format) throw new Unreadable('Its format cannot be read');
  return format;
}

/** What was being read was cut off, because the service stops. */
export class ServiceStopping extends Error {
  constructor() {
    super('The service is stopping');
    this.name = 'ServiceStopping';
  }
}

/** A document cannot be read. The message is a sentence that says why, and what helps. */
export class Unreadable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Unreadable';
  }
}
