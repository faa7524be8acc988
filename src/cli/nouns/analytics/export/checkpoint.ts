import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { describeWriteError } from '../../../../contract/file-errors.ts';
import { CliError, exitCodes, usageError } from '../../../errors.ts';
import { writeOwnerOnly } from '../../../files/owner-only.ts';
import { isRow, type ResultRow } from '../../../output/result.ts';
import type { Caveats, Position } from './dataset.ts';

/** What is exported. A checkpoint can only be used for one subject. */
interface Subject {
  readonly dataset: string;
  /** The id of the exported account. */
  readonly account: string;
  readonly service: string;
  /** The query of a time series. */
  readonly query: ResultRow;
}

/** A file that a run completed. */
export interface CompletedFile {
  readonly path: string;
  readonly sha256: string;
  readonly rows: number;
  /** The first day of its rows; null for everything. Checkpoints of earlier versions lack it. */
  readonly from?: string | null;
  /** Only the ledger has them. */
  readonly caveats?: Caveats;
}

/** A run that has not ended. */
interface UnfinishedRun {
  readonly path: string;
  /** Number of rows in the file, including those of earlier runs. */
  readonly rows: number;
  readonly newRows: number;
  /** The first day of the rows in the file; null for everything. */
  readonly from?: string | null;
  readonly bytes: number;
  /** The SHA-256 of these bytes. Checkpoints of earlier versions lack it. */
  readonly sha256?: string;
  readonly resume: ResultRow;
  /** Set once everything is read: the data for the checkpoint when the file is moved into place. */
  readonly complete: {
    readonly sha256: string;
    readonly position: Position;
    readonly caveats?: Caveats;
    readonly manifest: ResultRow;
  } | null;
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
 * @param hasMoved whether the service may have another address than in the last run
 * @returns a new one if the file does not exist
 * @throws CliError 2 if the file is not a checkpoint, or is about another subject
 */
export function readCheckpoint(path: string, subject: Subject, hasMoved: boolean): Checkpoint {
  if (!existsSync(path)) return { version: 1, subject, since: null, sinceText: null, position: null, written: null, run: null };
  const checkpoint = parse(path);
  for (const name of ['dataset', 'account', 'query'] as const)
    if (JSON.stringify(checkpoint.subject[name]) !== JSON.stringify(subject[name]))
      throw usageError(
        `The checkpoint ${path} belongs to another ${name}: ${JSON.stringify(checkpoint.subject[name])}`,
        'Use a separate checkpoint for each export.',
      );
  if (checkpoint.subject.service !== subject.service && !hasMoved)
    throw usageError(
      `The checkpoint ${path} belongs to this account at another address, ${checkpoint.subject.service}`,
      'If the service has moved, add --yes. If it is another service, use a separate checkpoint.',
    );
  return { ...checkpoint, subject };
}

function parse(path: string): Checkpoint {
  const stored = readStored(path);
  if (stored?.version !== 1 || !isRow(stored.subject)) throw usageError(`${path} is not the checkpoint of an export`, 'Name another file.');
  const { checksum, ...checkpoint } = stored;
  // With a wrong position, rows would be exported twice or not at all.
  if (checksum !== undefined && checksum !== checksumOf(checkpoint))
    throw usageError(
      `The checkpoint ${path} has changed since the last run`,
      'Restore it, or export everything again with a new checkpoint and a new file.',
    );
  return checkpoint;
}

/** A checkpoint in its file. Those of earlier versions have no checksum. */
type Stored = Checkpoint & { readonly checksum?: string };

function readStored(path: string): Stored | null {
  try {
    // A pipe or a device may never end.
    return statSync(path).isFile() ? (JSON.parse(readFileSync(path, 'utf8')) as Stored) : null;
  } catch {
    return null;
  }
}

function checksumOf(checkpoint: Checkpoint): string {
  return createHash('sha256').update(JSON.stringify(checkpoint)).digest('hex');
}

/** Writes a checkpoint. @throws CliError 1 if that fails */
export function writeCheckpoint(path: string, checkpoint: Checkpoint): void {
  try {
    const stored: Stored = { ...checkpoint, checksum: checksumOf(checkpoint) };
    writeOwnerOnly(path, `${JSON.stringify(stored)}\n`);
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot write the checkpoint ${path}: ${describeWriteError(error)}`);
  }
}
