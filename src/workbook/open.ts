import { readContents } from './contents.ts';
import { readStyles } from './formats.ts';
import { WorkbookError } from './error.ts';
import { Parts, workbookError } from './parts.ts';
import { sheetRecords, type SheetRecord } from './sheet.ts';
import { readStrings } from './strings.ts';

/** A sheet of a workbook. */
interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** The size of its XML in bytes. */
  readonly size: number;
  /** Its rows, with the texts that their cells show. They are read lazily. @throws WorkbookError */
  readonly records: AsyncGenerator<SheetRecord>;
}

/** A workbook. */
interface Workbook {
  /** Its sheets in order, hidden ones too. */
  readonly sheets: readonly Sheet[];
  /** The sheets that are not hidden, each once; if all are hidden, the first one. */
  readonly visible: readonly [Sheet, ...Sheet[]];
  /** The number of sheets, including hidden ones. */
  readonly sheetCount: number;
}

/**
 * Opens an Excel workbook (.xlsx).
 * @param chunks the bytes of the file
 * @param rowBytes the size limit of a row, in bytes
 * @param leavesOutStruck whether what is struck out is left out
 * @throws WorkbookError if the file is not a workbook or exceeds a limit
 */
export async function openWorkbook(chunks: AsyncIterable<Buffer>, rowBytes: number, { leavesOutStruck = false } = {}): Promise<Workbook> {
  const parts = await Parts.open(chunks);
  try {
    const { sheets, sheetCount, strings, styles, countsFrom1904 } = await readContents(parts);
    const reference = {
      strings: await readStrings(parts, strings, leavesOutStruck),
      styles: await readStyles(parts, styles),
      countsFrom1904,
      leavesOutStruck,
    };
    const read = sheets.map(({ name, part, isHidden }) => {
      const records = sheetRecords(parts.text(part, { isHeld: false }), reference, rowBytes);
      return { name, part, isHidden, size: parts.sizeOf(part), records: orWorkbookError(records) };
    });
    // Several sheets can refer to the same part.
    const visible = [...new Map(read.filter(({ isHidden }) => !isHidden).map((sheet) => [sheet.part, sheet])).values()];
    const [first = read[0], ...others] = visible;
    if (!first) throw new WorkbookError('The workbook has no sheet');
    return { sheets: read, visible: [first, ...others], sheetCount };
  } catch (error) {
    throw workbookError(error);
  }
}

async function* orWorkbookError(records: AsyncIterable<SheetRecord>): AsyncGenerator<SheetRecord> {
  try {
    yield* records;
  } catch (error) {
    throw workbookError(error);
  }
}
