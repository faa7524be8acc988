import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { withJournal } from '../activity/journal.ts';

/**
 * Moves credits between two accounts, in one transaction.
 * @throws ApiError 402 when the first account does not have enough credits
 */
export async function transferCredits(db: Db, from: Account, to: Account, millionths: number, now: number): Promise<void> {
  await withJournal(db, from, now, (journal) =>
    journal.post({ millionths: -millionths, reason: 'transfer_out', transferAccountId: to.id }),
  );
  await withJournal(db, to, now, (journal) => journal.post({ millionths, reason: 'transfer_in', transferAccountId: from.id }));
}
