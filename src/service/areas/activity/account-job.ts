import { findAccount } from '../../identity/accounts.ts';
import type { Finish, Job, RunnableKind } from '../../jobs/job.ts';
import type { Db } from '../../store/database.ts';
import { type Journal, withJournal } from './journal.ts';

/** Defines jobs that run in one transaction on their account. The job does nothing when the account was deleted. */
export function accountJob<K extends RunnableKind>(work: (db: Db, journal: Journal, job: Job<K>) => Promise<void>) {
  return {
    run: async (job: Job<K>) => finishOnAccount(job.accountId, (db, journal) => work(db, journal, job)),
  };
}

/** Returns the last step of a job, which runs `work` on its account. It does nothing when the account was deleted. */
export function finishOnAccount(accountId: string | null, work: (db: Db, journal: Journal) => Promise<void>): Finish {
  return async (db, now) => {
    const account = await findAccount(db, accountId ?? '');
    if (account) await withJournal(db, account, now, (journal) => work(db, journal));
  };
}
