import { request } from '../support/accounts.ts';
import { end, type Workplace } from '../support/processes.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { agencyWith, clients, fastest, readIds } from './overview.ts';
import { type Line, ratioLine } from './report.ts';
import { newStores, startServer } from './server.ts';

/** The pages of the usage of a year, as a client reads them. @returns how long they took, in milliseconds */
async function readUsage(base: string, key: string, from: string): Promise<number> {
  const start = performance.now();
  for (let cursor: string | null = ''; cursor !== null;) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const path = `/agency/usage?from=${from}&limit=100${after}`;
    cursor = ((await request(`${base}${path}`, key, 'GET')) as { next_cursor: string | null }).next_cursor;
  }
  return performance.now() - start;
}

/** The reports that have the same figures for each client. @returns how long they took, in milliseconds */
async function readReports(base: string, key: string, from: string, ids: readonly string[]): Promise<number> {
  const start = performance.now();
  for (const id of ids) {
    await request(`${base}/analytics/summary?from=${from}&sub_account_id=${id}`, key, 'GET');
    await request(`${base}/analytics/series?metrics=ai_sent,conversations&sub_account_id=${id}`, key, 'GET');
  }
  return performance.now() - start;
}

/** Compares the usage of an agency with 500 clients with the reports of each of them. */
export async function* measureUsage(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  for (const [engine, options] of await newStores(workplace, database)) {
    const server = await startServer(workplace, options);
    const { base_url: base } = server.ready;
    const key = await agencyWith(clients, server.ready);
    const ids = await readIds(base, key);
    const from = new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10);
    const usage = await fastest(() => readUsage(base, key, from));
    const reports = await readReports(base, key, from, ids);
    const reference = `${2 * clients} reports, ${reports.toFixed(0)} ms`;
    yield ratioLine(`usage of ${clients} clients, ${engine}`, `${usage.toFixed(1)} ms`, usage / reports, reference, { atMost: 0.1 });
    await end(server.child, 'SIGKILL');
  }
}
