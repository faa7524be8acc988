import { readNow } from '../../clock/state.ts';
import type { Db } from '../../store/database.ts';
import type { Store } from '../../store/store.ts';
import { createAccount, type NewAccount } from '../accounts/records.ts';
import { withJournal } from '../activity/journal.ts';
import { startingCredits } from '../credits/rules.ts';
import { toMillionths } from '../../store/millionths.ts';
import { createMainKey } from '../keys/records.ts';
import { requireAccount } from './accounts.ts';

/** A new account, with its main key. */
export interface CreatedAccount {
  readonly accountId: string;
  readonly apiKey: string;
}

/** Creates an account with a main key and the starting credits, which are posted as an adjustment (rule credits.6). */
export async function createAccountWithKey(db: Db, account: NewAccount, now: number): Promise<CreatedAccount> {
  const accountId = await createAccount(db, account, now);
  const millionths = toMillionths(startingCredits);
  await withJournal(db, await requireAccount(db, accountId), now, (journal) => journal.post({ millionths, reason: 'starting_credits' }));
  return { accountId, apiKey: await createMainKey(db, accountId, now) };
}

/** Creates the first account of a new store: an agency (rule serve.7). */
export async function createFirstAccount(db: Db, now: number): Promise<CreatedAccount> {
  const agency = { name: 'Sandbox Agency', email: 'owner@sandbox.example', kind: 'agency', parentId: null, plan: {} } as const;
  return await createAccountWithKey(db, agency, now);
}

/** Creates a new main key for an account, like the app does (rule sandbox.39). The old key stops working. */
export async function renewMainKey(store: Store, accountId: string, realNow: number): Promise<string> {
  return await store.write(async (db) => createMainKey(db, accountId, await readNow(db, realNow)), { accounts: [accountId] });
}
