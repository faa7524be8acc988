import { isUndone, latestOf } from '../../account-as-code/run/runs.ts';
import { getMe } from '../../contract/areas/whoami/endpoints.ts';
import type { Noun, Options, Session } from '../verb/noun.ts';
import { maxFailuresOption, secretsOption } from '../account-as-code/options.ts';
import { runJournals } from '../account-as-code/planning.ts';
import { planColumns } from '../account-as-code/result.ts';
import { runPlan } from '../account-as-code/run-plan.ts';
import { endUndone, lastRun, noRunError, planUndo, undoOnAccounts } from './undo/accounts.ts';
import type { Result } from '../output/result.ts';
import { listRuns, runColumns } from './undo/list.ts';

async function undoRun(session: Session, [named]: readonly string[], options: Options): Promise<Result> {
  if (session.accounts) return await undoOnAccounts(session, named, options);
  const client = await session.targets.client();
  const { user } = await client.call(getMe, {});
  const journals = runJournals(session);
  const runs = journals.runs(user.id);
  const wanted = named === undefined ? lastRun(runs) : runs.find((each) => each.run === named);
  if (!wanted) throw noRunError(named, 'this account');
  const run = latestOf(wanted, runs);
  if (run !== wanted) session.notes.say(`${run.run} repeated ${wanted.run}, so ${run.run} is undone instead.`);
  // Records that look like those of the run could belong to someone else by now.
  const open = isUndone(run, runs) ? { ...run, intents: [] } : run;
  if (open !== run) session.notes.say(`${run.run} has already been undone.`);
  const ready = await planUndo(client, open, runs, journals);
  endUndone(journals, ready, runs);
  return await runPlan(session, ready, options);
}

export const undo: Noun = {
  name: 'undo',
  verbs: [
    {
      name: '',
      summary: 'Undo a run: delete what it created, and restore what it changed or deleted',
      examples: [
        ['msgctl undo', 'the last run that has not been undone'],
        ['msgctl undo r3 --yes', 'one run, without confirmation'],
        ['msgctl undo list', 'the runs that can be undone'],
      ],
      arguments: [
        {
          name: 'run',
          summary:
            'the run (default: the last one that has not been undone); a second undo reverts the first, so name a run to go further back',
          isOptional: true,
        },
      ],
      options: [secretsOption, maxFailuresOption],
      scope: 'all accounts',
      shown: { columns: planColumns },
      run: undoRun,
    },
    {
      name: 'list',
      summary: 'List the runs of the account and its sub-accounts, newest first',
      examples: [
        ['msgctl undo list', 'each with the number of its accounts and changes'],
        ['msgctl undo list --sub-account Nord', 'those of one account'],
      ],
      scope: 'each account',
      shown: { rows: 'runs', columns: runColumns },
      run: listRuns,
    },
  ],
};
