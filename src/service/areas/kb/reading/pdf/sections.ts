import type { Section } from '../document.ts';
import { SectionWriter } from '../sections.ts';
import { annotationSize } from './annotations.ts';
import { isNextLine, linesBetweenMargins, type Page, withoutFurniture } from './furniture.ts';
import type { Line } from './lines.ts';

/** The minimum ratio of a heading's font size to the size of the body text. */
const headingRatio = 1.15;

/** The number of characters from which text in a larger font is a paragraph. */
const longestHeading = 200;

/** Divides a document into sections by its headings: the text in a larger font than most of it. */
export function sectionsOf(pages: readonly Page[]): Section[] {
  const body = commonSize(linesBetweenMargins(pages));
  const isHeading = ({ size }: Line) => size > body * headingRatio;
  const read = withoutFurniture(pages, isHeading);
  const sizes = [
    ...new Set(
      read
        .flat()
        .filter(isHeading)
        .map(({ size }) => size),
    ),
  ].sort((a, b) => b - a);
  const sections = new PdfSections();
  let paragraph: string[] = [];
  let heading: { readonly level: number; text: string } | undefined;
  let last: Line | undefined;
  const flush = () => {
    sections.paragraph(joined(paragraph));
    paragraph = [];
  };
  const endHeading = () => {
    if (heading && heading.text.length < longestHeading) sections.heading(heading.level, heading.text);
    else if (heading) sections.paragraph(heading.text);
    heading = undefined;
  };
  for (const { line, isFirstOfPage } of read.flatMap(marked)) {
    const level = sizes.indexOf(line.size) + 1;
    if (level > 0) {
      flush();
      // A heading can span several lines.
      if (heading?.level === level && last && isNextLine(last, line)) heading.text += spaceBetween(heading.text, line.text) + line.text;
      else {
        endHeading();
        heading = { level, text: line.text };
      }
    } else {
      endHeading();
      if (last && !isNextLine(last, line) && !(isFirstOfPage && isUnfinished(last.text))) flush();
      paragraph.push(line.text);
    }
    last = line;
  }
  flush();
  endHeading();
  return sections.end();
}

interface Heading {
  readonly level: number;
  readonly text: string;
}

/** Writes sections. Larger text that no other text follows is no heading, but text: on slides, title pages and price lists. */
class PdfSections {
  readonly #writer = new SectionWriter();
  /** The headings that no text has followed yet, each of a lower level than the one before. */
  #waiting: Heading[] = [];

  heading(level: number, text: string): void {
    this.#writeBare(level);
    this.#waiting.push({ level, text });
  }

  paragraph(text: string): void {
    if (text === '') return;
    for (const heading of this.#waiting) this.#writer.heading(heading.level, heading.text);
    this.#waiting = [];
    this.#writer.paragraph(text);
  }

  end(): Section[] {
    this.#writeBare(0);
    return this.#writer.end();
  }

  /** Writes the waiting headings as text that a heading of some level ends. */
  #writeBare(level: number): void {
    const bare = this.#waiting.filter((heading) => heading.level >= level);
    this.#waiting = this.#waiting.filter((heading) => heading.level < level);
    for (const { text } of bare) this.paragraph(text);
  }
}

function marked(lines: readonly Line[]): { readonly line: Line; readonly isFirstOfPage: boolean }[] {
  return lines.map((line, index) => ({ line, isFirstOfPage: index === 0 }));
}

/** The font size of most of the text of pages; of a page that has only annotations, theirs. */
function commonSize(lines: readonly Line[]): number {
  const letters = new Map<number, number>();
  const printed = lines.filter(({ size }) => size > annotationSize);
  for (const { size, text } of printed.length > 0 ? printed : lines) letters.set(size, (letters.get(size) ?? 0) + text.length);
  return [...letters].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0] as const)[0];
}

/** Whether a sentence continues at the top of the next page. */
function isUnfinished(text: string): boolean {
  return !/[.!?:;…。！？]["'”’)]?$/u.test(text);
}

/**
 * Joins the lines of a paragraph. Words that were hyphenated at the end of a line are joined; list items stay on their own lines.
 */
function joined(lines: readonly string[]): string {
  const parts: string[] = [];
  for (const line of lines) {
    const last = parts.pop();
    if (last === undefined) parts.push(line);
    else if (/^([-•·‣*]|\d+[.)])\s/.test(line)) parts.push(last, '\n', line);
    else if (/\p{Ll}-$/u.test(last) && /^\p{Ll}/u.test(line)) parts.push(last.slice(0, -1), line);
    else parts.push(last, spaceBetween(last, line), line);
  }
  return parts.join('');
}

/** The characters and punctuation of Chinese and Japanese, which are written without spaces between words. */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff65]`;
const endsUnspaced = new RegExp(`${unspaced}$`, 'u');
const beginsUnspaced = new RegExp(`^${unspaced}`, 'u');

/** What separates two lines in one. */
function spaceBetween(line: string, next: string): string {
  return endsUnspaced.test(line) && beginsUnspaced.test(next) ? '' : ' ';
}
