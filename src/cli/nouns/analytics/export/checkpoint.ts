import { existsSync, readFileSync } from 'node:fs';
import { CliError, exitCodes, usageError } from '../../../errors.ts';
import { writeOwnerOnly } from '../../../files/owner-only.ts';
import { isRow, type Row } from '../../../output/result.ts';
import type { Position } from './dataset.ts';

/** What an export is about. A checkpoint belongs to one. */
export interface Subject {
  readonly dataset: string;
  /** The account that is exported. */
  readonly account: string;
  readonly service: string;
  /** The query of a series. */
  readonly query: Row;
}

/** A file that a run completed. */
export interface Written {
  readonly path: string;
  readonly sha256: string;
  readonly rows: number;
}

/** A run that did not end. */
export interface Run {
  readonly path: string;
  /** Rows in the file, with those that earlier runs wrote. */
  readonly rows: number;
  readonly newRows: number;
  readonly bytes: number;
  readonly resume: Row;
  /** Once all is read: what the checkpoint holds when the file is in its place. */
  readonly complete: { readonly sha256: string; readonly position: Position; readonly manifest: Row } | null;
}

/** How far exports came. */
export interface Checkpoint {
  readonly version: 1;
  readonly subject: Subject;
  /** The first day of the first run; null for everything. */
  readonly since: string | null;
  /** As the first run named it. */
  readonly sinceText: string | null;
  readonly position: Position | null;
  readonly written: Written | null;
  readonly run: Run | null;
}

/**
 * Reads a checkpoint.
 * @returns a new one when there is no file
 * @throws CliError 2 when the file is none, or is about something else
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
    const value = JSON.parse(readFileSync(path, 'utf8')) as Checkpoint;
    if (value.version === 1 && isRow(value.subject)) return value;
  } catch {
    // Said below.
  }
  throw usageError(`${path} is not a checkpoint of an export`, 'Name another file.');
}

/** Writes a checkpoint. @throws CliError 1 when that fails */
export function writeCheckpoint(path: string, checkpoint: Checkpoint): void {
  try {
    writeOwnerOnly(path, `${JSON.stringify(checkpoint)}\n`);
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot write the checkpoint ${path}: ${(error as Error).message}`);
  }
}
