import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Client } from '../../../client/client.ts';
import * as contract from '../../../contract/contacts.ts';
import { limits } from '../../../contract/limits.ts';
import type { Options, Session } from '../../command.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { explain } from '../../explain.ts';
import { Progress } from '../../output/progress.ts';
import type { Page, Result, Row } from '../../output/result.ts';
import { type Mapping, mapHeaders, mapRow } from './headers.ts';
import { Rejects } from './rejects.ts';
import { type ImportFormat, openRows, type Source, type SourceRow } from './rows.ts';

/** A row on its way, with its place among the rows of the file, counted from 1. */
interface NumberedRow extends SourceRow {
  readonly row: number;
}

/** A row that was left out. */
interface Skipped extends NumberedRow {
  readonly reason: string;
}

/** What became of the rows of one call. */
interface Imported {
  readonly imported: number;
  readonly skipped: readonly Skipped[];
}

/** The file, and how much of it was read. */
interface Input {
  readonly stream: Readable;
  readonly read: () => number;
  /** In bytes; null where nobody knows. */
  readonly size: number | null;
}

/**
 * Imports the contacts of a file, 500 a call, and reads on while a call is under way. The rows that were left out are
 * the rows of the result, as they come.
 * @throws CliError 1 when the file cannot be read, 2 when it has no phone numbers
 */
export async function importContacts(session: Session, [file = '']: readonly string[], options: Options): Promise<Result> {
  const rejectsFile = options.rejects as string | undefined;
  if (rejectsFile !== undefined && file !== '-' && resolve(rejectsFile) === resolve(file))
    throw usageError('--rejects names the file that is imported', 'Name another: it is written anew.');
  const input = await openInput(file, session);
  const source = await openRows(input.stream, file, options.format as ImportFormat | undefined);
  const mapping = mapHeaders(source.headers, (options.map as string[] | undefined) ?? []);
  const client = await session.targets.client();
  const rejects = rejectsFile === undefined || options.dryRun ? null : await Rejects.open(rejectsFile, source.format, source.headers);
  const running = new Import(session, client, mapping, options.defaultChannel as string | undefined);
  void session.world.interrupted.then(() => running.stop());
  tellMapping(session, source, mapping);
  const calls = running.calls(source, (options.fromRow as number | undefined) ?? 1);
  // The first call is made before anything is printed: what is wrong with all of them is told as a failure.
  const first = await calls.next();
  return {
    kind: 'list',
    field: 'skipped',
    pages: running.pages(first, calls, rejects, input),
    paged: false,
    totals: () => running.totals,
    exitCode: () => (running.totals.skipped_count > 0 ? exitCodes.partlyFailed : exitCodes.done),
  };
}

async function openInput(file: string, { world }: Session): Promise<Input> {
  if (file === '-') {
    let read = 0;
    world.stdin.on('data', (chunk: Buffer) => (read += chunk.length));
    world.stdin.pause();
    return { stream: world.stdin, read: () => read, size: null };
  }
  try {
    const { size, isFile } = await stat(file).then((found) => ({ size: found.size, isFile: found.isFile() }));
    const stream = createReadStream(file);
    return { stream, read: () => stream.bytesRead, size: isFile ? size : null };
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot read ${file}: ${(error as Error).message}`);
  }
}

/** Says what the columns are taken for, and which are left alone. */
function tellMapping({ notes }: Session, { headers }: Source, mapping: Mapping): void {
  const taken = [...mapping].map(([field, header]) => (field === header ? field : `${header} as ${field}`));
  const left = headers.filter((header) => ![...mapping.values()].includes(header));
  notes.say(`Importing ${taken.join(', ')}${left.length > 0 ? `; leaving out ${left.join(', ')}` : ''}.`);
}

/** How a hint begins that says from which row on to go on. */
const placed = 'Everything up to row';

class Import {
  readonly #session: Session;
  readonly #client: Client;
  readonly #mapping: Mapping;
  readonly #defaultChannel: string | undefined;
  #imported = 0;
  #skipped = 0;
  /** Up to which row everything is done. */
  #doneRow = 0;
  #isStopped = false;

  constructor(session: Session, client: Client, mapping: Mapping, defaultChannel: string | undefined) {
    this.#session = session;
    this.#client = client;
    this.#mapping = mapping;
    this.#defaultChannel = defaultChannel;
  }

  /** Makes no more calls. */
  stop(): void {
    this.#isStopped = true;
  }

  get totals() {
    return { imported: this.#imported, skipped_count: this.#skipped };
  }

  /** Makes the calls, one after the other, reading the rows of the next meanwhile. */
  async *calls(source: Source, fromRow: number): AsyncGenerator<Imported> {
    let under: Promise<Imported> | null = null;
    try {
      for await (const rows of batches(source.rows, fromRow)) {
        if (under) yield await under;
        if (this.#isStopped) throw new CliError(exitCodes.interrupted, 'interrupted', 'The import was interrupted');
        under = this.#call(rows);
        // It is waited for a batch later: until then a failure is nobody's.
        under.catch(() => {});
      }
    } catch (error) {
      if (under && !this.#isStopped) yield await under;
      throw this.#withPlace(error);
    }
    if (under) yield await under;
  }

  /** The rows that were left out, page by page. */
  async *pages(
    first: IteratorResult<Imported, unknown>,
    calls: AsyncGenerator<Imported>,
    rejects: Rejects | null,
    input: Input,
  ): AsyncGenerator<Page> {
    const progress = new Progress(this.#session.world, this.#session.globals.quiet);
    try {
      for (let next = first; !next.done; next = await calls.next()) {
        const { imported, skipped } = next.value;
        this.#imported += imported;
        this.#skipped += skipped.length;
        await rejects?.write(skipped);
        if (skipped.length > 0) {
          progress.clear();
          yield { rows: skipped.map((each) => this.#shown(each)), next_cursor: null };
        }
        const share = input.size === null || input.size === 0 ? null : Math.min(1, input.read() / input.size);
        progress.show(share, `${count(this.#imported)} imported, ${count(this.#skipped)} skipped`);
      }
    } finally {
      progress.clear();
      await rejects?.close();
    }
    this.#session.notes.say(`Imported ${count(this.#imported)}, skipped ${count(this.#skipped)}.`);
  }

  async #call(rows: readonly NumberedRow[]): Promise<Imported> {
    const contacts = rows.map(({ value }) => (value === null ? null : mapRow(value, this.#mapping)));
    const body = { contacts, ...(this.#defaultChannel !== undefined && { defaultChannel: this.#defaultChannel }) };
    try {
      const { imported, skipped } = await this.#client.call(contract.importContacts, { body });
      this.#doneRow = rows.at(-1)?.row ?? this.#doneRow;
      return { imported, skipped: skipped.flatMap(({ index, reason }) => (rows[index] ? [{ ...rows[index], reason }] : [])) };
    } catch (error) {
      throw this.#withPlace(error);
    }
  }

  /** Says from which row on it can be tried again. */
  #withPlace(error: unknown): unknown {
    if (this.#doneRow === 0 || (error instanceof CliError && error.hint?.startsWith(placed))) return error;
    const failure = explain(error);
    const place = `${placed} ${this.#doneRow} is done: --from-row ${this.#doneRow + 1} goes on from there.`;
    return new CliError(failure.exitCode, failure.code, failure.message, {
      ...failure,
      hint: failure.hint === undefined ? place : `${place} ${failure.hint}`,
    });
  }

  #shown({ row, line, value, reason }: Skipped): Row {
    const phone = value?.[this.#mapping.get('phone_number') ?? ''] ?? null;
    return { row, line, phone_number: phone, reason };
  }
}

/** The rows from one on, in lots of what one call takes. */
async function* batches(rows: AsyncIterable<SourceRow>, fromRow: number): AsyncGenerator<NumberedRow[]> {
  let row = 0;
  let batch: NumberedRow[] = [];
  try {
    for await (const each of rows) {
      row++;
      if (row < fromRow) continue;
      batch.push({ ...each, row });
      if (batch.length < limits.importRows) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    // What stands before the flaw is imported, so that it is clear where to go on.
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (row < fromRow) throw usageError(`--from-row ${fromRow}: the file has ${row} rows`);
  if (batch.length > 0) yield batch;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
