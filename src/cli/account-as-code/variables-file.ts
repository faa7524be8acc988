import type { Variables } from '../../account-as-code/files/variables.ts';
import { sentenceOf, someOf } from '../../contract/text/some-of.ts';
import { type CliError, usageError } from '../errors.ts';
import type { Notes } from '../output/notes.ts';
import type { SourceRow } from '../rows/files/source.ts';
import { openInput } from '../rows/input.ts';
import type { OptionSpec } from '../verb/noun.ts';
import type { World } from '../world.ts';

export const varsOption: OptionSpec = {
  flags: '--vars <file>',
  summary: 'variables for each account: a CSV file with the column `account`, and the variables in the others',
  completes: 'file',
};

/** The column with the id or the name of an account. */
const accountColumn = 'account';

/** An account that a row can name. */
interface NamedAccount {
  readonly id: string;
  readonly name: string;
}

/** The contents of a file of `--vars`. */
export interface VariablesFile {
  readonly path: string;
  /** The names of the variables. */
  readonly names: readonly string[];
  /** The variables of the accounts that have a row, by the id of the account. */
  readonly byAccount: ReadonlyMap<string, Variables>;
}

/**
 * Reads the file of `--vars`. Rows of other accounts, and accounts without a row, are told in notes.
 * @param accounts the accounts of the command
 * @throws CliError 1 if it cannot be read; 2 if it has no column `account`, a column or an account twice, or a row is wrong
 */
export async function readVariables(
  path: string,
  accounts: readonly NamedAccount[],
  { world, notes }: { readonly world: World; readonly notes: Notes },
): Promise<VariablesFile> {
  const { source } = await openInput(path, { list: 'accounts' }, world, { format: 'csv' });
  const columns = source.headers;
  checkColumns(path, columns);
  const names = columns.filter((name) => name !== accountColumn && name !== '');
  const byAccount = new Map<string, Variables>();
  const others = new Set<string>();
  for await (const row of source.rows) {
    const named = accountIn(path, row);
    const [account, ...more] = accounts.filter(({ id, name }) => named === id || named === name);
    if (more.length > 0) throw rowError(path, row, `several accounts are named '${named}': give the id`);
    if (account ? byAccount.has(account.id) : others.has(named)) throw rowError(path, row, `the account '${named}' has a row already`);
    if (account) byAccount.set(account.id, new Map(names.map((name) => [name, cellOf(row, name)])));
    else others.add(named);
  }
  for (const remark of source.remarks()) notes.say(`${path}: ${remark}`);
  if (others.size > 0) notes.say(`${path} has rows of accounts that the command does not act on: ${someOf([...others])}.`);
  const without = accounts.filter(({ id }) => !byAccount.has(id)).map(({ name }) => name);
  if (without.length > 0) notes.say(`${path} has no row for ${sentenceOf(without)}: the \`vars\` of account.yaml apply.`);
  return { path, names, byAccount };
}

function checkColumns(path: string, columns: readonly string[]): void {
  if (!columns.includes(accountColumn))
    throw usageError(
      `${path} has no column '${accountColumn}'`,
      'The first line names the columns: `account`, with the name or id of each account, and the variables.',
    );
  const twice = columns.find((name, index) => name !== '' && columns.indexOf(name) !== index);
  if (twice !== undefined) throw usageError(`${path} has the column '${twice}' twice`, 'Remove one of them.');
}

function accountIn(path: string, row: SourceRow): string {
  if (row.flaw !== undefined) throw rowError(path, row, row.flaw);
  const named = cellOf(row, accountColumn).trim();
  if (named === '') throw rowError(path, row, 'the account is empty');
  return named;
}

function cellOf({ value }: SourceRow, column: string): string {
  const cell = value?.[column];
  return typeof cell === 'string' ? cell : '';
}

function rowError(path: string, { line }: SourceRow, problem: string): CliError {
  return usageError(`${path}:${line}: ${problem}`);
}

/** Notes the variables of the file that no value uses: a misspelled one would have no effect. @param used those that values use */
export function noteUnused({ path, names }: VariablesFile, used: ReadonlySet<string>, notes: Notes): void {
  const unused = names.filter((name) => !used.has(name));
  if (unused.length > 0) notes.say(`The files do not use these columns of ${path}: ${someOf(unused)}.`);
}
