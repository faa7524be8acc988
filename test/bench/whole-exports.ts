import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from '../support/accounts.ts';
import { inDuckDb } from '../support/exported.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end, type Ready, type Workplace } from '../support/processes.ts';
import { Proxy } from '../support/proxy.ts';
import { peakOf } from './exports.ts';
import { phoneNumber } from '../support/accounts.ts';
import { countLine, type Line, median, ratioLine, waitLine } from './report.ts';
import { newStores, startServer } from './server.ts';

const clients = 60;
const contactsEach = 4_000;
const messages = 130_000;

const rounds = 1;

/** Measures an export of an agency and its clients: its requests, its time beside that of the requests alone, and its memory. */
export async function* measureWholeExports(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  for (const [engine, options] of await newStores(workplace, database)) {
    const server = await startServer(workplace, options);
    const accounts = ['own', ...(await fill(server.ready))];
    const [alone, whole, peaks]: number[][] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      alone?.push(await readAlone(server.ready, accounts));
      const exported = await exportAll(workplace, server.ready, 'parquet', true);
      whole?.push(exported.milliseconds);
      peaks?.push(exported.peak);
    }
    const [time, reference] = [median(whole ?? []), median(alone ?? [])];
    const rows = rowsIn(workplace);
    const what = `export of ${accounts.length} accounts, ${rows.all.toLocaleString('en')} rows, ${engine}`;
    yield ratioLine(what, `${(time / 1_000).toFixed(1)} s`, time / reference, `its requests alone (${(reference / 1_000).toFixed(1)} s)`, {
      atMost: 3.5,
    });
    yield countLine(`memory of the export at its peak, ${engine}, in MiB`, median(peaks ?? []), { atMost: 200 });
    yield* measureRequests(workplace, server.ready, engine, accounts.length, rows);
    yield* measureQuery(workplace, server.ready, engine);
    await end(server.child, 'SIGKILL');
  }
}

/** Makes the clients with their contacts, and a history of the agency. @returns the ids of the clients */
async function fill({
  base_url: base,
  sandbox_url: sandbox,
  sandbox_token: token,
  api_key: key,
  account_id: own,
}: Ready): Promise<string[]> {
  const control = (method: string, path: string, body: object) => request(`${sandbox}${path}`, token, method, body);
  await control('PATCH', `/accounts/${own}`, { plan: { key_requests_per_minute: 1e9, account_requests_per_minute: 1e9 } });
  await control('POST', '/demo', { messages, days: 90 });
  const ids: string[] = [];
  for (let client = 0; client < clients; client++) {
    const { sub_account: made } = (await request(`${base}/subaccounts`, key, 'POST', { name: `Client ${client}` })) as {
      sub_account: { id: string };
    };
    ids.push(made.id);
    for (let first = 0; first < contactsEach; first += 500) {
      const contacts = Array.from({ length: 500 }, (_, index) => ({ phone_number: phoneNumber(first + index), first_name: 'Ann' }));
      await request(`${base}/contacts/import`, key, 'POST', { contacts, sub_account_id: made.id });
    }
  }
  return ids;
}

/** The milliseconds of a process that reads the same and forgets it. */
async function readAlone({ base_url: base, api_key: key }: Ready, accounts: readonly string[]): Promise<number> {
  const began = performance.now();
  const reference = fileURLToPath(new URL('read-accounts.ts', import.meta.url));
  const child = spawn(process.execPath, [reference, base, key ?? '', ...accounts], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`The reference ended with ${code}`);
  return performance.now() - began;
}

const folderOf = (workplace: Workplace) => join(workplace.path, 'exported');

async function exportAll(workplace: Workplace, { base_url: base, api_key: key }: Ready, format: string, isAnew: boolean) {
  if (isAnew) rmSync(folderOf(workplace), { recursive: true, force: true });
  const began = performance.now();
  const argv = ['export', folderOf(workplace), '--sub-account', 'own,all', '--format', format, '--yes', '-o', 'json'];
  const child = workplace.start(argv, { MSGCTL_BASE_URL: base, MSGCTL_API_KEY: key ?? '' });
  child.stdout?.resume();
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, peakOf(child.pid))), 100);
  const [code] = (await once(child, 'exit')) as [number];
  clearInterval(watch);
  if (code !== 0) throw new Error(`The export ended with ${code}`);
  return { milliseconds: performance.now() - began, peak };
}

/** The rows of each dataset. */
function rowsIn(workplace: Workplace): { all: number; of: ReadonlyMap<string, number> } {
  const { files } = JSON.parse(readFileSync(join(folderOf(workplace), 'manifest.json'), 'utf8')) as {
    files: { dataset: string; rows: number }[];
  };
  return { all: files.reduce((sum, { rows }) => sum + rows, 0), of: new Map(files.map(({ dataset, rows }) => [dataset, rows])) };
}

/** Counts the requests of a first run, and of one without news, against the pages that there are at least. */
async function* measureRequests(workplace: Workplace, ready: Ready, engine: string, accounts: number, rows: ReturnType<typeof rowsIn>) {
  const proxy = await Proxy.open(new URL(ready.base_url).origin);
  let requests = 0;
  proxy.decide = () => {
    requests++;
    return 'passes';
  };
  const through = { ...ready, base_url: `${proxy.origin}/v1` };
  const datasets = rows.of.size;
  const pages = [...rows.of.values()].reduce((sum, count) => sum + Math.max(0, Math.ceil(count / 100) - 1), 0);
  await exportAll(workplace, through, 'parquet', true);
  const least = accounts * datasets + pages;
  yield ratioLine(`requests of a first export, ${engine}`, String(requests), requests / least, `${least} of lists and pages`, {
    atMost: 1.2,
  });
  requests = 0;
  const { milliseconds } = await exportAll(workplace, through, 'parquet', false);
  yield ratioLine(`requests of an export without news, ${engine}`, String(requests), requests / least, `${least} of a first one`, {
    atMost: 1,
  });
  yield { what: `an export without news, ${engine}`, value: `${(milliseconds / 1_000).toFixed(1)} s`, ratio: '', budget: '', isKept: null };
  await proxy.close();
}

/** Joins the ledger with messages and agents in DuckDB, whose sum is that of the report. */
async function* measureQuery(workplace: Workplace, { base_url: base, api_key: key }: Ready, engine: string) {
  const table = (name: string) => `'${join(folderOf(workplace), name)}/*.parquet'`;
  const began = performance.now();
  const [joined] = await inDuckDb(
    `SELECT sum(l.credits)::DOUBLE AS credits FROM ${table('ledger')} l JOIN ${table('messages')} m ON m.id = l.message_id
     LEFT JOIN ${table('agents')} a ON a.id = l.agent_id WHERE l.account = 'Sandbox Agency' AND NOT l.is_adjustment`,
  );
  const took = performance.now() - began;
  const { totals } = (await request(
    `${base}/analytics/credits?limit=1&from=${new Date(Date.now() - 364 * 86_400_000).toISOString().slice(0, 10)}`,
    key,
    'GET',
  )) as {
    totals: { credits_used: number };
  };
  yield countLine(
    `credits that DuckDB finds beside those of the report, ${engine}`,
    Math.abs(Number(joined?.credits) - totals.credits_used),
    { atMost: 0.01 },
  );
  yield waitLine(`the join in DuckDB, ${engine}`, took, 5_000);
}
