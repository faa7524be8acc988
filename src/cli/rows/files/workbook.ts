import { WorkbookError } from '../../../workbook/error.ts';
import { openWorkbook } from '../../../workbook/open.ts';
import { unguard } from '../../output/formula-guard.ts';
import { malformedError, rowBytes, type Source, type SourceRow } from './source.ts';
import { tableRows } from './table.ts';

/**
 * Opens the first sheet of an Excel workbook (.xlsx).
 * @param chunks the bytes of the file
 * @throws CliError 1 if the file is not a workbook or exceeds a limit, also while its rows are read
 */
export async function workbookRows(chunks: AsyncIterable<Buffer>): Promise<Source> {
  try {
    const { sheets, sheetCount } = await openWorkbook(chunks, rowBytes);
    const [{ name, size, records }] = sheets;
    const { headers, rows } = await tableRows(records, unguard);
    return {
      format: 'xlsx',
      separator: ',',
      headers,
      rows: orMalformed(rows),
      size,
      remark: () => (sheetCount === 1 ? undefined : `Only the sheet '${name}' is read, the first of ${sheetCount}.`),
    };
  } catch (error) {
    throw malformed(error);
  }
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
