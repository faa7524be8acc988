import { request } from '../support/accounts.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end as stop, type Workplace } from '../support/processes.ts';
import { type Question, queryStore, questions } from './plain-queries.ts';
import { type Line, median, rateLine, ratioLine, waitLine } from './report.ts';
import { newStores, startServer } from './server.ts';
import { waitBeside } from './waits.ts';

/** Minimum number of history messages to create per second, and the number of messages to create. */
const budgets: Readonly<Record<string, { rate: number; messages: number }>> = {
  SQLite: { rate: 25_000, messages: 1_000_000 },
  PostgreSQL: { rate: 5_000, messages: 200_000 },
};

const rounds = 4;

/** Maximum 99th percentile of the read latency of another account, in milliseconds. */
const waitMax = 50;

/** Number of days in the reports. */
const days = 92;

const dayLength = 86_400_000;

/**
 * Creates a history, and measures the reports against equivalent plain SQL on the records. Also measures `GET /tags` of another
 * account while reports by tag are running.
 */
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
    const tag = largest?.id ?? '';
    const end = (Math.floor(Date.now() / dayLength) + 1) * dayLength;
    const asked = questions({ account: ready.account_id, first: end - days * dayLength, end }, tag);
    const report = ({ path }: Question) => request(`${url}/analytics/${path}`, key, 'GET');
    const plain = await queryStore(
      options,
      asked.map(({ sql }) => sql),
    );
    for (const [index, question] of asked.entries()) {
      const times: number[] = [];
      for (let round = 0; round < 3; round++) times.push(await timeOf(() => report(question)));
      const [time, bySql] = [median(times), plain[index] ?? NaN];
      yield ratioLine(`${question.what}, ${engine}`, `${time.toFixed(0)} ms`, time / bySql, `plain SQL (${bySql.toFixed(0)} ms)`, null);
    }
    for (const question of asked.filter(({ what }) => what === 'dashboard by tag' || what === 'outcomes')) {
      const wait = await waitBeside(`${url}/tags`, other.api_key, () => report(question));
      yield waitLine(`GET /tags of another account, ${engine}, ${question.what}`, wait, waitMax);
    }
    await stop(child, 'SIGKILL');
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
