import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeAccounts, request, type TestAccount } from '../support/accounts.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end, type Workplace } from '../support/processes.ts';
import { type Line, median, perSecond, ratioLine } from './report.ts';
import { type MeasuredServer, newStores, startServer } from './server.ts';

const pages = 2_000;

/** The pages of a round: all rounds together import each page once. */
const perRound = 500;

/**
 * Pages that are imported in a second: fetched, read in other processes, turned into FAQs, charged and stored. Beside it a
 * sequential loop over the same pages that stores nothing.
 */
export async function* measureCrawling(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  const site = spawn(process.execPath, [fileURLToPath(new URL('../support/large-site.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(site.stdout, 'data')) as [Buffer];
  const origin = `http://127.0.0.1:${port.toString().trim()}`;
  try {
    for (const [engine, options] of await newStores(workplace, database)) {
      const server = await startServer(workplace, options);
      const [account] = (await makeAccounts(server.ready, 1)) as [TestAccount];
      await request(`${server.ready.sandbox_url}/accounts/${account.id}`, server.ready.sandbox_token, 'PATCH', { credits: 1_000_000 });
      const rates: Record<'crawled' | 'read' | 'parsed', number[]> = { crawled: [], read: [], parsed: [] };
      for (let from = 0; from < pages; from += perRound) {
        rates.read.push(await readPages(origin, from, 'read'));
        rates.parsed.push(await readPages(origin, from, 'parse'));
        rates.crawled.push(await crawl(server, account, origin, from));
      }
      const [crawled, read, parsed] = [median(rates.crawled), median(rates.read), median(rates.parsed)];
      const rest = `a loop that reads (${perSecond(read)}; fetches and parses: ${perSecond(parsed)})`;
      yield ratioLine(`pages imported, ${engine}, ${megabytes(server.child.pid)} MiB`, perSecond(crawled), crawled / read, rest, {
        atLeast: 0.7,
      });
      await end(server.child, 'SIGKILL');
    }
  } finally {
    await end(site, 'SIGKILL');
  }
}

async function readPages(origin: string, from: number, how: string): Promise<number> {
  const reference = fileURLToPath(new URL('read-pages.ts', import.meta.url));
  const child = spawn(process.execPath, [reference, origin, `${from}`, `${from + perRound}`, how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [rate] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(rate.toString());
}

/** Imports the pages of a round. @returns the pages of a second */
async function crawl({ ready }: MeasuredServer, { key }: TestAccount, origin: string, from: number): Promise<number> {
  const began = performance.now();
  for (let at = from; at < from + perRound; at += 100) {
    const urls = Array.from({ length: 100 }, (_, index) => `${origin}/p/${at + index}`);
    await request(`${ready.base_url}/kb-sources/bulk-import`, key, 'POST', { urls });
  }
  const waiting = async () =>
    Object.keys((await request(`${ready.sandbox_url}/jobs`, ready.sandbox_token, 'GET')).waiting as object).includes('kb_import');
  while (await waiting()) await sleep(20);
  return (perRound * 1000) / (performance.now() - began);
}

/** The resident memory of a process at its peak, in MiB. */
function megabytes(pid: number | undefined): string {
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(peak) / 1024).toFixed(0);
}
