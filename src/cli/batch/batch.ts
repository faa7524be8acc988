import { rowLimit } from '../verb/paging.ts';
import type { Options, Verb } from '../verb/noun.ts';
import { invalidValueError } from '../invalid-value.ts';
import { CliError, type ExitCode, exitCodes } from '../errors.ts';
import { toCliError } from '../explain.ts';
import { counted } from '../../contract/text/counted.ts';
import { Progress } from '../output/progress.ts';
import { columnsOf, exitCodeOf, type Page, type Result, type ResultRow } from '../output/result.ts';
import type { World } from '../world.ts';
import type { Account } from './accounts.ts';
import { type Failure, failureOf, partlyFailedError, stateAfter, tellsAll } from './failures.ts';
import type { BatchFile } from './batch-files.ts';

/** Maximum number of accounts that are processed in parallel. */
const parallel = 4;

/** Timeout for outstanding requests when a batch is interrupted, in milliseconds. */
const stopTimeout = 2_000;

/** The columns of a dry run, which shows requests. */
const requestColumns = ['method', 'url', 'body'];

/** The input of a batch. */
interface Setting {
  readonly accounts: readonly Account[];
  readonly world: World;
  readonly quiet: boolean;
  /** Whether the output is a table for people, which shows account names instead of ids. */
  readonly isTable: boolean;
  /** Runs the verb on one account. The keys of its requests are made from the seed. */
  readonly run: (account: Account, options: Options, seed: string | undefined) => Promise<Result>;
  /** Records the progress; null for a verb that changes nothing. */
  readonly file: BatchFile | null;
  /** Whether the verb supports `--if-exists` and the command does not use it. */
  readonly mayAcceptExisting: boolean;
}

/** Where a merged list goes on. */
interface Place {
  /** The index of the account. */
  readonly index: number;
  /** The cursor of its list; undefined for the first page. */
  readonly cursor: string | undefined;
}

/** The result of an account, of which the first page was already read. */
interface Begun {
  readonly result: Result;
  readonly pages: AsyncIterator<Page>;
  readonly first: IteratorResult<Page>;
}

/**
 * Runs a verb on several accounts in parallel and merges the results into one list in the order of the accounts, with the
 * additional columns `sub_account_id` and `sub_account`.
 */
export class Batch {
  readonly #setting: Setting;
  readonly #failures: Failure[] = [];
  /** Usage errors, which are either wrong for all accounts or specific to one, such as a name that matches two records. */
  readonly #usageErrors: CliError[] = [];
  readonly #progress: Progress;
  /** The work that was begun, by the index of the account. */
  readonly #begun: Promise<Begun | null>[] = [];
  /** Results that were not printed yet, by the index of the account. */
  readonly #unprinted = new Map<number, Begun>();
  /** The columns of the first result that has its own. */
  #columns: readonly string[] | undefined;
  #exitCode: ExitCode = exitCodes.done;
  #finished = 0;
  #isStopped = false;
  /** The error that ended the batch early. It is thrown after the rows are printed. */
  #ended: Error | undefined;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#progress = new Progress(setting.world, setting.quiet);
  }

  /** The merged result. No requests are sent until its first row is read. */
  result(verb: Verb, options: Options): Result {
    const begin = this.#placeOf(options.cursor as string | undefined);
    const known = options.dryRun ? (verb.dryRunColumns ?? requestColumns) : verb.shown?.columns;
    const hasOwnColumns = verb.shown?.hasOwnColumns === true && !options.dryRun;
    const accountColumns = this.#setting.isTable ? ['sub_account'] : ['sub_account_id', 'sub_account'];
    return {
      kind: 'list',
      field: verb.shown?.rows ?? 'results',
      ...(known && {
        // If every account failed, the columns of this request are unknown.
        columns: hasOwnColumns ? () => [...accountColumns, ...(this.#columns ?? [])] : [...accountColumns, ...known],
      }),
      pages: this.#pages(verb, options, begin),
      paged: verb.pages === true,
    };
  }

  /**
   * The exit code. Call it after all rows are read.
   * @throws CliError 8 if the verb failed on some of the accounts; the error that ended the batch early
   */
  check(): ExitCode {
    const { accounts, file, mayAcceptExisting } = this.#setting;
    if (this.#ended) throw this.#ended;
    if (this.#failures.length === 0) {
      file?.remove();
      return this.#exitCode;
    }
    const [usage] = this.#usageErrors;
    // If the command is invalid for every account, nothing was done, so a new batch cannot be resumed and its file is
    // removed.
    const isWrong = usage && this.#usageErrors.filter(({ message }) => message === usage.message).length === accounts.length;
    if (isWrong && file?.isNew) file.remove();
    else file?.release();
    if (isWrong) throw usage;
    const places = new Map(accounts.map(({ id }, index) => [id ?? null, index]));
    const failures = this.#failures.toSorted((a, b) => (places.get(a.sub_account_id) ?? 0) - (places.get(b.sub_account_id) ?? 0));
    const isAllExisting = mayAcceptExisting && failures.every(({ status }) => status === 409);
    throw partlyFailedError(failures, accounts.length, this.#standing(), isAllExisting);
  }

  /** The cursor of a merged list: the account and the cursor of its list. Null at the end. */
  #cursorOf({ index, cursor = '' }: Place): string | null {
    const account = this.#setting.accounts[index];
    return account ? `${account.id ?? 'own'}:${cursor}` : null;
  }

  /** @throws CliError 2 if the cursor is not one of these accounts */
  #placeOf(text: string | undefined): Place {
    if (text === undefined) return { index: 0, cursor: undefined };
    const [, name = '', cursor = ''] = /^([^:]*):(.*)$/.exec(text) ?? [];
    const index = this.#setting.accounts.findIndex(({ id = 'own' }) => id === name);
    if (index < 0) throw invalidValueError('--cursor', text, 'is not a next_cursor of this list', 'Give the same accounts as before.');
    return { index, cursor: cursor || undefined };
  }

  async *#pages(verb: Verb, options: Options, begin: Place): AsyncGenerator<Page> {
    const { accounts, world, file } = this.#setting;
    // If the reader of stdout closes the pipe, as `head` does, the remaining accounts must still be changed.
    if (file) world.outliveReader();
    const stopped = world.interrupted.then(() => {
      this.#isStopped = true;
      return null;
    });
    // Only paginated lists have --limit. It limits the total number of rows, so the accounts are then read one after another.
    const counts = verb.pages === true;
    let left = (counts ? rowLimit(options) : undefined) ?? Infinity;
    const ahead = left === Infinity ? parallel : 1;
    const optionsOf = (index: number): Options => {
      const continued = { ...options, cursor: index === begin.index ? begin.cursor : undefined };
      return left === Infinity ? continued : { ...continued, limit: left };
    };
    // Nothing is left of the accounts before the cursor.
    for (let index = 0; index < begin.index; index++) this.#begun.push(Promise.resolve(null));
    try {
      for (const [index, account] of accounts.entries()) {
        if (left <= 0) return;
        this.#beginUpTo(index + ahead, optionsOf);
        const work = await Promise.race([this.#begun[index], stopped]);
        if (this.#isStopped && !file && world.hasLostReader) break;
        if (this.#isStopped) throw await this.#interruptedError();
        this.#unprinted.delete(index);
        if (!work) continue;
        for await (const page of this.#rowsOf(account, work)) {
          if (counts) left -= page.rows.length;
          const next = page.next_cursor === null ? { index: index + 1, cursor: undefined } : { index, cursor: page.next_cursor };
          yield { rows: page.rows, next_cursor: counts ? this.#cursorOf(next) : null };
        }
      }
      // The last accounts may have failed, which is reported otherwise, and a lost reader needs no cursor.
      if (counts && left > 0) yield { rows: [], next_cursor: null };
    } catch (error) {
      yield* this.#end(error);
    } finally {
      this.#progress.clear();
    }
  }

  /** Begins the work on the first `count` accounts, as far as it has not begun. */
  #beginUpTo(count: number, optionsOf: (index: number) => Options): void {
    const { accounts } = this.#setting;
    while (this.#begun.length < Math.min(count, accounts.length) && !this.#isStopped) {
      const index = this.#begun.length;
      const work = this.#begin(accounts[index] as Account, optionsOf(index));
      this.#begun.push(work);
      // The promise is awaited later. Until then, a rejection must not be reported as unhandled.
      work.then(
        (answer) => answer && this.#unprinted.set(index, answer),
        () => {},
      );
    }
  }

  /**
   * Ends the batch early. Yields the results of changes that were made, such as ids and new keys; `check` then throws the error.
   * @throws the error if nothing was changed
   */
  async *#end(error: unknown): AsyncGenerator<Page> {
    const { accounts, file } = this.#setting;
    const ended = this.#isStopped ? error : await this.#withStanding(error);
    if (!file || file.count('done') === 0) throw ended;
    for (const [index, work] of this.#unprinted) yield* this.#rowsOf(accounts[index] as Account, work);
    // If all accounts are done, the interrupt came too late to be an error.
    if (file.open.length > 0) this.#ended = ended as Error;
  }

  /** Adds the progress to an error that ends the batch. If nothing was done yet, there is nothing to resume. */
  async #withStanding(error: unknown): Promise<unknown> {
    const { file } = this.#setting;
    await Promise.allSettled(this.#begun);
    if (!file) return error;
    file.release();
    if (file.isNew && file.count('done') + file.count('unknown') === 0) {
      file.remove();
      return error;
    }
    const standing = this.#standing();
    const said = toCliError(error);
    return said.with({
      hint: standing?.hint,
      details: { ...said.details, ...standing?.counts },
    });
  }

  /** Runs the verb on an account and reads the first page. Returns null after a failure, which is recorded. */
  async #begin(account: Account, options: Options): Promise<Begun | null> {
    const { run, file } = this.#setting;
    const before = file?.stateOf(account);
    // If an earlier request may have succeeded, a failed retry does not change that its result is unknown, unless it tells what became of it.
    const markFailed = (error: unknown) => file?.mark(account, before === 'unknown' && !tellsAll(error) ? before : stateAfter(error));
    try {
      const seed = file?.begin(account);
      const result = await run(account, options, seed);
      const pages = pagesOf(result);
      const first = await pages.next();
      if (result.kind === 'list') this.#columns ??= columnsOf(result);
      if (result.failure) markFailed(result.failure);
      else file?.mark(account, 'done');
      return { result, pages, first };
    } catch (error) {
      markFailed(error);
      return this.#fail(account, error);
    } finally {
      this.#finished++;
      const total = this.#setting.accounts.length;
      if (!this.#isStopped)
        this.#progress.show(
          this.#finished / total,
          `${this.#finished} of ${counted(total, 'account')}, ${account.name ?? account.id ?? 'own'}`,
        );
    }
  }

  /** @throws the error if no other account could succeed either */
  #fail(account: Account, error: unknown): null {
    this.#failures.push(failureOf(account, error));
    const said = toCliError(error);
    if (said.exitCode === exitCodes.usage) this.#usageErrors.push(said);
    return null;
  }

  async *#rowsOf(account: Account, { result, pages, first }: Begun): AsyncGenerator<Page> {
    if (result.failure) this.#fail(account, result.failure);
    // Prints the rows of an account even if a later account fails.
    try {
      for (let next = first; !next.done; next = await pages.next()) {
        this.#progress.clear();
        // A scoped key may not read the names of accounts. A table then shows their ids.
        const name = account.name ?? (this.#setting.isTable ? (account.id ?? null) : null);
        const rows = next.value.rows.map((row) => ({ sub_account_id: account.id ?? null, sub_account: name, ...row }));
        yield { rows, next_cursor: next.value.next_cursor };
      }
      if (this.#exitCode === exitCodes.done) this.#exitCode = exitCodeOf(result) ?? exitCodes.done;
    } catch (error) {
      this.#fail(account, error);
    }
  }

  /** Waits briefly for outstanding requests and returns the error with the progress of the batch. */
  async #interruptedError(): Promise<CliError> {
    await Promise.race([Promise.allSettled(this.#begun), this.#setting.world.sleep(stopTimeout)]);
    this.#setting.file?.release();
    const standing = this.#standing();
    return new CliError(exitCodes.interrupted, 'interrupted', 'Interrupted', { hint: standing?.hint, details: standing?.counts ?? {} });
  }

  /** The progress and the command that resumes the batch; undefined if the verb changes nothing. */
  #standing(): { hint: string; counts: ResultRow } | undefined {
    const { file } = this.#setting;
    if (!file) return undefined;
    const counts = { done: file.count('done'), unknown: file.count('unknown'), left: file.count('left') };
    const command = `msgctl batch resume ${file.record.id}`;
    return {
      hint: `${counts.done} done, ${counts.unknown} unknown, ${counts.left} left: ${command}`,
      counts: { ...counts, batch: file.record.id },
    };
  }
}

/** The rows of a result, page by page. */
async function* pagesOf(result: Result): AsyncGenerator<Page> {
  if (result.kind === 'list') yield* result.pages;
  else yield { rows: [rowOf(result)], next_cursor: null };
}

function rowOf(result: Exclude<Result, { kind: 'list' }>): ResultRow {
  switch (result.kind) {
    case 'record':
      return result.record;
    case 'document':
      return result.document as ResultRow;
    case 'value':
    case 'nothing':
      return {};
  }
}
