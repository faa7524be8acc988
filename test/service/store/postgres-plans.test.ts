import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { engine } from '../../support/stores.ts';
import { TestService } from '../../support/test-service.ts';

/** A node of a plan, as `explain (analyze, format json)` describes it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const messages = 20_000;

/** Tables that grow with the traffic. No request reads one of them as a whole. */
const large = new Set(['messages', 'chat_sessions', 'contact_counts', 'credit_ledger', 'ai_calls']);

/** The maximum number of rows that the nodes of a plan may touch. A bad join compares many rows with many others. */
const rowsMax = messages / 2;

/** The maximum for a page of a list. It is found in the order of an index, whatever PostgreSQL knows of the table. */
const rowsOfPage = 2_000;

// A table that has just grown has no statistics yet, or those of an empty table. PostgreSQL then expects that few of its rows match
// a condition, or none.
describe.runIf(engine === 'postgres').each(['without', 'with old'])('%s statistics of the tables, PostgreSQL', (which) => {
  let service: TestService;
  let tag = '';
  let contact = '';
  let list = '';
  let agent = '';
  let campaign = '';

  beforeAll(async () => {
    service = await TestService.open();
    await service.liftLimits();
    const tables = await service.write((db) =>
      sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(db),
    );
    for (const { name } of tables.rows)
      await service.write((db) => sql`alter table ${sql.table(name)} set (autovacuum_enabled = off)`.execute(db));
    if (which === 'with old') await service.write((db) => sql`analyze`.execute(db));
    await service.write((db) =>
      sql`insert into error_records (id, account_id, source, code, entity_type, count, first_at, last_at)
        select 'err_' || n, ${service.accountId}, 'delivery', case n % 5000 when 0 then 'unreadable' else 'timeout' end, 'webhook', 1, n, n
        from generate_series(1, ${sql.lit(messages)}) as n`.execute(db),
    );
    await service.write((db) =>
      sql`insert into notifications (id, account_id, kind, title, text, read_at, created_at)
        select 'ntf_' || n, ${service.accountId}, case n % 5000 when 0 then 'credits_low' else 'people_alerted' end, 'x', 'x',
          case n % 5000 when 1 then null else 1 end, n
        from generate_series(1, ${sql.lit(messages)}) as n`.execute(db),
    );
    // The history comes last, because records are numbered in the order of their time.
    expect((await service.sandbox('POST', '/demo', { messages })).status).toBe(200);
    const largest = (rows: { id: string; contact_count: number }[]) =>
      rows.toSorted((a, b) => b.contact_count - a.contact_count)[0]?.id ?? '';
    tag = largest((await service.get('/tags')).body.tags);
    list = largest((await service.get('/lists')).body.lists);
    contact = (await service.get('/contacts')).body.contacts[0].id;
    agent = (await service.get('/agents?view=summary')).body.agents[0].id;
    campaign = (await service.get('/campaigns')).body.campaigns[0].id;
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  afterAll(() => service.close());

  /** The statements that a request runs. */
  async function statementsOf(path: string): Promise<{ text: string; values: unknown[] }[]> {
    const found: { text: string; values: unknown[] }[] = [];
    // oxlint-disable-next-line typescript/unbound-method -- called with the client
    const { query } = pg.Client.prototype;
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
      const { text = '', values } = args[0] as { text?: string; values?: unknown[] };
      if (/^\s*(select|with)\b/.test(text)) found.push({ text, values: values ?? [] });
      return Reflect.apply(query, this, args) as never;
    });
    expect((await service.get(path)).status, path).toBe(200);
    vi.restoreAllMocks();
    return found;
  }

  /** The tables that a plan reads as a whole. */
  function scansOf(node: PlanNode): string[] {
    const own = node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : [];
    return [...own, ...(node.Plans ?? []).flatMap(scansOf)];
  }

  /** The number of rows that all nodes of a plan touch. */
  function rowsOf(node: PlanNode): number {
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
    return node['Actual Loops'] * (node['Actual Rows'] + removed) + (node.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), 0);
  }

  async function expectGoodPlans(path: string, atMost: number): Promise<void> {
    const statements = await statementsOf(path);
    expect(statements.length).toBeGreaterThan(0);
    const client = new pg.Client({ connectionString: service.database.address });
    await client.connect();
    try {
      for (const { text, values } of statements) {
        const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (analyze, format json) ${text}`, values);
        const plan = rows[0]?.['QUERY PLAN'][0].Plan as PlanNode;
        expect(
          scansOf(plan).filter((table) => large.has(table)),
          `${path}: ${text}`,
        ).toEqual([]);
        expect(rowsOf(plan), `${path}: ${text}`).toBeLessThan(atMost);
      }
    } finally {
      await client.end();
    }
  }

  const range = 'from=2026-12-01&to=2027-03-01';
  const days = 'startDate=2026-12-01&endDate=2027-03-01';

  it.each([
    ['outcomes', () => `/analytics/outcomes?${range}`],
    ['outcomes of an agent', () => `/analytics/outcomes?${range}&agent_id=${agent}`],
    ['outcomes of a campaign', () => `/analytics/outcomes?${range}&campaign_id=${campaign}`],
    ['the dashboard by tag', () => `/analytics/dashboard-insights?${days}&tag_ids=${tag}`],
    ['the dashboard', () => `/analytics/dashboard-insights?${days}`],
    ['the dashboard of an agent', () => `/analytics/dashboard-insights?${days}&agent_id=${agent}`],
    ['the ledger of a campaign', () => `/analytics/credits?${range}&campaign_id=${campaign}`],
    ['a series', () => `/analytics/series?${range}&metrics=sent,conversations&group_by=channel,number`],
    ['costs of conversations', () => '/analytics/conversation-costs?from=2027-02-01&to=2027-03-01'],
    ['the activity of a contact', () => `/analytics/entity-activity?entityType=contact&entityId=${contact}`],
    ['a search', () => '/contacts?search=nobody'],
    ['the messages of a contact', () => `/contacts/${contact}/messages?direction=inbound`],
    ['the messages of a contact by a word', () => `/messages?contact_id=${contact}&search=okapi`],
    ['the conversations of a contact', () => `/chat-sessions?contact_id=${contact}`],
    ['appointments', () => '/appointments?status=Confirmed'],
  ])('reads only the rows of %s', async (_what, path) => {
    await expectGoodPlans(path(), rowsMax);
  });

  it.each([
    ['contacts', () => '/contacts'],
    ['contacts with a tag', () => `/contacts?tag_id=${tag}`],
    ['contacts on a list', () => `/contacts?list_id=${list}`],
    ['contacts with a tag that are on a list', () => `/contacts?tag_id=${tag}&list_id=${list}`],
    ['conversations', () => '/chat-sessions'],
    ['messages', () => '/messages'],
    ['messages found by a word that none has', () => '/messages?search=okapi'],
    ['messages found by two words that are rarely together', () => '/messages?search=order%20okapi'],
    ['appointments', () => '/appointments'],
    ['FAQs', () => '/faqs'],
    ['errors', () => '/error-log'],
    ['errors by code', () => '/error-log?code=unreadable'],
    ['errors of a source by code', () => '/error-log?source=delivery&code=unreadable'],
    ['errors of another source', () => '/error-log?source=import'],
    ['errors of a day', () => '/error-log?from=2027-01-01&to=2027-01-02'],
    ['errors before a day', () => '/error-log?to=1969-01-01'],
    ['notifications', () => '/notifications'],
    ['notifications of a kind', () => '/notifications?kind=credits_low'],
    ['notifications that are unread', () => '/notifications?unread=true'],
    ['notifications that are read', () => '/notifications?unread=false'],
    ['notifications of a kind that are unread', () => '/notifications?unread=true&kind=people_alerted'],
    ['notifications of a kind that are read', () => '/notifications?unread=false&kind=credits_low'],
  ])('reads no more than a page of %s', async (_what, path) => {
    await expectGoodPlans(path(), rowsOfPage);
  });
});
