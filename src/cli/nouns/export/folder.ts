import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { someOf } from '../../../contract/text/some-of.ts';
import { usageError } from '../../errors.ts';
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
interface Folder {
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
  const foreign = names.filter((name) => !isOfExport(name));
  if (foreign.length > 0)
    throw usageError(
      `${folder} holds files that are no export: ${someOf(foreign)}`,
      'Name another folder, such as one that does not exist.',
    );
  const stores = [storeName('sqlite'), storeName('csv')].map((name) => join(folder, name));
  const exported = firstIn(stores);
  const begun = firstIn(stores.map(partialOf));
  const known = (exported ?? begun)?.subject.format ?? writtenFormat(folder);
  const format = wanted ?? known ?? 'csv';
  if (known !== undefined && known !== format)
    throw usageError(`${folder} holds an export in the format ${known}, not ${format}`, `Add --format ${known}, or name another folder.`);
  for (const found of [exported, begun]) if (found) checkVersion(folder, found.subject);
  if (!exported && !begun && names.some((name) => !name.startsWith('.')))
    throw usageError(
      `${folder} holds the files of an export, but not ${storeName(format)}, without which it cannot go on`,
      'Name another folder, or remove the files.',
    );
  return { format, exported, begun };
}

function firstIn(files: readonly string[]): ExportInFile | undefined {
  return files.map((file) => ExportStore.lookAt(file)).find((found) => found !== undefined);
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

/** Whether a name in the folder is one that exports write. Hidden files of others are left alone. */
function isOfExport(name: string): boolean {
  if (name.startsWith('.') || name === manifestName || name.startsWith(storeName('sqlite'))) return true;
  return datasets.some((dataset) => name === dataset.name || new RegExp(`^${dataset.name}[.](csv|ndjson)([.]partial)?$`).test(name));
}
