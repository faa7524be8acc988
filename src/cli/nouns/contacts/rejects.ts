import type { Stats } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { isRow } from '../../output/result.ts';
import { formatOf, type Source, type SourceRow } from './rows.ts';

/** A row that was left out. */
export interface Reject extends SourceRow {
  readonly reason: string;
}

/** What the column or field with the reason is called; in a file of rejects that is imported again it is replaced. */
const reasonName = 'reject_reason';

/**
 * The file into which rows are written that were not imported: in the form in which they came, with the reason. It is
 * touched once something is imported, and is gone when nothing was rejected.
 */
export class Rejects {
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #source: Source;
  readonly #goesOn: boolean;
  #isEmpty = true;

  private constructor(file: string, handle: FileHandle, source: Source, goesOn: boolean) {
    this.#file = file;
    this.#handle = handle;
    this.#source = source;
    this.#goesOn = goesOn;
  }

  /**
   * Opens the file, made readable by its owner alone: it holds people's data.
   * @param input the file that is imported
   * @param goesOn whether to write behind what an earlier part of the import left there
   * @throws CliError 1 when it cannot be written, 2 when it is the input or named as another format
   */
  static async open(file: string, input: Stats | null, source: Source, goesOn: boolean): Promise<Rejects> {
    const named = formatOf(file);
    if (named !== undefined && named !== source.format)
      throw usageError(`--rejects ${file}: rows that came as ${source.format} are written so`, `Name it so: rejected.${source.format}`);
    if (goesOn && source.format === 'json')
      throw usageError(
        '--rejects cannot write behind what is in a JSON list',
        'Import the rest with a file of rejects of its own, as ndjson.',
      );
    const handle = await open(file, 'a', 0o600).catch((error: unknown) => {
      throw cannotWrite(file, error);
    });
    const { dev, ino, size } = await handle.stat();
    if (input?.dev === dev && input.ino === ino) {
      await handle.close();
      throw usageError('--rejects names the file that is imported', 'Name another: it is written anew.');
    }
    const rejects = new Rejects(file, handle, source, goesOn);
    rejects.#isEmpty = size === 0 || !goesOn;
    return rejects;
  }

  /** Begins to write: something is imported. */
  async begin(): Promise<void> {
    if (!this.#goesOn) await this.#try(() => this.#handle.truncate());
  }

  /** @throws CliError 1 when they cannot be written */
  async write(rows: readonly Reject[]): Promise<void> {
    if (rows.length === 0) return;
    const text = await this.#textOf(rows);
    await this.#try(() => this.#handle.write(text));
    this.#isEmpty = false;
  }

  /** @throws CliError 1 when they cannot be written */
  async close(): Promise<void> {
    if (this.#source.format === 'json' && !this.#isEmpty) await this.#try(() => this.#handle.write('\n]\n'));
    const { size } = await this.#handle.stat();
    await this.#try(() => this.#handle.close());
    if (size === 0) await rm(this.#file, { force: true });
  }

  async #textOf(rows: readonly Reject[]): Promise<string> {
    const { format, headers, separator } = this.#source;
    if (format === 'ndjson') return rows.map((row) => `${JSON.stringify(jsonRecord(row))}\n`).join('');
    if (format === 'json')
      return rows.map((row, index) => `${this.#isEmpty && index === 0 ? '[\n' : ',\n'}${JSON.stringify(jsonRecord(row))}`).join('');
    const { stringify } = await import('csv-stringify/sync');
    // In front, so that rows with cells too many keep their form; an earlier reason is replaced.
    const own = headers[0] === reasonName ? 1 : 0;
    const records = rows.map(({ original, reason }) => [reason, ...(original as string[]).slice(own)]);
    return stringify(this.#isEmpty ? [[reasonName, ...headers.slice(own)], ...records] : records, { delimiter: separator });
  }

  async #try(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
  }
}

function jsonRecord({ original, reason }: Reject): object {
  return { ...(isRow(original) ? original : { value: original }), [reasonName]: reason };
}

function cannotWrite(file: string, error: unknown): CliError {
  return new CliError(exitCodes.failed, 'file', `Cannot write ${file}: ${(error as Error).message}`);
}
