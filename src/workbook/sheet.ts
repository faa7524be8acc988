import { WorkbookError } from './error.ts';
import { type CellStyle, shownNumber } from './formats.ts';
import { RichText, type Strings, unescaped } from './strings.ts';
import { type Attributes, type Handlers, parsing } from './xml.ts';

/** The maximum number of columns of a sheet. */
const columnLimit = 16_384;

/** How many bytes of a sheet are read without reaching the end of a row. The parser holds them in memory. */
const heldBytes = 64 * 1024 * 1024;

/** A row of a sheet that is not empty. */
export interface SheetRecord {
  /** The texts that its cells show. */
  readonly cells: readonly string[];
  /** The row number. */
  readonly line: number;
  /** The number of bytes of the sheet that were read up to the end of the row. */
  readonly end: number;
  /** Whether the row is hidden, for example by a filter. */
  readonly isHidden: boolean;
}

/** The data of the workbook that cells refer to. */
interface Reference {
  readonly strings: Strings;
  readonly styles: readonly CellStyle[];
  readonly countsFrom1904: boolean;
  /** Whether what is struck out is left out. */
  readonly leavesOutStruck: boolean;
}

/**
 * The rows of a sheet with the texts that their cells show. Omits empty rows, and empty cells at the end of a row.
 * @param rowBytes the size limit of a row, in bytes
 * @throws WorkbookError if a row exceeds the limit
 */
export async function* sheetRecords(document: AsyncIterable<string>, reference: Reference, rowBytes: number): AsyncGenerator<SheetRecord> {
  const reader = new SheetReader(reference, rowBytes);
  for await (const _ of parsing(reader.counting(document), reader)) yield* reader.takeRecords();
}

/** Makes records from the elements of a sheet. */
class SheetReader implements Handlers {
  readonly #reference: Reference;
  readonly #rowBytes: number;
  /** The rows that ended and have not been taken yet. */
  #ended: SheetRecord[] = [];
  /** How many bytes were read, and how many of them up to the end of the last row. */
  #readBytes = 0;
  #rowEnd = 0;
  /** The row that is being read: its number, whether it is hidden, its cells, and the size of their texts. */
  #row = 0;
  #isHidden = false;
  #cells: string[] = [];
  #bytes = 0;
  /** The cell that is being read. */
  #column = 0;
  #type = '';
  #style = 0;
  #value = '';
  #isValue = false;
  readonly #inline: RichText;

  constructor(reference: Reference, rowBytes: number) {
    this.#reference = reference;
    this.#inline = new RichText(reference.leavesOutStruck);
    this.#rowBytes = rowBytes;
  }

  /** Passes the sheet on to the parser, and counts its bytes. @throws WorkbookError if a row does not end */
  async *counting(document: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const piece of document) {
      this.#readBytes += Buffer.byteLength(piece);
      if (this.#readBytes - this.#rowEnd > heldBytes) throw this.#tooLongError();
      yield piece;
    }
  }

  /** The rows that ended since the last call. */
  takeRecords(): SheetRecord[] {
    const records = this.#ended;
    this.#ended = [];
    return records;
  }

  open(name: string, attributes: Attributes): void {
    switch (name) {
      case 'row':
        return this.#beginRow(attributes);
      case 'c':
        return this.#beginCell(attributes);
      case 'v':
        this.#isValue = true;
        return;
      case 'is':
        return this.#inline.begin();
      default:
        this.#inline.open(name, attributes);
    }
  }

  text(piece: string): void {
    if (this.#isValue) this.#value += piece;
    else this.#inline.add(piece);
  }

  close(name: string): void {
    switch (name) {
      case 'v':
        this.#isValue = false;
        return;
      case 'is':
        this.#value = this.#inline.end();
        return;
      case 'c':
        return this.#endCell();
      case 'row':
        return this.#endRow();
      default:
        this.#inline.close(name);
    }
  }

  #beginRow({ r: number, hidden = '' }: Attributes): void {
    this.#row = Number(number ?? this.#row + 1);
    this.#isHidden = /^(1|true)$/.test(hidden);
    [this.#cells, this.#bytes, this.#column] = [[], 0, 0];
  }

  #beginCell({ r: name, t: type = 'n', s: style = '0' }: Attributes): void {
    this.#column = name === undefined ? this.#column + 1 : columnOf(name);
    if (!(this.#column >= 1 && this.#column <= columnLimit)) throw new WorkbookError(`Row ${this.#row} has a cell outside of the sheet`);
    [this.#type, this.#style, this.#value] = [type, Number(style), ''];
  }

  #endCell(): void {
    const text = this.#shownText();
    if (text === '') return;
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > this.#rowBytes) throw this.#tooLongError();
    while (this.#cells.length < this.#column - 1) this.#cells.push('');
    this.#cells[this.#column - 1] = text;
  }

  #endRow(): void {
    this.#rowEnd = this.#readBytes;
    if (this.#cells.length === 0) return;
    this.#ended.push({ cells: this.#cells, line: this.#row, end: this.#rowEnd, isHidden: this.#isHidden });
  }

  #shownText(): string {
    const { strings, styles, countsFrom1904, leavesOutStruck } = this.#reference;
    const { format = 'General', isStruck = false } = styles[this.#style] ?? {};
    if (!isStruck || !leavesOutStruck) return shownText(this.#type, this.#value, format, strings.texts, countsFrom1904);
    if (this.#type === 's') return strings.inStruckCells.get(Number(this.#value)) ?? '';
    return this.#type === 'inlineStr' ? this.#inline.inStruckCell : '';
  }

  #tooLongError(): WorkbookError {
    return new WorkbookError(`The row on line ${this.#row} is longer than ${this.#rowBytes.toLocaleString('en-US')} bytes`);
  }
}

/** The column number in a cell name: 28 for `AB7`. */
function columnOf(cell: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(cell)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

/** The text that a cell shows. @param type the cell type: number, shared string, inline string, text of a formula, boolean or error */
function shownText(type: string, value: string, format: string, strings: readonly string[], countsFrom1904: boolean): string {
  switch (type) {
    case 's':
      return strings[Number(value)] ?? '';
    case 'n':
      return shownNumber(value, format, countsFrom1904);
    case 'b':
      return value === '1' ? 'TRUE' : 'FALSE';
    case 'str':
      return unescaped(value);
    default:
      return value;
  }
}
