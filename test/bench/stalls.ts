import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

// Measures how long `GET /tags` of one account takes while another account does long work. The budget is 50 ms at the
// 99th percentile. `node test/bench/stalls.ts [postgres://…]` measures the embedded store, or the store at the address.

const program = fileURLToPath(new URL('../../bin/msgctl.js', import.meta.url));
const folder = isMainThread ? mkdtempSync(join(tmpdir(), 'msgctl-stalls-')) : '';
const budget = 50;

interface Ready {
  readonly base_url: string;
  readonly sandbox_url: string;
  readonly sandbox_token: string;
  readonly account_id: string;
  readonly api_key: string;
}

interface Account {
  readonly account_id: string;
  readonly api_key: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Calls the server, and parses the answer. */
async function call<Answer = Record<string, unknown>>(url: string, key: string, method = 'GET', body?: unknown): Promise<Answer> {
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const headers = { authorization: `Bearer ${key}`, 'content-length': bytes.length };
  return await new Promise((resolve, reject) => {
    const request = httpRequest(url, { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        if ((response.statusCode ?? 500) < 300) resolve(JSON.parse(text) as Answer);
        else reject(new Error(`${method} ${url}: ${response.statusCode} ${text}`));
      });
    });
    request.on('error', reject);
    request.end(bytes);
  });
}

/** Runs `count` pieces of work, eight at a time. */
async function inParallel(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** The time between two reads of the tags, in milliseconds. */
const probeInterval = 4;

/**
 * Reads the tags of an account at regular intervals until it is told to stop, and reports how long each read took. It
 * runs in a thread of its own, so that the work of the other account does not delay it.
 */
async function probe({ url, key }: { readonly url: string; readonly key: string }): Promise<void> {
  const times: number[] = [];
  const running = new Set<Promise<void>>();
  let isRunning = true;
  parentPort?.once('message', () => (isRunning = false));
  while (isRunning) {
    const started = performance.now();
    const reading = call(url, key).then(() => void times.push(performance.now() - started));
    running.add(reading);
    void reading.finally(() => running.delete(reading));
    await sleep(probeInterval);
  }
  await Promise.all(running);
  parentPort?.postMessage(times);
  agent.destroy();
}

/** Measures the reads of one account while another one works. */
class Stalls {
  readonly #url: string;
  readonly #key: string;
  isOverBudget = false;

  private constructor(ready: Ready, { api_key: key }: Account) {
    this.#url = `${ready.base_url}/tags`;
    this.#key = key;
  }

  static async open(ready: Ready): Promise<Stalls> {
    const stalls = new Stalls(ready, await newAccount(ready));
    for (const name of ['VIP', 'Newsletter', 'Complaint']) await call(stalls.#url, stalls.#key, 'POST', { name });
    return stalls;
  }

  /** Reads the tags of the account while the work of the other one runs, and for `after` milliseconds more. */
  async measure(what: string, work: () => Promise<unknown>, after = 0): Promise<void> {
    const worker = new Worker(new URL(import.meta.url), { workerData: { url: this.#url, key: this.#key } });
    await sleep(300);
    const started = performance.now();
    await work();
    const took = performance.now() - started;
    await sleep(after);
    worker.postMessage('stop');
    const [times] = (await once(worker, 'message')) as [number[]];
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
    const isOver = at(0.99) >= budget;
    this.isOverBudget ||= isOver;
    const figures = `p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms, max ${at(1).toFixed(1)} ms (${times.length} reads)`;
    process.stdout.write(`${isOver ? 'OVER' : 'ok  '} ${what}: answered after ${took.toFixed(0)} ms; GET /tags: ${figures}\n`);
  }
}

async function newAccount(ready: Ready, more: Record<string, unknown> = {}): Promise<Account> {
  const plan = { key_requests_per_minute: 100_000_000, account_requests_per_minute: 100_000_000 };
  return await call<Account>(`${ready.sandbox_url}/accounts`, ready.sandbox_token, 'POST', {
    name: 'Measured',
    kind: 'standard',
    plan,
    ...more,
  });
}

/** Imports contacts, 500 a call. @returns their ids */
async function importContacts(ready: Ready, key: string, count: number): Promise<string[]> {
  const ids: string[][] = [];
  await inParallel(Math.ceil(count / 500), async (index) => {
    const size = Math.min(500, count - index * 500);
    const contacts = Array.from({ length: size }, (_, each) => ({ phone_number: `+1415${String(2_000_000 + index * 500 + each)}` }));
    const { contact_ids } = await call<{ contact_ids: string[] }>(`${ready.base_url}/contacts/import`, key, 'POST', { contacts });
    ids[index] = contact_ids;
  });
  return ids.flat();
}

async function newList(ready: Ready, key: string, members: readonly string[]): Promise<string> {
  const { list } = await call<{ list: { id: string } }>(`${ready.base_url}/lists`, key, 'POST', { name: 'Measured' });
  await inParallel(Math.ceil(members.length / 10_000), (index) =>
    call(`${ready.base_url}/lists/${list.id}/contacts`, key, 'POST', { contact_ids: members.slice(index * 10_000, (index + 1) * 10_000) }),
  );
  return list.id;
}

async function run(ready: Ready): Promise<boolean> {
  const stalls = await Stalls.open(ready);
  const { account_id: agency, api_key: agencyKey } = await newAccount(ready, { kind: 'agency' });
  const { account_id: client, api_key: key } = await newAccount(ready, { parent_account_id: agency });
  await call(`${ready.sandbox_url}/accounts/${client}`, ready.sandbox_token, 'PATCH', { credits: 1_000_000 });
  const identity = '+14155550100';
  await call(`${ready.sandbox_url}/accounts/${client}/channels`, ready.sandbox_token, 'POST', { channel: 'chatapp', identity });
  const ids = await importContacts(ready, key, 200_000);
  const url = ready.base_url;

  await stalls.measure('nothing', () => sleep(2000));
  await stalls.measure('20 searches without a match in 200,000 contacts', () =>
    Promise.all(Array.from({ length: 20 }, (_, index) => call(`${url}/contacts?search=nobody${index}`, key))),
  );
  const rows = Array.from({ length: 500 }, (_, index) => ({ phone_number: `+1415${String(9_000_000 + index)}` }));
  await stalls.measure('POST /contacts/import of 500 rows', () => call(`${url}/contacts/import`, key, 'POST', { contacts: rows }));
  const { list } = await call<{ list: { id: string } }>(`${url}/lists`, key, 'POST', { name: 'Bulk' });
  const some = { contact_ids: ids.slice(0, 10_000) };
  await stalls.measure('adding 10,000 contacts to a list', () => call(`${url}/lists/${list.id}/contacts`, key, 'POST', some));
  await stalls.measure('removing 10,000 contacts from a list', () => call(`${url}/lists/${list.id}/contacts`, key, 'DELETE', some));
  const draft = { name: 'Ids', channel: 'chatapp', body: 'Hello', ...some };
  await stalls.measure('a draft to 10,000 contacts by id', () => call(`${url}/broadcasts`, key, 'POST', draft));
  await inParallel(20, () => call(`${url}/broadcasts`, key, 'POST', draft));
  await stalls.measure('GET /broadcasts, 20 drafts with 10,000 ids each', () => call(`${url}/broadcasts?limit=100`, key));

  const audience = await newList(ready, key, ids.slice(0, 100_000));
  const overlapping = await newList(ready, key, ids.slice(50_000, 120_000));
  const send = { name: 'Measured', channel: 'chatapp', body: 'Hello', list_ids: [audience, overlapping], contact_ids: ids.slice(0, 1000) };
  let broadcast = '';
  await stalls.measure('a draft to 120,000 contacts of two lists', async () => {
    const answer = await call<{ broadcast: { id: string } }>(`${url}/broadcasts`, key, 'POST', send);
    broadcast = answer.broadcast.id;
  });
  await call(`${url}/broadcasts/${broadcast}/submit`, key, 'POST');
  await call(`${ready.sandbox_url}/jobs`, ready.sandbox_token, 'POST', { hold: ['broadcast'] });
  await stalls.measure('approving it', () => call(`${url}/broadcasts/${broadcast}/approve`, key, 'POST'));
  await call(`${ready.sandbox_url}/jobs`, ready.sandbox_token, 'POST', { hold: [] });
  await stalls.measure('sending it', async () => {
    for (;;) {
      const answer = await call<{ broadcast: { status: string } }>(`${url}/broadcasts/${broadcast}`, key);
      if (answer.broadcast.status === 'Sent') return;
      await sleep(200);
    }
  });
  await stalls.measure('deleting the broadcast', () => call(`${url}/broadcasts/${broadcast}`, key, 'DELETE'), 3000);

  const tagged = await newList(ready, key, ids);
  await stalls.measure('deleting a list of 200,000 contacts', () => call(`${url}/lists/${tagged}`, key, 'DELETE'), 3000);
  await stalls.measure(
    'deleting a sub-account of 200,000 contacts and 120,000 conversations',
    () => call(`${url}/subaccounts/${client}`, agencyKey, 'DELETE'),
    10_000,
  );
  return !stalls.isOverBudget;
}

async function start(database: string | undefined): Promise<{ child: ChildProcess; ready: Ready }> {
  const options = ['--data', join(folder, 'data'), ...(database === undefined ? [] : ['--database', database])];
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', '-o', 'json', '--quiet', ...options], {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  return { child, ready: JSON.parse(line) as Ready };
}

if (isMainThread) {
  const { child, ready } = await start(process.argv[2]);
  try {
    process.exitCode = (await run(ready)) ? 0 : 1;
  } finally {
    agent.destroy();
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
} else {
  await probe(workerData as Parameters<typeof probe>[0]);
}
