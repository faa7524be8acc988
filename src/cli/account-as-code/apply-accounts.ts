import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDirectory, isVisibleInside } from '../../account-as-code/files/folder.ts';
import { readFolders } from '../../account-as-code/files/settings.ts';
import { requestsOf } from '../../account-as-code/run/requests.ts';
import { FilesError, inFolder, type Problem } from '../../account-as-code/planner/problems.ts';
import type { Options, Session } from '../verb/noun.ts';
import { usageError } from '../errors.ts';
import { flagOrVariable } from '../global-options.ts';
import { counted } from '../../contract/text/counted.ts';
import type { Result } from '../output/result.ts';
import { readBaseRoot } from './options.ts';
import { accountClients, type PlannedAccount } from './account-clients.ts';
import { accountsResult } from './accounts-result.ts';
import { runAccounts, worstExitCode } from './run-accounts.ts';
import { diffExitCode, planFolder, requireFolder, withFiles } from './planning.ts';
import { checkDeletions } from './run-plan.ts';

/** Compares the folders of several accounts with the live accounts. */
export async function diffAccounts(session: Session, folder: string, options: Options): Promise<Result> {
  if (options.out !== undefined) throw usageError('--out works on one account at a time, because a plan belongs to one account');
  const planned = await planAccounts(session, folder, options);
  const exitCode = worstExitCode(planned.map(({ plan }) => diffExitCode(plan)));
  return await accountsResult(session, planned, exitCode, new Map());
}

/**
 * Applies the folders of several accounts in a single run.
 * @throws CliError 2 if confirmation is needed but there is no terminal, deletions are not allowed, or secrets would be lost
 */
export async function applyToAccounts(session: Session, folder: string, options: Options): Promise<Result> {
  if (!isDirectory(folder))
    throw usageError('A plan is for one account', 'Omit --sub-account all, or name a folder with a folder for each account.');
  if (options.rehearse === true) throw usageError('--rehearse is for one account', 'Name the folder of one account.');
  const planned = await planAccounts(session, folder, options);
  checkDeletions(
    planned.map(({ plan }) => plan),
    options.allowDeletes as number | undefined,
  );
  return await runAccounts(session, planned, options, 'Apply');
}

/**
 * Plans each account that has a folder. Accounts without a folder are listed in a note and not changed.
 * @throws CliError 2 if none of them has a folder
 */
async function planAccounts(session: Session, folder: string, options: Options): Promise<PlannedAccount[]> {
  const { targets, notes } = session;
  const folders = await foldersByAccount(requireFolder(folder), options);
  const accounts = await accountClients(session);
  const withFolder = accounts.filter(({ id }) => folders.has(id));
  if (withFolder.length === 0)
    throw usageError(
      `${folder} has no folder for any of these accounts`,
      'The folder of an account names its id in `account.yaml`. `msgctl dump DIR --sub-account all` writes such folders.',
    );
  const without = accounts.filter(({ id }) => !folders.has(id)).map(({ name }) => name);
  if (without.length > 0) notes.say(`Skipped accounts without a folder: ${without.join(', ')}.`);
  if (flagOrVariable(session.globals.subAccount, session.world.env, 'MSGCTL_SUB_ACCOUNT') === 'all') {
    const others = [...folders].filter(([account]) => !accounts.some(({ id }) => id === account)).map(([, path]) => path);
    if (others.length > 0) notes.say(`Skipped folders of other accounts: ${others.join(', ')}.`);
  }
  const planned: PlannedAccount[] = [];
  for (const { id, ...account } of withFolder) {
    const before = targets.requests;
    planned.push({
      ...(await planFolder(account.session, account.client, folders.get(id) ?? '', options, folder)),
      ...account,
      undoes: null,
    });
    const requests = (targets.requests - before) * (withFolder.length - 1);
    // The first account is a sample from which the effort for the others is estimated.
    if (planned.length === 1 && targets.waitOf(requests) > 0)
      notes.say(`Reading the other ${counted(withFolder.length - 1, 'account')} takes ${effortOf(session, requests)}.`);
  }
  const requests = planned.reduce((sum, { plan, live }) => sum + requestsOf(plan, live), 0);
  if (requests > 0) notes.say(`The changes of ${counted(planned.length, 'account')} take ${effortOf(session, requests)}.`);
  return planned;
}

/** The number of requests and their duration for a message, such as `about 1,200 requests and 4 minutes`. */
function effortOf({ targets }: Session, requests: number): string {
  const minutes = targets.waitOf(requests) / 60_000;
  const time = minutes < 1 ? 'less than a minute' : counted(Math.round(minutes * 10) / 10, 'minute');
  return `about ${counted(requests, 'request')} and ${time}`;
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
