import type { PreparedRow } from './prepare.ts';

/** A row that was not imported. */
export interface SkippedRow extends PreparedRow {
  readonly reason: string;
  /** Undefined where the service gives reasons no code. */
  readonly code?: string | undefined;
}

/** A part of a file that was imported or checked. */
export interface Step {
  /** How many rows were imported, or are ready to be. */
  readonly taken: number;
  readonly skipped: readonly SkippedRow[];
  /** How much of the file was read, by the measure of `SourceRow.end`. */
  readonly end: number;
}

/** Whether a row needs a correction. A duplicate does not: its record exists. */
export function isRejected({ code }: SkippedRow): boolean {
  return code !== 'duplicate';
}
