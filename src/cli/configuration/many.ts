import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDirectory } from '../../account-as-code/files/folder.ts';
import { readFolders } from '../../account-as-code/files/settings.ts';
import { FilesError, type Problem } from '../../account-as-code/problems.ts';
import type { Options, Session } from '../command/noun.ts';
import { usageError } from '../errors.ts';
import { counted } from '../output/counted.ts';
import type { Result } from '../output/result.ts';
import { accountClients, type PlannedAccount } from './many-accounts.ts';
import { accountsResult } from './many-result.ts';
import { gravest, runAccounts } from './many-running.ts';
import { diffExitCode, planFolder, requireFolder, withFiles } from './planning.ts';
import { checkDeletions } from './running.ts';

/** How many requests a write takes: the record before and after it, and the write itself. */
const requestsPerChange = 3;

/** The requests that a key may send in a minute. */
const requestsPerMinute = 300;

/** Compares the folders of accounts with the live accounts. */
export async function diffAccounts(session: Session, folder: string, options: Options): Promise<Result> {
  if (options.out !== undefined) throw usageError('--out is for one account: a plan is bound to its account');
  const planned = await planAccounts(session, folder, options);
  const exitCode = gravest(planned.map(({ plan }) => diffExitCode(plan)));
  return await accountsResult(session, planned, exitCode, new Map());
}

/**
 * Applies the folders of accounts. One run has them all.
 * @throws CliError 2 when there is nobody to ask, deletions are not allowed, or secrets would be lost
 */
export async function applyToAccounts(session: Session, folder: string, options: Options): Promise<Result> {
  if (!isDirectory(folder))
    throw usageError('A plan is for one account', 'Omit --sub-account all, or name a folder with a folder for each account.');
  if (options.rehearse === true) throw usageError('--rehearse is for one account', 'Rehearse the folder of one of them.');
  const planned = await planAccounts(session, folder, options);
  checkDeletions(
    planned.map(({ plan }) => plan),
    options.allowDeletes as number | undefined,
  );
  return await runAccounts(session, planned, options, 'Apply');
}

/** Plans each account that has a folder. Those without one are named, and left alone. */
async function planAccounts(session: Session, folder: string, options: Options): Promise<PlannedAccount[]> {
  const folders = await foldersByAccount(requireFolder(folder));
  const accounts = await accountClients(session);
  const without = accounts.filter(({ id }) => !folders.has(id)).map(({ name }) => name);
  if (without.length > 0) session.notes.say(`Without a folder, and left alone: ${without.join(', ')}.`);
  const planned: PlannedAccount[] = [];
  const before = session.targets.requests;
  for (const { id, ...account } of accounts) {
    const path = folders.get(id);
    if (path === undefined) continue;
    planned.push({ ...(await planFolder(account.session, account.client, path, options)), ...account, undoes: null });
  }
  const changes = planned.reduce((sum, { plan }) => sum + plan.changes.length, 0);
  const requests = changes * requestsPerChange;
  if (changes > 0)
    session.notes.say(
      `${counted(planned.length, 'account')} read with ${session.targets.requests - before} requests. The changes take about ${requests} requests, ${counted(Math.ceil(requests / requestsPerMinute), 'minute')} at most.`,
    );
  return planned;
}

/** The folders that name an account, by its id. @throws CliError 2 when two name the same one, or a file is wrong */
export async function foldersByAccount(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  await withFiles(() => {
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name);
      if (!isDirectory(path) || !existsSync(join(path, 'account.yaml'))) continue;
      const problems: Problem[] = [];
      const account = readFolders(path, [], problems).at(-1)?.settings.account;
      if (problems.length > 0) throw new FilesError(problems);
      if (account === undefined) continue;
      const other = found.get(account);
      if (other !== undefined) throw usageError(`${path} and ${other} are for the same account, ${account}`);
      found.set(account, path);
    }
  });
  return found;
}
