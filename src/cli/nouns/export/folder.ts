import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { someOf } from '../../../contract/text/some-of.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { partialOf } from '../../exports/export-file.ts';
import { isRow } from '../../output/result.ts';
import { datasets, schemaVersion } from './datasets.ts';
import { type ExportFormat, exportFormats } from './formats.ts';
import { type ExportInFile, ExportStore, type Subject } from './store.ts';

export const manifestName = 'manifest.json';

/** What a process that exports to the folder holds. */
export const lockName = '.export.lock';

/** The database of an export: the exported file itself, or what the files of other formats are written from. */
export function storeName(format: ExportFormat): string {
  return format === 'sqlite' ? 'export.sqlite' : '.export.sqlite';
}

/** A folder of an export, as it is before a run. */
export interface Folder {
  readonly format: ExportFormat;
  /** The complete export in it; undefined if there is none. */
  readonly exported: ExportInFile | undefined;
  /** The export that was begun anew and interrupted; undefined if there is none. */
  readonly begun: ExportInFile | undefined;
}

/**
 * Looks at the folder of an export. Changes nothing.
 * @param wanted the format; by default, that of the folder, or else CSV
 * @throws CliError 2 if it is not a folder, or holds files that are no export, or an export of another format or schema version
 */
export function lookAt(folder: string, wanted: ExportFormat | undefined): Folder {
  if (!existsSync(folder)) return { format: wanted ?? 'csv', exported: undefined, begun: undefined };
  if (!statSync(folder).isDirectory()) throw usageError(`${folder} is a file, not a folder`);
  const names = readdirSync(folder);
  const foreign = names.flatMap((name) => foreignIn(folder, name));
  if (foreign.length > 0)
    throw usageError(
      `${folder} holds files that are no export: ${someOf(foreign)}`,
      'Name another folder, such as one that does not exist.',
    );
  const stores = [storeName('sqlite'), storeName('csv')].map((name) => join(folder, name));
  const exported = firstIn(stores);
  const other = exported ? undefined : stores.find((file) => existsSync(file));
  if (other !== undefined) throw usageError(`${other} is not the database of an export`, 'Name another folder.');
  const begun = firstIn(stores.map(partialOf));
  const known = (exported ?? begun)?.subject.format ?? writtenFormat(folder);
  const format = wanted ?? known ?? 'csv';
  if (known !== undefined && known !== format)
    throw usageError(`${folder} holds an export in the format ${known}, not ${format}`, `Add --format ${known}, or name another folder.`);
  for (const found of [exported, begun]) if (found) checkVersion(folder, found.subject);
  if (!exported && !begun && names.some((name) => !isHidden(name) && !databasePattern.test(name)))
    throw usageError(
      `${folder} holds the files of an export, but not ${storeName(format)}, without which it cannot go on`,
      'Name another folder, or remove the files.',
    );
  return { format, exported, begun };
}

function firstIn(files: readonly string[]): ExportInFile | undefined {
  return files.map(exportIn).find((found) => found !== undefined);
}

/** What SQLite answers while another connection writes. */
const sqliteBusy = 5;

/** @throws CliError 2 if the file is damaged; 6 while another program writes it */
function exportIn(file: string): ExportInFile | undefined {
  try {
    return ExportStore.lookAt(file);
  } catch (error) {
    if ('errcode' in (error as object) && Number((error as { errcode: number }).errcode) % 256 === sqliteBusy)
      throw new CliError(exitCodes.conflict, 'conflict', `Another export uses ${file}`, { hint: 'Wait until it finishes.' });
    const why = 'errstr' in (error as object) ? (error as { errstr: string }).errstr : (error as Error).message;
    throw usageError(`Cannot read ${file}: ${why}`, 'Without it, the export cannot go on. Name another folder.');
  }
}

/** The format that the manifest tells. */
function writtenFormat(folder: string): ExportFormat | undefined {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, manifestName), 'utf8')) as unknown;
    return isRow(manifest) ? exportFormats.find((format) => format === manifest.format) : undefined;
  } catch {
    return undefined;
  }
}

function checkVersion(folder: string, { schemaVersion: version }: Subject): void {
  if (version !== schemaVersion)
    throw usageError(
      `${folder} holds an export with schema version ${version}, and this program writes version ${schemaVersion}`,
      'Name another folder. `msgctl export --schema` prints the current version.',
    );
}

/** The database of a SQLite export, one that is begun anew, and their logs. */
const databasePattern = /^export[.]sqlite([.]partial)?(-wal|-shm|-journal)?$/;

/** The files of Parquet exports in the folder of a dataset, complete or not. */
export const partPattern = /^\d{6}[.]parquet([.]partial)?$/;

/** Whether a file is hidden, or one in which a desktop keeps how it shows the folder. */
function isHidden(name: string): boolean {
  return name.startsWith('.') || ['desktop.ini', 'thumbs.db', 'icon\r'].includes(name.toLowerCase());
}

/** What exports do not write, of a file or a folder in the folder of an export. Hidden files of others are left alone. */
function foreignIn(folder: string, name: string): string[] {
  if (isHidden(name) || name === manifestName || databasePattern.test(name)) return [];
  if (datasets.some((dataset) => new RegExp(`^${dataset.name}[.](csv|ndjson)([.]partial)?$`).test(name))) return [];
  const path = join(folder, name);
  if (!datasets.some((dataset) => name === dataset.name) || !statSync(path).isDirectory()) return [name];
  return readdirSync(path).flatMap((file) => (isHidden(file) || partPattern.test(file) ? [] : join(name, file)));
}
