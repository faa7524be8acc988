import type { PreparedRow } from './prepare.ts';

/** A row that was not imported. */
export interface SkippedRow extends PreparedRow {
  readonly reason: string;
  /** Undefined if the service does not return codes. */
  readonly code?: string | undefined;
}

/** The result for a part of a file. */
export interface ReadStep {
  /** Number of rows that were imported or, in a dry run, can be. */
  readonly taken: number;
  readonly skipped: readonly SkippedRow[];
  /** The number of bytes read so far, measured like `SourceRow.end`. */
  readonly end: number;
}

/** Whether a row must be corrected. A duplicate must not, because its record already exists. */
export function isRejected({ code }: SkippedRow): boolean {
  return code !== 'duplicate';
}
