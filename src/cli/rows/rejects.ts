import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, rm } from 'node:fs/promises';
import { describeWriteError } from '../../contract/file-errors.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { isOthers } from '../files/owner-only.ts';
import { guard, quotedCell } from '../../contract/text/formula-guard.ts';
import { isRow } from '../output/result.ts';
import { tsvLine } from '../output/tsv.ts';
import { formatOf } from './files/open.ts';
import type { ImportFormat, RecordKind, Source } from './files/source.ts';
import type { SkippedRow } from './steps.ts';

/** The part of a rejected row that is written. */
type Rejected = Pick<SkippedRow, 'original' | 'reason'>;

/** The column or field for the reason. If a file of rejects is imported again, the reason is replaced. */
const reasonName = 'reject_reason';

/**
 * The file of rejected rows, in their original form with the reason. It is emptied when the import begins, and removed if no
 * row was rejected.
 */
export class Rejects {
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #source: Source;
  readonly #format: ImportFormat;
  readonly #appends: boolean;
  #isEmpty = true;

  private constructor(file: string, handle: FileHandle, source: Source, appends: boolean) {
    this.#file = file;
    this.#handle = handle;
    this.#source = source;
    this.#format = writtenFormat(source.format);
    this.#appends = appends;
  }

  /**
   * Opens the file. Only its owner can read it, because it contains personal data.
   * @param input the file that is imported
   * @param appends whether to append to the rejects of an earlier part of the import
   * @param overwrites whether to overwrite an existing file or follow a symbolic link
   * @throws CliError 1 if it cannot be written, 2 if it already exists, is the input or has the extension of another format
   */
  static async open(
    file: string,
    input: Stats | null,
    source: Source,
    { kind, appends, overwrites }: { kind: RecordKind; appends: boolean; overwrites: boolean },
  ): Promise<Rejects> {
    const named = formatOf(file, kind);
    const written = writtenFormat(source.format);
    if (named !== undefined && named !== written)
      throw usageError(
        `--rejects ${file}: the rows are written as ${written}${written === source.format ? ', like the input' : ''}`,
        `Use a matching name: rejected.${written}`,
      );
    if (appends && source.format === 'json')
      throw usageError('--rejects cannot append to a JSON list', 'Use another file for the rejects of this part.');
    const found = await lstat(file).catch(() => null);
    const isInput = (stats: Stats) => input?.dev === stats.dev && input.ino === stats.ino;
    if (found && !overwrites && !isInput(found)) checkReplaceable(file, found, appends);
    const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;
    // Windows cannot empty a file that is only appended to.
    const flags = O_CREAT | O_WRONLY | (appends ? O_APPEND : 0) | (overwrites ? 0 : O_NOFOLLOW);
    const handle = await open(file, flags, 0o600).catch((error: unknown) => {
      throw cannotWriteError(file, error);
    });
    const stats = await handle.stat();
    if (isInput(stats)) {
      await handle.close();
      throw usageError('--rejects names the file that is imported', 'Name another file: it is overwritten.');
    }
    const rejects = new Rejects(file, handle, source, appends);
    rejects.#isEmpty = stats.size === 0 || !appends;
    return rejects;
  }

  /** Empties the file, unless rejects are appended. */
  async begin(): Promise<void> {
    if (!this.#appends) await this.#try(() => this.#handle.truncate());
  }

  /** @throws CliError 1 if the rows cannot be written */
  async write(rows: readonly Rejected[]): Promise<void> {
    if (rows.length === 0) return;
    const text = await this.#textOf(rows);
    await this.#try(() => this.#handle.appendFile(text));
    this.#isEmpty = false;
  }

  /** @throws CliError 1 if the end of the file cannot be written */
  async close(): Promise<void> {
    if (this.#format === 'json' && !this.#isEmpty) await this.#try(() => this.#handle.appendFile('\n]\n'));
    const { size } = await this.#handle.stat();
    await this.#try(() => this.#handle.close());
    if (size === 0) await rm(this.#file, { force: true });
  }

  async #textOf(rows: readonly Rejected[]): Promise<string> {
    const format = this.#format;
    if (format === 'yaml') return (await import('../output/yaml.ts')).yamlText(rows.map(jsonRecord));
    if (format === 'ndjson') return rows.map((row) => `${JSON.stringify(jsonRecord(row))}\n`).join('');
    if (format === 'json')
      return rows.map((row, index) => `${this.#isEmpty && index === 0 ? '[\n' : ',\n'}${JSON.stringify(jsonRecord(row))}`).join('');
    const { headers, separator } = this.#source;
    // The reason comes first, so that rows with too many cells keep their columns. An earlier reason is replaced.
    const own = headers[0] === reasonName ? 1 : 0;
    const records = rows.map(({ original, reason }) => [reason, ...(original as string[]).slice(own)]);
    const heading = [reasonName, ...headers.slice(own)];
    if (separator === '\t') return (this.#isEmpty ? [heading, ...records] : records).map(tsvLine).join('');
    const { stringify } = await import('csv-stringify/sync');
    const guarded = records.map(([reason = '', ...cells]) => [guard(reason), ...cells.map(guardedCell)]);
    return stringify(this.#isEmpty ? [heading.map(guard), ...guarded] : guarded, { delimiter: separator, quoted_match: quotedCell });
  }

  async #try(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      throw cannotWriteError(this.#file, error);
    }
  }
}

/**
 * A cell of the input, without formulas. One with an apostrophe is harmless, or guarded already. An import removes the apostrophe,
 * so that it reads the same value from the cell.
 */
function guardedCell(cell: string): string {
  return cell.startsWith("'") ? cell : guard(cell);
}

/** The format of rejects is the format of the input, unless that cannot contain the reason. Workbooks cannot be written. */
function writtenFormat(format: ImportFormat): ImportFormat {
  if (format === 'xlsx') return 'csv';
  return format === 'md' || format === 'vcf' ? 'yaml' : format;
}

function jsonRecord({ original, reason }: Rejected): object {
  return { ...(isRow(original) ? original : { value: original }), [reasonName]: reason };
}

function cannotWriteError(file: string, error: unknown): CliError {
  return new CliError(exitCodes.failed, 'file', `Cannot write ${file}: ${describeWriteError(error)}`);
}

/**
 * @throws CliError 2 if something would be overwritten: a non-empty file without appending, the target of a symbolic link, or a file
 * of another user
 */
function checkReplaceable(file: string, found: Stats, appends: boolean): void {
  if (found.isSymbolicLink())
    throw usageError(`--rejects ${file}: this is a symbolic link`, 'Name a file, or pass --yes to follow the link.');
  if (isOthers(found))
    throw usageError(`--rejects ${file}: this is a file of another user`, 'Use another name, or pass --yes to write to it.');
  if (found.isFile() && found.size > 0 && !appends)
    throw usageError(`--rejects ${file}: the file exists`, 'Use another name, or pass --yes to overwrite it.');
}
