import { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Endpoint, successStatus } from '../../../src/contract/endpoint.ts';
import { endpoints } from '../../../src/contract/endpoints.ts';
import { phoneNumber } from '../../support/accounts.ts';
import { KnowingAgent, settle } from '../../support/agents.ts';
import { callSample, makeSample } from '../../support/samples.ts';
import { engine } from '../../support/stores.ts';
import { TestService } from '../../support/test-service.ts';

/** Collects the texts of the statements that are prepared from now on. */
function watchPrepared(): Set<string> {
  const prepared = new Set<string>();
  // oxlint-disable-next-line typescript/unbound-method -- called with the connection
  const { prepare } = DatabaseSync.prototype;
  vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, text) {
    prepared.add(text);
    return prepare.call(this, text);
  });
  return prepared;
}

/** How SQLite reads what a statement needs. */
function planOf(service: TestService, text: string | undefined, ...values: string[]): string[] {
  const database = new DatabaseSync(service.database.file ?? '', { readOnly: true });
  const plan = database.prepare(`explain query plan ${text}`).all(...values);
  database.close();
  return plan.map(({ detail }) => String(detail));
}

// SQLite calls the authorizer while it plans a statement, and at no other time.
describe.runIf(engine === 'sqlite')('a repeated statement', () => {
  let service: TestService;
  let planned: string[] = [];

  beforeEach(async () => {
    watchPlanning();
    service = await TestService.open();
    await service.liftLimits();
    await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await service.close();
  });

  function watchPlanning(): void {
    let asked = 0;
    const connections = new WeakSet<DatabaseSync>();
    // oxlint-disable-next-line typescript/unbound-method -- called with the connection
    const { prepare } = DatabaseSync.prototype;
    vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, text) {
      if (!connections.has(this)) this.setAuthorizer(() => (asked++, 0));
      connections.add(this);
      return prepare.call(this, text);
    });
    for (const method of ['all', 'run'] as const) {
      // oxlint-disable-next-line typescript/unbound-method -- called with the statement
      const original = StatementSync.prototype[method] as (this: StatementSync, ...values: unknown[]) => never;
      vi.spyOn(StatementSync.prototype, method).mockImplementation(function (this: StatementSync, ...values: unknown[]) {
        const before = asked;
        const result = original.apply(this, values);
        if (asked > before) planned.push(this.sourceSQL);
        return result;
      });
    }
  }

  it('is not planned again on the most frequent paths', async () => {
    const agent = await KnowingAgent.make(service);
    await agent.learn([['When do you open?', 'At nine.']]);
    await settle(service);
    const { event } = (await service.post('/events', { name: 'Visit' })).body;
    const slots = `appointments/available-slots?event_id=${event.id}&start_time=2027-03-02T08:00:00Z&end_time=2027-03-02T12:00:00Z`;
    let made = 0;
    const useAll = async () => {
      const phone_number = phoneNumber(made++);
      expect((await service.post('/contacts/send', { channel: 'chatapp', phone_number, body: 'Hello.' })).status).toBe(201);
      for (const path of ['tags', 'contacts', 'lists', 'agents', 'appointments', 'tasks', 'faqs', 'webhooks', slots])
        expect((await service.get(`/${path}`)).status, path).toBe(200);
      expect(await agent.find('When do you open?')).toHaveLength(1);
      await settle(service);
    };
    // Kysely and the service fill caches in the first rounds.
    for (let round = 0; round < 3; round++) await useAll();
    planned = [];
    await useAll();
    expect(planned).toEqual([]);
  });
});

it.runIf(engine === 'sqlite')('the feed of a dashboard by tag reads its own conversations only', async () => {
  const service = await TestService.open();
  const prepared = watchPrepared();
  const { tag } = (await service.post('/tags', { name: 'VIP' })).body;
  await service.get(`/analytics/dashboard-insights?startDate=2027-02-01&endDate=2027-03-01&tag_ids=${tag.id}`);
  vi.restoreAllMocks();
  const [feed, ...others] = [...prepared].filter((text) => text.includes('"chat_sessions"."seq" in'));
  expect(others).toEqual([]);
  expect(planOf(service, feed, '[]')).toContain('SEARCH chat_sessions USING INTEGER PRIMARY KEY (rowid=?)');
  await service.close();
});

it.runIf(engine === 'sqlite')('the FAQs to prepare are found without those that are ready', async () => {
  const service = await TestService.open();
  const prepared = watchPrepared();
  const agent = await KnowingAgent.make(service);
  await agent.learn([['When do you open?', 'At nine.']]);
  await settle(service);
  vi.restoreAllMocks();
  const [list, ...others] = [...prepared].filter((text) => /^select \* from "faq_search" where .*<> 'ready'/.test(text));
  expect(others).toEqual([]);
  expect(planOf(service, list)).toEqual(['SEARCH faq_search USING INDEX faqs_to_prepare (account_id=?)']);
  await service.close();
});

describe.runIf(engine === 'sqlite')('a list of notifications or error records', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await TestService.open();
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await service.close();
  });

  it.each([
    ['/error-log', 'error_records_by_account (account_id=?)'],
    ['/error-log?source=delivery', 'error_records_by_source (account_id=? AND source=?)'],
    ['/error-log?code=timeout', 'error_records_by_code (account_id=? AND code=?)'],
    ['/error-log?source=delivery&code=timeout', 'error_records_by_source_and_code (account_id=? AND source=? AND code=?)'],
    ['/error-log?from=2027-01-01&to=2027-01-02', 'error_records_by_account (account_id=? AND seq>? AND seq<?)'],
    ['/error-log?source=delivery&from=2027-01-01', 'error_records_by_source (account_id=? AND source=? AND seq>?)'],
    ['/notifications', 'notifications_by_account (account_id=?)'],
    ['/notifications?kind=credits_low', 'notifications_by_kind (account_id=? AND kind=?)'],
    ['/notifications?unread=true', 'notifications_unread (account_id=?)'],
    ['/notifications?unread=false', 'notifications_read (account_id=?)'],
    ['/notifications?unread=true&kind=credits_low', 'notifications_unread_by_kind (account_id=? AND kind=?)'],
    ['/notifications?unread=false&kind=credits_low', 'notifications_read_by_kind (account_id=? AND kind=?)'],
  ])('%s reads its rows in the order of an index, from where they begin', async (path, index) => {
    const prepared = watchPrepared();
    expect((await service.get(path)).status).toBe(200);
    vi.restoreAllMocks();
    const [list] = [...prepared].filter((text) => /^select \* from "(error_records|notifications)"/.test(text));
    const plan = planOf(service, list);
    expect(plan[0]).toContain(`USING INDEX ${index}`);
    expect(plan.join()).not.toContain('TEMP B-TREE');
  });
});

// Proves rule messages.43: the cost of indexing is that of the new messages, however many there are.
it.runIf(engine === 'sqlite')('the next messages to index are read from an index, from where they begin', async () => {
  const service = await TestService.open();
  const prepared = watchPrepared();
  expect((await service.sandbox('POST', '/demo', { messages: 100 })).status).toBe(200);
  vi.restoreAllMocks();
  const [next] = [...prepared].filter((text) => text.startsWith('select "seq", "body" from "messages"'));
  expect(planOf(service, next)).toEqual(['SEARCH messages USING INDEX messages_by_account (account_id=? AND seq>? AND seq<?)']);
  await service.close();
});

// SQLite has no statistics and expects few rows of an account: it may read all of them, and compare each with the names.
it.runIf(engine === 'sqlite')('no call reads all records of an account to find those that it names', async () => {
  const prepared = watchPrepared();
  const service = await TestService.open();
  for (const spec of endpoints as readonly Endpoint[]) {
    if (spec.access === 'public' || spec.access === 'person' || spec.isStream) continue;
    const { account_id: id, api_key: key } = await service.makeAccount({ kind: 'agency' });
    await service.liftLimits(id);
    const sample = await makeSample(service, key, spec.name);
    expect((await callSample(service, spec, sample, key)).status, spec.name).toBe(successStatus(spec));
  }
  await settle(service);
  vi.restoreAllMocks();
  const named = [...prepared].filter((text) => text.includes('json_each(') && !text.startsWith('insert'));
  expect(named.length).toBeGreaterThan(50);
  // A set that is compared has a Bloom filter. One that is looked up has none.
  const compares = (text: string) =>
    /_by_account \(account_id=\?\);LIST SUBQUERY \d+;SCAN json_each [^;]*;CREATE BLOOM FILTER/.test(planOf(service, text).join(';'));
  expect(named.filter(compares)).toEqual([]);
  const waiting = [...prepared].find((text) => text.startsWith('select "tier", count(*)'));
  expect(planOf(service, waiting)[0]).toContain('kb_sources_by_status (account_id=? AND status=?)');
  await service.close();
});
