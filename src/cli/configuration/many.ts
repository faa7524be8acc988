import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDirectory } from '../../account-as-code/files/folder.ts';
import { readFolders } from '../../account-as-code/files/settings.ts';
import type { ChangeResult } from '../../account-as-code/execute.ts';
import { planDocument } from '../../account-as-code/plan-file.ts';
import type { Plan } from '../../account-as-code/plan.ts';
import { FilesError, type Problem } from '../../account-as-code/problems.ts';
import { shownChange } from '../../account-as-code/shown.ts';
import { summary } from '../../account-as-code/text.ts';
import { stableText } from '../../account-as-code/values.ts';
import type { Options, Session } from '../command/noun.ts';
import { type ExitCode, exitCodes, usageError } from '../errors.ts';
import { toCliError } from '../explain.ts';
import { counted } from '../output/counted.ts';
import { type Result, wholeList } from '../output/result.ts';
import { diffExitCode, journalsOf, planFolder, requireFolder, withFiles } from './planning.ts';
import { planColumns, planForPeople } from './result.ts';
import { applyExitCode, carryOut, checkDeletions, type Ready } from './running.ts';
import { openSecretsFile } from './secrets-file.ts';

/** An account with its plan. */
interface PlannedAccount extends Ready {
  readonly name: string;
  readonly session: Session;
}

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
  const planned = await planAccounts(session, folder, options);
  const plans = planned.map(({ plan }) => plan);
  const open = planned.filter(({ plan }) => plan.changes.length > 0);
  if (open.length === 0) return await accountsResult(session, planned, gravest(plans.map((plan) => applyExitCode(plan, []))), new Map());
  if (options.rehearse === true) throw usageError('--rehearse is for one account', 'Rehearse the folder of one of them.');
  checkDeletions(plans, options.allowDeletes as number | undefined);
  const secrets = openSecretsFile(plans, options.secretsOut as string | undefined);
  const results = new Map<string, readonly ChangeResult[]>();
  const codes: ExitCode[] = planned.filter(({ plan }) => plan.changes.length === 0).map(({ plan }) => applyExitCode(plan, []));
  try {
    if (session.globals.output === 'table') session.world.stdout.write(await mergedText(session, planned));
    await session.confirm(`Apply this to ${counted(open.length, 'account')}?`);
    const run = journalsOf(session).nextRun();
    const canary = (options.canary as number | undefined) ?? open.length;
    for (const [index, account] of open.entries()) {
      if (index === canary) {
        if (codes.some((code) => code !== exitCodes.done)) {
          session.notes.insist(`A failure among the first ${counted(canary, 'account')} ended the run: ${open.length - canary} are left.`);
          break;
        }
        await session.confirm(`${counted(canary, 'account')} done. Go on with the other ${open.length - canary}?`);
      }
      const { results: own, fatal } = await carryOut(account.session, account, run, options, secrets.keep);
      results.set(account.plan.account, own);
      codes.push(fatal ? toCliError(fatal).exitCode : applyExitCode(account.plan, own));
      if (fatal) break;
    }
    return await accountsResult(session, planned, gravest(codes), results, run);
  } finally {
    secrets.close();
  }
}

/** Plans each account that has a folder. Those without one are named, and left alone. */
async function planAccounts(session: Session, folder: string, options: Options): Promise<PlannedAccount[]> {
  const folders = await foldersByAccount(requireFolder(folder));
  const accounts = session.accounts ?? [];
  const without = accounts.filter(({ id }) => id !== undefined && !folders.has(id)).map(({ id, name }) => name ?? id ?? '');
  if (without.length > 0) session.notes.say(`Without a folder, and left alone: ${without.join(', ')}.`);
  const planned: PlannedAccount[] = [];
  const before = session.targets.requests;
  for (const { id, name } of accounts) {
    const path = id === undefined ? undefined : folders.get(id);
    if (id === undefined || path === undefined) continue;
    const targets = await session.targets.forAccount(id);
    const own: Session = { ...session, targets };
    const client = await targets.client();
    planned.push({ ...(await planFolder(own, client, path, options)), client, undoes: null, name: name ?? id, session: own });
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

/** The gravest outcome of several accounts. */
function gravest(codes: readonly ExitCode[]): ExitCode {
  const order: readonly ExitCode[] = [
    exitCodes.notAllowed,
    exitCodes.unavailable,
    exitCodes.partlyFailed,
    exitCodes.conflict,
    exitCodes.differences,
  ];
  return order.find((code) => codes.includes(code)) ?? exitCodes.done;
}

async function accountsResult(
  session: Session,
  planned: readonly PlannedAccount[],
  exitCode: ExitCode,
  results: ReadonlyMap<string, readonly ChangeResult[]>,
  run?: string,
): Promise<Result> {
  const { output } = session.globals;
  if (output === 'table') {
    const text = run === undefined ? await mergedText(session, planned) : outcomesText(planned, results);
    return { kind: 'value', value: planned.map(({ plan }) => planDocument(plan)), text, exitCode };
  }
  const outcomes = (plan: Plan) =>
    new Map(
      results.get(plan.account)?.map(({ change, result, reason }) => [change.number, { result, ...(reason !== undefined && { reason }) }]),
    );
  const rows = planned.flatMap(({ plan, name }) => {
    const own = outcomes(plan);
    return plan.changes.map((change) => ({ account: plan.account, account_name: name, ...shownChange(change), ...own.get(change.number) }));
  });
  const plans = planned.map(({ plan }) => {
    const own = outcomes(plan);
    const document = planDocument(plan) as { changes: readonly { number: number }[] };
    return { ...document, changes: document.changes.map((change) => ({ ...change, ...own.get(change.number) })) };
  });
  if (output === 'json' || output === 'yaml') return { kind: 'value', value: { plans, ...(run !== undefined && { run }) }, exitCode };
  return { ...wholeList('changes', rows), columns: ['account', 'account_name', ...planColumns], exitCode };
}

/** Plans that are the same are shown once, with the number of their accounts. */
async function mergedText(session: Session, planned: readonly PlannedAccount[]): Promise<string> {
  const alike = Map.groupBy(planned, ({ plan }) =>
    stableText([plan.changes.map(({ id: _, ...change }) => shownChange({ ...change, id: null })), plan.blocked, plan.kept]),
  );
  const parts: string[] = [];
  for (const [, group] of alike) {
    const [first] = group;
    if (!first) continue;
    const names = group.map(({ name }) => name);
    const title = group.length === 1 ? (names[0] ?? '') : `${group.length} accounts: ${names.join(', ')}`;
    parts.push(`== ${title}\n\n${await planForPeople(first.plan, session, 'stdout')}`);
  }
  return parts.length === 0 ? 'No account has a folder.\n' : parts.join('\n');
}

function outcomesText(planned: readonly PlannedAccount[], results: ReadonlyMap<string, readonly ChangeResult[]>): string {
  return planned
    .map(({ name, plan }) => {
      const own = results.get(plan.account);
      if (!own) return `${name}: ${plan.changes.length === 0 ? summary(plan) : 'not begun.'}\n`;
      const open = own.filter(({ result }) => result !== 'done' && result !== 'already');
      const lines = open.map(
        ({ change, result, reason }) => `  ! ${change.kind} ${change.key}: ${result}${reason === undefined ? '' : `: ${reason}`}\n`,
      );
      return `${name}: ${own.length - open.length} of ${own.length} done.\n${lines.join('')}`;
    })
    .join('');
}
