import type { Parts } from './parts.ts';
import { parseXml } from './xml.ts';

/** Reads the shared strings of a workbook. */
export async function readStrings(parts: Parts, part: string | undefined): Promise<string[]> {
  const strings: string[] = [];
  if (part === undefined) return strings;
  const text = new RichText();
  await parseXml(parts.text(part, { isHeld: true }), {
    open(name) {
      if (name === 'si') text.begin();
      else text.open(name);
    },
    text: (piece) => text.add(piece),
    close(name) {
      if (name === 'si') strings.push(text.end());
      else text.close(name);
    },
  });
  return strings;
}

/** Collects the text of an element with several runs, without the phonetic hints (`rPh`) of Japanese texts. */
export class RichText {
  #text = '';
  #isText = false;
  #isPronunciation = false;

  /** Starts a new text. */
  begin(): void {
    this.#text = '';
  }

  /** Handles the start tag of a child element. */
  open(name: string): void {
    if (name === 'rPh') this.#isPronunciation = true;
    this.#isText = name === 't' && !this.#isPronunciation;
  }

  /** Handles character data. */
  add(piece: string): void {
    if (this.#isText) this.#text += piece;
  }

  /** Handles the end tag of a child element. */
  close(name: string): void {
    if (name === 'rPh') this.#isPronunciation = false;
    this.#isText = false;
  }

  /** The collected text, unescaped. */
  end(): string {
    return unescaped(this.#text);
  }
}

/** Unescapes characters that XML does not allow, which are written as `_x000D_`. */
export function unescaped(text: string): string {
  return text.includes('_x') ? text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))) : text;
}
