import type { Db } from '../../store/database.ts';
import { createAccount, type NewAccount } from '../accounts/records.ts';
import { withJournal } from '../activity/journal.ts';
import { startingCredits } from '../credits/rules.ts';
import { toMillionths } from '../../store/millionths.ts';
import { createMainKey } from '../keys/records.ts';
import { requireAccount } from './accounts.ts';

/** An account that was created, with its main key. */
export interface CreatedAccount {
  readonly accountId: string;
  readonly apiKey: string;
}

/** Creates an account with a main key and the starting credits, which are an adjustment (rule credits.6). */
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
