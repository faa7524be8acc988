import { counted, digits } from '../../../contract/counted.ts';
import { malformedError, type Source, type SourceRow } from './source.ts';

/** A record of a table. */
export interface TableRecord {
  readonly cells: readonly string[];
  readonly line: number;
  readonly end: number;
}

const columnLimit = 2_000;

/**
 * The rows of a table with the names from its first record.
 * @param read converts a cell of the file to its text
 * @throws CliError 1 if it has too many columns
 */
export async function tableRows(
  records: AsyncGenerator<TableRecord>,
  read: (cell: string) => string,
): Promise<Pick<Source, 'headers' | 'rows'>> {
  const heading = await records.next();
  const headers = heading.done ? [] : heading.value.cells.map((name) => read(name.trim()));
  if (headers.length > columnLimit)
    throw malformedError(`The file has ${counted(headers.length, 'column')}: at most ${digits(columnLimit)} can be read`);
  async function* rows(): AsyncGenerator<SourceRow> {
    for await (const { cells, line, end } of records) {
      const value = Object.fromEntries(headers.map((name, index) => [name, read(cells[index] ?? '')]));
      const flaw = cells.length > headers.length ? `has ${cells.length} cells, but the header has ${headers.length}` : undefined;
      yield { line, end, value, original: cells, ...(flaw !== undefined && { flaw }) };
    }
  }
  return { headers, rows: rows() };
}
