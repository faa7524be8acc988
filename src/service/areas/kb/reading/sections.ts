import type { Section } from './document.ts';
import { isNavigation, type Paragraph } from './navigation.ts';
import { hasTimeOrPrice, isPrice } from './prices.ts';

/** A heading above the current position. */
interface Heading {
  readonly level: number;
  readonly text: string;
  /** Whether it can be the text of the heading above it. */
  readonly isText: boolean;
  hasText: boolean;
  /** The headings directly below it that have no text. */
  readonly empty: string[];
}

/** The level of terms and summaries, below all headings: they apply only to the lines below them. */
export const innermost = 7;

/** The length of the longest heading that different parts of a page have, such as "Opening hours". */
const sharedLength = 25;

/** Divides the paragraphs of a document into sections by its headings. */
export class SectionWriter {
  readonly #sections: Section[] = [];
  #headings: Heading[] = [];
  #paragraphs: Paragraph[] = [];
  /** The level of the heading whose answer is written, which headings within are below; 0 elsewhere. */
  #base = 0;

  /**
   * Starts a section. It ends all sections of the same level and below. A price is no section, but text below a heading of a
   * lower level that has no other text: pages choose levels by their size.
   * @param level 1 for the outermost; 0 for the heading of what `within` writes
   * @param isLink whether it leads to another page
   */
  heading(level: number, text: string, isLink = false): void {
    const heading = titleFrom(text);
    if (heading === null) return;
    this.#end();
    const own = this.#base + level || innermost;
    const last = this.#headings.at(-1);
    if (last && last.level > own && !last.hasText && isPrice(heading)) return this.paragraph(heading);
    this.#close(own);
    // Pages often repeat their title as the first heading, and in a box; a short one can also be that of a part. Within an answer, its question stays.
    const same = this.#headings.find((each) => each.text === heading);
    if (same && (this.#base > 0 || same === this.#headings.at(-1) || heading.length > sharedLength))
      return this.#close(Math.max(same.level, this.#base) + 1);
    this.#headings.push({ level: own, text: heading, isText: !isLink && !/[?？؟]$/u.test(heading), hasText: false, empty: [] });
  }

  /**
   * Writes what belongs to the heading of an answer, and no further: what follows belongs to the heading above.
   * @param level that of the heading of the answer
   */
  within(level: number, write: () => void): void {
    const outer = this.#base;
    this.#base = outer + level;
    write();
    this.#end();
    this.#close(this.#base);
    this.#base = outer;
  }

  /** Writes an article or an aside, whose headings end with it. */
  part(write: () => void): void {
    const outer = [...this.#headings];
    write();
    const own = this.#headings.find((heading) => !outer.includes(heading));
    if (!own) return;
    this.#end();
    // What has only a heading is the head of what follows, and so is what has the title of the page.
    if (!own.hasText || own.level === 1) return;
    this.#close(own.level);
    this.#headings = outer;
  }

  /** Adds a paragraph, or the lines of a list or a table. @param links the texts of its links, if it consists of links */
  paragraph(text: string, links: readonly string[] = []): void {
    const lines = text.split('\n').map(tidy);
    const paragraph = lines.filter((line) => line !== '').join('\n');
    if (paragraph !== '') this.#paragraphs.push({ text: paragraph, links });
  }

  /** Adds lines of code, whose indentation says something. */
  code(text: string): void {
    const lines = text.split('\n').map((line) => `${/^[ \t]*/.exec(line)?.[0] ?? ''}${tidy(line)}`.trimEnd());
    const paragraph = lines.filter((line) => line !== '').join('\n');
    if (paragraph !== '') this.#paragraphs.push({ text: paragraph, links: [] });
  }

  /** Returns the sections that have text. Most headings without text are left out. */
  end(): Section[] {
    this.#end();
    this.#close(1);
    return this.#sections;
  }

  #end(): void {
    const hasHeading = this.#headings.length > 0;
    const paragraphs = this.#paragraphs.filter((each, index) => !isNavigation(each, this.#paragraphs[index - 1], hasHeading));
    this.#paragraphs = [];
    if (paragraphs.length > 0) this.#add(paragraphs.map((paragraph) => paragraph.text).join('\n\n'));
  }

  #add(text: string): void {
    for (const heading of this.#headings) heading.hasText = true;
    this.#sections.push({ headings: this.#headings.map((heading) => heading.text), text });
  }

  /**
   * Ends the sections from a level on. A heading without any text has the headings directly below it as its text, and one with text
   * those that say a time or a price.
   */
  #close(level: number): void {
    for (let last = this.#headings.at(-1); last && last.level >= level; last = this.#headings.at(-1)) {
      const texts = last.hasText ? last.empty.filter(hasTimeOrPrice) : last.empty;
      if (texts.length > 0) this.#add(texts.join('\n'));
      this.#headings.pop();
      if (!last.hasText && last.isText) this.#headings.at(-1)?.empty.push(last.text);
    }
  }
}

/** The text of a title or a heading; null when it is blank. */
export function titleFrom(text: string): string | null {
  return tidy(text).slice(0, 500).toWellFormed() || null;
}

/** Characters that are not seen, and only say where a line may break, or in which direction it runs. */
const unseen = /[\u00AD\u034F\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]/g;

/** Control characters without a meaning in text. */
const controls = /[\u0001-\u0008\u000E-\u001F\u007F]/g;

/** Normalizes white space, and removes what is not seen. Replaces NUL, which PostgreSQL cannot store, and lone surrogates, which are invalid in UTF-8. */
export function tidy(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD').replace(unseen, '').replace(controls, ' ').replace(/\s+/gu, ' ').trim();
}
