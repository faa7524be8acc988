import { WorkbookError } from './error.ts';
import { shownNumber } from './formats.ts';
import { RichText } from './strings.ts';
import { parsing } from './xml.ts';

/** The number of columns that a sheet can have. */
const columnLimit = 16_384;

/** How much of a sheet is read without the end of a row, in bytes: the parser holds what it has not passed on. */
const heldBytes = 64 * 1024 * 1024;

/** A row of a sheet that has text. */
export interface SheetRecord {
  /** The texts that its cells show. */
  readonly cells: readonly string[];
  /** The number of the row. */
  readonly line: number;
  /** How many bytes of the sheet were read at its end. */
  readonly end: number;
}

/** What the cells of a sheet refer to. */
interface Reference {
  readonly strings: readonly string[];
  /** The number format of each style. */
  readonly formats: readonly string[];
  readonly countsFrom1904: boolean;
}

/**
 * The rows of a sheet with the text that their cells show. Rows without text are left out, as are empty cells at their end.
 * @param rowBytes the size limit of a row, in bytes
 * @throws WorkbookError when a row is too long
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

/** The number of the column in the name of a cell: 28 for `AB7`. */
function columnOf(cell: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(cell)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

/** The text that a cell shows. @param type of the cell: a number, a text of the workbook or of its own, a truth, an error */
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
