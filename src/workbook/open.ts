import { readContents } from './contents.ts';
import { readFormats } from './formats.ts';
import { Parts, workbookError } from './parts.ts';
import { sheetRecords, type SheetRecord } from './sheet.ts';
import { readStrings } from './strings.ts';

/** The first sheet of a workbook that is not hidden. */
export interface Sheet {
  readonly name: string;
  /** How many sheets there are beside it. */
  readonly otherSheets: number;
  /** How many bytes its XML has. */
  readonly size: number;
  /** Its rows, with the texts that their cells show. They are read while they are consumed. @throws WorkbookError */
  readonly records: AsyncGenerator<SheetRecord>;
}

/**
 * Opens an Excel workbook (.xlsx).
 * @param chunks the bytes of the file
 * @param rowBytes the size limit of a row, in bytes
 * @throws WorkbookError when the file is not a workbook or exceeds a limit
 */
export async function openWorkbook(chunks: AsyncIterable<Buffer>, rowBytes: number): Promise<Sheet> {
  const parts = await Parts.open(chunks);
  try {
    const { sheet, otherSheets, strings, styles, countsFrom1904 } = await readContents(parts);
    const reference = { strings: await readStrings(parts, strings), formats: await readFormats(parts, styles), countsFrom1904 };
    const records = sheetRecords(parts.text(sheet.part, { isHeld: false }), reference, rowBytes);
    return { name: sheet.name, otherSheets, size: parts.sizeOf(sheet.part), records: orWorkbookError(records) };
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
