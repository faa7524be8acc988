import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeAccounts, request, type TestAccount } from '../support/accounts.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end, type Ready, type Workplace } from '../support/processes.ts';
import { pdf } from '../support/pdf.ts';
import { type Line, median, perSecond, ratioLine, waitLine } from './report.ts';
import { type MeasuredServer, newStores, startServer } from './server.ts';
import { waitBeside } from './waits.ts';

const pages = 2_000;

/** Number of pages per round. Each page is imported once over all rounds. */
const perRound = 500;

/**
 * Measures the pages imported per second: fetched, parsed in other processes, turned into FAQs, charged and stored. The
 * reference is a sequential loop over the same pages that stores nothing.
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
      const wait = await waitBeside(`${server.ready.base_url}/tags`, account.key, () => readHostile(server, account));
      yield waitLine(`GET /tags beside a PDF of 10,000 pages and one that never ends, ${engine}`, wait, waitMax);
      await end(server.child, 'SIGKILL');
    }
  } finally {
    await end(site, 'SIGKILL');
  }
}

/** Maximum 99th percentile of the read latency while hostile documents are parsed, in milliseconds. */
const waitMax = 50;

/** Imports a long document and one whose pages form a cycle, and waits until both are processed. */
async function readHostile({ ready }: MeasuredServer, { id, key }: TestAccount): Promise<void> {
  const documents = {
    'long.pdf': pdf(Array.from({ length: 10_000 }, (_, number) => [{ text: `Page ${number} of the book.`, y: 700 }])),
    'circle.pdf': pdf([], { objects: { 2: '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 100000 >>' } }),
  };
  for (const [filename, bytes] of Object.entries(documents)) {
    const uploaded = await fetch(`${ready.sandbox_url}/accounts/${id}/uploads?filename=${filename}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.sandbox_token}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(bytes),
    });
    const { storage_path } = (await uploaded.json()) as { storage_path: string };
    await request(`${ready.base_url}/kb-sources/file`, key, 'POST', { storage_path, filename, mime_type: 'application/pdf' });
  }
  await untilImported(ready);
}

async function readPages(origin: string, from: number, how: string): Promise<number> {
  const reference = fileURLToPath(new URL('read-pages.ts', import.meta.url));
  const child = spawn(process.execPath, [reference, origin, `${from}`, `${from + perRound}`, how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [rate] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(rate.toString());
}

/** Imports the pages of a round. @returns the number of pages per second */
async function crawl({ ready }: MeasuredServer, { key }: TestAccount, origin: string, from: number): Promise<number> {
  const began = performance.now();
  for (let at = from; at < from + perRound; at += 100) {
    const urls = Array.from({ length: 100 }, (_, index) => `${origin}/p/${at + index}`);
    await request(`${ready.base_url}/kb-sources/bulk-import`, key, 'POST', { urls });
  }
  await untilImported(ready);
  return (perRound * 1000) / (performance.now() - began);
}

/** Waits until all imports have ended. */
async function untilImported(ready: Ready): Promise<void> {
  const waiting = async () =>
    Object.keys((await request(`${ready.sandbox_url}/jobs`, ready.sandbox_token, 'GET')).waiting as object).includes('kb_import');
  while (await waiting()) await sleep(20);
}

/** The peak resident memory of a process, in MiB. */
function megabytes(pid: number | undefined): string {
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(peak) / 1024).toFixed(0);
}
