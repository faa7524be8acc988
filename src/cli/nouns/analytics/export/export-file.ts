import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { extname } from 'node:path';
import { usageError } from '../../../errors.ts';
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
  readonly #descriptor: number;
  readonly #hash: Hash;
  readonly #format: (rows: readonly Row[]) => string;
  /** Holds the rows that are written, again and again. */
  #buffer = Buffer.alloc(65_536);
  #bytes: number;

  private constructor(descriptor: number, hash: Hash, bytes: number, format: (rows: readonly Row[]) => string) {
    this.#descriptor = descriptor;
    this.#hash = hash;
    this.#bytes = bytes;
    this.#format = format;
  }

  /** Begins an export, with what its file holds already when it is continued. */
  static async begin(path: string, columns: readonly string[], isContinued: boolean): Promise<ExportFile> {
    const partial = partialOf(path);
    rmSync(partial, { force: true });
    if (isContinued) {
      copyFileSync(path, partial);
      chmodSync(partial, 0o600);
    }
    return await ExportFile.#open(path, columns, isContinued ? statSync(partial).size : 0);
  }

  /** Continues an export that did not end. @returns null when less of it is there than was written */
  static async resume(path: string, columns: readonly string[], bytes: number): Promise<ExportFile | null> {
    const size = statSync(partialOf(path), { throwIfNoEntry: false })?.size ?? -1;
    return size < bytes ? null : await ExportFile.#open(path, columns, bytes);
  }

  static async #open(path: string, columns: readonly string[], bytes: number): Promise<ExportFile> {
    const partial = partialOf(path);
    const descriptor = openSync(partial, existsSync(partial) ? 'r+' : 'wx', 0o600);
    ftruncateSync(descriptor, bytes);
    return new ExportFile(descriptor, await hashOf(partial), bytes, formatter(formatOf(path), columns, bytes === 0));
  }

  /** How many bytes are written. */
  get bytes(): number {
    return this.#bytes;
  }

  write(rows: readonly Row[]): void {
    const text = this.#format(rows);
    const length = Buffer.byteLength(text);
    if (this.#buffer.length < length) this.#buffer = Buffer.alloc(2 * length);
    const data = this.#buffer.subarray(0, this.#buffer.write(text));
    for (let written = 0; written < data.length;)
      written += writeSync(this.#descriptor, data, written, data.length - written, this.#bytes + written);
    this.#bytes += data.length;
    this.#hash.update(data);
  }

  /** Brings what is written to the disk. */
  sync(): void {
    fdatasyncSync(this.#descriptor);
  }

  /** The SHA-256 of what is written in hexadecimal digits. */
  sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/**
 * Puts a complete export in the place of its file, and its manifest beside it, if that was not done yet.
 * @param isFree tells whether the file may be replaced
 * @returns false when it may not, and when the export is gone: it is neither beside its file, nor in its place, nor was it taken away
 * from there
 */
export async function putInPlace(path: string, sha256: string, manifest: Row, isFree: () => Promise<boolean>): Promise<boolean> {
  if (await holds(partialOf(path), sha256)) {
    if (!(await isFree())) return false;
    renameSync(partialOf(path), path);
  } else if (!(await holds(path, sha256))) return manifestHash(path) === sha256;
  writeOwnerOnly(manifestOf(path), `${JSON.stringify(manifest, null, 2)}\n`);
  return true;
}

async function holds(path: string, sha256: string): Promise<boolean> {
  return existsSync(path) && (await hashFile(path)) === sha256;
}

/** The file beside an export that says what it holds. */
export function manifestOf(path: string): string {
  return `${path}.manifest.json`;
}

/** The hash of the export that a manifest is of; undefined when there is none. */
function manifestHash(path: string): unknown {
  try {
    return (JSON.parse(readFileSync(manifestOf(path), 'utf8')) as Row).sha256;
  } catch {
    return undefined;
  }
}

/** Rows in a format. The first page of a file with columns begins with the heading. */
function formatter(format: ExportFormat, columns: readonly string[], hasHeading: boolean): (rows: readonly Row[]) => string {
  if (format === 'ndjson')
    return (rows) =>
      rows.map((row) => `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column] ?? null])))}\n`).join('');
  const delimited = new DelimitedFormatter(format, columns, { bom: false, header: hasHeading, raw: true });
  return (rows) => delimited.page(rows);
}
