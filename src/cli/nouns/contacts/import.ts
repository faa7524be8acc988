import { createReadStream, fstatSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Client } from '../../../client/client.ts';
import * as contract from '../../../contract/areas/contacts/endpoints.ts';
import type { Answer, Body } from '../../../contract/endpoint.ts';
import { limits } from '../../../contract/limits.ts';
import type { Options, Session } from '../../command/noun.ts';
import { definedFields } from '../../command/values.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import { Progress } from '../../output/progress.ts';
import type { Page, Result, Row } from '../../output/result.ts';
import type { World } from '../../world.ts';
import { findMapping, checkColumns, readWanted, RowMapper, type Wanted } from './headers.ts';
import { type Reject, Rejects } from './rejects.ts';
import { type ImportFormat, openRows, type Source, type SourceRow } from './rows.ts';

/** The size limit of the rows of one call, in bytes: the limit of a request body, less some room for the rest of it. */
const callBytes = limits.bodyBytes - 10_000;

/** How much of the file the rows of one call may be, in bytes: they are held until the call is done. */
const heldBytes = 16 * 1024 * 1024;

/** A row that is sent. It does not hold all columns by their names, which would take much memory. */
interface SentRow extends Omit<SourceRow, 'value'> {
  /** Its number in the file, starting at 1. */
  readonly row: number;
  /** The row with the field names of the interface; null when it is not an object. */
  readonly mapped: Row | null;
}

/** A row that was not imported. The code is missing in the answer of a service that does not give reasons a code. */
type Skipped = SentRow & Reject & { readonly code: Answer<typeof contract.importContacts>['skipped'][number]['code'] };

/** The outcome of one call. */
interface Imported {
  readonly rows: readonly SentRow[];
  readonly imported: number;
  readonly skipped: readonly Skipped[];
}

type ImportSettings = Omit<Body<typeof contract.importContacts>, 'contacts'>;

/** The file that is imported. */
interface Input {
  readonly stream: Readable;
  /** Null when the input is not a file. */
  readonly stats: Stats | null;
}

/**
 * Imports the contacts of a file in calls of up to 500 rows, and reads ahead while a call is under way. The rows of the
 * result are those that were skipped.
 * @throws CliError 1 when the file cannot be read, 2 when it has no column with phone numbers or identities
 */
export async function importContacts(session: Session, [file = '']: readonly string[], options: Options): Promise<Result> {
  const wanted = readWanted((options.map as string[] | undefined) ?? []);
  const input = await openInput(file, session.world);
  const source = await openRows(input.stream, file, options.format as ImportFormat | undefined);
  // In JSON, every row can have its own field names.
  if (source.format === 'csv' && source.headers.length > 0) checkColumns(source.headers, wanted);
  const client = await session.targets.client();
  const fromRow = options.fromRow as number | undefined;
  const rejectsFile = options.dryRun ? undefined : (options.rejects as string | undefined);
  const rejects =
    rejectsFile === undefined
      ? null
      : await Rejects.open(rejectsFile, input.stats, source, { appends: fromRow !== undefined, overwrites: session.globals.yes });
  const settings = definedFields({ on_duplicate: options.onDuplicate, defaultChannel: options.defaultChannel }) as ImportSettings;
  const running = new Import(session, client, new RowMapper(wanted), settings);
  noteMapping(session, source, wanted);
  if (options.dryRun) session.notes.say('This is the first request; the rest of the file would follow in others.');
  const calls = running.calls(source, fromRow ?? 1);
  // The first call is made before anything is printed, so that stdout stays empty on an error that affects all calls.
  const first = await calls.next().catch(async (error: unknown) => {
    input.stream.destroy();
    await rejects?.close();
    throw error;
  });
  return {
    kind: 'list',
    field: 'skipped',
    pages: running.pages(first, calls, rejects, input),
    paged: false,
    totals: () => running.totals,
    closing: () => running.summary,
    exitCode: () => (running.totals.skipped_count > 0 ? exitCodes.partlyFailed : exitCodes.done),
  };
}

async function openInput(file: string, { stdin }: World): Promise<Input> {
  if (file === '-') return { stream: stdin, stats: statsOf(stdin) };
  try {
    const stats = await stat(file);
    if (stats.isDirectory()) throw new Error('it is a directory');
    return { stream: createReadStream(file), stats };
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot read ${file}: ${(error as Error).message}`);
  }
}

/** The file behind a stream; null when there is none. */
function statsOf(stream: Readable): Stats | null {
  const { fd } = stream as { fd?: unknown };
  return typeof fd === 'number' ? fstatSync(fd) : null;
}

/** Notes which columns are imported and which are ignored. */
function noteMapping({ notes }: Session, { headers }: Source, wanted: readonly Wanted[]): void {
  const mapping = findMapping(headers, wanted);
  const taken = [...mapping].map(([field, header]) => (field === header ? field : `${header} as ${field}`));
  const left = headers.filter((header) => header !== '' && ![...mapping.values()].includes(header));
  if (taken.length > 0) notes.say(`Importing ${taken.join(', ')}${left.length > 0 ? `; ignoring ${left.join(', ')}` : ''}.`);
}

class Import {
  readonly #session: Session;
  readonly #client: Client;
  readonly #mapper: RowMapper;
  /** The fields of each call beside its rows. */
  readonly #settings: ImportSettings;
  #imported = 0;
  #skipped = 0;
  /** Every row up to this one is done. */
  #doneRow = 0;
  #isStopped = false;
  /** Called when the user interrupts the import. */
  #onStop: () => void = () => {};

  constructor(session: Session, client: Client, mapper: RowMapper, settings: ImportSettings) {
    this.#session = session;
    this.#client = client;
    this.#mapper = mapper;
    this.#settings = settings;
    void session.world.interrupted.then(() => {
      this.#isStopped = true;
      this.#onStop();
    });
  }

  get totals() {
    return { imported: this.#imported, skipped_count: this.#skipped };
  }

  get summary(): string {
    if (this.#doneRow === 0) return 'Nothing was imported: the file has 0 rows.';
    return `Imported ${count(this.#imported)}, skipped ${count(this.#skipped)}.`;
  }

  /** Makes the calls one after the other, and reads the rows of the next call meanwhile. */
  async *calls(source: Source, fromRow: number): AsyncGenerator<Imported> {
    // Earlier rows were imported by an earlier run.
    this.#doneRow = fromRow - 1;
    const batches = this.#batches(source.rows, fromRow);
    let call: Promise<Imported> | null = null;
    for (;;) {
      let failure: unknown = null;
      const next = await this.#unlessStopped(batches.next()).catch((error: unknown) => {
        failure = error;
        return null;
      });
      // A call that was sent before an error in the file still counts.
      if (call) yield await this.#unlessStopped(call);
      if (failure !== null) throw this.#positionError(failure);
      if (!next || next.done) return;
      call = this.#call(next.value);
      // The call is awaited in the next round: until then, its failure must not count as unhandled.
      call.catch(() => {});
    }
  }

  /** The rows that were skipped, page by page. */
  async *pages(
    first: IteratorResult<Imported, unknown>,
    calls: AsyncGenerator<Imported>,
    rejects: Rejects | null,
    { stream, stats }: Input,
  ): AsyncGenerator<Page> {
    const progress = new Progress(this.#session.world, this.#session.globals.quiet);
    try {
      await rejects?.begin();
      for (let next = first; !next.done; next = await calls.next()) {
        const { rows, imported, skipped } = next.value;
        this.#imported += imported;
        this.#skipped += skipped.length;
        await rejects?.write(skipped);
        if (skipped.length > 0) {
          progress.clear();
          yield { rows: skipped.map(shownRow), next_cursor: null };
        }
        const share = stats?.isFile() && stats.size > 0 ? Math.min(1, (rows.at(-1)?.end ?? 0) / stats.size) : null;
        progress.show(share, `${count(this.#imported)} imported, ${count(this.#skipped)} skipped`);
      }
    } finally {
      progress.clear();
      stream.destroy();
      await rejects?.close();
    }
  }

  /** The rows from `fromRow` on, in batches for one call each. */
  async *#batches(rows: AsyncIterable<SourceRow>, fromRow: number): AsyncGenerator<SentRow[]> {
    let row = 0;
    let batch: SentRow[] = [];
    let bytes = 0;
    // Where the rows of the batch begin in the file, and where the last row ended.
    let begin = 0;
    let end = 0;
    try {
      for await (const each of rows) {
        row++;
        if (row >= fromRow) {
          const { sent, size } = this.#prepare(each, row);
          if (batch.length === limits.importRows || bytes + size > callBytes || (batch.length > 0 && each.end - begin > heldBytes)) {
            yield batch;
            [batch, bytes] = [[], 0];
          }
          if (batch.length === 0) begin = end;
          batch.push(sent);
          bytes += size;
        }
        end = each.end;
      }
    } catch (error) {
      // The rows before the error are imported, so that the import can continue at the error.
      if (batch.length > 0) yield batch;
      throw error;
    }
    if (row < fromRow && fromRow > 1)
      throw usageError(`--from-row ${fromRow}: ${row === 0 ? 'the file has no rows' : `the last row of the file is ${row}`}`);
    if (batch.length > 0) yield batch;
  }

  #prepare(each: SourceRow, row: number): { sent: SentRow; size: number } {
    const { value, ...rest } = each;
    const mapped = value && this.#mapper.map(value);
    const sent = { ...rest, row, mapped };
    const size = Buffer.byteLength(JSON.stringify(mapped)) + 1;
    if (each.flaw !== undefined) return { sent, size: 0 };
    if (size > callBytes) return { sent: { ...sent, flaw: 'is larger than the limit of a request' }, size: 0 };
    return { sent, size };
  }

  async #call(rows: readonly SentRow[]): Promise<Imported> {
    const sent = rows.filter(({ flaw }) => flaw === undefined);
    const contacts = sent.map(({ mapped }) => mapped);
    const body = { contacts, ...this.#settings };
    try {
      const answer = sent.length > 0 ? await this.#client.call(contract.importContacts, { body }) : { imported: 0, skipped: [] };
      const refused = new Map(answer.skipped.map(({ index, ...why }) => [sent[index]?.row, why]));
      const skipped = rows.flatMap((row) => {
        const why = row.flaw === undefined ? refused.get(row.row) : ({ code: 'invalid_row', reason: row.flaw } as const);
        return why ? [{ ...row, ...why }] : [];
      });
      this.#doneRow = rows.at(-1)?.row ?? this.#doneRow;
      return { rows, imported: answer.imported, skipped };
    } catch (error) {
      throw this.#positionError(error);
    }
  }

  /** Waits for work. @throws CliError 130 as soon as the user interrupts the import */
  #unlessStopped<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      this.#onStop = () => reject(this.#positionError(new CliError(exitCodes.interrupted, 'interrupted', 'The import was interrupted')));
      if (this.#isStopped) this.#onStop();
      else work.then(resolve, reject);
    });
  }

  /** Adds the row to continue from to an error. Rows after it that were imported already are skipped as duplicates then. */
  #positionError(error: unknown): Error {
    if ((error as Error).name === 'DryRun' || (error instanceof CliError && error.hint?.includes(continueHint))) return error as Error;
    const failure = toCliError(error);
    // Before the first row is done, there is no position to continue from; a usage error names its own remedy.
    const hasPosition = this.#doneRow > 0 || failure.exitCode === exitCodes.interrupted;
    if (!hasPosition || failure.exitCode === exitCodes.usage) return error as Error;
    const done = this.#doneRow === 0 ? 'No row is certain to be done' : `Every row up to ${this.#doneRow} is done`;
    const place = `${done}: ${continueHint} ${this.#doneRow + 1}.`;
    return new CliError(failure.exitCode, failure.code, failure.message, {
      ...failure,
      hint: failure.hint === undefined ? place : `${place} ${failure.hint}`,
    });
  }
}

/** A skipped row as it is shown; of a row that is not an object, all of it. */
function shownRow({ row, line, mapped, original, code, reason }: Skipped): Row {
  return { row, line, phone_number: mapped ? (mapped.phone_number ?? null) : original, identity: mapped?.identity ?? null, code, reason };
}

const continueHint = 'continue with --from-row';

function count(number: number): string {
  return number.toLocaleString('en-US');
}
