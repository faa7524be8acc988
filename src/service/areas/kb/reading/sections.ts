import type { Section } from './document.ts';

/** Puts the paragraphs of a document into sections, by its headings. */
export class SectionWriter {
  readonly #sections: Section[] = [];
  /** The headings above the present place, with their levels. */
  #headings: { readonly level: number; readonly text: string }[] = [];
  #paragraphs: string[] = [];

  /** @param level 1 for the outermost; a heading ends the sections of its own level and below */
  heading(level: number, text: string): void {
    const heading = titleFrom(text);
    if (heading === null) return;
    this.#end();
    // A page often repeats its title as its first heading.
    const above = this.#headings.filter((each) => each.level < level && each.text !== heading);
    this.#headings = [...above, { level, text: heading }];
  }

  /** A paragraph, or the lines of a list or a table. */
  paragraph(text: string): void {
    const lines = text.split('\n').map(tidy);
    const paragraph = lines.filter((line) => line !== '').join('\n');
    if (paragraph !== '') this.#paragraphs.push(paragraph);
  }

  /** The sections with text. Headings without any text below them are left out. */
  end(): Section[] {
    this.#end();
    return this.#sections;
  }

  #end(): void {
    if (this.#paragraphs.length === 0) return;
    this.#sections.push({ headings: this.#headings.map(({ text }) => text), text: this.#paragraphs.join('\n\n') });
    this.#paragraphs = [];
  }
}

/** The title of a document; null without any text. */
export function titleFrom(text: string): string | null {
  return tidy(text).slice(0, 500).toWellFormed() || null;
}

/** Folds white space. NUL, which PostgreSQL cannot store, and lone surrogates, which UTF-8 does not have, are replaced. */
export function tidy(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD').replace(/\s+/gu, ' ').trim();
}
