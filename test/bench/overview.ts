import { request } from '../support/accounts.ts';
import { end, type Ready, type Workplace } from '../support/processes.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { type Line, ratioLine } from './report.ts';
import { newStores, startServer } from './server.ts';

export const clients = 500;

/** How often each is measured: the first rounds warm up, the fastest counts. */
const rounds = 25;

/** An agency with some clients, who have webhooks, channels and messages. */
export async function agencyWith(count: number, { sandbox_url: sandbox, sandbox_token: token, base_url: base }: Ready): Promise<string> {
  const control = (method: string, path: string, body: object) => request(`${sandbox}${path}`, token, method, body);
  const { account_id: agency, api_key: key } = (await control('POST', '/accounts', { name: 'Agency', kind: 'agency' })) as unknown as Made;
  const limits = { key_requests_per_minute: 1_000_000, account_requests_per_minute: 1_000_000 };
  await control('PATCH', `/accounts/${agency}`, { plan: limits });
  const api = (path: string, body: object) => request(`${base}${path}`, key, 'POST', body);
  for (let made = 0; made < count; made++) {
    const { sub_account: client } = (await api('/subaccounts', { name: `Client ${made}` })) as { sub_account: { id: string } };
    await control('PATCH', `/accounts/${client.id}`, { credits: made % 20 === 0 ? 50 : 1_000 });
    await control('POST', `/accounts/${client.id}/channels`, { channel: 'chatapp', identity: '+14155550100' });
    const own = { sub_account_id: client.id };
    await api('/webhooks', { ...own, name: 'crm', url: 'http://127.0.0.1:9/', subscribed_to: ['Task Created'] });
    await api('/contacts/send', { ...own, channel: 'chatapp', phone_number: '+14155550123', body: 'Hello' });
  }
  return key;
}

interface Made {
  readonly account_id: string;
  readonly api_key: string;
}

/** The pages of the overview, as a client reads them. @returns how long they took, in milliseconds */
async function readOverview(base: string, key: string): Promise<number> {
  const start = performance.now();
  for (let cursor: string | null = ''; cursor !== null;) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
    cursor = ((await request(`${base}/agency/overview?limit=100${from}`, key, 'GET')) as { next_cursor: string | null }).next_cursor;
  }
  return performance.now() - start;
}

/** The ids of the clients. */
export async function readIds(base: string, key: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = (await request(`${base}/subaccounts?limit=100${from}`, key, 'GET')) as {
      sub_accounts: { id: string }[];
      next_cursor: string | null;
    };
    ids.push(...page.sub_accounts.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  return ids;
}

/** One read for each client, which tells its credits alone. @returns how long they took, in milliseconds */
async function readEach(base: string, key: string): Promise<number> {
  const ids = await readIds(base, key);
  const start = performance.now();
  for (const id of ids) await request(`${base}/users/me/credits?sub_account_id=${id}`, key, 'GET');
  return performance.now() - start;
}

export async function fastest(measure: () => Promise<number>): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < rounds; round++) best = Math.min(best, await measure());
  return best;
}

/** Compares the overview of an agency with 500 clients with that of one with a single client, and with single reads. */
export async function* measureOverview(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  for (const [engine, options] of await newStores(workplace, database)) {
    const server = await startServer(workplace, options);
    const { base_url: base } = server.ready;
    const many = await agencyWith(clients, server.ready);
    const one = await agencyWith(1, server.ready);
    const single = await fastest(() => readOverview(base, one));
    const all = await fastest(() => readOverview(base, many));
    const reads = await readEach(base, many);
    const reference = `one client; ${clients} single reads take ${reads.toFixed(0)} ms`;
    yield ratioLine(`overview of ${clients} clients, ${engine}`, `${all.toFixed(1)} ms`, all / single, reference, { atMost: 20 });
    await end(server.child, 'SIGKILL');
  }
}
