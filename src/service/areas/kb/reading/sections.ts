import type { Section } from './document.ts';

/** A paragraph, and whether it consists of links. */
interface Paragraph {
  readonly text: string;
  readonly isLinks: boolean;
}

/** Links of navigation, but not of text. */
const accountLinks =
  /(^|\s)(log ?in|log ?out|sign ?(in|up|out)|register|my account|cart|basket|checkout|anmelden|abmelden|einloggen|warenkorb|mein konto|connexion|se connecter|panier|iniciar sesión|carrito|accedi|carrello|inloggen|winkelwagen|entrar|carrinho)(\s|$)/iu;

/** Divides the paragraphs of a document into sections by its headings. */
export class SectionWriter {
  readonly #sections: Section[] = [];
  /** The headings above the current position, with their levels. */
  #headings: { readonly level: number; readonly text: string }[] = [];
  #paragraphs: Paragraph[] = [];

  /** Starts a section. It ends all sections of the same level and below. @param level 1 for the outermost */
  heading(level: number, text: string): void {
    const heading = titleFrom(text);
    if (heading === null) return;
    this.#end();
    // Pages often repeat their title as the first heading.
    const above = this.#headings.filter((each) => each.level < level && each.text !== heading);
    this.#headings = [...above, { level, text: heading }];
  }

  /** Adds a paragraph, or the lines of a list or a table. @param isLinks whether it consists of links */
  paragraph(text: string, isLinks = false): void {
    const lines = text.split('\n').map(tidy);
    const paragraph = lines.filter((line) => line !== '').join('\n');
    if (paragraph !== '') this.#paragraphs.push({ text: paragraph, isLinks });
  }

  /** Returns the sections that have text. Headings without text are left out. */
  end(): Section[] {
    this.#end();
    return this.#sections;
  }

  #end(): void {
    const paragraphs = this.#paragraphs.filter((_, index) => !this.#isNavigation(index));
    this.#paragraphs = [];
    if (paragraphs.length === 0) return;
    const text = paragraphs.map((paragraph) => paragraph.text).join('\n\n');
    this.#sections.push({ headings: this.#headings.map((heading) => heading.text), text });
  }

  /**
   * Whether a paragraph is navigation: links to where visitors log in or buy, and links in a row that are before the first heading
   * or after text that does not introduce them. A list of other links can be an answer.
   */
  #isNavigation(index: number): boolean {
    const [before, paragraph] = [this.#paragraphs[index - 1], this.#paragraphs[index]];
    if (!paragraph?.isLinks) return false;
    if (accountLinks.test(paragraph.text)) return true;
    if (/^(-|\d+\.) /.test(paragraph.text)) return false;
    return before ? !before.text.endsWith(':') : this.#headings.length === 0;
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
