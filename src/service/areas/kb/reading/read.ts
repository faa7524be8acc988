import { type DocumentFormat, type PageLinks, type ReadDocument, Unreadable } from './document.ts';

/** What the process that reads documents is asked for. */
export interface ReadTask {
  readonly bytes: Uint8Array;
  readonly format: DocumentFormat;
  /** The header `Content-Type` of a page. */
  readonly contentType: string | null;
  /** The address of a page. */
  readonly url: string;
  /** Only the links of a page. */
  readonly isForLinks: boolean;
}

/** What it answers. */
export type ReadResult = { readonly document: ReadDocument } | { readonly links: PageLinks } | { readonly problem: string };

/** Does a task. What it throws is a defect of a library, or of the document. @throws Unreadable */
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

/** How many sections and questions a document may have: the service goes through all of them at once. */
const partsMax = 20_000;

/** How much text a document may have, in characters, with the headings that its sections repeat: the service holds all of it. */
const textMax = 16 * 1024 * 1024;

function lengthOf({ sections, faqs }: ReadDocument): number {
  const read = sections.reduce((sum, { headings, text }) => sum + text.length + headings.reduce((all, each) => all + each.length, 0), 0);
  return faqs.reduce((sum, { question, answer }) => sum + question.length + answer.length, read);
}

/** Each format is loaded when it is needed. */
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
