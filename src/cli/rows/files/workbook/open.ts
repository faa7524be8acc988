import type { Source, SourceRow } from '../source.ts';
import { tableRows } from '../table.ts';
import { readContents } from './contents.ts';
import { readFormats } from './formats.ts';
import { Parts, workbookError } from './parts.ts';
import { sheetRecords } from './sheet.ts';
import { readStrings } from './strings.ts';

/**
 * Opens the first sheet of an Excel workbook (.xlsx).
 * @param chunks the bytes of the file
 * @throws CliError 1 when the file is not a workbook or exceeds a limit, also while its rows are read
 */
export async function workbookRows(chunks: AsyncIterable<Buffer>): Promise<Source> {
  const parts = await Parts.open(chunks);
  try {
    const { sheet, otherSheets, strings, styles, countsFrom1904 } = await readContents(parts);
    const reference = { strings: await readStrings(parts, strings), formats: await readFormats(parts, styles), countsFrom1904 };
    const { headers, rows } = await tableRows(sheetRecords(parts.text(sheet.part, { isHeld: false }), reference));
    return {
      format: 'xlsx',
      separator: ',',
      headers,
      rows: orWorkbookError(rows),
      size: parts.sizeOf(sheet.part),
      remark: () => (otherSheets === 0 ? undefined : `Only the sheet '${sheet.name}' is read, the first of ${otherSheets + 1}.`),
    };
  } catch (error) {
    throw workbookError(error);
  }
}

async function* orWorkbookError(rows: AsyncIterable<SourceRow>): AsyncGenerator<SourceRow> {
  try {
    yield* rows;
  } catch (error) {
    throw workbookError(error);
  }
}
