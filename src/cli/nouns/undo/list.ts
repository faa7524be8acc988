import type { Run } from '../../../account-as-code/run/journal.ts';
import { changesMade, isUndone } from '../../../account-as-code/run/runs.ts';
import type { Client } from '../../../client/client.ts';
import { listSubAccounts } from '../../../contract/areas/accounts/endpoints.ts';
import { getMe } from '../../../contract/areas/whoami/endpoints.ts';
import { RefusedCall } from '../../../contract/call.ts';
import { sum } from '../../../contract/sum.ts';
import type { Journals } from '../../account-as-code/journals.ts';
import { runJournals } from '../../account-as-code/planning.ts';
import { type Result, wholeList } from '../../output/result.ts';
import type { Session } from '../../verb/noun.ts';

export const runColumns = ['run', 'at', 'accounts', 'changes', 'undoes', 'undone', 'account_names'] as const;

interface Account {
  readonly id: string;
  readonly name: string;
}

/** A run on one of its accounts. */
interface Part {
  readonly run: Run;
  readonly account: Account;
  readonly isUndone: boolean;
}

/** Lists the runs of the account; without a chosen account, those of its sub-accounts too. A run over several accounts is one. */
export async function listRuns(session: Session): Promise<Result> {
  const client = await session.targets.client();
  const { user } = await client.call(getMe, {});
  const journals = runJournals(session);
  const isChosen = session.accounts !== null || session.targets.resolve().subAccountId !== undefined;
  const accounts = isChosen ? [user] : [user, ...(await subAccounts(client, journals, user))];
  const parts = accounts.flatMap((account) => partsOf(account, journals.runs(account.id)));
  const rows = [...Map.groupBy(parts, ({ run }) => run.run).values()].map(rowOf);
  return { ...wholeList('runs', rows.toSorted(newestFirst)), columns: runColumns };
}

/** The sub-accounts with runs on this machine. Their names are their ids where the key may not list them. */
async function subAccounts(client: Client, journals: Journals, own: Account): Promise<readonly Account[]> {
  const ids = journals.accounts().filter((id) => id !== own.id);
  if (ids.length === 0) return [];
  try {
    return (await client.all(listSubAccounts, {})).filter(({ id }) => ids.includes(id));
  } catch (error) {
    if (error instanceof RefusedCall && error.status < 500) return ids.map((id) => ({ id, name: id }));
    throw error;
  }
}

function partsOf(account: Account, runs: readonly Run[]): Part[] {
  return runs.map((run) => ({ run, account, isUndone: isUndone(run, runs) }));
}

function rowOf(parts: readonly Part[]) {
  const [first] = parts;
  return {
    run: first?.run.run ?? '',
    at: first?.run.at,
    accounts: parts.length,
    changes: sum(parts.map(({ run }) => changesMade(run))),
    undoes: first?.run.undoes,
    undone: parts.every((part) => part.isUndone),
    account_names: parts.map(({ account }) => account.name),
  };
}

/** Numbers of runs increase. */
function newestFirst({ run: one }: { readonly run: string }, { run: other }: { readonly run: string }): number {
  return Number(other.slice(1)) - Number(one.slice(1));
}
