import type { Parts } from './parts.ts';
import { type Attributes, parseXml } from './xml.ts';

/** The shared strings of a workbook. */
export interface Strings {
  readonly texts: readonly string[];
  /** What of them is not struck out in cells whose font strikes out, by number, where anything is. */
  readonly inStruckCells: ReadonlyMap<number, string>;
}

/** Reads the shared strings of a workbook. @param leavesOutStruck whether they are read without what is struck out */
export async function readStrings(parts: Parts, part: string | undefined, leavesOutStruck: boolean): Promise<Strings> {
  const texts: string[] = [];
  const inStruckCells = new Map<number, string>();
  if (part === undefined) return { texts, inStruckCells };
  const text = new RichText(leavesOutStruck);
  await parseXml(parts.text(part, { isHeld: true }), {
    open(name, attributes) {
      if (name === 'si') text.begin();
      else text.open(name, attributes);
    },
    text: (piece) => text.add(piece),
    close(name) {
      if (name !== 'si') return text.close(name);
      if (text.inStruckCell !== '') inStruckCells.set(texts.length, text.inStruckCell);
      texts.push(text.end());
    },
  });
  return { texts, inStruckCells };
}

/** Collects the text of an element with several runs, without the phonetic hints (`rPh`) of Japanese texts. */
export class RichText {
  readonly #leavesOutStruck: boolean;
  #text = '';
  #ownText = '';
  #isText = false;
  #isPronunciation = false;
  /** Whether the run has a font of its own, and whether that strikes out. */
  #hasFont = false;
  #isStruck = false;

  /** @param leavesOutStruck whether runs whose font strikes out are left out */
  constructor(leavesOutStruck: boolean) {
    this.#leavesOutStruck = leavesOutStruck;
  }

  /** Starts a new text. */
  begin(): void {
    [this.#text, this.#ownText, this.#hasFont, this.#isStruck] = ['', '', false, false];
  }

  /** Handles the start tag of a child element. */
  open(name: string, attributes: Attributes): void {
    if (name === 'rPh') this.#isPronunciation = true;
    if (name === 'r') [this.#hasFont, this.#isStruck] = [false, false];
    if (name === 'rPr') this.#hasFont = true;
    if (name === 'strike') this.#isStruck = this.#leavesOutStruck && isOn(attributes);
    this.#isText = name === 't' && !this.#isPronunciation;
  }

  /** Handles character data. */
  add(piece: string): void {
    if (!this.#isText || this.#isStruck) return;
    this.#text += piece;
    if (this.#hasFont && this.#leavesOutStruck) this.#ownText += piece;
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

  /** The collected text of runs with fonts of their own, which the font of the cell does not strike out. */
  get inStruckCell(): string {
    return unescaped(this.#ownText);
  }
}

/** Whether the element of a property turns it on. */
export function isOn({ val = '1' }: Attributes): boolean {
  return !/^(0|false)$/.test(val);
}

/** Unescapes characters that XML does not allow, which are written as `_x000D_`. */
export function unescaped(text: string): string {
  return text.includes('_x') ? text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))) : text;
}
