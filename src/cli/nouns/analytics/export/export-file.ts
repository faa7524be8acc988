import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { extname } from 'node:path';
import { CliError, exitCodes, usageError } from '../../../errors.ts';
import { writeOwnerOnly } from '../../../files/owner-only.ts';
import { DelimitedFormatter } from '../../../output/delimited.ts';
import type { Row } from '../../../output/result.ts';

export type ExportFormat = 'csv' | 'tsv' | 'ndjson';

/** The format that a file's name ends in. @throws CliError 2 for another one */
export function formatOf(path: string): ExportFormat {
  const ending = extname(path).slice(1).toLowerCase();
  if (ending === 'jsonl') return 'ndjson';
  if (ending === 'csv' || ending === 'tsv' || ending === 'ndjson') return ending;
  throw usageError(`--out must end in .csv, .tsv, .ndjson or .jsonl: ${path}`);
}

/** The SHA-256 of a file in hexadecimal digits. */
export async function hashFile(path: string): Promise<string> {
  return (await hashOf(path)).digest('hex');
}

async function hashOf(path: string): Promise<Hash> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash;
}

/** The file beside an export that is written until the export is complete. */
export function partialOf(path: string): string {
  return `${path}.partial`;
}

/** An export that is written beside its file, and takes its place when it is complete. Only its owner can read it. */
export class ExportFile {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #hash: Hash;
  readonly #format: (rows: readonly Row[]) => string;
  #bytes: number;

  private constructor(path: string, descriptor: number, hash: Hash, bytes: number, format: (rows: readonly Row[]) => string) {
    this.#path = path;
    this.#descriptor = descriptor;
    this.#hash = hash;
    this.#bytes = bytes;
    this.#format = format;
  }

  /** Begins an export, with what its file holds already when it is continued. */
  static async begin(path: string, columns: readonly string[], isContinued: boolean): Promise<ExportFile> {
    const partial = partialOf(path);
    rmSync(partial, { force: true });
    if (isContinued) copyFileSync(path, partial);
    return await ExportFile.#open(path, columns, isContinued ? statSync(partial).size : 0);
  }

  /** Continues an export that did not end. @returns null when less of it is there than was written */
  static async resume(path: string, columns: readonly string[], bytes: number): Promise<ExportFile | null> {
    const size = statSync(partialOf(path), { throwIfNoEntry: false })?.size ?? -1;
    return size < bytes ? null : await ExportFile.#open(path, columns, bytes);
  }

  static async #open(path: string, columns: readonly string[], bytes: number): Promise<ExportFile> {
    const partial = partialOf(path);
    try {
      const descriptor = openSync(partial, existsSync(partial) ? 'r+' : 'wx', 0o600);
      ftruncateSync(descriptor, bytes);
      const hash = await hashOf(partial);
      return new ExportFile(path, descriptor, hash, bytes, formatter(formatOf(path), columns, bytes === 0));
    } catch (error) {
      throw new CliError(exitCodes.failed, 'file', `Cannot write the export to ${path}: ${(error as Error).message}`);
    }
  }

  /** How many bytes are written. */
  get bytes(): number {
    return this.#bytes;
  }

  write(rows: readonly Row[]): void {
    const data = Buffer.from(this.#format(rows));
    for (let written = 0; written < data.length;)
      written += writeSync(this.#descriptor, data, written, data.length - written, this.#bytes + written);
    this.#bytes += data.length;
    this.#hash.update(data);
  }

  /** Brings everything to the disk. @returns the SHA-256 of the file */
  seal(): string {
    fsyncSync(this.#descriptor);
    return this.#hash.copy().digest('hex');
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** Puts a complete export in the place of its file, if that was not done yet. */
export function putInPlace(path: string): void {
  if (existsSync(partialOf(path))) renameSync(partialOf(path), path);
}

/** Writes what an export holds beside it. */
export function writeManifest(path: string, manifest: Row): void {
  writeOwnerOnly(`${path}.manifest.json`, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Rows in a format. The first page of a file with columns begins with the heading. */
function formatter(format: ExportFormat, columns: readonly string[], hasHeading: boolean): (rows: readonly Row[]) => string {
  if (format === 'ndjson')
    return (rows) =>
      rows.map((row) => `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column] ?? null])))}\n`).join('');
  const delimited = new DelimitedFormatter(format, columns, { bom: false, header: hasHeading, raw: true });
  return (rows) => delimited.page(rows);
}
