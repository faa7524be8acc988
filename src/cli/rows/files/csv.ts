import { type CsvRecord, CsvReader, CsvRecordTooLong, csvRecordsOf } from '../../../contract/text/csv.ts';
import { findSeparator, type Separation } from '../../../contract/text/separators.ts';
import { rowBytes, tooLongError } from './source.ts';
import { type IsHeading, type TableRecord, titleRows } from './table.ts';

/**
 * Finds the cell separator of a file: that of its heading, which can follow a title.
 * @param head the start of the text
 * @param fallback the separator when the heading has a single cell
 */
export function separationOf(head: string, fallback: string, isHeading: IsHeading): Separation {
  const first = findSeparator(head, fallback);
  if (first.isNamed) return first;
  for (const line of head.split(/\r\n?|\n/, titleRows + 1)) {
    const found = findSeparator(line, fallback);
    const [record] = csvRecordsOf(line, found.separator, Infinity);
    if (record && isHeading(record.cells)) return found;
  }
  return first;
}

/** The records of a CSV or TSV file. The first one is the heading. Cells of TSV keep their quotes: see `readTsvCell`. */
export async function* csvRecords(text: AsyncIterable<string>, { separator, isNamed }: Separation): AsyncGenerator<TableRecord> {
  const records = readRecords(text, new CsvReader(separator, rowBytes, separator !== '\t'));
  try {
    // The line that names the separator has no data.
    if (isNamed) await records.next();
    yield* records;
  } catch (error) {
    throw error instanceof CsvRecordTooLong ? tooLongError(error.line) : error;
  }
}

async function* readRecords(text: AsyncIterable<string>, reader: CsvReader): AsyncGenerator<CsvRecord> {
  for await (const piece of text) yield* reader.read(piece);
  yield* reader.finish();
}
