import { listSubAccounts } from '../../contract/areas/accounts/endpoints.ts';
import type { Options, Verb } from './noun.ts';
import { rowLimit } from './paging.ts';
import { InvalidValue, splitList } from './values.ts';
import { CliError, type ExitCode, exitCodes, usageError } from '../errors.ts';
import { toCliError } from '../explain.ts';
import type { Notes } from '../output/notes.ts';
import { exitCodeOf, type Page, type Result, type Row } from '../output/result.ts';
import type { Targets } from '../target/targets.ts';

/** An account to act on: a sub-account, or the key's own account without an id. */
interface Account {
  readonly id: string | undefined;
}

/** Why a verb failed on an account. */
interface Failure {
  readonly sub_account_id: string | null;
  readonly code: string;
  readonly message: string;
  readonly status: number | null;
  readonly error_code: number | string | null;
}

/** Replaces the cursor when the limit was reached before the last account. */
const unreadAccounts = 'unread accounts';

/** The columns of the requests that a dry run shows. */
const requestColumns = ['method', 'url', 'body'];

/** A confirmation for more accounts shows their number instead of their names. */
const maxNamed = 10;

/** The accounts that `--sub-account` or MSGCTL_SUB_ACCOUNT names. */
export class Accounts {
  readonly #accounts: readonly Account[];
  readonly #targets: Targets;
  readonly #isOne: boolean;
  readonly #failures: Failure[] = [];
  #exitCode: ExitCode = exitCodes.done;

  private constructor(accounts: readonly Account[], targets: Targets, isOne: boolean) {
    this.#accounts = accounts;
    this.#targets = targets;
    this.#isOne = isOne;
  }

  /**
   * Reads one id or several separated by commas, `all` (every sub-account of the agency) or `own`.
   * Notes when there is no sub-account at all.
   * @throws CliError 2 when an id is empty, or when `all` is used in a dry run
   */
  static async read(named: string, targets: Targets, isDryRun: boolean, notes: Notes): Promise<Accounts> {
    const items = readItems(named);
    targets.actOn(undefined);
    if (items.includes('all') && isDryRun)
      throw usageError('A dry run sends nothing, so it cannot list all sub-accounts', 'List the ids: --sub-account acc_1,acc_2');
    const ids = new Set<string | undefined>();
    for (const item of items) {
      if (item === 'all') for (const id of await allSubAccounts(targets)) ids.add(id);
      else ids.add(item === 'own' ? undefined : item);
    }
    if (ids.size === 0) notes.say('The account has no sub-accounts: there is nothing to do.');
    const accounts = [...ids].map((id) => ({ id }));
    return new Accounts(accounts, targets, items.length === 1 && items[0] !== 'all');
  }

  /** The account, when exactly one was named; null when the command runs on several. */
  get only(): Account | null {
    return this.#isOne ? (this.#accounts[0] ?? null) : null;
  }

  /** The accounts as a confirmation names them. */
  get description(): string {
    const names = this.#accounts.map(nameOf).join(', ');
    return `${this.#accounts.length} accounts${this.#accounts.length > maxNamed ? '' : `: ${names}`}`;
  }

  /**
   * Runs a verb on each account and merges the answers into one list with a column `sub_account_id`.
   * @param run runs the verb on the current account with these options
   */
  runOnEach(verb: Verb, options: Options, run: (options: Options) => Promise<Result>): Result {
    if (options.cursor !== undefined) throw usageError('--cursor continues the list of one account: give only that account');
    const known = options.dryRun ? requestColumns : verb.shown?.columns;
    const columns = known && ['sub_account_id', ...known];
    return {
      kind: 'list',
      field: verb.shown?.rows ?? 'results',
      ...(columns && { columns }),
      pages: this.#pages(verb, options, run),
      paged: false,
    };
  }

  /**
   * The exit code, once all rows are read.
   * @throws CliError 8 when the verb failed on some of the accounts
   */
  check(): ExitCode {
    const failures = this.#failures;
    if (failures.length === 0) return this.#exitCode;
    const reasons = failures.map(({ sub_account_id: id, message }) => `${id ?? 'own'}: ${message}`).join('; ');
    throw new CliError(
      exitCodes.partlyFailed,
      'partly_failed',
      `${failures.length} of ${this.#accounts.length} accounts failed. ${reasons}`,
      {
        details: { failures },
      },
    );
  }

  async *#pages(verb: Verb, options: Options, run: (options: Options) => Promise<Result>): AsyncGenerator<Page> {
    // Only a paginated list has --limit, which counts the rows of all accounts together.
    const counts = verb.pages === true;
    let left = (counts ? rowLimit(options) : undefined) ?? Infinity;
    for (const account of this.#accounts) {
      if (left <= 0) {
        yield { rows: [], next_cursor: unreadAccounts };
        return;
      }
      try {
        this.#targets.actOn(account.id);
        const result = await run(left === Infinity ? options : { ...options, limit: left });
        if (result.kind === 'document' && result.failure) this.#failures.push(failureOf(account, result.failure));
        for await (const page of pagesOf(result)) {
          const rows = page.rows.map((row) => ({ sub_account_id: account.id ?? null, ...row }));
          if (counts) left -= rows.length;
          yield { rows, next_cursor: left <= 0 ? page.next_cursor : null };
        }
        // What one account found is not undone by the next.
        if (this.#exitCode === exitCodes.done) this.#exitCode = exitCodeOf(result) ?? exitCodes.done;
      } catch (error) {
        this.#failures.push(failureOf(account, error));
      }
    }
  }
}

function nameOf({ id }: Account): string {
  return id ?? 'your own account';
}

/**
 * Describes why a verb failed on one account.
 * @throws the error itself when it affects every account: an interrupt, a usage error, an invalid key
 */
function failureOf({ id }: Account, error: unknown): Failure {
  const { message, code, status, errorCode, exitCode } = toCliError(error);
  if (exitCode === exitCodes.interrupted || exitCode === exitCodes.usage || status === 401) throw error;
  return { sub_account_id: id ?? null, code, message, status: status ?? null, error_code: errorCode ?? null };
}

function readItems(named: string): string[] {
  try {
    return splitList(named);
  } catch (error) {
    if (error instanceof InvalidValue) throw usageError(`--sub-account ${error.message}`);
    throw error;
  }
}

async function allSubAccounts(targets: Targets): Promise<string[]> {
  const client = await targets.client();
  const ids: string[] = [];
  for await (const { rows } of client.pages(listSubAccounts, {}, undefined)) ids.push(...rows.map(({ id }) => id as string));
  return ids;
}

/** The rows of a result, page by page. */
async function* pagesOf(result: Result): AsyncGenerator<Page> {
  if (result.kind === 'list') yield* result.pages;
  else yield { rows: [rowOf(result)], next_cursor: null };
}

function rowOf(result: Exclude<Result, { kind: 'list' }>): Row {
  switch (result.kind) {
    case 'record':
      return result.record;
    case 'document':
      return result.document as Row;
    case 'value':
    case 'nothing':
      return {};
  }
}
