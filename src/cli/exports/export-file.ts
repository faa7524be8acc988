import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { extname } from 'node:path';
import { invalidValueError } from '../invalid-value.ts';
import { openOwnerOnly, writeOwnerOnly } from '../files/owner-only.ts';
import { replaceFile } from '../files/replace-file.ts';
import { DelimitedFormatter } from '../output/delimited.ts';
import type { ResultRow } from '../output/result.ts';

type TextFormat = 'csv' | 'tsv' | 'ndjson';

/** The format for a file name extension. @throws CliError 2 if it is not supported */
export function formatOf(path: string): TextFormat {
  const ending = extname(path).slice(1).toLowerCase();
  if (ending === 'jsonl') return 'ndjson';
  if (ending === 'csv' || ending === 'tsv' || ending === 'ndjson') return ending;
  throw invalidValueError('--out', path, 'must end in .csv, .tsv, .ndjson or .jsonl');
}

/** The SHA-256 of a file in hexadecimal. */
export function hashFile(path: string): string {
  return hashOf(path).digest('hex');
}

/** Reads into one buffer: a stream would leave one for each part, and the garbage of a large file. */
function hashOf(path: string): Hash {
  const hash = createHash('sha256');
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(1_048_576);
    for (let length = readSync(file, buffer); length > 0; length = readSync(file, buffer)) hash.update(buffer.subarray(0, length));
    return hash;
  } finally {
    closeSync(file);
  }
}

/** The temporary file in the same folder, to which an export is written until it is complete. */
export function partialOf(path: string): string {
  return `${path}.partial`;
}

/** The columns of the file that an export goes on with: one that an earlier version began has fewer. */
export function columnsIn(path: string, columns: readonly string[]): readonly string[] {
  const begun = [partialOf(path), path].find((file) => existsSync(file));
  if (begun === undefined || formatOf(path) === 'ndjson') return columns;
  const heading = readFileSync(begun, 'utf8').split(/\r?\n/, 1)[0] ?? '';
  const named = new Set(heading.split(/[,\t]/));
  return named.has('id') ? columns.filter((column) => named.has(column)) : columns;
}

/** An export that is written to a temporary file and moved into place when it is complete. Only its owner can read it. */
export class ExportFile {
  readonly #descriptor: number;
  readonly #hash: Hash;
  readonly #format: (rows: readonly ResultRow[]) => string;
  /** The reusable buffer for rows to be written. */
  #buffer = Buffer.alloc(65_536);
  #bytes: number;

  private constructor(descriptor: number, hash: Hash, bytes: number, format: (rows: readonly ResultRow[]) => string) {
    this.#descriptor = descriptor;
    this.#hash = hash;
    this.#bytes = bytes;
    this.#format = format;
  }

  /** Starts an export. If it continues an existing file, copies its contents first. */
  static begin(path: string, columns: readonly string[], isContinued: boolean): ExportFile {
    const partial = partialOf(path);
    rmSync(partial, { force: true });
    if (isContinued) {
      copyFileSync(path, partial, constants.COPYFILE_EXCL);
    }
    return ExportFile.#open(path, columns, isContinued ? statSync(partial).size : 0);
  }

  /**
   * Resumes an interrupted export.
   * @param sha256 of the first bytes; undefined if it is not known
   * @returns null if the temporary file does not begin with what was written
   */
  static resume(path: string, columns: readonly string[], bytes: number, sha256: string | undefined): ExportFile | null {
    const size = statSync(partialOf(path), { throwIfNoEntry: false })?.size ?? -1;
    if (size < bytes) return null;
    const file = ExportFile.#open(path, columns, bytes);
    if (sha256 === undefined || file.sha256() === sha256) return file;
    file.close();
    return null;
  }

  static #open(path: string, columns: readonly string[], bytes: number): ExportFile {
    const partial = partialOf(path);
    const descriptor = openOwnerOnly(partial);
    ftruncateSync(descriptor, bytes);
    return new ExportFile(descriptor, hashOf(partial), bytes, formatter(formatOf(path), columns, bytes === 0));
  }

  /** Number of bytes written. */
  get bytes(): number {
    return this.#bytes;
  }

  write(rows: readonly ResultRow[]): void {
    const text = this.#format(rows);
    const length = Buffer.byteLength(text);
    if (this.#buffer.length < length) this.#buffer = Buffer.alloc(2 * length);
    const data = this.#buffer.subarray(0, this.#buffer.write(text));
    for (let written = 0; written < data.length;)
      written += writeSync(this.#descriptor, data, written, data.length - written, this.#bytes + written);
    this.#bytes += data.length;
    this.#hash.update(data);
  }

  /** Syncs written data to disk. */
  sync(): void {
    fdatasyncSync(this.#descriptor);
  }

  /** The SHA-256 of the written data in hexadecimal. */
  sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/**
 * Moves a complete export and its manifest into place, unless that is already done.
 * @param isFree returns whether the file may be replaced
 * @returns false if the file may not be replaced, or if the export is lost: there is no temporary file, it is not in place, and
 * it was not moved away from there
 */
export function putInPlace(path: string, sha256: string, manifest: ResultRow, isFree: () => boolean): boolean {
  if (holds(partialOf(path), sha256)) {
    if (!isFree()) return false;
    replaceFile(partialOf(path), path);
  } else if (!holds(path, sha256)) return manifestHash(path) === sha256;
  writeOwnerOnly(manifestOf(path), `${JSON.stringify(manifest, null, 2)}\n`);
  return true;
}

/** Whether a file is there, with this SHA-256. */
export function holds(path: string, sha256: string | null): boolean {
  return existsSync(path) && hashFile(path) === sha256;
}

/** The path of the manifest of an export. */
export function manifestOf(path: string): string {
  return `${path}.manifest.json`;
}

/** The hash in a manifest; undefined if there is no manifest. */
function manifestHash(path: string): unknown {
  try {
    return (JSON.parse(readFileSync(manifestOf(path), 'utf8')) as ResultRow).sha256;
  } catch {
    return undefined;
  }
}

/** Formats rows. For formats with columns, the first page starts with the heading. */
function formatter(format: TextFormat, columns: readonly string[], hasHeading: boolean): (rows: readonly ResultRow[]) => string {
  if (format === 'ndjson')
    return (rows) =>
      rows.map((row) => `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column] ?? null])))}\n`).join('');
  const delimited = new DelimitedFormatter(format, columns, { bom: false, header: hasHeading, raw: true });
  return (rows) => delimited.page(rows);
}
