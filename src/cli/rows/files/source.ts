import { NestedTooDeeply } from '../../../contract/json.ts';
import { limits } from '../../../contract/limits.ts';
import { CliError, exitCodes } from '../../errors.ts';
import type { Row } from '../../output/result.ts';

/** The formats that every import reads. */
export const importFormats = ['csv', 'xlsx', 'json', 'ndjson', 'yaml'] as const;

/** Markdown is read only where the records have a form in it. */
export type ImportFormat = (typeof importFormats)[number] | 'md';

/** The records that are imported, as files show them. */
export interface RecordKind {
  /** The field of a document that holds the list of records, which is also what people call them: `contacts`. */
  readonly list: string;
  /** Reads the records from Markdown. */
  readonly markdownRows?: (text: AsyncIterable<string>) => AsyncGenerator<SourceRow>;
}

/** A row of a file. */
export interface SourceRow {
  /** The line where it begins, starting at 1; in a workbook, the number of its row. */
  readonly line: number;
  /** How much of the file was read at its end, in bytes of its unpacked text. */
  readonly end: number;
  /** Its fields by the names of the file; null when it is not an object. */
  readonly value: Row | null;
  /** Its original form: the cells of a table, the value of JSON and YAML. */
  readonly original: unknown;
  /** Why it cannot be sent. */
  readonly flaw?: string;
}

/** A file that is read row by row, in constant memory. */
export interface Source {
  readonly format: ImportFormat;
  /** The separator of CSV cells. */
  readonly separator: string;
  /** The names of the columns; where rows have names of their own, those of the first row. */
  readonly headers: readonly string[];
  readonly rows: AsyncIterable<SourceRow>;
  /** How the file is read, where it could be read in another way: `The file is read as Windows-1252.` Known once the rows are read. */
  readonly remark: () => string | undefined;
  /** How many bytes of text there are, by the measure of `SourceRow.end`; 0 when that is unknown. */
  readonly size: number;
}

/** The size limit of a row, in bytes. */
export const rowBytes = 1_000_000;

/** The levels of a row: in a request, it is in a list in the body. */
export const rowLevels = limits.bodyLevels - 2;

export function malformedError(reason: string, hint?: string): CliError {
  return new CliError(exitCodes.failed, 'file', reason, { hint });
}

export function tooLongError(line: number): CliError {
  return malformedError(`The row on line ${line} is longer than ${rowBytes.toLocaleString('en-US')} bytes`);
}

export function tooDeepError(line: number): CliError {
  return malformedError(`The row on line ${line} cannot be sent. ${new NestedTooDeeply(rowLevels).message}`);
}
