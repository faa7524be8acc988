import { limits } from '../../contract/limits.ts';
import { checkFromRow } from './calls.ts';
import type { SourceRow } from './files/source.ts';
import type { SkippedRow, ReadStep } from './steps.ts';

/**
 * Validates the rows of a file without the service.
 * @param examine returns the problem with a row; it also gets the rows before the one to start at
 * @throws CliError 2 if the file does not have the row to start at
 */
export async function* checkRows(
  rows: AsyncIterable<SourceRow>,
  fromRow: number,
  examine: (row: SourceRow, number: number) => SkippedRow | undefined,
): AsyncGenerator<ReadStep> {
  let row = 0;
  let taken = 0;
  let skipped: SkippedRow[] = [];
  let end = 0;
  for await (const each of rows) {
    row++;
    ({ end } = each);
    const problem = examine(each, row);
    if (row < fromRow) continue;
    if (problem) skipped.push(problem);
    else taken++;
    if (taken + skipped.length < limits.importRows) continue;
    yield { taken, skipped, end };
    [taken, skipped] = [0, []];
  }
  checkFromRow(fromRow, row);
  yield { taken, skipped, end };
}
