import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { median } from './report.ts';

/** An account and a range from `first` to `end` (exclusive), in epoch milliseconds. */
interface Asked {
  readonly account: string;
  readonly first: number;
  readonly end: number;
}

/** A report, and the equivalent plain SQL on the records. */
export interface Question {
  readonly what: string;
  readonly path: string;
  readonly sql: string;
}

const dayLength = 86_400_000;

const dayOf = (column: string) => `${column} / ${dayLength}`;

const counters = `count(case when direction = 'outbound' then 1 end) as sent, count(case when direction = 'inbound' then 1 end) as received,
  count(case when status in ('delivered', 'read') then 1 end) as delivered, count(case when status = 'read' then 1 end) as seen`;

/** The reports on an account as plain SQL. @param tag the id of the tag that filters the dashboard */
export function questions({ account, first, end }: Asked, tag: string): Question[] {
  const date = (instant: number) => new Date(instant).toISOString().slice(0, 10);
  const [from, to] = [date(first), date(end - 1)];
  const within = (column: string) => `account_id = '${account}' and ${column} >= ${first} and ${column} < ${end}`;
  const dashboard = `dashboard-insights?startDate=${from}&endDate=${to}`;
  const byPlace = `select ${dayOf('created_at')} as day, campaign_id, channel, own_identity, ${counters} from messages where ${within('created_at')}`;
  const tagged = `contact_id in (select id from contacts join contact_tags on contact_seq = seq where tag_id = '${tag}')`;
  return [
    {
      what: 'summary',
      path: `summary?from=${from}&to=${to}`,
      sql: `select ${dayOf('created_at')} as day, ${counters} from messages where ${within('created_at')} group by 1`,
    },
    {
      what: 'series by campaign and channel',
      path: `series?from=${from}&to=${to}&group_by=campaign,channel`,
      sql: `select ${dayOf('created_at')} as day, campaign_id, channel, ${counters} from messages where ${within('created_at')} group by 1, 2, 3`,
    },
    {
      what: 'credits',
      path: `credits?from=${from}&to=${to}`,
      sql: `select reason, count(*) as records, sum(millionths) as spent from credit_ledger where ${within('at')} group by 1`,
    },
    {
      what: 'ai-cost',
      path: `ai-cost?from=${from}&to=${to}`,
      sql: `select ${dayOf('at')} as day, provider, count(*) as calls, sum(input_micro_usd + output_micro_usd) as cost
        from ai_calls where ${within('at')} group by 1, 2`,
    },
    {
      what: 'conversation costs of 31 days',
      path: `conversation-costs?from=${date(end - 31 * dayLength)}&to=${to}`,
      sql: `select count(*) as sessions, sum(spent_millionths) as spent from chat_sessions
        where account_id = '${account}' and started_at >= ${end - 31 * dayLength} and started_at < ${end}`,
    },
    {
      what: 'outcomes',
      path: `outcomes?from=${from}&to=${to}`,
      sql: `select ${dayOf('started_at')} as day, tag_id, count(*) as sessions
        from chat_sessions join contacts on contacts.id = contact_id left join contact_tags on contact_seq = contacts.seq
        where chat_sessions.${within('started_at')} group by 1, 2`,
    },
    { what: 'dashboard', path: dashboard, sql: `${byPlace} group by 1, 2, 3, 4` },
    { what: 'dashboard by tag', path: `${dashboard}&tag_ids=${tag}`, sql: `${byPlace} and ${tagged} group by 1, 2, 3, 4` },
  ];
}

/** Number of times each query runs. On the first run, the pages it reads may not be in memory. */
const rounds = 3;

/** The size of the service's cache, in KiB. */
const cacheSize = 32 * 1024;

/**
 * Runs queries on the store of a server.
 * @param options the options with which the server was started
 * @returns the durations in milliseconds
 */
export async function queryStore(options: readonly string[], queries: readonly string[]): Promise<number[]> {
  const valueOf = (name: string) => options[options.indexOf(name) + 1] ?? '';
  if (!options.includes('--database')) {
    const database = new DatabaseSync(join(valueOf('--data'), 'msgctl.db'), { readOnly: true });
    database.exec(`pragma cache_size = -${cacheSize}; pragma temp_store = memory`);
    const times = await timeEach(queries, (query) => database.prepare(query).all());
    database.close();
    return times;
  }
  const client = new pg.Client(valueOf('--database'));
  await client.connect();
  const times = await timeEach(queries, (query) => client.query(query));
  await client.end();
  return times;
}

async function timeEach(queries: readonly string[], run: (query: string) => unknown): Promise<number[]> {
  const medians: number[] = [];
  for (const query of queries) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const started = performance.now();
      await run(query);
      times.push(performance.now() - started);
    }
    medians.push(median(times));
  }
  return medians;
}
