import { limits } from '../../contract/limits.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { toCliError } from '../explain.ts';
import type { SourceRow } from './files/source.ts';
import { callBytes, type Prepare, type PreparedRow } from './prepare.ts';
import type { SkippedRow, ReadStep } from './steps.ts';

/** Maximum size of the rows of one call, in bytes of the file. They are held in memory until the call is done. */
const heldBytes = 16 * 1024 * 1024;

/** The result of a call. */
interface Sent {
  /** Number of rows that were imported. */
  readonly taken: number;
  /** Why the other rows were not imported, by row number. */
  readonly refused: ReadonlyMap<number, Pick<SkippedRow, 'code' | 'reason'>>;
}

/** Sends valid rows in one call. */
export type Send = (rows: readonly PreparedRow[]) => Promise<Sent>;

/** Splits an import into calls of up to 500 rows each. */
export class Calls {
  readonly #prepare: Prepare;
  readonly #send: Send;
  /** All rows up to this number are done. */
  #doneRow = 0;
  #isStopped = false;
  /** Called when the user interrupts the import. */
  #onStop: () => void = () => {};

  /** @param interrupted resolves when the user interrupts the import */
  constructor(prepare: Prepare, send: Send, interrupted: Promise<void>) {
    this.#prepare = prepare;
    this.#send = send;
    void interrupted.then(() => {
      this.#isStopped = true;
      this.#onStop();
    });
  }

  /** Makes the calls one after another. While a call is in progress, the rows for the next one are read. */
  async *make(rows: AsyncIterable<SourceRow>, fromRow: number): AsyncGenerator<ReadStep> {
    // Rows before `fromRow` were imported by an earlier run.
    this.#doneRow = fromRow - 1;
    const batches = this.#batches(rows, fromRow);
    let call: Promise<ReadStep> | null = null;
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
      // The promise is awaited in the next round. Until then, a rejection must not be reported as unhandled.
      call.catch(() => {});
    }
  }

  /** The rows from `fromRow` on, in one batch per call. */
  async *#batches(rows: AsyncIterable<SourceRow>, fromRow: number): AsyncGenerator<PreparedRow[]> {
    let row = 0;
    let batch: PreparedRow[] = [];
    let bytes = 0;
    // The offsets in the file where the batch begins and where the last row ended.
    let begin = 0;
    let end = 0;
    try {
      for await (const each of rows) {
        row++;
        const previousEnd = end;
        end = each.end;
        if (row < fromRow) continue;
        const prepared = this.#prepare(each, row);
        const { size } = prepared;
        if (batch.length === limits.importRows || bytes + size > callBytes || (batch.length > 0 && end - begin > heldBytes)) {
          yield batch;
          [batch, bytes] = [[], 0];
        }
        if (batch.length === 0) begin = previousEnd;
        batch.push(prepared);
        bytes += size;
      }
    } catch (error) {
      // Rows before the error are imported, so that the import can continue at the error.
      if (batch.length > 0) yield batch;
      throw error;
    }
    checkFromRow(fromRow, row);
    if (batch.length > 0) yield batch;
  }

  async #call(rows: readonly PreparedRow[]): Promise<ReadStep> {
    const sent = rows.filter(({ flaw }) => flaw === undefined);
    try {
      const { taken, refused } = sent.length > 0 ? await this.#send(sent) : { taken: 0, refused: new Map() as Sent['refused'] };
      const skipped = rows.flatMap((row): SkippedRow[] => {
        const why = row.flaw === undefined ? refused.get(row.row) : { code: 'invalid_row', reason: row.flaw };
        return why ? [{ ...row, ...why }] : [];
      });
      this.#doneRow = rows.at(-1)?.row ?? this.#doneRow;
      return { taken, skipped, end: rows.at(-1)?.end ?? 0 };
    } catch (error) {
      throw this.#positionError(error);
    }
  }

  /** Waits for a promise. @throws CliError 130 immediately when the user interrupts the import */
  #unlessStopped<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      this.#onStop = () => reject(this.#positionError(new CliError(exitCodes.interrupted, 'interrupted', 'The import was interrupted')));
      if (this.#isStopped) this.#onStop();
      else work.then(resolve, reject);
    });
  }

  /** Adds the row to continue from to an error. Rows after it that are already imported are then skipped as duplicates. */
  #positionError(error: unknown): Error {
    if (error instanceof CliError && error.hint?.includes(continueHint)) return error;
    const failure = toCliError(error);
    // Before the first row is done, there is nothing to continue from; a usage error has its own hint.
    const hasPosition = this.#doneRow > 0 || failure.exitCode === exitCodes.interrupted;
    if (!hasPosition || failure.exitCode === exitCodes.usage) return error as Error;
    const done = this.#doneRow === 0 ? 'No row is certain to be done' : `Every row up to ${this.#doneRow} is done`;
    const place = `${done}: ${continueHint} ${this.#doneRow + 1}.`;
    return failure.with({ hint: failure.hint === undefined ? place : `${place} ${failure.hint}` });
  }
}

const continueHint = 'continue with --from-row';

/** @throws CliError 2 if the file has fewer rows than the row to start at */
export function checkFromRow(fromRow: number, rows: number): void {
  if (rows < fromRow && fromRow > 1)
    throw usageError(`--from-row ${fromRow}: ${rows === 0 ? 'the file has no rows' : `the last row of the file is ${rows}`}`);
}
