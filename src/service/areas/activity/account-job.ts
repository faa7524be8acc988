import { findAccount } from '../../identity/accounts.ts';
import type { Job, Kind } from '../../jobs/job.ts';
import type { Db } from '../../store/database.ts';
import { type Journal, withJournal } from './journal.ts';

/** Defines jobs that run as one transaction on their account. When the account was deleted, the job does nothing. */
export function accountJob<K extends Kind>(work: (db: Db, journal: Journal, job: Job<K>) => Promise<void>) {
  return {
    run: async (job: Job<K>) => async (db: Db, now: number) => {
      const account = await findAccount(db, job.accountId ?? '');
      if (account) await withJournal(db, account, now, (journal) => work(db, journal, job));
    },
  };
}
