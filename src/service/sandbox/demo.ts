import { findAccount, insertAccount } from '../accounts/records.ts';
import { readNow } from '../core/state.ts';
import type { Store } from '../core/store.ts';
import { transfer } from '../credits/transfers.ts';
import { toMillionths } from '../credits/rules.ts';
import { connectChannel } from '../channels/records.ts';
import { insertList } from '../lists/records.ts';
import { insertTag } from '../tags/records.ts';

const subAccounts = [
  { name: 'Corner Bakery', email: 'hello@bakery.example', credits: 200 },
  { name: 'City Dental', email: 'desk@dental.example', credits: 50 },
];

const tags = [
  { name: 'VIP', description: 'Buys often: answer first' },
  { name: 'Newsletter', description: 'Agreed to the newsletter' },
  { name: 'Complaint', description: 'Has an open complaint' },
];

const lists = ['Spring campaign', 'Regulars'];

/** Fills a new store with a demonstration account, in one transaction (5/A1, `--demo`). */
export async function fillDemonstration(store: Store, agencyId: string, realNow: () => number): Promise<void> {
  await store.write(async (db) => {
    const now = await readNow(db, realNow());
    for (const tag of tags) await insertTag(db, agencyId, tag, now);
    for (const name of lists) await insertList(db, agencyId, name, now);
    await connectChannel(db, agencyId, { channel: 'chatapp', identity: '+14155550100', name: 'Front desk' }, now);
    for (const { name, email, credits } of subAccounts) {
      const id = await insertAccount(db, { name, email, kind: 'standard', parentId: agencyId, plan: {}, now });
      const [agency, subAccount] = await Promise.all([findAccount(db, agencyId), findAccount(db, id)]);
      if (agency && subAccount) await transfer(db, agency, subAccount, toMillionths(credits), now);
    }
  });
}
