import { existsSync, rmSync } from 'node:fs';
import { usageError } from '../../../errors.ts';
import type { Row } from '../../../output/result.ts';
import { type Checkpoint, type Written, writeCheckpoint } from './checkpoint.ts';
import type { Dataset } from './dataset.ts';
import { ExportFile, hashFile, partialOf, putInPlace } from './export-file.ts';

/** Where the exports of a checkpoint go. */
export interface Place {
  readonly path: string;
  readonly checkpointFile: string;
  readonly dataset: Dataset;
  /** Whether a file may be replaced that no export of the checkpoint wrote. */
  readonly replaces: boolean;
}

interface Opened {
  readonly file: ExportFile;
  /** Rows in the file, with those that earlier runs wrote. */
  readonly rows: number;
  readonly newRows: number;
  /** Where the run goes on; undefined when it begins. */
  readonly resume: Row | undefined;
}

/**
 * Continues the run that did not end, or begins one.
 * @throws CliError 2 when the file exists and is not as the last run left it
 */
export async function openRun(checkpoint: Checkpoint, place: Place, columns: readonly string[]): Promise<Opened> {
  const { run, written } = checkpoint;
  const { path, dataset } = place;
  const isOwn = await isAsWritten(path, written);
  if (!isOwn) refuseToReplace(checkpoint, place);
  const isContinued = isOwn && !dataset.isReplaced;
  const earlier = isContinued && written ? written.rows : 0;
  // A run that began before its file was taken away, or put back, has too many rows, or too few.
  if (run?.path === path && run.rows - run.newRows === earlier) {
    const file = await ExportFile.resume(path, columns, run.bytes);
    if (file) return { file, rows: run.rows, newRows: run.newRows, resume: run.resume };
  }
  if (run) rmSync(partialOf(run.path), { force: true });
  return { file: await ExportFile.begin(path, columns, isContinued), rows: earlier, newRows: 0, resume: undefined };
}

/**
 * Puts the file of a complete run in its place, and makes its end the position of the next run. The run is forgotten when its file
 * is gone, or when its place is taken and another file is named.
 * @throws CliError 2 when the place is taken by a file that is not as the last run left it
 */
export async function settled(checkpoint: Checkpoint, place: Place): Promise<Checkpoint> {
  const { run, written } = checkpoint;
  if (!run?.complete) return checkpoint;
  const { position, sha256, manifest } = run.complete;
  const isFree = async () => {
    if (await isAsWritten(run.path, written)) return true;
    if (run.path !== place.path) return !existsSync(run.path);
    refuseToReplace(checkpoint, place);
    return true;
  };
  const isThere = await putInPlace(run.path, sha256, manifest, isFree);
  if (!isThere) rmSync(partialOf(run.path), { force: true });
  const after: Checkpoint = isThere
    ? { ...checkpoint, position, written: { path: run.path, sha256, rows: run.rows }, run: null }
    : { ...checkpoint, run: null };
  writeCheckpoint(place.checkpointFile, after);
  return after;
}

/** Whether the file at a path is the one that the last run wrote. */
async function isAsWritten(path: string, written: Written | null): Promise<boolean> {
  return existsSync(path) && written?.path === path && (await hashFile(path)) === written.sha256;
}

/** Refuses to replace a file that the last run did not leave like that. @throws CliError 2 when there is one, unless it may be replaced */
function refuseToReplace({ position, written }: Checkpoint, { path, dataset, replaces }: Place): void {
  if (!existsSync(path)) return;
  const isOther = written !== null && written.path !== path;
  const message = `The file ${path} exists, and ${isOther ? `the last export wrote ${written.path}` : 'is not as the last export left it'}`;
  // What it holds could not be written again: the checkpoint is past it.
  if (position && !dataset.isReplaced)
    throw usageError(message, 'Name a new file for what is new, or a new checkpoint to export everything again.');
  if (!replaces) throw usageError(message, 'Choose a new file, or add --yes to replace it.');
}
