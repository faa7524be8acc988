import { fileURLToPath } from 'node:url';
import type { PDFDocumentProxy, PDFPageProxy } from 'unpdf/pdfjs';
import { getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import { type ReadDocument, Unreadable } from '../document.ts';
import { type Annotation, itemsOf } from './annotations.ts';
import { type Page, pageOf } from './furniture.ts';
import { type Font, FontTexts, readableItems } from './glyphs.ts';
import { withLetters } from './letters.ts';
import { type Edges, type Line, linesOf } from './lines.ts';
import { sectionsOf } from './sections.ts';
import { documentTitle } from './title.ts';

const damaged = 'The file is damaged, or not a PDF document';

/** The maximum number of pages that are read. The others are left out. */
const pagesMax = 5_000;

/** Where the character maps of Japanese, Chinese and Korean and the standard fonts are. The build copies them into the bundle. */
const data = import.meta.url.endsWith('.ts')
  ? new URL('.', import.meta.resolve('pdfjs-dist/package.json'))
  : new URL('../pdf/', import.meta.url);

/**
 * Reads a PDF document. Text in a larger font than the body text is a heading. Pages whose glyphs cannot be read are left out.
 * @throws Unreadable
 */
export async function readPdf(bytes: Buffer): Promise<ReadDocument> {
  const document = await openPdf(bytes);
  const count = Math.min(document.numPages, pagesMax);
  const fontTexts = new FontTexts();
  const first = await readPages(document, count, { fontTexts, gibberish: new Set() });
  const gibberish = fontTexts.gibberish();
  // A page with little text of such a font was read as if it was text.
  const isAgain = gibberish.size > 0 && first.pages.length > 0;
  const { pages, unreadablePages, damage } = isAgain ? await readPages(document, count, { fontTexts: null, gibberish }) : first;
  const sections = sectionsOf(pages);
  if (sections.length === 0 && damage !== undefined) throw new Unreadable(damaged, { cause: damage });
  if (sections.length === 0)
    throw new Unreadable(
      unreadablePages > 0
        ? 'The PDF does not say which characters its glyphs stand for. Make it searchable first, with a program for text recognition'
        : 'The PDF has no text: it may be scanned. Make it searchable first, with a program for text recognition',
    );
  const kept = (count - unreadablePages) / document.numPages;
  const title = await titleOf(document);
  return { title, sections, faqs: [], kept, unreadablePages, ...(count < document.numPages ? { firstPages: count } : {}) };
}

/** What is known of the fonts of a document. */
interface Fonts {
  /** Where their texts are kept, if they are not yet known. */
  readonly fontTexts: FontTexts | null;
  /** Those whose text stands for none. */
  readonly gibberish: ReadonlySet<string>;
}

/** Reads the first pages of a document. @returns those that can be read, the number of the others, and why one is damaged */
async function readPages(document: PDFDocumentProxy, count: number, fonts: Fonts) {
  const pages: Page[] = [];
  let [unreadablePages, damage]: [number, unknown] = [0, undefined];
  for (let number = 1; number <= count; number++) {
    try {
      const page = await readPage(document, number, fonts);
      if (page) pages.push(page);
      else unreadablePages++;
    } catch (error) {
      // The other pages are still read.
      [unreadablePages, damage] = [unreadablePages + 1, error];
    }
  }
  return { pages, unreadablePages, damage };
}

/** A page with its lines; null when its glyphs cannot be read. */
async function readPage(document: PDFDocumentProxy, number: number, fonts: Fonts): Promise<Page | null> {
  const page = await document.getPage(number);
  const lines = await readLines(page, fonts);
  const [left, bottom, right, top] = page.view as unknown as Edges;
  page.cleanup();
  return lines && pageOf(lines, { width: right - left, height: top - bottom });
}

/** The lines of a page; null when its glyphs cannot be read. */
async function readLines(page: PDFPageProxy, { fontTexts, gibberish }: Fonts): Promise<Line[] | null> {
  const fonts = await fontsOf(page);
  const { items: found, styles } = await page.getTextContent();
  const items = found.filter((item) => 'str' in item).map((item) => ({ ...item, str: withLetters(item.str) }));
  fontTexts?.add(items);
  const texts = readableItems(items, fonts, gibberish);
  if (texts === null) return null;
  const vertical = new Set(Object.keys(styles).filter((name) => styles[name]?.vertical));
  const annotations = (await page.getAnnotations()) as readonly Annotation[];
  return linesOf([...texts, ...itemsOf(annotations)], vertical, page.view as unknown as Edges);
}

/** The fonts of a page by name. */
async function fontsOf(page: PDFPageProxy): Promise<Map<string, Font>> {
  const { OPS } = await getResolvedPDFJS();
  const { fnArray: operators, argsArray } = await page.getOperatorList();
  const names = new Set<string>();
  for (const [index, operator] of operators.entries()) if (operator === OPS.setFont) names.add((argsArray[index] as [string])[0]);
  return new Map([...names].map((name) => [name, page.commonObjs.get(name) as Font]));
}

async function titleOf(document: PDFDocumentProxy): Promise<string | null> {
  try {
    const { Title: title } = (await document.getMetadata()).info as { Title?: unknown };
    return typeof title === 'string' ? documentTitle(title) : null;
  } catch {
    return null;
  }
}

/** A folder of data as the library wants it: with slashes, on Windows too. */
function folderOf(name: `${string}/`): string {
  return fileURLToPath(new URL(name, data)).replaceAll('\\', '/');
}

async function openPdf(bytes: Buffer): Promise<PDFDocumentProxy> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), {
      useSystemFonts: false,
      verbosity: 0,
      cMapUrl: folderOf('cmaps/'),
      standardFontDataUrl: folderOf('standard_fonts/'),
      fontExtraProperties: true,
      // Images are not decoded.
      maxImageSize: 1,
    });
  } catch (error) {
    if ((error as Error).name === 'PasswordException')
      throw new Unreadable('The PDF is protected by a password: save it without one', { cause: error });
    throw new Unreadable(damaged, { cause: error });
  }
}
