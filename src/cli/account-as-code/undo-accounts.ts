import type { Journals, Run } from '../../account-as-code/run/journal.ts';
import { hasWritten, isUndone, latestOf } from '../../account-as-code/run/runs.ts';
import { readLive } from '../../account-as-code/live.ts';
import { changedKinds, namingKindsOf, undoPlan } from '../../account-as-code/run/undo.ts';
import { routingKindsOf } from '../../account-as-code/planner/routing.ts';
import type { Client } from '../../client/client.ts';
import type { Options, Session } from '../command/noun.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { Result } from '../output/result.ts';
import { accountClients, type PlannedAccount } from './account-clients.ts';
import { runAccounts } from './run-accounts.ts';
import { runJournals } from './planning.ts';
import type { Ready } from './run-plan.ts';

/**
 * The last run of an account that is not undone yet. Those that changed nothing count only where there is no other. An undo
 * that ended early, or in which a write failed, stands for the run that it undoes, so that the next one makes the others.
 */
export function lastRun(runs: readonly Run[]): Run | undefined {
  const open = runs.filter((run) => !isUndone(run, runs));
  const last = open.findLast(hasWritten) ?? open.at(-1);
  const isBrokenOff = last !== undefined && last.undoes !== null && last.failed !== 0;
  return isBrokenOff ? runs.find(({ run }) => run === last.undoes) : last;
}

/** Plans to undo a run. @param runs those on the account */
export async function planUndo(client: Client, run: Run, runs: readonly Run[]): Promise<Ready> {
  const changed = [...changedKinds(run)];
  const live = await readLive(client, changed, [...namingKindsOf(run), ...routingKindsOf(changed)]);
  const others = runs.filter((each) => each.run !== run.run);
  return { ...undoPlan(run, live, others), live, client, undoes: run.run };
}

/** Ends an undo that was cut off when it had made everything: there is nothing left that another one could do. */
export function endUndone(journals: Journals, { plan, undoes }: Ready, runs: readonly Run[]): void {
  if (plan.changes.length > 0 || plan.blocked.length > 0) return;
  const cutOff = runs.findLast((run) => run.undoes === undoes && run.open === null && hasWritten(run));
  if (cutOff) journals.end(plan.account, cutOff.run);
}

/** @param named the run that was asked for; undefined for the last one */
export function noRunError(named: string | undefined, whose: string): CliError {
  const message = named === undefined ? 'There is no run to undo' : `There is no run '${named}' of ${whose}`;
  return new CliError(exitCodes.notFound, 'not_found', message, { hint: '`msgctl undo list` lists them.' });
}

/**
 * Undoes a run on each of several accounts that have it: without a name, the last one on any of them that is not undone yet.
 * @throws CliError 5 when there is no such run, 2 when there is nobody to ask or secrets would be lost
 */
export async function undoOnAccounts(session: Session, named: string | undefined, options: Options): Promise<Result> {
  const journals = runJournals(session);
  const accounts = (await accountClients(session)).map((account) => ({ ...account, runs: journals.runs(account.id) }));
  const last = accounts.flatMap(({ runs }) => lastRun(runs) ?? []).sort((one, other) => order(other) - order(one))[0];
  const wanted = named ?? last?.run;
  const planned: PlannedAccount[] = [];
  const without: string[] = [];
  const undone: string[] = [];
  for (const { runs, ...account } of accounts) {
    const run = runs.find((each) => each.run === wanted);
    if (!run) without.push(account.name);
    else if (isUndone(run, runs)) undone.push(account.name);
    else {
      const ready = await planUndo(account.client, latestOf(run, runs), runs);
      endUndone(journals, ready, runs);
      planned.push({ ...ready, ...account });
    }
  }
  if (planned.length === 0 && undone.length === 0) throw noRunError(named, 'these accounts');
  if (undone.length > 0) session.notes.say(`${wanted ?? ''} is undone already: ${undone.join(', ')}.`);
  if (without.length > 0) session.notes.say(`Skipped, not part of the run ${wanted ?? ''}: ${without.join(', ')}.`);
  return await runAccounts(session, planned, options, 'Undo');
}

/** The place of a run among all of them. */
function order({ run }: Run): number {
  return Number(run.slice(1));
}
