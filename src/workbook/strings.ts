import type { Parts } from './parts.ts';
import { parseXml } from './xml.ts';

/** Reads the texts that the cells of a workbook refer to. */
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

/** Collects the text of an element that can have several runs. The pronunciation that Japanese texts carry is not part of it. */
export class RichText {
  #text = '';
  #isText = false;
  #isPronunciation = false;

  /** Begins a text. */
  begin(): void {
    this.#text = '';
  }

  /** Takes the beginning of an element within it. */
  open(name: string): void {
    if (name === 'rPh') this.#isPronunciation = true;
    this.#isText = name === 't' && !this.#isPronunciation;
  }

  /** Takes a piece of text. */
  add(piece: string): void {
    if (this.#isText) this.#text += piece;
  }

  /** Takes the end of an element within it. */
  close(name: string): void {
    if (name === 'rPh') this.#isPronunciation = false;
    this.#isText = false;
  }

  /** The text, with its characters as they are meant. */
  end(): string {
    return unescaped(this.#text);
  }
}

/** Characters that XML does not allow are written as `_x000D_`. */
function unescaped(text: string): string {
  return text.includes('_x') ? text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))) : text;
}
