import { type DocumentFormat, type PageLinks, type ReadDocument, Unreadable } from './document.ts';

/** A task for the process that reads documents. */
export interface ReadTask {
  readonly bytes: Uint8Array;
  readonly format: DocumentFormat;
  /** The `Content-Type` header of a page. */
  readonly contentType: string | null;
  /** The address of a page. */
  readonly url: string;
  /** Whether to read only the links of a page. */
  readonly isForLinks: boolean;
}

/** The result of a task. */
export type ReadResult = { readonly document: ReadDocument } | { readonly links: PageLinks } | { readonly problem: string };

/** Performs a task. Any error other than Unreadable means that a library or the document is faulty. @throws Unreadable */
export async function perform({ bytes, format, contentType, url, isForLinks }: ReadTask): Promise<ReadResult> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isForLinks) return { links: (await import('./html.ts')).readLinks(buffer, contentType, url) };
  const document = await readDocument(buffer, format, contentType, url);
  if (document.sections.length === 0 && document.faqs.length === 0) throw new Unreadable('There is no text in it');
  if (document.sections.length + document.faqs.length > partsMax)
    throw new Unreadable('It has too many sections: split it into smaller documents');
  if (lengthOf(document) > textMax) throw new Unreadable('It has too much text: split it into smaller documents');
  return { document };
}

/** The maximum number of sections and questions in a document, because the service processes all of them at once. */
const partsMax = 20_000;

/**
 * The maximum length of a document, in characters, including the headings that each section repeats, because the service keeps
 * all of it in memory.
 */
const textMax = 16 * 1024 * 1024;

function lengthOf({ sections, faqs }: ReadDocument): number {
  const read = sections.reduce((sum, { headings, text }) => sum + text.length + headings.reduce((all, each) => all + each.length, 0), 0);
  return faqs.reduce((sum, { question, answer }) => sum + question.length + answer.length, read);
}

/** Loads the reader of a format on demand. */
async function readDocument(bytes: Buffer, format: DocumentFormat, contentType: string | null, url: string): Promise<ReadDocument> {
  switch (format) {
    case 'html':
      return await (await import('./html.ts')).readPage(bytes, contentType, url);
    case 'pdf':
      return await (await import('./pdf.ts')).readPdf(bytes);
    case 'docx':
      return await (await import('./docx.ts')).readDocx(bytes);
    case 'xlsx':
      return await (await import('./tables.ts')).readXlsx(bytes);
    case 'csv':
      return (await import('./tables.ts')).readCsv(bytes);
    case 'md':
      return (await import('./text.ts')).readMarkdown(bytes);
    case 'txt':
      return (await import('./text.ts')).readText(bytes);
  }
}
