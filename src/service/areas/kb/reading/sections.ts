import type { Section } from './document.ts';

/** Divides the paragraphs of a document into sections by its headings. */
export class SectionWriter {
  readonly #sections: Section[] = [];
  /** The headings above the current position, with their levels. */
  #headings: { readonly level: number; readonly text: string }[] = [];
  #paragraphs: string[] = [];

  /** Starts a section. It ends all sections of the same level and below. @param level 1 for the outermost */
  heading(level: number, text: string): void {
    const heading = titleFrom(text);
    if (heading === null) return;
    this.#end();
    // Pages often repeat their title as the first heading.
    const above = this.#headings.filter((each) => each.level < level && each.text !== heading);
    this.#headings = [...above, { level, text: heading }];
  }

  /** Adds a paragraph, or the lines of a list or a table. */
  paragraph(text: string): void {
    const lines = text.split('\n').map(tidy);
    const paragraph = lines.filter((line) => line !== '').join('\n');
    if (paragraph !== '') this.#paragraphs.push(paragraph);
  }

  /** Returns the sections that have text. Headings without text are left out. */
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

/** Titles that programs give to documents: file names, and names of documents without one. */
const programTitles = [
  /^(microsoft|openoffice|libreoffice) \S+ - /i,
  /^([a-z]:)?[\\/]|^file:|^\S+_\S+$/i,
  /\.(docx?|docm|dotx?|xlsx?|pptx?|pdf|rtf|odt|ods|odp|pages|key|numbers|indd|qxp|pub|tex|dvi|ps|txt|md|html?|csv)$/i,
  /^(untitled|document|presentation|powerpoint presentation|slide|scan|unbenannt|dokument|präsentation|sans titre|sin título|senza titolo)[\s_-]*\d*$/iu,
];

/** The title of a document; null when it is blank, or says nothing of the content. */
export function documentTitle(text: string): string | null {
  return programTitles.some((form) => form.test(tidy(text))) ? null : titleFrom(text);
}

/** The text of a title or a heading; null when it is blank. */
export function titleFrom(text: string): string | null {
  return tidy(text).slice(0, 500).toWellFormed() || null;
}

/** Normalizes white space. Replaces NUL, which PostgreSQL cannot store, and lone surrogates, which are invalid in UTF-8. */
export function tidy(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD').replace(/\s+/gu, ' ').trim();
}
