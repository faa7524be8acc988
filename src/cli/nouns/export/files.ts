import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ExportFile, hashFile, holds, partialOf } from '../../exports/export-file.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { writeOwnerOnly } from '../../files/owner-only.ts';
import type { ResultRow } from '../../output/result.ts';
import type { Column } from './columns.ts';
import type { Dataset } from './dataset.ts';
import { datasets } from './datasets.ts';
import { manifestName, partPattern, storeName } from './folder.ts';
import type { ExportFormat } from './formats.ts';
import type { ExportStore, Part, Subject } from './store.ts';

/** How many rows are formatted at a time. */
const batchSize = 500;

/** A file in the manifest. A SQLite file is listed once for each dataset in it. */
interface WrittenFile {
  readonly path: string;
  readonly dataset: string;
  readonly rows: number;
  readonly sha256: string;
}

/** Writes anew the files whose rows have changed, and those that are missing or were edited, each beside its place first. */
export async function writeFiles(folder: string, store: ExportStore): Promise<void> {
  const { format } = store.subject;
  if (format === 'sqlite') return;
  for (const dataset of exportedIn(store))
    for (const part of store.partsOf(dataset.name)) {
      const path = pathOf(dataset.name, part, format);
      if (!part.isDirty && holds(join(folder, path), part.sha256)) continue;
      if (part.number > 1 && store.isEmpty(part)) {
        store.removePart(part);
        rmSync(join(folder, path), { force: true });
      } else {
        await writePart(join(folder, path), path, dataset, part, store, format);
      }
    }
  removeOthers(folder, store);
}

async function writePart(
  target: string,
  path: string,
  dataset: Dataset,
  part: Part,
  store: ExportStore,
  format: 'csv' | 'ndjson' | 'parquet',
) {
  makeFolder(dirname(target));
  rmSync(partialOf(target), { force: true });
  const [columns, stored] = [dataset.columns(), store.rowsOf(part)];
  const { rows, sha256 } =
    format === 'parquet' ? await writeParquetPart(target, columns, stored) : writeText(target, columns, stored, format);
  replaceFile(partialOf(target), target);
  store.setWritten(part, path, rows, sha256);
}

type Written = Pick<WrittenFile, 'rows' | 'sha256'>;

async function writeParquetPart(target: string, columns: readonly Column[], rows: Iterable<ResultRow>): Promise<Written> {
  const { writeParquet } = await import('./parquet.ts');
  const count = writeParquet(partialOf(target), columns, rows);
  return { rows: count, sha256: hashFile(partialOf(target)) };
}

function writeText(target: string, columns: readonly Column[], rows: Iterable<ResultRow>, format: ExportFormat): Written {
  const file = ExportFile.begin(
    target,
    columns.map(({ name }) => name),
    false,
  );
  try {
    let count = 0;
    let batch: ResultRow[] = [];
    const flush = () => {
      file.write(batch);
      count += batch.length;
      batch = [];
    };
    for (const row of rows) if (batch.push(asText(row, columns, format)) >= batchSize) flush();
    // Also without rows, for the heading.
    flush();
    file.sync();
    return { rows: count, sha256: file.sha256() };
  } finally {
    file.close();
  }
}

/** A stored row with the values of the interface. In CSV, lists and objects are JSON. */
function asText(row: ResultRow, columns: readonly Column[], format: ExportFormat): ResultRow {
  const valueOf = ({ name, type }: Column) => {
    const value = row[name];
    if (value === null) return null;
    if (type === 'boolean') return value === 1;
    return type === 'json' && format === 'ndjson' ? (JSON.parse(value as string) as unknown) : value;
  };
  return Object.fromEntries(columns.map((column) => [column.name, valueOf(column)]));
}

/** What the manifest tells of a run. */
export interface ManifestFacts extends Pick<Subject, 'schemaVersion' | 'format' | 'service' | 'account'> {
  /** The first and the last day of what is exported; the first one is null for everything. */
  readonly window: { readonly from: string | null; readonly to: string };
  /** The datasets that the run read as a whole, because the interface does not tell what changed. */
  readonly readAnew: readonly string[];
  /** The datasets of which an interrupted run has read only a part of some account. */
  readonly incomplete: readonly string[];
  readonly files: readonly WrittenFile[];
}

export function writeManifest(folder: string, facts: ManifestFacts): void {
  const { schemaVersion, format, service, account, window, readAnew, incomplete, files } = facts;
  const manifest = { schema_version: schemaVersion, format, service, account_id: account, window, read_anew: readAnew, incomplete, files };
  writeOwnerOnly(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The files of an export, except a database. */
export function filesOf(store: ExportStore): WrittenFile[] {
  return exportedIn(store).flatMap(({ name }) =>
    store
      .partsOf(name)
      .flatMap(({ path, rows, sha256 }) => (path === null || sha256 === null ? [] : [{ path, dataset: name, rows, sha256 }])),
  );
}

/** The file of a SQLite export, once it is closed. @param rows the rows of each dataset */
export function databaseFile(folder: string, rows: Readonly<Record<string, number>>): WrittenFile[] {
  const path = storeName('sqlite');
  const sha256 = hashFile(join(folder, path));
  return Object.entries(rows).map(([dataset, count]) => ({ path, dataset, rows: count, sha256 }));
}

/** The path of a part in the folder, which is the same on every system. */
function pathOf(dataset: string, { number }: Part, format: 'csv' | 'ndjson' | 'parquet'): string {
  return format === 'parquet' ? `${dataset}/${String(number).padStart(6, '0')}.parquet` : `${dataset}.${format}`;
}

/** The datasets that have rows, or could have. */
function exportedIn(store: ExportStore): Dataset[] {
  const names = new Set(store.names);
  return datasets.filter(({ name }) => names.has(name));
}

/** Removes the files of an export that was begun anew. */
function removeOthers(folder: string, store: ExportStore): void {
  const kept = new Set(filesOf(store).map(({ path }) => path));
  for (const { name } of datasets) {
    const inFolder = existsSync(join(folder, name)) ? readdirSync(join(folder, name)) : [];
    const divided = inFolder.filter((file) => partPattern.test(file)).map((file) => `${name}/${file}`);
    for (const path of [...divided, `${name}.csv`, `${name}.ndjson`]) if (!kept.has(path)) rmSync(join(folder, path), { force: true });
  }
}
