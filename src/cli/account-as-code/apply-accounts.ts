import { existsSync } from 'node:fs';
import { isDirectory } from '../../account-as-code/files/folder.ts';
import { requestsOf } from '../../account-as-code/run/requests.ts';
import type { Options, Session } from '../verb/noun.ts';
import { usageError } from '../errors.ts';
import { counted } from '../../contract/text/counted.ts';
import type { Result } from '../output/result.ts';
import { accountClients, type PlannedAccount } from './account-clients.ts';
import { openAccounts } from './account-folders.ts';
import { accountsResult } from './accounts-result.ts';
import { runAccounts, worstExitCode } from './run-accounts.ts';
import { diffExitCode, planFiles } from './planning.ts';
import { checkDeletions } from './run-plan.ts';

/** Compares the files of several accounts with the live accounts. */
export async function diffAccounts(session: Session, folder: string, options: Options): Promise<Result> {
  if (options.out !== undefined) throw usageError('--out works on one account at a time, because a plan belongs to one account');
  const planned = await planAccounts(session, folder, options);
  const exitCode = worstExitCode(planned.map(({ plan }) => diffExitCode(plan)));
  return await accountsResult(session, planned, exitCode, new Map());
}

/**
 * Applies the files of several accounts in a single run.
 * @throws CliError 2 if confirmation is needed but there is no terminal, deletions are not allowed, or secrets would be lost
 */
export async function applyToAccounts(session: Session, folder: string, options: Options): Promise<Result> {
  if (existsSync(folder) && !isDirectory(folder))
    throw usageError('A plan is for one account', 'Choose the account with --sub-account, or name a folder.');
  if (options.rehearse === true) throw usageError('--rehearse is for one account', 'Choose one account with --sub-account.');
  const planned = await planAccounts(session, folder, options);
  checkDeletions(
    planned.map(({ plan }) => plan),
    options.allowDeletes as number | undefined,
  );
  return await runAccounts(session, planned, options, 'Apply');
}

/** Plans each account, before anything is asked or written. @throws CliError 2 if a file is invalid, or none of them has a folder */
async function planAccounts(session: Session, folder: string, options: Options): Promise<PlannedAccount[]> {
  const { targets, notes } = session;
  const opened = await openAccounts(session, folder, await accountClients(session), options);
  const planned: PlannedAccount[] = [];
  for (const { account, files, explaining } of opened) {
    const before = targets.requests;
    const plan = await explaining(() => planFiles(account.session, account.client, files, options));
    planned.push({ ...plan, ...account, undoes: null });
    const requests = (targets.requests - before) * (opened.length - 1);
    // The first account is a sample from which the effort for the others is estimated.
    if (planned.length === 1 && targets.waitOf(requests) > 0)
      notes.say(`Reading the other ${counted(opened.length - 1, 'account')} takes ${effortOf(session, requests)}.`);
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
