import { readNow } from '../../clock/state.ts';
import { toMillionths } from '../../store/millionths.ts';
import type { Store } from '../../store/store.ts';
import { StepScheduler } from '../../flow/steps.ts';
import { createAccount } from '../accounts/records.ts';
import { transferCredits } from '../accounts/transfers.ts';
import { requireAccount } from './accounts.ts';
import { defaultHistory, writeHistory } from './history/history.ts';

const subAccounts = [
  { name: 'Corner Bakery', email: 'hello@bakery.example', credits: 200 },
  { name: 'City Dental', email: 'desk@dental.example', credits: 50 },
];

/** Adds demonstration data to the first account of a new store: sub-accounts, and the default history of `sandbox demo`. */
export async function fillDemonstration(store: Store, agencyId: string, realNow: () => number): Promise<void> {
  const now = await store.write(async (db) => {
    const at = await readNow(db, realNow());
    for (const { name, email, credits } of subAccounts) {
      const id = await createAccount(db, { name, email, kind: 'standard', parentId: agencyId, plan: {} }, at);
      await transferCredits(db, await requireAccount(db, agencyId), await requireAccount(db, id), toMillionths(credits), at);
    }
    return at;
  });
  const { seed, ...plan } = defaultHistory;
  await writeHistory({ store, scheduler: new StepScheduler() }, agencyId, { ...plan, now }, seed);
}
