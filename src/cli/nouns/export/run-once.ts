import { existsSync } from 'node:fs';
import { utcDate } from '../../../contract/time/days.ts';
import { CliError } from '../../errors.ts';
import { kept } from '../../exports/steps.ts';
import { replaceFile } from '../../files/replace-file.ts';
import type { Dataset } from './dataset.ts';
import { databaseFile, filesOf, writeFiles, writeManifest } from './files.ts';
import { storeName } from './folder.ts';
import { type Job, type ReadFailure, readAll } from './run.ts';
import { placeOf } from './start.ts';
import { ExportStore, type Subject } from './store.ts';

/** What a run of the export is given. */
export interface ExportJob extends Omit<Job, 'store'> {
  readonly folder: string;
}

/** What a run has done. */
export interface Ran {
  /** Whether it continued a run of an earlier command. */
  readonly isResumed: boolean;
  readonly failures: readonly ReadFailure[];
  readonly rows: readonly DatasetRow[];
  readonly incomplete: readonly string[];
  /** Whether the export of before stays, because what replaces it lacks what could not be read. */
  readonly isKept: boolean;
}

interface DatasetRow {
  readonly dataset: string;
  readonly rows: number;
  readonly new_rows: number;
  readonly replaced_rows: number;
  readonly file: string;
}

/** Begins a run, or continues the one that was interrupted, and writes the files. @param isBeside whether it replaces the export */
export async function runOnce({ folder, ...job }: ExportJob, subject: Subject, isBeside: boolean): Promise<Ran> {
  const { path, beside } = placeOf(folder, subject.format);
  const store = ExportStore.open(isBeside ? beside : path, subject);
  try {
    const isResumed = store.isRunning;
    store.begin(job.datasets);
    store.setService(subject.service);
    const failures = await readAll({ ...job, store });
    const rows = job.datasets.map(({ name }) => datasetRow(name, store));
    const unread = failures.flatMap(({ dataset }) => dataset ?? job.datasets.map(({ name }) => name));
    const incomplete = [...new Set([...store.incomplete.map(({ dataset }) => dataset), ...unread])];
    const isKept = isBeside && failures.length > 0 && existsSync(path);
    if (!isKept) {
      await writeFiles(folder, store);
      const counts = Object.fromEntries(store.names.map((name) => [name, store.countsOf(name).rows]));
      const files = filesOf(store);
      store.end();
      store.close();
      // The log of the database that is replaced must not be taken for that of the new one.
      if (isBeside && existsSync(path)) ExportStore.settle(path);
      if (isBeside) replaceFile(beside, path);
      writeManifest(folder, {
        ...subject,
        window: { from: subject.since, to: utcDate(job.now) },
        readAnew: readAnewOf(job.datasets),
        incomplete,
        files: subject.format === 'sqlite' ? databaseFile(folder, counts) : files,
      });
    }
    return { isResumed, failures, rows, incomplete, isKept };
  } catch (error) {
    if (!(error instanceof CliError)) job.session.notes.say(kept);
    throw error;
  } finally {
    store.close();
  }
}

/** The names of the datasets that each run reads as a whole. */
export function readAnewOf(chosen: readonly Dataset[]): string[] {
  return chosen.flatMap(({ name, isReadAnew }) => (isReadAnew ? name : []));
}

function datasetRow(name: string, store: ExportStore): DatasetRow {
  const { rows, added, replaced } = store.countsOf(name);
  const { format } = store.subject;
  const file = format === 'sqlite' ? storeName(format) : format === 'parquet' ? name : `${name}.${format}`;
  return { dataset: name, rows, new_rows: added, replaced_rows: replaced, file };
}

/** What two runs of a command have done. */
export function bothOf(first: Ran, second: Ran): Ran {
  const before = new Map(first.rows.map((row) => [row.dataset, row]));
  const rows = second.rows.map((row) => ({
    ...row,
    new_rows: row.new_rows + (before.get(row.dataset)?.new_rows ?? 0),
    replaced_rows: row.replaced_rows + (before.get(row.dataset)?.replaced_rows ?? 0),
  }));
  return { ...second, rows };
}
