import { call, type Ready } from '../support/processes.ts';
import type { Receiver } from '../support/receiver.ts';

/** An account that the load writes to. */
export interface Account {
  readonly id: string;
  readonly key: string;
  /** What its deliveries are signed with. */
  readonly signingSecret: string;
}

/** The accounts of a drill. The first is an agency, which moves credits to its client. */
export interface Accounts {
  readonly all: readonly Account[];
  readonly agency: Account;
  readonly client: string;
}

/** The credits of each account at the beginning. */
export const startingCredits = 1_000_000;

/** Makes accounts without request limits, with credits, a connected channel and a webhook subscription. */
export async function makeAccounts(first: Ready, count: number, receiver: Receiver): Promise<Accounts> {
  const control = (method: string, path: string, body: unknown) =>
    request(`${first.sandbox_url}/accounts${path}`, first.sandbox_token, method, body);
  const made: { id: string; key: string }[] = [{ id: first.account_id, key: first.api_key ?? '' }];
  for (let number = 1; number < count; number++) {
    const { account_id: id, api_key: key } = await control('POST', '', { name: `Account ${number}`, kind: 'standard' });
    made.push({ id: id as string, key: key as string });
  }
  const all: Account[] = [];
  for (const [number, { id, key }] of made.entries()) {
    const plan = { key_requests_per_minute: 1_000_000_000, account_requests_per_minute: 1_000_000_000 };
    await control('PATCH', `/${id}`, { plan, credits: startingCredits });
    await control('POST', `/${id}/channels`, { channel: 'chatapp', identity: `+1415555010${number}` });
    const subscription = await request(`${first.base_url}/webhooks`, key, 'POST', {
      url: receiver.url(`/${id}`),
      subscribed_to: ['Contact Created', 'Credits Spent'],
      generate_signing_secret: true,
      retries_enabled: true,
    });
    all.push({ id, key, signingSecret: subscription.signing_secret as string });
  }
  const agency = all[0] as Account;
  const { sub_account: client } = await request(`${first.base_url}/subaccounts`, agency.key, 'POST', { name: 'Client' });
  return { all, agency, client: (client as { id: string }).id };
}

async function request(url: string, key: string | null, method: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await call(url, key, method, body);
  if (answer.status >= 300) throw new Error(`${method} ${url} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
