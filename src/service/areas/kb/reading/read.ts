import type { ErrorCode } from '../../../../contract/areas/errors/codes.ts';
import type { RobotsFile } from '../sites/robots-rules.ts';
import { type DocumentFormat, type PageLinks, type ReadDocument, type Sitemap, Unreadable } from './document.ts';
import type { LinksTask } from './site/links.ts';
import type { SitemapTask } from './site/sitemap.ts';

/** The tasks of the process that reads documents, and what each returns. */
export interface Tasks {
  readonly document: { readonly task: DocumentTask; readonly result: ReadDocument };
  readonly links: { readonly task: LinksTask; readonly result: PageLinks };
  readonly robots: { readonly task: object; readonly result: RobotsFile };
  readonly sitemap: { readonly task: SitemapTask; readonly result: Sitemap };
}

/** What is known of a document beside its bytes. */
interface DocumentTask {
  readonly format: DocumentFormat;
  /** The `Content-Type` header of a page. */
  readonly contentType: string | null;
  /** The address of a page. */
  readonly url: string;
}

export type TaskKind = keyof Tasks;

/** A task, which the process gets after the bytes to read. */
export interface ReadTask<Kind extends TaskKind = TaskKind> {
  readonly kind: Kind;
  readonly task: Tasks[Kind]['task'];
}

/** The result of a task. */
export type ReadResult<Kind extends TaskKind = TaskKind> =
  | { readonly result: Tasks[Kind]['result'] }
  | { readonly problem: string; readonly code?: ErrorCode }
  | { readonly movedTo: string };

type Readers = { readonly [Kind in TaskKind]: (bytes: Buffer, task: Tasks[Kind]['task']) => Promise<Tasks[Kind]['result']> };

/** The readers by kind. Each loads its libraries on demand. */
const readers: Readers = {
  document: readDocument,
  links: async (bytes, task) => (await import('./site/links.ts')).readLinks(bytes, task),
  robots: async (bytes) => (await import('./site/robots-txt.ts')).readRobots(bytes),
  sitemap: async (bytes, task) => await (await import('./site/sitemap.ts')).readSitemap(bytes, task),
};

/** Performs a task. Any error other than these means that a library or the document is faulty. @throws Unreadable, Moved */
export async function perform<Kind extends TaskKind>({ kind, task }: ReadTask<Kind>, bytes: Buffer): Promise<Tasks[Kind]['result']> {
  return await readers[kind](bytes, task);
}

/** The maximum number of sections and questions in a document, because the service processes all of them at once. */
const partsMax = 20_000;

/**
 * The maximum length of a document, in characters, including the headings that each section repeats, because the service keeps
 * all of it in memory.
 */
const textMax = 16 * 1024 * 1024;

async function readDocument(bytes: Buffer, task: Tasks['document']['task']): Promise<ReadDocument> {
  const document = await readFormat(bytes, task);
  if (document.sections.length === 0 && document.faqs.length === 0) throw new Unreadable('There is no text in it');
  if (document.sections.length + document.faqs.length > partsMax)
    throw new Unreadable('It has too many sections: split it into smaller documents', { code: 'too_large' });
  if (lengthOf(document) > textMax) throw new Unreadable('It has too much text: split it into smaller documents', { code: 'too_large' });
  return document;
}

function lengthOf({ sections, faqs }: ReadDocument): number {
  const read = sections.reduce((sum, { headings, text }) => sum + text.length + headings.reduce((all, each) => all + each.length, 0), 0);
  return faqs.reduce((sum, { question, answer }) => sum + question.length + answer.length, read);
}

async function readFormat(bytes: Buffer, { format, contentType, url }: Tasks['document']['task']): Promise<ReadDocument> {
  switch (format) {
    case 'html':
      return (await import('./html/read-page.ts')).readPage(bytes, contentType, url);
    case 'pdf':
      return await (await import('./pdf/read-pdf.ts')).readPdf(bytes);
    case 'docx':
      return await (await import('./docx/read-docx.ts')).readDocx(bytes);
    case 'xlsx':
      return await (await import('./tables.ts')).readXlsx(bytes);
    case 'csv':
      return (await import('./tables.ts')).readCsv(bytes, contentType);
    case 'md':
      return (await import('./markdown/read-markdown.ts')).readMarkdown(bytes, contentType);
    case 'txt':
      return (await import('./text.ts')).readText(bytes, contentType);
  }
}
