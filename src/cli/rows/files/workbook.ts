import { digits } from '../../../contract/text/counted.ts';
import { fold } from '../../../contract/text/fold.ts';
import { WorkbookError } from '../../../workbook/error.ts';
import { openWorkbook } from '../../../workbook/open.ts';
import { invalidValueError } from '../../invalid-value.ts';
import { unguard } from '../../../contract/text/formula-guard.ts';
import { malformedError, rowBytes, type Source, type SourceRow } from './source.ts';
import { type IsHeading, tableRows } from './table.ts';

/**
 * Opens a sheet of an Excel workbook (.xlsx).
 * @param chunks the bytes of the file
 * @param chosen the name or number of the sheet; by default, the first visible one
 * @throws CliError 1 if the file is not a workbook or exceeds a limit, also while its rows are read; 2 if it has no such sheet
 */
export async function workbookRows(chunks: AsyncIterable<Buffer>, isHeading: IsHeading, chosen: string | undefined): Promise<Source> {
  try {
    const { sheets, visible, sheetCount } = await openWorkbook(chunks, rowBytes);
    const [first] = visible;
    const sheet = chosen === undefined ? first : findSheet(sheets, visible, chosen);
    let hiddenRows = 0;
    async function* records() {
      for await (const record of sheet.records) {
        if (record.isHidden) hiddenRows++;
        yield record;
      }
    }
    const { headers, rows, remarks } = await tableRows(records(), isHeading, unguard);
    const onlyFirst = sheetCount > 1 && chosen === undefined ? [`Only the sheet '${sheet.name}' is read, the first of ${sheetCount}.`] : [];
    const hidden = () => (hiddenRows > 0 ? [`Rows that the sheet hides are read too: ${digits(hiddenRows)}.`] : []);
    return {
      format: 'xlsx',
      separator: ',',
      headers,
      rows: orMalformed(rows),
      size: sheet.size,
      otherSheets: visible.filter((each) => each !== sheet).map(({ name }) => name),
      remarks: () => [...onlyFirst, ...remarks, ...hidden()],
    };
  } catch (error) {
    throw malformed(error);
  }
}

/** Finds a sheet by its name, or by its number among the visible ones. @throws CliError 2 if there is none */
function findSheet<Sheet extends { readonly name: string }>(all: readonly Sheet[], visible: readonly Sheet[], chosen: string): Sheet {
  const found =
    all.find(({ name }) => name === chosen) ??
    all.find(({ name }) => fold(name.trim()) === fold(chosen.trim())) ??
    (/^\d+$/.test(chosen) ? visible[Number(chosen) - 1] : undefined);
  if (!found)
    throw invalidValueError('--sheet', chosen, 'is not a sheet of the workbook', `It has: ${all.map(({ name }) => name).join(', ')}`);
  return found;
}

async function* orMalformed(rows: AsyncIterable<SourceRow>): AsyncGenerator<SourceRow> {
  try {
    yield* rows;
  } catch (error) {
    throw malformed(error);
  }
}

function malformed(error: unknown): unknown {
  return error instanceof WorkbookError ? malformedError(error.message, error.hint) : error;
}
