import { counted } from '../../../contract/text/counted.ts';
import { NestedTooDeeply } from '../../../contract/json.ts';
import { limits } from '../../../contract/limits.ts';
import { CliError, exitCodes } from '../../errors.ts';
import type { ResultRow } from '../../output/result.ts';

/** The formats that all imports support. */
export const importFormats = ['csv', 'xlsx', 'json', 'ndjson', 'yaml'] as const;

/** The formats of some records only: Markdown and vCard. */
type OwnFormat = 'md' | 'vcf';

export type ImportFormat = (typeof importFormats)[number] | OwnFormat;

/** A type of record in files. */
export interface RecordKind {
  /** The field of a document that contains the list of records, also used in messages: `contacts`. */
  readonly list: string;
  /** Reads the records from the formats that only these records have. */
  readonly ownFormats?: Readonly<Partial<Record<OwnFormat, (text: AsyncIterable<string>) => AsyncGenerator<SourceRow>>>>;
}

/** A row of a file. */
export interface SourceRow {
  /** The line on which it begins, starting at 1; in a workbook, its row number. */
  readonly line: number;
  /** The number of bytes of the unpacked text up to its end. */
  readonly end: number;
  /** Its fields by their names in the file; null if it is not an object. */
  readonly value: ResultRow | null;
  /** Its original form: the cells of a table, or the JSON or YAML value. */
  readonly original: unknown;
  /** Why it cannot be sent; undefined if it can. */
  readonly flaw?: string;
}

/** A file that is read row by row, in constant memory. */
export interface Source {
  readonly format: ImportFormat;
  /** The separator of CSV cells. */
  readonly separator: string;
  /** The column names; for formats in which rows have their own field names, those of the first row. */
  readonly headers: readonly string[];
  readonly rows: AsyncIterable<SourceRow>;
  /** The other sheets of a workbook that can be seen in it. */
  readonly otherSheets: readonly string[];
  /**
   * Notes about how the file is read if that is ambiguous: `The file is read as Windows-1252.` Complete after the rows are
   * read.
   */
  readonly remarks: () => string[];
  /** The size of the text in bytes, measured like `SourceRow.end`; 0 if unknown. */
  readonly size: number;
}

/** The size limit of a row, in bytes. */
export const rowBytes = 1_000_000;

/** Maximum nesting of a row. In a request, it is inside a list in the body. */
export const rowLevels = limits.bodyLevels - 2;

/** The error for a file whose rows cannot be read. @param reason a sentence without its period */
export function malformedError(reason: string, hint?: string): CliError {
  return new CliError(exitCodes.failed, 'file', reason, { hint });
}

/** The error for a row that exceeds `rowBytes`. @param line the line on which it begins */
export function tooLongError(line: number): CliError {
  return malformedError(`The row on line ${line} is longer than ${counted(rowBytes, 'byte')}`);
}

/** The error for a row that is nested more deeply than `rowLevels`. @param line the line on which it begins */
export function tooDeepError(line: number): CliError {
  return malformedError(`The row on line ${line} cannot be sent. ${new NestedTooDeeply(rowLevels).message}`);
}
