import { counted, digits } from '../../../contract/text/counted.ts';
import { isBlank } from '../values.ts';
import { malformedError, type Source, type SourceRow } from './source.ts';

/** A record of a table. */
export interface TableRecord {
  readonly cells: readonly string[];
  readonly line: number;
  readonly end: number;
  readonly flaw?: string;
}

/** Whether the cells of a record are the names of the columns. */
export type IsHeading = (cells: readonly string[]) => boolean;

const columnLimit = 2_000;

/** How many rows of a title can stand above the heading. */
export const titleRows = 20;

/**
 * The rows of a table with the names from its heading, which is the first record unless that is a title. Omits records
 * without content.
 * @param read converts a cell of the file to its text
 * @throws CliError 1 if it has too many columns
 */
export async function tableRows(
  records: AsyncGenerator<TableRecord>,
  isHeading: IsHeading,
  read: (cell: string) => string,
): Promise<Pick<Source, 'headers' | 'rows'> & { readonly remarks: string[] }> {
  const first = await firstRecords(records, isHeading);
  const place = Math.max(
    0,
    first.findIndex((_, index) => isBelowTitle(first, index, isHeading)),
  );
  const heading = first[place];
  const headers = (heading?.cells ?? []).map((name) => read(name.trim()));
  if (headers.length > columnLimit)
    throw malformedError(`The file has ${counted(headers.length, 'column')}: at most ${digits(columnLimit)} can be read`);
  async function* rows(): AsyncGenerator<SourceRow> {
    for (const record of first.slice(place + 1)) yield tableRow(headers, record, read);
    for await (const record of records) if (hasContent(record)) yield tableRow(headers, record, read);
  }
  const remarks = place > 0 ? [`The columns are named on line ${heading?.line}: what stands above it is not imported.`] : [];
  return { headers, rows: rows(), remarks };
}

function hasContent({ cells }: TableRecord): boolean {
  return !cells.every(isBlank);
}

/** The records with content up to the heading. */
async function firstRecords(records: AsyncGenerator<TableRecord>, isHeading: IsHeading): Promise<TableRecord[]> {
  const first: TableRecord[] = [];
  while (first.length <= titleRows && !(first.length > 0 && isHeading(first.at(-1)?.cells ?? []))) {
    const next = await records.next();
    if (next.done) break;
    if (hasContent(next.value)) first.push(next.value);
  }
  return first;
}

/** Whether a record is the heading, and those before it have fewer cells, as titles do. */
function isBelowTitle(records: readonly TableRecord[], index: number, isHeading: IsHeading): boolean {
  const filled = ({ cells }: TableRecord) => cells.filter((cell) => !isBlank(cell)).length;
  const record = records[index];
  if (!record || !isHeading(record.cells)) return false;
  return records.slice(0, index).every((title) => filled(title) === 1 || filled(title) < filled(record));
}

function tableRow(headers: readonly string[], { cells, line, end, flaw }: TableRecord, read: (cell: string) => string): SourceRow {
  const value = Object.fromEntries(headers.map((name, index) => [name, read(cells[index] ?? '')]));
  const count = cells.findLastIndex((cell) => !isBlank(cell)) + 1;
  const problem = flaw ?? (count > headers.length ? `has ${count} cells, but the header has ${headers.length}` : undefined);
  return { line, end, value, original: cells, ...(problem !== undefined && { flaw: problem }) };
}
