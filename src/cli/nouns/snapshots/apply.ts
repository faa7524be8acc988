import { applySnapshot, getSnapshotJob } from '../../../contract/areas/snapshots/endpoints.ts';
import type { Answer, Body } from '../../../contract/endpoint.ts';
import { limits } from '../../../contract/limits.ts';
import { counted } from '../../../contract/text/counted.ts';
import { type Account, chooseAccounts, describeAccounts } from '../../batch/accounts.ts';
import { exitCodes, usageError } from '../../errors.ts';
import { snapshotLookup } from '../../lookups/snapshots.ts';
import { type Result, wholeList } from '../../output/result.ts';
import type { Options, Question, Session } from '../../verb/noun.ts';
import { waitUntil } from '../../verb/wait.ts';
import type { AppliedRow } from './applied-row.ts';
import { mendingCommand } from './mending.ts';

type Job = Answer<typeof getSnapshotJob>;

/** Asks before a snapshot is applied. */
export async function askToApply(session: Session, [word = '', ...accounts]: readonly string[], options: Options): Promise<Question> {
  const { name, counts } = await session.names.record(snapshotLookup, word);
  const records = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const effect = options.onConflict === 'update' ? 'Records of the same name get its fields' : 'Records of the same name stay as they are';
  const whom = describeAccounts(await chosen(session, accounts));
  return `Apply the snapshot '${name}' (${counted(records, 'record')}) to ${whom}? ${effect}; nothing is deleted.`;
}

async function chosen(session: Session, words: readonly string[]): Promise<readonly Account[]> {
  const { accounts } = await chooseAccounts(words.join(','), session.targets);
  if (accounts.some(({ id }) => id === undefined))
    throw usageError('A snapshot is applied to sub-accounts, not to the account of the agency');
  return accounts;
}

/** Applies a snapshot to accounts and waits until that has ended. The exit code is 8 if it failed on some of them. */
export async function apply(session: Session, [word = '', ...words]: readonly string[], options: Options): Promise<Result> {
  const { id, name } = await session.names.record(snapshotLookup, word);
  const accounts = await chosen(session, words);
  const client = await session.targets.client();
  const names = new Map(accounts.map((account) => [account.id, account.name ?? account.id ?? '']));
  const jobs: Job[] = [];
  // A job has a limited number of accounts, and a snapshot one job at a time.
  for (let from = 0; from < accounts.length; from += limits.snapshotAccounts) {
    const part = accounts.slice(from, from + limits.snapshotAccounts).map((account) => account.id ?? '');
    const body = { account_ids: part, ...(options.onConflict !== undefined && { on_conflict: options.onConflict }) };
    const { job_id: jobId } = await client.call(applySnapshot, { params: { id }, body: body as Body<typeof applySnapshot> });
    jobs.push(
      await waitUntil<Job>(session, {
        read: async () => await client.call(getSnapshotJob, { params: { id, jobId } }),
        isOver: ({ status }) => status === 'completed' || status === 'failed',
        shareOf,
        describe: (job) => `${Math.round(shareOf(job) * job.accounts.length)} of ${counted(job.accounts.length, 'account')}`,
        partsOf: ({ accounts: all }) =>
          all
            .filter(({ status }) => status !== 'queued')
            .map(({ account_id: account, status }) => ({
              share: isOver(status) ? 1 : 0,
              text: `${names.get(account) ?? account}, ${status}`,
            })),
        what: `applying the snapshot '${name}'`,
      }),
    );
  }
  const rows: AppliedRow[] = jobs
    .flatMap((job) => job.accounts)
    .map((row) => ({ account: names.get(row.account_id) ?? row.account_id, ...row }));
  const mending = rows.flatMap((row) => row.needs_attention.map((each) => mendingCommand(session, row, each)));
  const failed = rows.filter(({ status }) => status === 'failed').length;
  return {
    ...wholeList('accounts', rows),
    totals: () => ({ job_id: jobs.at(-1)?.job_id }),
    closing: () => (mending.length === 0 ? undefined : ['To mend what needs attention:', ...new Set(mending)]),
    exitCode: failed === 0 ? exitCodes.done : exitCodes.partlyFailed,
  };
}

function isOver(status: Job['status']): boolean {
  return status === 'completed' || status === 'failed';
}

function shareOf({ accounts }: Job): number {
  return accounts.filter(({ status }) => isOver(status)).length / accounts.length;
}
