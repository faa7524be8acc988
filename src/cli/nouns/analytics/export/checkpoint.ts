import { existsSync, readFileSync, statSync } from 'node:fs';
import { CliError, exitCodes, usageError } from '../../../errors.ts';
import { writeOwnerOnly } from '../../../files/owner-only.ts';
import { isRow, type Row } from '../../../output/result.ts';
import type { Position } from './dataset.ts';

/** What is exported. A checkpoint can only be used for one subject. */
interface Subject {
  readonly dataset: string;
  /** The id of the exported account. */
  readonly account: string;
  readonly service: string;
  /** The query of a time series. */
  readonly query: Row;
}

/** A file that a run completed. */
export interface CompletedFile {
  readonly path: string;
  readonly sha256: string;
  readonly rows: number;
}

/** A run that has not ended. */
interface UnfinishedRun {
  readonly path: string;
  /** Number of rows in the file, including those of earlier runs. */
  readonly rows: number;
  readonly newRows: number;
  readonly bytes: number;
  readonly resume: Row;
  /** Set once everything is read: the data for the checkpoint when the file is moved into place. */
  readonly complete: { readonly sha256: string; readonly position: Position; readonly manifest: Row } | null;
}

/** The progress of exports. */
export interface Checkpoint {
  readonly version: 1;
  readonly subject: Subject;
  /** The first day of the first run; null for everything. */
  readonly since: string | null;
  /** The value of `--since` in the first run. */
  readonly sinceText: string | null;
  readonly position: Position | null;
  readonly written: CompletedFile | null;
  readonly run: UnfinishedRun | null;
}

/**
 * Reads a checkpoint.
 * @returns a new one if the file does not exist
 * @throws CliError 2 if the file is not a checkpoint, or is about another subject
 */
export function readCheckpoint(path: string, subject: Subject): Checkpoint {
  if (!existsSync(path)) return { version: 1, subject, since: null, sinceText: null, position: null, written: null, run: null };
  const checkpoint = parse(path);
  for (const name of ['dataset', 'account', 'service', 'query'] as const)
    if (JSON.stringify(checkpoint.subject[name]) !== JSON.stringify(subject[name]))
      throw usageError(
        `The checkpoint ${path} is of another ${name}: ${JSON.stringify(checkpoint.subject[name])}`,
        'Name a checkpoint of its own for each export.',
      );
  return checkpoint;
}

function parse(path: string): Checkpoint {
  try {
    // A pipe or a device may never end.
    const value = statSync(path).isFile() ? (JSON.parse(readFileSync(path, 'utf8')) as Checkpoint) : null;
    if (value?.version === 1 && isRow(value.subject)) return value;
  } catch {
    // Reported below.
  }
  throw usageError(`${path} is not a checkpoint of an export`, 'Name another file.');
}

/** Writes a checkpoint. @throws CliError 1 if that fails */
export function writeCheckpoint(path: string, checkpoint: Checkpoint): void {
  try {
    writeOwnerOnly(path, `${JSON.stringify(checkpoint)}\n`);
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot write the checkpoint ${path}: ${(error as Error).message}`);
  }
}
