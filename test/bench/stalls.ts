import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '../support/accounts.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end, type Ready, type Workplace } from '../support/processes.ts';
import { type Line, waitLine } from './report.ts';
import { newStores, startServer } from './server.ts';
import { waitBeside } from './waits.ts';

/** Maximum 99th percentile of the read latency, in milliseconds. */
const budget = 50;

/** No requests are sent to this address, because deliveries are held. */
const receiver = 'http://127.0.0.1:9/';

const plan = { key_requests_per_minute: 100_000_000, account_requests_per_minute: 100_000_000 };

/** Measures `GET /tags` of one account while another account does long work. */
export async function* measureStalls(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  for (const [engine, options] of await newStores(workplace, database)) {
    const { child, ready } = await startServer(workplace, options);
    for await (const [what, p99] of largestStallsOf(ready)) yield waitLine(`GET /tags of another account, ${engine}, ${what}`, p99, budget);
    for await (const [what, p99] of stallsOf(ready)) yield waitLine(`GET /tags of another account, ${engine}, ${what}`, p99, budget);
    await end(child, 'SIGKILL');
  }
}

/** What an account with as much as it can have asks for. */
async function* largestStallsOf(ready: Ready): AsyncIterable<[what: string, p99: number]> {
  const { base_url: url, sandbox_url: sandbox, sandbox_token: token } = ready;
  const newAccount = async () =>
    (await request(`${sandbox}/accounts`, token, 'POST', { name: 'Measured', kind: 'standard', plan })) as Record<string, string>;
  const { api_key: reader = '' } = await newAccount();
  const { account_id: account = '', api_key: key = '' } = await newAccount();
  const post = (path: string, body: object) => request(url + path, key, 'POST', body);
  const beside = async (what: string, work: () => Promise<unknown>): Promise<[string, number]> => [
    what,
    await waitBeside(`${url}/tags`, reader, work, 0),
  ];
  const tags = Array.from({ length: 200 }, (_, index) => `tag ${index}`);
  const contacts = Array.from({ length: 100 }, (_, index) => ({ phone_number: `+1415${2_000_000 + index}`, tags }));
  const { contact_ids: ids } = await post('/contacts/import', { contacts });
  for (let index = 0; index < 500; index++) {
    const { list } = (await post('/lists', { name: `list ${index}` })) as { list: { id: string } };
    await post(`/lists/${list.id}/contacts`, { contact_ids: ids });
  }
  const agent = String((await post('/agents', { name: 'Measured', active: false })).agent_id);
  await request(`${sandbox}/accounts/${account}/channels`, token, 'POST', { channel: 'chatapp', identity: '+14155550100' });
  const word = 'abcdefghij'.repeat(18);
  /** A text that differs from the word so much that it is just not similar. */
  const changed = (seed: number) =>
    [...word].map((letter, at) => (((at + 1) * (seed + 7)) % 4 === 0 ? 'klmno'[(at + seed) % 5] : letter)).join('');
  for (let rule = 0; rule < 100; rule++) {
    const keywords = Array.from({ length: 200 }, (_, index) => `${changed(rule * 200 + index)}${rule} ${index}`);
    await post(`/agents/${agent}/entry-points`, { type: 'keyword', channels: ['chatapp'], match_config: { keywords } });
  }
  const ask = (path: string, count: number) => () => Promise.all(Array.from({ length: count }, () => request(url + path, key, 'GET')));
  yield await beside('8 pages of contacts with 200 tags and 500 lists each', ask('/contacts?limit=100', 8));
  yield await beside('20 lists of rules with 20,000 keywords', ask(`/agents/${agent}/entry-points`, 20));
  const write = (index: number) =>
    request(`${sandbox}/accounts/${account}/inbound`, token, 'POST', { channel: 'chatapp', from: `+1415555${1_000 + index}`, text: word });
  yield await beside('5 first messages against 20,000 similar keywords', () =>
    Promise.all(Array.from({ length: 5 }, (_, index) => write(index))),
  );
}

async function* stallsOf(ready: Ready): AsyncIterable<[what: string, p99: number]> {
  const { base_url: url, sandbox_url: sandbox, sandbox_token: token } = ready;
  const newAccount = async (more: object) =>
    (await request(`${sandbox}/accounts`, token, 'POST', { name: 'Measured', kind: 'standard', plan, ...more })) as Record<string, string>;
  const { api_key: reader = '' } = await newAccount({});
  for (const name of ['VIP', 'Newsletter', 'Complaint']) await request(`${url}/tags`, reader, 'POST', { name });
  const { account_id: agency, api_key: agencyKey = '' } = await newAccount({ kind: 'agency' });
  const { account_id: client = '', api_key: key = '' } = await newAccount({ parent_account_id: agency });
  await request(`${sandbox}/accounts/${client}`, token, 'PATCH', { credits: 1_000_000 });
  await request(`${sandbox}/accounts/${client}/channels`, token, 'POST', { channel: 'chatapp', identity: '+14155550100' });
  const post = (path: string, body: object) => request(url + path, key, 'POST', body);
  const ids = await importContacts(url, key, 200_000);

  /** Measures reads while some work is running, and for `after` milliseconds longer. */
  const beside = async (what: string, work: () => Promise<unknown>, after = 0): Promise<[string, number]> => [
    what,
    await waitBeside(`${url}/tags`, reader, work, after),
  ];

  for (let number = 1; number <= 20; number++)
    await post('/webhooks', { name: `receiver ${number}`, url: receiver, subscribed_to: ['Contact Created'] });
  await request(`${sandbox}/jobs`, token, 'POST', { hold: ['webhook_delivery'] });
  yield await beside('10,000 contacts imported, with 20 webhooks', () => importContacts(url, key, 10_000, 200_000));
  for (let number = 1; number <= 20; number++) await request(`${url}/webhooks/1`, key, 'DELETE');
  await request(`${sandbox}/jobs`, token, 'POST', { hold: [] });
  const searches = Array.from({ length: 20 }, (_, index) => `${url}/contacts?search=nobody${index}`);
  yield await beside('20 searches', () => Promise.all(searches.map((search) => request(search, key, 'GET'))));
  const send = { name: 'Measured', channel: 'chatapp', body: 'Hello', list_ids: [await newList(url, key, ids.slice(0, 120_000))] };
  let broadcast = '';
  const draft = async () => void (broadcast = ((await post('/broadcasts', send)).broadcast as { id: string }).id);
  yield await beside('a draft to 120,000', draft);
  await post(`/broadcasts/${broadcast}/submit`, {});
  yield await beside('sending it', async () => {
    await post(`/broadcasts/${broadcast}/approve`, {});
    while (((await request(`${url}/broadcasts/${broadcast}`, key, 'GET')).broadcast as { status: string }).status === 'Sending')
      await sleep(200);
  });
  const list = await newList(url, key, ids);
  yield await beside('a list of 200,000 deleted', () => request(`${url}/lists/${list}`, key, 'DELETE'), 3_000);
  const demo = () => request(`${sandbox}/demo`, token, 'POST', { messages: 100_000 });
  yield await beside('a history of 100,000 messages', demo);
  yield await beside('its counters made anew', () => request(`${sandbox}/rebuild-counts`, token, 'POST'));
  yield await beside('a sub-account of 200,000 deleted', () => request(`${url}/subaccounts/${client}`, agencyKey, 'DELETE'), 10_000);
}

/** Imports contacts, 500 per call. @param first the index of the first phone number @returns the ids of the contacts */
async function importContacts(url: string, key: string, count: number, first = 0): Promise<string[]> {
  const ids: string[] = [];
  for (let from = first; from < first + count; from += 500) {
    const contacts = Array.from({ length: 500 }, (_, each) => ({ phone_number: `+1415${2_000_000 + from + each}` }));
    ids.push(...((await request(`${url}/contacts/import`, key, 'POST', { contacts })).contact_ids as string[]));
  }
  return ids;
}

async function newList(url: string, key: string, members: readonly string[]): Promise<string> {
  const { list } = (await request(`${url}/lists`, key, 'POST', { name: 'Measured' })) as { list: { id: string } };
  for (let from = 0; from < members.length; from += 10_000)
    await request(`${url}/lists/${list.id}/contacts`, key, 'POST', { contact_ids: members.slice(from, from + 10_000) });
  return list.id;
}
