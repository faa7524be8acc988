import { request } from '../support/accounts.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end, type Workplace } from '../support/processes.ts';
import { type Line, median, rateLine, waitLine } from './report.ts';
import { newStores, startServer } from './server.ts';
import { waitBeside } from './waits.ts';

/** How fast a history is made in a second, and how many messages of it there are to read. */
const budgets: Readonly<Record<string, { rate: number; messages: number }>> = {
  SQLite: { rate: 50_000, messages: 1_000_000 },
  PostgreSQL: { rate: 10_000, messages: 200_000 },
};

const rounds = 4;

/** The longest wait of a read of another account at the 99th percentile, in milliseconds. */
const waitMax = 50;

/** Makes a history, and measures how long `GET /tags` of another account takes beside the reports that read by tags. */
export async function* measureAnalytics(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  for (const [engine, options] of await newStores(workplace, database)) {
    const { rate, messages } = budgets[engine] ?? { rate: 0, messages: 0 };
    const { child, ready } = await startServer(workplace, options);
    const { base_url: url, sandbox_url: sandbox, sandbox_token: token, api_key: key } = ready;
    const plan = { key_requests_per_minute: 100_000_000, account_requests_per_minute: 100_000_000 };
    const other = (await request(`${sandbox}/accounts`, token, 'POST', { name: 'Measured', kind: 'standard', plan })) as {
      api_key: string;
    };
    const rates: number[] = [];
    for (let seed = 0; seed < rounds; seed++) {
      const started = performance.now();
      await request(`${sandbox}/demo`, token, 'POST', { messages: messages / rounds, seed });
      rates.push(messages / rounds / ((performance.now() - started) / 1_000));
    }
    yield rateLine(`messages of a history, ${engine}`, median(rates), rate);
    const { tags } = (await request(`${url}/tags`, key, 'GET')) as { tags: { id: string; contact_count: number }[] };
    const [largest] = tags.toSorted((a, b) => b.contact_count - a.contact_count);
    const today = Date.now();
    const date = (days: number) => new Date(today - days * 86_400_000).toISOString().slice(0, 10);
    const reports = {
      'a dashboard by tag': `dashboard-insights?startDate=${date(91)}&endDate=${date(0)}&tag_ids=${largest?.id ?? ''}`,
      outcomes: `outcomes?from=${date(91)}&to=${date(0)}`,
    };
    for (const [what, query] of Object.entries(reports)) {
      const started = performance.now();
      const wait = await waitBeside(`${url}/tags`, other.api_key, () => request(`${url}/analytics/${query}`, key, 'GET'));
      const seconds = ((performance.now() - started - 300) / 1_000).toFixed(1);
      yield waitLine(`GET /tags of another account, ${engine}, ${what} (${seconds} s)`, wait, waitMax);
    }
    await end(child, 'SIGKILL');
  }
}
