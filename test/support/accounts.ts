import { call, type Ready } from './processes.ts';

/** An account for a drill or a benchmark. */
export interface TestAccount {
  readonly id: string;
  readonly key: string;
}

/** The initial credits of each account. */
export const startingCredits = 1_000_000;

/** Creates accounts without rate limits, with credits and a connected channel. The first one is the agency of a new store. */
export async function makeAccounts(ready: Ready, count: number): Promise<TestAccount[]> {
  const made: TestAccount[] = [{ id: ready.account_id, key: ready.api_key ?? '' }];
  for (let number = 1; number < count; number++) {
    const body = { name: `Account ${number}`, kind: 'standard' };
    const { account_id: id, api_key: key } = await request(`${ready.sandbox_url}/accounts`, ready.sandbox_token, 'POST', body);
    made.push({ id: id as string, key: key as string });
  }
  for (const [number, { id }] of made.entries()) {
    const plan = { key_requests_per_minute: 1_000_000_000, account_requests_per_minute: 1_000_000_000 };
    const account = `${ready.sandbox_url}/accounts/${id}`;
    await request(account, ready.sandbox_token, 'PATCH', { plan, credits: startingCredits });
    await request(`${account}/channels`, ready.sandbox_token, 'POST', { channel: 'chatapp', identity: `+14155550${100 + number}` });
  }
  return made;
}

/** Sends a request that must succeed. Returns the response body. */
export async function request(url: string, key: string | null, method: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await call(url, key, method, body);
  if (answer.status >= 300) throw new Error(`${method} ${url} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** A unique valid phone number for each integer below 7,999,993. The numbers are unordered, as in most contact files. */
export function phoneNumber(index: number): string {
  return `+1${212 + (index % 7) * 100}${2_000_000 + ((index * 7_919) % 7_999_993)}`;
}
