import { existsSync, rmSync } from 'node:fs';
import { usageError } from '../../../errors.ts';
import type { ResultRow } from '../../../output/result.ts';
import { type Checkpoint, type CompletedFile, writeCheckpoint } from './checkpoint.ts';
import type { Caveats, Dataset } from './dataset.ts';
import { ExportFile, holds, partialOf, putInPlace } from '../../../exports/export-file.ts';

/** The destination of an export. */
export interface Destination {
  readonly path: string;
  readonly checkpointFile: string;
  readonly dataset: Dataset;
  /** Whether a file may be replaced that was not written by an export with this checkpoint. */
  readonly replaces: boolean;
}

interface Opened {
  readonly file: ExportFile;
  /** Number of rows in the file, including those of earlier runs. */
  readonly rows: number;
  readonly newRows: number;
  /** The first day of the rows in the file; null for everything. */
  readonly from: string | null;
  /** The caveats of the rows of earlier runs in the file. */
  readonly caveats: Caveats | undefined;
  /** The state from which to continue; undefined for a new run. */
  readonly resume: ResultRow | undefined;
}

/**
 * Resumes the interrupted run, or starts a new one.
 * @throws CliError 2 if the file exists and was changed since the last run
 */
export function openRun(checkpoint: Checkpoint, destination: Destination, columns: readonly string[]): Opened {
  const { run, written, since, position } = checkpoint;
  const { path, dataset } = destination;
  const isOwn = isAsWritten(path, written);
  if (!isOwn) refuseToReplace(checkpoint, destination);
  const isContinued = isOwn && !dataset.isReplaced;
  const earlier = isContinued && written ? written.rows : 0;
  const caveats = isContinued ? written?.caveats : undefined;
  const firstNewDay = typeof position?.at === 'string' && !dataset.isReplaced ? position.at.slice(0, 10) : since;
  const from = isContinued ? (written?.from === undefined ? since : written.from) : firstNewDay;
  // If the file was removed or restored after the run began, its number of rows no longer matches, so the run cannot be
  // resumed.
  if (run?.path === path && run.rows - run.newRows === earlier) {
    const file = ExportFile.resume(path, columns, run.bytes, run.sha256);
    if (file) {
      const { rows, newRows, resume } = run;
      return { file, rows, newRows, from: run.from === undefined ? from : run.from, caveats, resume };
    }
  }
  if (run) rmSync(partialOf(run.path), { force: true });
  return { file: ExportFile.begin(path, columns, isContinued), rows: earlier, newRows: 0, from, caveats, resume: undefined };
}

/**
 * Moves the file of a complete run into place, and makes its end the position of the next run. The run is discarded if its file
 * is lost, or if its destination is taken and another file is given.
 * @throws CliError 2 if the destination is taken by a file that was changed since the last run
 */
export function settled(checkpoint: Checkpoint, destination: Destination): Checkpoint {
  const { run, written } = checkpoint;
  if (!run?.complete) return checkpoint;
  const { position, sha256, caveats, manifest } = run.complete;
  const isFree = () => {
    if (isAsWritten(run.path, written)) return true;
    if (run.path !== destination.path) return !existsSync(run.path);
    refuseToReplace(checkpoint, destination);
    return true;
  };
  const isThere = putInPlace(run.path, sha256, manifest, isFree);
  if (!isThere) rmSync(partialOf(run.path), { force: true });
  const after: Checkpoint = isThere
    ? {
        ...checkpoint,
        position,
        written: {
          path: run.path,
          sha256,
          rows: run.rows,
          from: run.from === undefined ? checkpoint.since : run.from,
          ...(caveats && { caveats }),
        },
        run: null,
      }
    : { ...checkpoint, run: null };
  writeCheckpoint(destination.checkpointFile, after);
  return after;
}

/** Whether a file is as the last run wrote it. It may have been moved. */
function isAsWritten(path: string, written: CompletedFile | null): boolean {
  return written !== null && holds(path, written.sha256);
}

/**
 * Refuses to replace a file that was changed since the last run.
 * @throws CliError 2 if there is such a file, unless it may be replaced
 */
function refuseToReplace({ position, written }: Checkpoint, { path, dataset, replaces }: Destination): void {
  if (!existsSync(path)) return;
  const isOther = written !== null && written.path !== path;
  const message = `The file ${path} exists, and ${isOther ? `the last export wrote ${written.path}` : 'has changed since the last export'}`;
  // The rows in the file could not be exported again, because the checkpoint is past them.
  if (position && !dataset.isReplaced)
    throw usageError(message, 'Name a new file for the new rows, or a new checkpoint to export everything again.');
  if (!replaces) throw usageError(message, 'Choose a new file, or add --yes to replace it.');
}
