import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isDirectory, isVisibleInside } from '../../account-as-code/files/folder.ts';
import { readFolders } from '../../account-as-code/files/settings.ts';
import type { Variables } from '../../account-as-code/files/variables.ts';
import { about, FilesError, inFolder, type Problem } from '../../account-as-code/planner/problems.ts';
import { counted } from '../../contract/text/counted.ts';
import { someOf } from '../../contract/text/some-of.ts';
import { usageError } from '../errors.ts';
import { flagOrVariable } from '../global-options.ts';
import type { Options, Session } from '../verb/noun.ts';
import type { ActedAccount } from './account-clients.ts';
import { readBaseRoot } from './options.ts';
import { type OpenFiles, openFiles, requireFolder, withFiles } from './planning.ts';
import { noteUnused, readVariables } from './variables-file.ts';

/** An account and its files, which were validated. */
export interface OpenAccount {
  readonly account: ActedAccount;
  readonly files: OpenFiles;
  /** Calls `work` and says of errors in the files whose they are. */
  readonly explaining: <Value>(work: () => Promise<Value>) => Promise<Value>;
}

/**
 * Opens the files of several accounts: a folder with a folder for each of them, or one with records of its own, which is the same
 * configuration for all of them.
 * @throws CliError 2 if a file is invalid, or none of the accounts has a folder
 */
export async function openAccounts(
  session: Session,
  folder: string,
  accounts: readonly ActedAccount[],
  options: Options,
): Promise<OpenAccount[]> {
  const folders = await foldersByAccount(requireFolder(folder), options);
  if (folders.size === 0 && (await isForAll(session, folder, options))) return await openForAll(session, folder, accounts, options);
  if (folders.size > 0 && options.vars !== undefined)
    throw usageError(`--vars is for one folder of several accounts, but ${folder} has a folder for each account`, varsHint);
  return await openEach(session, folder, folders, accounts, options);
}

const varsHint = 'Variables of one account are the `vars` in its account.yaml.';

/** Whether a folder has records, or mistakes, and names no account. @throws CliError 2 if it names an account */
async function isForAll(session: Session, folder: string, options: Options): Promise<boolean> {
  const opened = await openFiles(session, folder, { ...options, vars: undefined }).catch(filesErrorOf);
  if (opened instanceof FilesError) return true;
  const { account, kinds } = opened;
  if (account !== undefined)
    throw usageError(
      `${folder}/account.yaml names the account ${account}, but the command acts on several accounts`,
      'Remove `account` from it to use the folder for all of them, or choose the account with --sub-account.',
    );
  return kinds.size > 0;
}

/** Opens the same folder for each account, with the variables of the account. */
async function openForAll(session: Session, folder: string, accounts: readonly ActedAccount[], options: Options): Promise<OpenAccount[]> {
  const file = options.vars === undefined ? undefined : await readVariables(options.vars as string, accounts, session);
  const variablesOf = ({ id }: ActedAccount) => file?.byAccount.get(id);
  const opened = new Map<ActedAccount, OpenFiles>();
  const problems: { readonly problem: Problem; readonly name: string }[] = [];
  const alike = Map.groupBy(accounts, (account) => JSON.stringify([...(variablesOf(account) ?? [])]));
  for (const group of alike.values()) {
    const read = await readWhole(session, folder, options, group[0] && variablesOf(group[0]));
    for (const account of group)
      if (read instanceof FilesError) problems.push(...read.problems.map((problem) => ({ problem, name: account.name })));
      else opened.set(account, read);
  }
  if (problems.length > 0) await withFiles('', () => Promise.reject(new FilesError(mergedProblems(problems, accounts.length))));
  if (file) noteUnused(file, new Set([...opened.values()].flatMap(({ usedVariables }) => [...usedVariables])), session.notes);
  return Array.from(opened, ([account, files]) => ({
    account,
    files,
    explaining: (work) => withFiles('', () => namingAccount(account.name, work)),
  }));
}

/** Opens and validates a folder. @returns the errors if a file is invalid */
async function readWhole(
  session: Session,
  folder: string,
  options: Options,
  variables: Variables | undefined,
  above = folder,
): Promise<OpenFiles | FilesError> {
  try {
    const files = await openFiles(session, folder, options, { above, variables });
    const configuration = await files.configuration();
    return { ...files, configuration: async () => configuration };
  } catch (error) {
    return filesErrorOf(error);
  }
}

/** @throws any other error */
function filesErrorOf(error: unknown): FilesError {
  if (error instanceof FilesError) return error;
  throw error;
}

/** The problems of all accounts, each once. One that not all of them have names those that have it. */
function mergedProblems(found: readonly { readonly problem: Problem; readonly name: string }[], total: number): Problem[] {
  return [...Map.groupBy(found, ({ problem }) => JSON.stringify(problem)).values()].flatMap((alike) => {
    const names = alike.map(({ name }) => name);
    const problems = alike.slice(0, 1).map(({ problem }) => problem);
    return names.length === total ? problems : about(someOf(names), problems);
  });
}

/** Calls `work`, and names the account in errors in the files. */
async function namingAccount<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FilesError ? new FilesError(about(name, error.problems)) : error;
  }
}

/** Opens the folder of each account. Accounts without a folder are counted in a note. */
async function openEach(
  session: Session,
  folder: string,
  folders: ReadonlyMap<string, string>,
  accounts: readonly ActedAccount[],
  options: Options,
): Promise<OpenAccount[]> {
  const withFolder = accounts.filter(({ id }) => folders.has(id));
  if (withFolder.length === 0)
    throw usageError(
      `${folder} has no folder for any of these accounts`,
      'The folder of an account names its id in `account.yaml`: `msgctl dump DIR --sub-account all` writes such folders. A folder with records of its own is for all accounts.',
    );
  noteLeftOut(session, folders, accounts, accounts.length - withFolder.length);
  const opened: OpenAccount[] = [];
  for (const account of withFolder) {
    const path = folders.get(account.id) ?? '';
    const explaining: OpenAccount['explaining'] = (work) => withFiles(relative(folder, path), work);
    const files = await explaining(async () => {
      const read = await readWhole(session, path, options, undefined, folder);
      return read instanceof FilesError ? await Promise.reject(read) : read;
    });
    opened.push({ account, files, explaining });
  }
  return opened;
}

function noteLeftOut(
  { notes, globals, world }: Session,
  folders: ReadonlyMap<string, string>,
  accounts: readonly ActedAccount[],
  without: number,
): void {
  if (without > 0) notes.say(`Skipped ${counted(without, 'account')} without a folder.`);
  if (flagOrVariable(globals.subAccount, world.env, 'MSGCTL_SUB_ACCOUNT') !== 'all') return;
  const others = [...folders].filter(([account]) => !accounts.some(({ id }) => id === account)).map(([, path]) => path);
  if (others.length > 0) notes.say(`Skipped folders of other accounts: ${someOf(others)}.`);
}

/**
 * The folders for accounts, by account id. Hidden ones are not read.
 * @throws CliError 2 if two folders are for the same account, one is a link out of the folder, or a file is invalid
 */
export async function foldersByAccount(folder: string, options: Options): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const root = readBaseRoot(folder, options, true);
  await withFiles('', () => {
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name);
      if (name.startsWith('.') || !isDirectory(path) || !existsSync(join(path, 'account.yaml'))) continue;
      if (!isVisibleInside(folder, path))
        throw usageError(`${path} is a link that leads out of ${folder}, or to a hidden folder`, 'Remove the link.');
      const problems: Problem[] = [];
      const account = readFolders(path, [], root, problems).at(-1)?.settings.account;
      if (problems.length > 0) throw new FilesError(inFolder(name, problems));
      if (account === undefined) continue;
      const other = found.get(account);
      if (other !== undefined) throw usageError(`${path} and ${other} are for the same account, ${account}`);
      found.set(account, path);
    }
  });
  return found;
}
