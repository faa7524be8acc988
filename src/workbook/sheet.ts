import { WorkbookError } from './error.ts';
import { shownNumber } from './formats.ts';
import { RichText } from './strings.ts';
import { parsing } from './xml.ts';

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
}

/** The data of the workbook that cells refer to. */
interface Reference {
  readonly strings: readonly string[];
  /** The number format of each style. */
  readonly formats: readonly string[];
  readonly countsFrom1904: boolean;
}

/**
 * The rows of a sheet with the texts that their cells show. Omits empty rows, and empty cells at the end of a row.
 * @param rowBytes the size limit of a row, in bytes
 * @throws WorkbookError if a row exceeds the limit
 */
export async function* sheetRecords(document: AsyncIterable<string>, reference: Reference, rowBytes: number): AsyncGenerator<SheetRecord> {
  let ready: SheetRecord[] = [];
  let end = 0;
  let rowEnd = 0;
  let row = 0;
  let cells: string[] = [];
  let bytes = 0;
  let column = 0;
  let type = '';
  let style = 0;
  let value = '';
  let isValue = false;
  const inline = new RichText();
  async function* counted() {
    for await (const piece of document) {
      end += Buffer.byteLength(piece);
      if (end - rowEnd > heldBytes) throw tooLongError(row, rowBytes);
      yield piece;
    }
  }
  const steps = parsing(counted(), {
    open(name, attributes) {
      switch (name) {
        case 'row':
          row = Number(attributes.r ?? row + 1);
          [cells, bytes, column] = [[], 0, 0];
          return;
        case 'c':
          column = attributes.r === undefined ? column + 1 : columnOf(attributes.r);
          if (!(column >= 1 && column <= columnLimit)) throw new WorkbookError(`Row ${row} has a cell outside of the sheet`);
          [type, style, value] = [attributes.t ?? 'n', Number(attributes.s ?? 0), ''];
          return;
        case 'v':
          isValue = true;
          return;
        case 'is':
          return inline.begin();
        default:
          inline.open(name);
      }
    },
    text(piece) {
      if (isValue) value += piece;
      else inline.add(piece);
    },
    close(name) {
      switch (name) {
        case 'v':
          isValue = false;
          return;
        case 'is':
          value = inline.end();
          return;
        case 'c': {
          const text = shownText(type, value, style, reference);
          if (text === '') return;
          bytes += Buffer.byteLength(text);
          if (bytes > rowBytes) throw tooLongError(row, rowBytes);
          while (cells.length < column - 1) cells.push('');
          cells[column - 1] = text;
          return;
        }
        case 'row':
          rowEnd = end;
          if (cells.length > 0) ready.push({ cells, line: row, end });
          return;
        default:
          inline.close(name);
      }
    },
  });
  for await (const _ of steps) {
    yield* ready;
    ready = [];
  }
}

/** The column number in a cell name: 28 for `AB7`. */
function columnOf(cell: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(cell)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

/** The text that a cell shows. @param type the cell type: number, shared string, inline string, boolean or error */
function shownText(type: string, value: string, style: number, { strings, formats, countsFrom1904 }: Reference): string {
  switch (type) {
    case 's':
      return strings[Number(value)] ?? '';
    case 'n':
      return shownNumber(value, formats[style] ?? 'General', countsFrom1904);
    case 'b':
      return value === '1' ? 'TRUE' : 'FALSE';
    default:
      return value;
  }
}

function tooLongError(row: number, rowBytes: number): WorkbookError {
  return new WorkbookError(`The row on line ${row} is longer than ${rowBytes.toLocaleString('en-US')} bytes`);
}
