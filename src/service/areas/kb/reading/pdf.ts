import { getDocumentProxy } from 'unpdf';
import { type ReadDocument, Unreadable } from './document.ts';
import { SectionWriter, tidy, titleFrom } from './sections.ts';

/** The maximum number of pages that are read. */
const pagesMax = 5_000;

/** The minimum ratio of a heading's font size to the size of the body text. */
const headingRatio = 1.15;

/** A line of a page. */
interface Line {
  readonly text: string;
  /** The font size, in points. */
  readonly size: number;
  readonly y: number;
  readonly isFirstOfPage: boolean;
}

/** Reads a PDF document. Text in a larger font than the body text is a heading. @throws Unreadable */
export async function readPdf(bytes: Buffer): Promise<ReadDocument> {
  const document = await openPdf(bytes);
  const lines: Line[] = [];
  const pages = Math.min(document.numPages, pagesMax);
  for (let number = 1; number <= pages; number++) {
    const page = await document.getPage(number);
    lines.push(...linesOf((await page.getTextContent()).items as Item[]));
    page.cleanup();
  }
  if (lines.length === 0)
    throw new Unreadable('The PDF has no text: it may be scanned. Make it searchable first, with a program for text recognition');
  const title = await titleOf(document);
  return { title, sections: sectionsOf(lines), faqs: [] };
}

async function titleOf(document: { getMetadata(): Promise<{ info: object }> }): Promise<string | null> {
  try {
    const { Title: title } = (await document.getMetadata()).info as { Title?: unknown };
    return typeof title === 'string' ? titleFrom(title) : null;
  } catch {
    return null;
  }
}

async function openPdf(bytes: Buffer) {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { useSystemFonts: false, verbosity: 0 });
  } catch (error) {
    if ((error as Error).name === 'PasswordException')
      throw new Unreadable('The PDF is protected by a password: save it without one', { cause: error });
    throw new Unreadable('The file is damaged, or not a PDF document', { cause: error });
  }
}

/** A piece of text on a page. */
interface Item {
  readonly str?: string;
  readonly height?: number;
  readonly width?: number;
  readonly hasEOL?: boolean;
  /** The last two numbers are its position, from the left and from the bottom. */
  readonly transform?: readonly number[];
}

/** The lines of a page: pieces at the same height, in the order of the document. */
function linesOf(items: readonly Item[]): Line[] {
  const lines: Line[] = [];
  let text = '';
  let size = 0;
  let y = Number.NaN;
  let end = 0;
  const flush = () => {
    if (text.trim() !== '') lines.push({ text: tidy(text), size: Math.round(size * 10) / 10, y, isFirstOfPage: lines.length === 0 });
    [text, size, y, end] = ['', 0, Number.NaN, 0];
  };
  for (const { str = '', height = 0, width = 0, hasEOL, transform } of items) {
    const [x = 0, at = 0] = transform?.slice(4) ?? [];
    if (str !== '') {
      if (!Number.isNaN(y) && Math.abs(at - y) > Math.max(size, height) / 2) flush();
      if (Number.isNaN(y)) y = at;
      else if (x - end > Math.max(size, height) * 0.2) text += ' ';
      text += str;
      size = Math.max(size, height);
      end = x + width;
    }
    if (hasEOL) flush();
  }
  flush();
  return lines;
}

function sectionsOf(lines: readonly Line[]): ReadDocument['sections'] {
  const body = commonSize(lines);
  const sizes = [...new Set(lines.filter(({ size }) => size > body * headingRatio).map(({ size }) => size))].sort((a, b) => b - a);
  const writer = new SectionWriter();
  let paragraph: string[] = [];
  let heading: { readonly level: number; text: string } | undefined;
  let last: Line | undefined;
  const flush = () => {
    writer.paragraph(joined(paragraph));
    paragraph = [];
  };
  const endHeading = () => {
    if (heading) writer.heading(heading.level, heading.text);
    heading = undefined;
  };
  for (const line of lines) {
    const level = sizes.indexOf(line.size) + 1;
    if (level > 0) {
      flush();
      // A heading can span several lines.
      if (heading?.level === level && last && isNextLine(last, line)) heading.text = inOneLine(heading.text, line.text);
      else {
        endHeading();
        heading = { level, text: line.text };
      }
    } else {
      endHeading();
      if (last && !isNextLine(last, line) && !(line.isFirstOfPage && isUnfinished(last.text))) flush();
      paragraph.push(line.text);
    }
    last = line;
  }
  flush();
  endHeading();
  return writer.end();
}

/** The font size of most of the text. */
function commonSize(lines: readonly Line[]): number {
  const letters = new Map<number, number>();
  for (const { size, text } of lines) letters.set(size, (letters.get(size) ?? 0) + text.length);
  return [...letters].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0] as const)[0];
}

/** Whether a line follows another within a paragraph. */
function isNextLine(line: Line, next: Line): boolean {
  const gap = line.y - next.y;
  return gap > 0 && gap < Math.max(line.size, next.size) * 1.7;
}

/** Whether a sentence continues at the top of the next page. */
function isUnfinished(text: string): boolean {
  return !/[.!?:;…。！？]["'”’)]?$/u.test(text);
}

/**
 * Joins the lines of a paragraph. Words that were hyphenated at the end of a line are joined; list items stay on their own lines.
 */
function joined(lines: readonly string[]): string {
  return lines.reduce((text, line) => {
    if (text === '') return line;
    if (/^([-•·‣*]|\d+[.)])\s/.test(line)) return `${text}\n${line}`;
    return /\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(line) ? text.slice(0, -1) + line : inOneLine(text, line);
  }, '');
}

/** The characters and punctuation of Chinese and Japanese, which are written without spaces between words. */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff65]`;
const endsUnspaced = new RegExp(`${unspaced}$`, 'u');
const beginsUnspaced = new RegExp(`^${unspaced}`, 'u');

/** Joins two lines. */
function inOneLine(text: string, next: string): string {
  return endsUnspaced.test(text) && beginsUnspaced.test(next) ? text + next : `${text} ${next}`;
}
