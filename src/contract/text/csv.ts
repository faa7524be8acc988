/** A record of CSV. Empty lines are none. */
export interface CsvRecord {
  readonly cells: readonly string[];
  /** The line on which it begins, starting at 1. */
  readonly line: number;
  /** The number of bytes up to its end. */
  readonly end: number;
  /** What is wrong with its quotation marks; its cells then hold them as they stand. */
  readonly flaw?: string;
}

/** Thrown for a record that is longer than the limit. */
export class CsvRecordTooLong extends Error {
  /** The line on which it begins. */
  readonly line: number;

  constructor(line: number) {
    super(`The record on line ${line} is too long`);
    this.name = 'CsvRecordTooLong';
    this.line = line;
  }
}

/** A cell with the place where it ends, and what is wrong with its quotation marks. */
interface Cell {
  readonly text: string;
  readonly end: number;
  readonly problem?: string;
}

/** Where a line ends, and the next one begins. */
interface LineBreak {
  /** The place from which it is the first one. */
  readonly from: number;
  readonly index: number;
  readonly next: number;
}

const noBreak: LineBreak = { from: 0, index: -1, next: 0 };

/** What begins a quoted cell: `"`, after blanks, or `="`, with which programs keep spreadsheets from reading a number. */
const opening = / *(=?)"/y;

/** The whole text of a cell that is such a formula. */
const textFormula = /^="((?:[^"]|"")*)"$/;

/**
 * Reads CSV piece by piece. Its quotation marks need not be in order: one in the middle of a cell is part of the text, and one
 * that has no counterpart spoils its own line, never the rest of the file. Characters NUL are dropped.
 */
export class CsvReader {
  readonly #separator: string;
  readonly #recordBytes: number;
  readonly #hasQuotes: boolean;
  #text = '';
  /** Where the next record begins in the text, in the lines and in the bytes of the file. */
  #at = 0;
  #line = 1;
  #end = 0;
  /** Whether a lone CR ends a line, as in files whose first line ends with one. Undefined until that is known. */
  #isMac: boolean | undefined;
  #isComplete = false;
  /** The end of the line that was found last. */
  #lastBreak: LineBreak = noBreak;

  /**
   * @param recordBytes the size limit of a record, in bytes
   * @param hasQuotes whether cells may be in quotation marks. Otherwise these are text
   */
  constructor(separator: string, recordBytes: number, hasQuotes = true) {
    this.#separator = separator;
    this.#recordBytes = recordBytes;
    this.#hasQuotes = hasQuotes;
  }

  /** The records that a further piece completes. @throws CsvRecordTooLong */
  *read(piece: string): Generator<CsvRecord> {
    this.#text = this.#text.slice(this.#at) + (piece.includes('\0') ? piece.replaceAll('\0', '') : piece);
    this.#at = 0;
    this.#lastBreak = noBreak;
    yield* this.#records();
  }

  /** The records at the end of the text. @throws CsvRecordTooLong */
  *finish(): Generator<CsvRecord> {
    this.#isComplete = true;
    yield* this.#records();
  }

  *#records(): Generator<CsvRecord> {
    while (this.#at < this.#text.length) {
      const lineBreak = this.#findBreak(this.#at);
      if (!lineBreak) return;
      if (lineBreak.index === this.#at) {
        this.#pass(lineBreak.next, 1);
        continue;
      }
      const line = this.#text.slice(this.#at, lineBreak.index);
      const record =
        this.#hasQuotes && line.includes('"') ? this.#quotedRecord() : { cells: line.split(this.#separator), next: lineBreak.next };
      if (!record) return;
      const { cells, next, flaw } = record;
      const raw = this.#text.slice(this.#at, next);
      const begin = this.#line;
      this.#pass(next, next === lineBreak.next ? 1 : raw.split(this.#isMac ? anyBreak : '\n').length - 1, Buffer.byteLength(raw));
      yield { cells, line: begin, end: this.#end, ...(flaw !== undefined && { flaw }) };
    }
  }

  /** Goes on behind a record. @throws CsvRecordTooLong */
  #pass(next: number, lines: number, bytes = next - this.#at): void {
    if (bytes > this.#recordBytes) throw new CsvRecordTooLong(this.#line);
    this.#at = next;
    this.#line += lines;
    this.#end += bytes;
  }

  /** A record with quoted cells, and where the next one begins; undefined if more text is needed. */
  #quotedRecord(): { cells: string[]; next: number; flaw?: string | undefined } | undefined {
    const cells: string[] = [];
    let flaw: string | undefined;
    for (let at = this.#at; ; at += this.#separator.length) {
      const cell = this.#cell(at);
      if (!cell) return undefined;
      cells.push(cell.text);
      if (cell.problem !== undefined) flaw ??= `cell ${cells.length} ${cell.problem}`;
      at = cell.end;
      if (this.#text.startsWith(this.#separator, at)) continue;
      const next = this.#findBreak(at)?.next;
      return next === undefined ? undefined : { cells, next, flaw };
    }
  }

  #cell(at: number): Cell | undefined {
    opening.lastIndex = at;
    const [start, formula] = opening.exec(this.#text) ?? [];
    if (start === undefined) return this.#plainCell(at);
    const begin = at + start.length;
    const close = this.#closingQuote(begin);
    if (close === undefined) return undefined;
    const end = close < 0 ? -1 : this.#endAfter(close + 1);
    if (end === undefined) return undefined;
    if (end >= 0) {
      const text = this.#text.slice(begin, close).replaceAll('""', '"');
      return { text: formula === '' ? withoutFormula(text) : text, end };
    }
    const plain = this.#plainCell(at);
    // After a blank or an equals sign, the quotation mark is in the middle of the cell.
    const isOpen = close < 0 || close > (this.#findBreak(at)?.index ?? 0);
    const problem = isOpen ? 'has no closing quotation mark' : 'goes on after its closing quotation mark';
    return plain && (start === '"' ? { ...plain, problem } : plain);
  }

  /** A cell up to the next separator or the end of the line; undefined if more text is needed. */
  #plainCell(at: number): Cell | undefined {
    const lineBreak = this.#findBreak(at);
    if (!lineBreak) return undefined;
    const line = this.#text.slice(at, lineBreak.index);
    const length = line.indexOf(this.#separator);
    return length < 0 ? { text: line, end: lineBreak.index } : { text: line.slice(0, length), end: at + length };
  }

  /** Where the quotation mark is that closes a cell; -1 if there is none, undefined if more text is needed. */
  #closingQuote(from: number): number | undefined {
    for (let at = this.#text.indexOf('"', from); at >= 0; at = this.#text.indexOf('"', at + 2)) {
      if (at + 1 === this.#text.length && this.#canWait) return undefined;
      if (at - this.#at > this.#recordBytes) return -1;
      if (this.#text[at + 1] !== '"') return at;
    }
    return this.#canWait ? undefined : -1;
  }

  /** Where a cell ends after its closing quotation mark; -1 if it goes on there, undefined if more text is needed. */
  #endAfter(close: number): number | undefined {
    let end = close;
    while (this.#text[end] === ' ') end++;
    if (this.#text.startsWith(this.#separator, end)) return end;
    if (!this.#isComplete && /^\r?$/.test(this.#text.slice(end, end + 2))) return undefined;
    return end === this.#text.length || this.#findBreak(end)?.index === end ? end : -1;
  }

  /** Whether a quoted cell may still be closed by text that was not read yet. */
  get #canWait(): boolean {
    return !this.#isComplete && this.#text.length - this.#at <= this.#recordBytes;
  }

  /**
   * The next end of a line, and where the line after it begins; undefined if more text is needed.
   * @throws CsvRecordTooLong if the record would then be longer than the limit
   */
  #findBreak(from: number): LineBreak | undefined {
    if (from >= this.#lastBreak.from && from <= this.#lastBreak.index) return this.#lastBreak;
    const text = this.#text;
    this.#isMac ??= this.#detectMac();
    let found = this.#isMac === undefined ? undefined : this.#isMac ? macBreak(text, from) : unixBreak(text, from);
    if (!found && this.#isComplete)
      found = { from, index: text.endsWith('\r') ? Math.max(from, text.length - 1) : text.length, next: text.length };
    if (found) return (this.#lastBreak = found);
    if (text.length - this.#at > this.#recordBytes) throw new CsvRecordTooLong(this.#line);
    return undefined;
  }

  #detectMac(): boolean | undefined {
    const found = anyBreak.exec(this.#text);
    if (!found) return undefined;
    const isCr = found[0] === '\r';
    // What follows a CR at the end of the text is not known yet.
    return isCr && found.index + 1 === this.#text.length && !this.#isComplete ? undefined : isCr;
  }
}

const anyBreak = /\r\n?|\n/;

function unixBreak(text: string, from: number): LineBreak | undefined {
  const end = text.indexOf('\n', from);
  if (end < 0) return undefined;
  return { from, index: end > from && text[end - 1] === '\r' ? end - 1 : end, next: end + 1 };
}

function macBreak(text: string, from: number): LineBreak | undefined {
  const pattern = /\r\n?|\n/g;
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  return found ? { from, index: found.index, next: found.index + found[0].length } : undefined;
}

/** The records of a whole text. @throws CsvRecordTooLong */
export function* csvRecordsOf(text: string, separator: string, recordBytes: number): Generator<CsvRecord> {
  const reader = new CsvReader(separator, recordBytes);
  yield* reader.read(text);
  yield* reader.finish();
}

function withoutFormula(text: string): string {
  return textFormula.exec(text)?.[1]?.replaceAll('""', '"') ?? text;
}
