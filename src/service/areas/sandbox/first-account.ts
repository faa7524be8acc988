import { findAccount, insertAccount } from '../../identity/accounts.ts';
import { replaceMainKey } from '../keys/records.ts';
import type { Db } from '../../store/store.ts';
import { withJournal } from '../activity/journal.ts';
import { startingCredits, toMillionths } from '../credits/rules.ts';

/** Gives a new account the credits it starts with (ruling: an adjustment). */
export async function addStartingCredits(db: Db, accountId: string, now: number): Promise<void> {
  const account = await findAccount(db, accountId);
  if (!account) throw new Error(`The account ${accountId} was not made`);
  const millionths = toMillionths(startingCredits);
  await withJournal(db, account, now, (journal) => journal.post({ millionths, reason: 'starting_credits' }));
}

/** Makes the account that a new store has: an agency (5/A1). Returns its id and its main key. */
export async function createFirstAccount(db: Db, now: number): Promise<{ accountId: string; apiKey: string }> {
  const accountId = await insertAccount(db, {
    name: 'Sandbox Agency',
    email: 'owner@sandbox.example',
    kind: 'agency',
    parentId: null,
    plan: {},
    now,
  });
  await addStartingCredits(db, accountId, now);
  return { accountId, apiKey: await replaceMainKey(db, accountId, now) };
}

/** Removes all records, and what stands in the way of the interface. The sandbox token and the clock stay. */
export async function emptyStore(db: Db): Promise<void> {
  // What belongs to an account goes with it.
  await db.deleteFrom('accounts').where('parent_id', 'is', null).execute();
  for (const table of ['jobs', 'rate_windows', 'request_log'] as const) await db.deleteFrom(table).execute();
  await db.updateTable('service_state').set({ hold: '[]', faults: '[]' }).execute();
}
