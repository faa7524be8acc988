import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from '../support/accounts.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end, type Workplace } from '../support/processes.ts';
import { countLine, type Line, median, perSecond, ratioLine } from './report.ts';
import { type MeasuredServer, newStores, startServer } from './server.ts';

const messages = 100_000;

const rounds = 3;

/**
 * Measures the ledger records that a whole process exports per second. The reference is a bare loop that reads the same pages
 * and discards them.
 */
export async function* measureExports(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  for (const [engine, options] of await newStores(workplace, database)) yield* measureEngine(workplace, engine, options);
}

async function* measureEngine(workplace: Workplace, engine: string, options: readonly string[]): AsyncIterable<Line> {
  const server = await startServer(workplace, options);
  const { ready } = server;
  const control = (path: string, method: string, body: object) => request(`${ready.sandbox_url}${path}`, ready.sandbox_token, method, body);
  const plan = { key_requests_per_minute: 1_000_000, account_requests_per_minute: 1_000_000 };
  await control(`/accounts/${ready.account_id}`, 'PATCH', { plan });
  await control('/demo', 'POST', { messages, days: 29 });
  const read: Read[] = [];
  const exported: { rate: number; peak: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    read.push(await readLedger(server));
    exported.push(await exportLedger(workplace, server));
  }
  const rate = median(exported.map((each) => each.rate));
  const reference = median(read.map((each) => each.rate));
  const rest = `a loop that reads and forgets (${perSecond(reference)})`;
  yield ratioLine(`records of the ledger exported, ${engine}`, perSecond(rate), rate / reference, rest, { atLeast: 0.7 });
  const [first, last] = [median(read.map((each) => each.first)), median(read.map((each) => each.last))];
  yield ratioLine(`the last pages of the ledger, ${engine}`, perSecond(last), last / first, `the first ones (${perSecond(first)})`, {
    atLeast: 0.5,
  });
  yield countLine(`memory of the export at its peak, ${engine}, in MiB`, median(exported.map(({ peak }) => peak)), { atMost: 150 });
  await end(server.child, 'SIGKILL');
}

/** Records per second: in total, including the start of the process, and for the first and last pages. */
interface Read {
  readonly rate: number;
  readonly first: number;
  readonly last: number;
}

async function readLedger({ ready }: MeasuredServer): Promise<Read> {
  const reference = fileURLToPath(new URL('read-ledger.ts', import.meta.url));
  const began = performance.now();
  const child = spawn(process.execPath, [reference, ready.base_url, ready.api_key ?? ''], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [[printed]] = (await Promise.all([once(child.stdout, 'data'), once(child, 'exit')])) as [[Buffer], unknown];
  const { records, first, last } = JSON.parse(printed.toString()) as { records: number; first: number; last: number };
  return { rate: (records * 1000) / (performance.now() - began), first, last };
}

/** Exports the whole ledger. @returns the records per second, including the start of the process, and its peak memory in MiB */
async function exportLedger(workplace: Workplace, { ready }: MeasuredServer): Promise<{ rate: number; peak: number }> {
  const out = join(workplace.path, 'ledger.ndjson');
  const state = join(workplace.path, 'state');
  for (const file of [out, state]) rmSync(file, { force: true });
  const began = performance.now();
  const argv = ['analytics', 'export', '--dataset', 'credits', '--checkpoint', state, '--out', out, '-o', 'json'];
  const child = workplace.start(argv, { MSGCTL_BASE_URL: ready.base_url, MSGCTL_API_KEY: ready.api_key ?? '' });
  let peak = 0;
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const watch = setInterval(() => (peak = Math.max(peak, peakOf(child.pid))), 100);
  await once(child, 'exit');
  clearInterval(watch);
  const { rows } = JSON.parse(printed) as { rows: number };
  return { rate: (rows * 1000) / (performance.now() - began), peak };
}

/** The peak resident memory of a process, in MiB; 0 if it has ended or is about to end. */
export function peakOf(pid: number | undefined): number {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
