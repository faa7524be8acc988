import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { CliError, exitCodes } from '../../errors.ts';
import type { Row } from '../../output/result.ts';
import type { ImportFormat } from './rows.ts';

/** The file into which rows are written that were not imported: in the form in which they came, with the reason. */
export class Rejects {
  readonly #stream: WriteStream;
  readonly #format: ImportFormat;
  readonly #columns: readonly string[];
  #count = 0;
  #failure: Error | null = null;

  private constructor(stream: WriteStream, format: ImportFormat, headers: readonly string[]) {
    this.#stream = stream;
    this.#format = format;
    this.#columns = [...headers.filter((header) => header !== 'reason'), 'reason'];
    stream.on('error', (error) => (this.#failure = error));
  }

  /**
   * Makes the file, readable by its owner alone: it holds people's data.
   * @throws CliError 1 when it cannot be made
   */
  static async open(file: string, format: ImportFormat, headers: readonly string[]): Promise<Rejects> {
    const stream = createWriteStream(file, { mode: 0o600 });
    const rejects = new Rejects(stream, format, headers);
    try {
      await once(stream, 'open');
    } catch (error) {
      throw cannotWrite(file, error as Error);
    }
    return rejects;
  }

  /** @throws CliError 1 when they cannot be written */
  async write(rows: readonly { readonly value: Row | null; readonly reason: string }[]): Promise<void> {
    if (rows.length === 0) return;
    const records = rows.map(({ value, reason }) => ({ ...value, reason }));
    if (!this.#stream.write(await this.#textOf(records)) && !this.#failure) await once(this.#stream, 'drain').catch(() => {});
    this.#count += rows.length;
    this.#check();
  }

  /** @throws CliError 1 when they cannot be written */
  async close(): Promise<void> {
    const end = this.#format === 'json' ? (this.#count > 0 ? '\n]\n' : '[]\n') : '';
    await new Promise<void>((resolve) => this.#stream.end(end, () => resolve()));
    this.#check();
  }

  async #textOf(records: readonly Row[]): Promise<string> {
    if (this.#format === 'ndjson') return records.map((record) => `${JSON.stringify(record)}\n`).join('');
    if (this.#format === 'json')
      return records.map((record, index) => `${this.#count + index > 0 ? ',\n' : '[\n'}${JSON.stringify(record)}`).join('');
    const { stringify } = await import('csv-stringify/sync');
    const cells = records.map((record) => this.#columns.map((column) => record[column] ?? ''));
    return stringify(this.#count > 0 ? cells : [this.#columns, ...cells]);
  }

  #check(): void {
    if (this.#failure) throw cannotWrite(String(this.#stream.path), this.#failure);
  }
}

function cannotWrite(file: string, error: Error): CliError {
  return new CliError(exitCodes.failed, 'file', `Cannot write ${file}: ${error.message}`);
}
