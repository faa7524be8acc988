import { readContents } from './contents.ts';
import { readFormats } from './formats.ts';
import { WorkbookError } from './error.ts';
import { Parts, workbookError } from './parts.ts';
import { sheetRecords, type SheetRecord } from './sheet.ts';
import { readStrings } from './strings.ts';

/** A sheet of a workbook. */
interface Sheet {
  readonly name: string;
  /** The size of its XML in bytes. */
  readonly size: number;
  /** Its rows, with the texts that their cells show. They are read lazily. @throws WorkbookError */
  readonly records: AsyncGenerator<SheetRecord>;
}

/** A workbook with its visible sheets; if all are hidden, with the first one. */
interface Workbook {
  readonly sheets: readonly [Sheet, ...Sheet[]];
  /** The number of sheets, including hidden ones. */
  readonly sheetCount: number;
}

/**
 * Opens an Excel workbook (.xlsx).
 * @param chunks the bytes of the file
 * @param rowBytes the size limit of a row, in bytes
 * @throws WorkbookError if the file is not a workbook or exceeds a limit
 */
export async function openWorkbook(chunks: AsyncIterable<Buffer>, rowBytes: number): Promise<Workbook> {
  const parts = await Parts.open(chunks);
  try {
    const { sheets, sheetCount, strings, styles, countsFrom1904 } = await readContents(parts);
    const reference = { strings: await readStrings(parts, strings), formats: await readFormats(parts, styles), countsFrom1904 };
    const [first, ...others] = sheets.map(({ name, part }): Sheet => {
      const records = sheetRecords(parts.text(part, { isHeld: false }), reference, rowBytes);
      return { name, size: parts.sizeOf(part), records: orWorkbookError(records) };
    });
    if (!first) throw new WorkbookError('The workbook has no sheet');
    return { sheets: [first, ...others], sheetCount };
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
