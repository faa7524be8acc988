import { makeAccounts, request, type TestAccount } from '../support/accounts.ts';
import type { Ready } from '../support/processes.ts';
import type { Receiver } from '../support/receiver.ts';

/** An account that the load writes to. */
export interface Account extends TestAccount {
  /** The secret with which its deliveries are signed. */
  readonly signingSecret: string;
}

/** The accounts of a drill. The first one is an agency, which transfers credits to its client. */
export interface Accounts {
  readonly all: readonly Account[];
  readonly agency: Account;
  readonly client: string;
}

/** Creates the accounts of a drill, each with a webhook subscription. */
export async function openAccounts(ready: Ready, count: number, receiver: Receiver): Promise<Accounts> {
  const all: Account[] = [];
  for (const account of await makeAccounts(ready, count)) {
    const subscription = await request(`${ready.base_url}/webhooks`, account.key, 'POST', {
      url: receiver.url(`/${account.id}`),
      subscribed_to: ['Contact Created', 'Credits Spent'],
      generate_signing_secret: true,
      retries_enabled: true,
    });
    all.push({ ...account, signingSecret: subscription.signing_secret as string });
  }
  const agency = all[0] as Account;
  const { sub_account: client } = await request(`${ready.base_url}/subaccounts`, agency.key, 'POST', { name: 'Client' });
  return { all, agency, client: (client as { id: string }).id };
}
