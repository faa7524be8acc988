import type { Run } from '../../../account-as-code/run/journal.ts';
import { hasWritten, isUndone, latestOf } from '../../../account-as-code/run/runs.ts';
import { readLive } from '../../../account-as-code/live.ts';
import { findObstacles } from '../../../account-as-code/planner/obstacles.ts';
import { changedKinds, kindsReferringToCreated, recordsBefore, undoPlan } from '../../../account-as-code/undo/undo.ts';
import { routingKindsOf } from '../../../account-as-code/planner/routing.ts';
import type { Client } from '../../../client/client.ts';
import { counted } from '../../../contract/text/counted.ts';
import { someOf } from '../../../contract/text/some-of.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { CliError, exitCodes } from '../../errors.ts';
import type { Result } from '../../output/result.ts';
import { accountClients, type PlannedAccount } from '../../account-as-code/account-clients.ts';
import type { Journals } from '../../account-as-code/journals.ts';
import { runAccounts } from '../../account-as-code/run-accounts.ts';
import { recordLostOutcomes } from '../../account-as-code/lost-outcomes.ts';
import { runJournals } from '../../account-as-code/planning.ts';
import type { Ready } from '../../account-as-code/run-plan.ts';

/**
 * The last run of an account that is not undone yet. Runs that changed nothing are only used if there is no other. If the run
 * is an undo that was interrupted or had failed writes, returns the run that it undoes, so that the next undo makes the
 * remaining changes.
 */
export function lastRun(runs: readonly Run[]): Run | undefined {
  const open = runs.filter((run) => !isUndone(run, runs));
  const last = open.findLast(hasWritten) ?? open.at(-1);
  const isBrokenOff = last !== undefined && last.undoes !== null && last.failed !== 0;
  return isBrokenOff ? runs.find(({ run }) => run === last.undoes) : last;
}

/** Plans the undo of a run. @param known all runs on the account */
export async function planUndo(client: Client, run: Run, known: readonly Run[], journals: Journals): Promise<Ready> {
  const changed = [...changedKinds(run)];
  const live = await readLive(client, changed, [...kindsReferringToCreated(run), ...routingKindsOf(changed)]);
  const runs = recordLostOutcomes(journals, live) ? journals.runs(live.account.id) : known;
  const outcomes = runs.find((each) => each.run === run.run)?.outcomes ?? run.outcomes;
  const others = runs.filter((each) => each.run !== run.run);
  const obstacles = await findObstacles(client, recordsBefore(run), live, changed);
  return { ...undoPlan({ ...run, outcomes }, live, others, obstacles), live, client, undoes: run.run };
}

/** Ends an interrupted undo that had already made all changes, so that nothing is left to undo. */
export function endUndone(journals: Journals, { plan, undoes }: Ready, runs: readonly Run[]): void {
  if (plan.changes.length > 0 || plan.blocked.length > 0) return;
  const cutOff = runs.findLast((run) => run.undoes === undoes && run.open === null && hasWritten(run));
  if (cutOff) journals.end(plan.account, cutOff.run);
}

/** @param named the run that the user asked for; undefined for the last one */
export function noRunError(named: string | undefined, whose: string): CliError {
  const message = named === undefined ? 'There is no run to undo' : `There is no run '${named}' of ${whose}`;
  return new CliError(exitCodes.notFound, 'not_found', message, {
    hint: '`msgctl undo list` lists them with their accounts: --sub-account chooses these.',
  });
}

/**
 * Undoes a run on all of the accounts that took part in it. By default, this is the most recent run on any of them that is not
 * undone yet.
 * @throws CliError 5 if there is no such run; 2 if confirmation is needed but there is no terminal, or secrets would be lost
 */
export async function undoOnAccounts(session: Session, named: string | undefined, options: Options): Promise<Result> {
  const journals = runJournals(session);
  const accounts = (await accountClients(session)).map((account) => ({ ...account, runs: journals.runs(account.id) }));
  const last = accounts.flatMap(({ runs }) => lastRun(runs) ?? []).sort((one, other) => order(other) - order(one))[0];
  const wanted = named ?? last?.run;
  const planned: PlannedAccount[] = [];
  let without = 0;
  const undone: string[] = [];
  for (const { runs, ...account } of accounts) {
    const run = runs.find((each) => each.run === wanted);
    if (!run) without++;
    else if (isUndone(run, runs)) undone.push(account.name);
    else {
      const ready = await planUndo(account.client, latestOf(run, runs), runs, journals);
      endUndone(journals, ready, runs);
      planned.push({ ...ready, ...account });
    }
  }
  if (planned.length === 0 && undone.length === 0) throw noRunError(named, 'these accounts');
  if (undone.length > 0) session.notes.say(`${wanted ?? ''} has already been undone: ${someOf(undone)}.`);
  if (without > 0) session.notes.say(`Skipped ${counted(without, 'account')} that took no part in the run ${wanted ?? ''}.`);
  return await runAccounts(session, planned, options, 'Undo');
}

/** The number of a run, which increases with each run. */
function order({ run }: Run): number {
  return Number(run.slice(1));
}
