import { withJournal } from '../activity/journal.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/store.ts';

/**
 * Moves credits between two accounts, in one transaction (5/B, SubAccounts).
 * @throws ApiError 402 when the first has too few
 */
export async function transfer(db: Db, from: Account, to: Account, millionths: number, now: number): Promise<void> {
  await withJournal(db, from, now, (journal) => journal.post({ millionths: -millionths, reason: 'transfer_out' }));
  await withJournal(db, to, now, (journal) => journal.post({ millionths, reason: 'transfer_in' }));
}

/** Sets a balance by an adjustment (5/A2, PATCH /sandbox/accounts/{id}). */
export async function setBalance(db: Db, account: Account, target: number, now: number): Promise<void> {
  await withJournal(db, account, now, async (journal) => {
    const change = target - (await journal.balance());
    if (change !== 0) await journal.post({ millionths: change, reason: 'sandbox_adjustment' });
  });
}
