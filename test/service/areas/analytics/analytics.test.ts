import { describe, expect } from 'vitest';
import { readOutcomes } from '../../../../src/service/areas/analytics/outcomes.ts';
import { dayLength } from '../../../../src/contract/time/days.ts';
import { updateState } from '../../../../src/service/clock/state.ts';
import { KnowingAgent, settle } from '../../../support/agents.ts';
import { it } from '../../../support/service-test.ts';
import { epoch, TestService } from '../../../support/test-service.ts';
import { until } from '../../../support/until.ts';

it.beforeEach(async ({ service }) => {
  // Sets the clock back between tests. The sandbox cannot do that, and a new store for each test would take too long.
  await service.write((db) => updateState(db, { clock_frozen: true, clock_reading: epoch, faults: [] }));
  await service.freshAccount();
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
});

it.afterEach(({ service }) => expect(service.errors).toEqual([]));

let made = 0;

const today = async (service: TestService) => ((await service.sandbox('GET', '/clock')).body.now as string).slice(0, 10);

async function contact(service: TestService): Promise<{ id: string; phone_number: string }> {
  return (await service.post('/contacts', { phone_number: `+1415${2_000_000 + made++}` })).body.contact;
}

async function send(service: TestService, id: string): Promise<string> {
  const { status, body } = await service.post('/contacts/send', { contact_id: id, body: 'Hello' });
  expect(status).toBe(201);
  return body.message_id as string;
}

const write = (service: TestService, from: string, text = 'A question') =>
  service.sandbox('POST', `/accounts/${service.accountId}/inbound`, { channel: 'chatapp', from, text });

/** Creates an event type. @returns a function that books an appointment on 5 March 2027 at a given hour */
async function booker(service: TestService): Promise<(contactId: string, hour: number) => Promise<string>> {
  const availability = { friday: { start_time: '08:00', end_time: '20:00' } };
  const { event } = (await service.post('/events', { name: 'Consultation', availability, slot_minutes: 60 })).body;
  return async (contactId, hour) => {
    const start = `2027-03-05T${String(hour).padStart(2, '0')}:00:00Z`;
    const { status, body } = await service.post('/appointments', { contact_id: contactId, event_id: event.id, start_time: start });
    expect([status, body.error]).toEqual([201, undefined]);
    return body.appointment_id as string;
  };
}

const advance = (service: TestService, seconds: number) => service.sandbox('POST', '/clock/advance', { seconds });

const everything = [
  '/analytics/summary',
  '/analytics/credits',
  '/analytics/ai-cost',
  '/analytics/series',
  '/analytics/outcomes',
  '/analytics/conversation-costs',
] as const;

const ranged = (service: TestService, path: string, from: string, to: string) => service.get(`${path}?from=${from}&to=${to}`);

describe('the date range', () => {
  // Proves rules analytics.2, analytics.6 and analytics.13.
  it('is the last 30 days by default, today included', async ({ service }) => {
    for (const path of everything) {
      const { status, body } = await service.get(path);
      expect([path, status, body.from, body.to]).toEqual([path, 200, addDays(await today(service), -29), await today(service)]);
    }
    const { by_date: days } = (await service.get('/analytics/summary?to=2026-05-30')).body;
    expect([days.length, days[0].date, days.at(-1).date]).toEqual([30, '2026-05-01', '2026-05-30']);
  });

  // Proves rules analytics.1 and analytics.3.
  it('is rejected if it is malformed, reversed or too long', async ({ service }) => {
    for (const path of everything) {
      const max = path.includes('series') || path.includes('outcomes') ? 92 : path.includes('costs') ? 31 : 366;
      for (const query of ['from=2026-02-30', 'from=yesterday', 'to=2026-1-1', 'from=2026-01-02&to=2026-01-01', 'from=', 'to=0000-01-01'])
        expect([path, query, (await service.get(`${path}?${query}`)).status]).toEqual([path, query, 400]);
      expect((await ranged(service, path, '2025-01-01', addDays('2025-01-01', max - 1))).status).toBe(200);
      expect((await ranged(service, path, '2025-01-01', addDays('2025-01-01', max))).status).toBe(400);
    }
  });
});

describe('the scope parameters', () => {
  // Proves rule analytics.4.
  it('accept a campaign or an agent of the account', async ({ service }) => {
    const { campaign, id } = await KnowingAgent.make(service);
    for (const path of ['/analytics/summary', '/analytics/credits', '/analytics/series', '/analytics/outcomes']) {
      for (const query of [`campaign_id=${campaign}`, `agent_id=${id}`]) expect((await service.get(`${path}?${query}`)).status).toBe(200);
      expect((await service.get(`${path}?campaign_id=${campaign}&agent_id=${id}`)).status).toBe(400);
      for (const query of ['campaign_id=cam_none', 'agent_id=agt_none']) expect((await service.get(`${path}?${query}`)).status).toBe(404);
    }
    const days = 'startDate=2027-02-01&endDate=2027-03-01';
    const dashboard = (query: string) => service.get(`/analytics/dashboard-insights?${days}&${query}`);
    for (const query of [`campaignId=${campaign}`, `agentId=${id}`, `agent_id=${id}`]) expect((await dashboard(query)).status).toBe(200);
    expect((await dashboard(`campaignId=${campaign}&agentId=${id}`)).status).toBe(400);
    expect((await dashboard('campaignId=cam_none')).status).toBe(404);
  });

  // Proves rule analytics.56.
  it('are refused by reports on the whole account, even empty', async ({ service }) => {
    const { campaign, id } = await KnowingAgent.make(service);
    const days = 'startDate=2027-02-01&endDate=2027-03-01';
    for (const path of ['/analytics/ai-cost?', '/analytics/conversation-costs?', `/analytics/dashboard-ai-insights?${days}&`]) {
      for (const query of [`campaign_id=${campaign}`, `agent_id=${id}`, `campaignId=${campaign}`, `agentId=${id}`, 'agent_id=']) {
        const { status, body } = await service.get(path + query);
        expect([path, query, status, body.error]).toEqual([path, query, 400, expect.stringMatching(/^(campaign|agent)_?[iI]d: /)]);
      }
      expect((await service.get(`${path}unknown=1`)).status).toBe(200);
    }
  });

  // Proves rule analytics.9.
  it('accept valid tag ids without filtering by them', async ({ service }) => {
    const some = (count: number) => Array.from({ length: count }, (_, index) => `tag_${index}`).join(',');
    for (const path of ['/analytics/summary', '/analytics/series', '/analytics/outcomes']) {
      for (const list of ['tag_1', some(25)]) expect((await service.get(`${path}?tag_ids=${list}`)).status).toBe(200);
      for (const list of ['', ',', 'tag_1,', 'tag_1,,tag_2', 'a b', 'x;y', some(26)])
        expect([list, (await service.get(`${path}?tag_ids=${encodeURIComponent(list)}`)).status]).toEqual([list, 400]);
    }
  });
});

// Proves rule analytics.11.
it('all reports return 503 while the reporting database is down', async ({ service }) => {
  await service.sandbox('POST', '/faults', { reporting_database: 'down' });
  const days = 'startDate=2027-02-01&endDate=2027-03-01';
  const other = [`/analytics/dashboard-insights?${days}`, `/analytics/dashboard-ai-insights?${days}`];
  for (const path of [...everything, ...other, '/analytics/entity-activity?entityType=contact&entityId=con_1']) {
    const { status, body } = await service.get(path);
    expect([path, status, body.error_code]).toEqual([path, 503, 'analytics_unavailable']);
  }
  expect((await service.get('/tags')).status).toBe(200);
  expect((await service.get('/analytics/summary?from=x')).status).toBe(400);
  await service.sandbox('DELETE', '/faults');
  expect((await service.get('/analytics/summary')).status).toBe(200);
});

// Proves rules analytics.12, analytics.13 and analytics.14.
it('the summary counts events by day', async ({ service }) => {
  const { id, phone_number: number } = await contact(service);
  const first = await send(service, id);
  await write(service, number);
  await service.sandbox('POST', `/accounts/${service.accountId}/receipts`, { message_id: first, status: 'read' });
  const yesterday = await today(service);
  await advance(service, 86_400);
  await send(service, id);
  const { body } = await service.get('/analytics/summary');
  const counters = { sent: 2, delivered: 1, read: 1, replied: 1, booked: 0, contact_created: 1 };
  expect(body.totals).toEqual({ total: 6, ...counters, credits_spent: 2, credits_recharged: 0 });
  expect(body.truncated).toBe(false);
  expect(body.by_date).toHaveLength(30);
  expect(body.by_date.at(-2)).toEqual({
    date: yesterday,
    total: 5,
    ...counters,
    sent: 1,
    credits_spent: 1,
    credits_recharged: 0,
  });
  expect(body.by_date.at(-1)).toMatchObject({ date: await today(service), total: 1, sent: 1, credits_spent: 1 });
});

describe('the ledger', () => {
  // Proves rules analytics.15, analytics.16 and analytics.17.
  it('has totals only on the first page, and adjustments only in the records', async ({ service }) => {
    const { id } = await contact(service);
    const failing = await send(service, id);
    for (let count = 0; count < 4; count++) await send(service, id);
    await service.sandbox('POST', `/accounts/${service.accountId}/receipts`, { message_id: failing, status: 'failed' });
    const { body } = await service.get('/analytics/credits?limit=3');
    expect(body.totals).toEqual({ credits_used: 4, cost_usd: 0, records: 6 });
    expect(body.by_reason).toEqual({ message: 5, refund: -1 });
    expect(body.by_reason_cost).toEqual({ message: 0, refund: 0 });
    expect(body.by_campaign).toEqual({ none: 4 });
    expect(body.records[0]).toEqual({
      id: expect.stringMatching(/^led_/),
      at: new Date(epoch).toISOString(),
      reason: 'refund',
      credits: -1,
      cost_usd: 0,
      campaign_id: null,
      agent_id: null,
      message_id: failing,
      is_adjustment: false,
      transfer_account_id: null,
    });
    expect([body.costs_redacted, body.truncated]).toEqual([false, false]);
    const rest = (await service.get(`/analytics/credits?limit=100&cursor=${body.next_cursor}`)).body;
    expect([rest.totals, rest.by_reason, rest.by_reason_cost, rest.by_campaign, rest.next_cursor]).toEqual([null, null, null, null, null]);
    expect(rest.records.at(-1)).toMatchObject({ reason: 'starting_credits', credits: -1000, is_adjustment: true });
    const ids = [...body.records, ...rest.records].map((record: { id: string }) => record.id);
    expect([ids.length, new Set(ids).size]).toEqual([7, 7]);
    expect((await service.get(`/analytics/credits?limit=3&from=2027-01-01&cursor=${body.next_cursor}`)).status).toBe(400);
    for (const limit of ['0', '101', 'x']) expect((await service.get(`/analytics/credits?limit=${limit}`)).status).toBe(400);
  });

  // Proves rules analytics.5, analytics.18, analytics.19, analytics.20 and analytics.21.
  describe('of an account whose agent answers', () => {
    /** An agent that has answered once with the platform's key. */
    async function answeredOnce(service: TestService): Promise<KnowingAgent> {
      const agent = await KnowingAgent.make(service);
      await agent.learn([['When are you open?', 'From nine to five.']]);
      await service.put('/entry-points/channel-defaults', { channel: 'chatapp', agent_id: agent.id });
      await settle(service);
      await write(service, '+14155550199', 'When are you open?');
      return agent;
    }

    /** Once more with the account's own key, and a draft of it, a day ago. */
    async function answeredWithOwnKey(service: TestService): Promise<KnowingAgent> {
      const agent = await answeredOnce(service);
      await service.sandbox('PATCH', `/accounts/${service.accountId}`, { own_ai_key: 'valid' });
      await write(service, '+14155550199', 'When are you open?');
      await service.post(`/agents/${agent.id}/optimize`, { user_feedback: 'Be short' });
      await advance(service, 86_400);
      await settle(service);
      return agent;
    }

    const costs = async (service: TestService) => (await service.get('/analytics/ai-cost')).body;
    const ledgerOf = async (service: TestService) => (await service.get('/analytics/credits')).body;

    // Proves rules analytics.19 and analytics.20.
    it('hides costs without a key of its own', async ({ service }) => {
      await answeredOnce(service);
      const plain = (await service.get('/analytics/ai-cost')).body;
      expect([plain.costs_redacted, plain.totals]).toEqual([true, { total_usd: 0, byok_usd: 0, platform_usd: 0, calls: 1 }]);
    });

    // Proves rules analytics.18, analytics.19, analytics.20 and analytics.21.
    it('shows the costs of calls with its own key by day', async ({ service }) => {
      await answeredWithOwnKey(service);
      const cost = await costs(service);
      expect(cost.costs_redacted).toBe(false);
      expect(cost.totals.calls).toBe(3);
      expect(cost.totals.byok_usd).toBeGreaterThan(0);
      expect(cost.days).toHaveLength(30);
      const day = cost.days.find(({ calls }: { calls: number }) => calls > 0);
      expect(day.total_usd).toBeCloseTo(day.input_usd + day.output_usd + day.cache_read_usd + day.cache_creation_usd, 9);
      expect(day.by_provider).toEqual({ sandbox: day.total_usd });
    });

    // Proves rules analytics.5 and analytics.18.
    it('shows the same costs in its ledger, a record each', async ({ service }) => {
      const agent = await answeredWithOwnKey(service);
      const cost = await costs(service);
      const ledger = await ledgerOf(service);
      expect(ledger.by_reason).toEqual({ agent_optimize: 5, ai_reply: 2 });
      expect(ledger.totals.cost_usd).toBe(cost.totals.total_usd);
      const charged = ledger.records.map(({ reason, cost_usd: usd }: { reason: string; cost_usd: number }) => [reason, usd > 0]);
      expect(charged).toEqual([
        ['agent_optimize', true],
        ['ai_reply', true],
        ['ai_reply', false],
        ['starting_credits', false],
      ]);
      expect((await service.get(`/analytics/credits?agent_id=${agent.id}`)).body.totals).toEqual(ledger.totals);
    });

    // Proves rules analytics.19 and analytics.20.
    it('hides costs where they are hidden, and once its key is gone', async ({ service }) => {
      await answeredWithOwnKey(service);
      const ledger = await ledgerOf(service);
      await service.sandbox('PATCH', `/accounts/${service.accountId}`, { costs_hidden: true });
      const hidden = await ledgerOf(service);
      expect([hidden.costs_redacted, hidden.totals.cost_usd, hidden.by_reason_cost.ai_reply, hidden.records[1].cost_usd]).toEqual([
        true,
        0,
        0,
        0,
      ]);
      expect(hidden.totals.credits_used).toBe(7);
      expect(await costs(service)).toMatchObject({ costs_redacted: true, totals: { total_usd: 0, calls: 3 } });
      await service.sandbox('PATCH', `/accounts/${service.accountId}`, { costs_hidden: false, own_ai_key: 'none' });
      const without = await ledgerOf(service);
      expect([without.totals, without.records[0].cost_usd, without.costs_redacted]).toEqual([{ ...ledger.totals, cost_usd: 0 }, 0, true]);
      await service.sandbox('POST', '/rebuild-counts').then(({ body }) => expect(body.changed).toBe(0));
    });
  });
});

describe('a series', () => {
  // Proves rules analytics.22, analytics.23 and analytics.26.
  it('rejects invalid parameters', async ({ service }) => {
    for (const query of [
      'metrics=sent,unknown',
      'metrics=',
      'group_by=tag',
      'group_by=date,campaign,channel',
      'granularity=hour',
      'limit=0',
      'limit=51',
      'channel=post',
    ])
      expect([query, (await service.get(`/analytics/series?${query}`)).status]).toEqual([query, 400]);
    for (const query of ['group_by=date,number', 'limit=50', 'metrics=sent,%20read'])
      expect([query, (await service.get(`/analytics/series?${query}`)).status]).toEqual([query, 200]);
  });

  // Proves rules analytics.24, analytics.25 and analytics.27.
  it('has an axis of days, weeks or months without gaps', async ({ service }) => {
    const labels = async (granularity: string) =>
      (await service.get(`/analytics/series?from=2026-12-30&to=2027-03-01&granularity=${granularity}`)).body.labels;
    expect(await labels('day')).toHaveLength(62);
    expect((await labels('week')).slice(0, 2)).toEqual(['2026-12-28', '2027-01-04']);
    expect(await labels('month')).toEqual(['2026-12-01', '2027-01-01', '2027-02-01', '2027-03-01']);
    const { body } = await service.get('/analytics/series?from=2026-12-30&to=2026-12-31');
    expect(body).toMatchObject({
      group_by: [],
      metrics: ['sent', 'replied'],
      granularity: 'day',
      series: [{ key: {}, total: 0, metrics: { sent: [0, 0], replied: [0, 0] } }],
      other_bucket: null,
      truncated: false,
    });
  });

  // Proves rules analytics.25, analytics.26, analytics.28, analytics.29 and analytics.30.
  it('is grouped, with one bucket for the groups beyond the limit', async ({ service }) => {
    await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'sms', identity: '+14155550101' });
    const people = [await contact(service), await contact(service)];
    for (const { id } of people) await send(service, id);
    await service.post('/contacts/send', { contact_id: people[0]?.id, channel: 'sms', body: 'x' });
    const series = async (query: string) => (await service.get(`/analytics/series?from=2027-03-01&${query}`)).body;
    expect((await series('group_by=channel&metrics=sent')).series).toEqual([
      { key: { channel: 'chatapp' }, total: 2, metrics: { sent: [2] } },
      { key: { channel: 'sms' }, total: 1, metrics: { sent: [1] } },
    ]);
    expect(await series('group_by=channel&metrics=sent,conversation_credits&limit=1')).toMatchObject({
      series: [{ total: 4 }],
      other_bucket: { series_count: 1, total: 2, metrics: { sent: [1], conversation_credits: [1] } },
      truncated: true,
    });
    expect((await series('group_by=number&metrics=sent,credits_spent,conversations')).series).toEqual([
      { key: { number: '+14155550100' }, total: 4, metrics: { sent: [2], credits_spent: [0], conversations: [2] } },
      { key: { number: null }, total: 3, metrics: { sent: [0], credits_spent: [3], conversations: [0] } },
      { key: { number: '+14155550101' }, total: 2, metrics: { sent: [1], credits_spent: [0], conversations: [1] } },
    ]);
    expect((await series('group_by=number,channel&metrics=sent&channel=sms')).series).toEqual([
      { key: { channel: 'sms', number: '+14155550101' }, total: 1, metrics: { sent: [1] } },
    ]);
  });
});

// Proves rules analytics.31, analytics.32, analytics.33 and analytics.35.
it('outcomes are counted by the current tags of the contacts', async ({ service }) => {
  const people = [await contact(service), await contact(service), await contact(service)];
  const tag = async (name: string) => (await service.post('/tags', { name })).body.tag.id as string;
  const [vip, old] = [await tag('VIP'), await tag('Old')];
  for (const { id } of people) await send(service, id);
  for (const id of [vip, old]) await service.post(`/contacts/${people[0]?.id}/tags`, { tag_id: id });
  await service.post(`/contacts/${people[1]?.id}/tags`, { tag_id: vip });
  await write(service, people[0]?.phone_number ?? '');
  const { body } = await service.get('/analytics/outcomes?from=2027-02-28');
  expect(body).toMatchObject({
    group_by: 'date',
    labels: ['2027-02-28', '2027-03-01'],
    by_tag: [
      { tag_id: vip, tag: 'VIP', total: 2, counts: [0, 2] },
      { tag_id: null, tag: null, total: 1, counts: [0, 1] },
      { tag_id: old, tag: 'Old', total: 1, counts: [0, 1] },
    ],
    totals: { sessions: 3, replied: 1, booked: 0, human_alerted: 0, unresolved: 1 },
  });
  const byTag = (await service.get('/analytics/outcomes?group_by=tag')).body;
  expect([byTag.labels, byTag.by_tag[0]]).toEqual([[], { tag_id: vip, tag: 'VIP', total: 2, counts: [] }]);
  await service.delete(`/contacts/${people[1]?.id}/tags/${vip}`);
  expect((await service.get('/analytics/outcomes')).body.totals.unresolved).toBe(2);
  await service.delete(`/contacts/${people[0]?.id}`);
  expect((await service.get('/analytics/outcomes')).body).toMatchObject({
    by_tag: [{ tag_id: null, total: 3 }],
    totals: { sessions: 3, replied: 1, unresolved: 3 },
  });
  expect((await service.get('/analytics/outcomes?group_by=week')).status).toBe(400);
});

// Proves rule analytics.31.
it('outcomes do not count a conversation that begins during the count', async ({ service }) => {
  const person = await contact(service);
  const other = await contact(service);
  await send(service, other.id);
  await service.post(`/contacts/${person.id}/tags`, { name: 'VIP' });
  const store = await service.database.open();
  try {
    let isFirst = true;
    const run = async <Result>(step: () => Promise<Result>): Promise<Result> => {
      if (isFirst) await write(service, person.phone_number);
      isFirst = false;
      store.refresh();
      return await step();
    };
    const day = Math.floor(epoch / dayLength);
    const extent = { accountId: service.accountId, campaignId: undefined, agentId: undefined, period: { first: day, last: day } };
    const { by_tag: byTag, totals } = await readOutcomes({ store, scheduler: { run } } as never, extent, 'date');
    expect([byTag, totals]).toMatchObject([[{ tag: null, counts: [1] }], { sessions: 1, unresolved: 1 }]);
  } finally {
    await store.close();
  }
});

// Proves rules analytics.31 and analytics.33.
it('outcomes do not count conversations under a tag that is being deleted', async ({ service }) => {
  const tags: { id: string; name: string }[] = [];
  for (const name of ['A', 'B']) tags.push((await service.post('/tags', { name })).body.tag);
  // The tag with the lower id is deleted. It has more contacts than one deletion step covers.
  const [deleted, kept] = tags.sort((a, b) => (a.id < b.id ? -1 : 1)) as [(typeof tags)[number], (typeof tags)[number]];
  const ids: string[] = [];
  for (const count of [500, 500, 1]) {
    const contacts = Array.from({ length: count }, () => ({ phone_number: `+1415${2_000_000 + made++}`, tags: [deleted.name] }));
    ids.push(...(await service.post('/contacts/import', { contacts })).body.contact_ids);
  }
  await service.post(`/contacts/${ids[0]}/tags`, { tag_id: kept.id });
  for (const id of ids.slice(0, 2)) await send(service, id);
  expect((await service.delete(`/tags/${deleted.id}`)).status).toBe(200);
  const { body } = await service.get('/analytics/outcomes?group_by=tag');
  expect(body.totals).toMatchObject({ sessions: 2, unresolved: 1 });
  expect(body.by_tag).toEqual(
    expect.arrayContaining([
      { tag_id: null, tag: null, total: 1, counts: [] },
      { tag_id: kept.id, tag: kept.name, total: 1, counts: [] },
    ]),
  );
});

// Proves rules activity.15, activity.16, analytics.33, analytics.34 and analytics.41.
it('bookings count under the campaign of the conversation, and the conversation counts once', async ({ service }) => {
  // Earlier tests deleted records.
  await service.sandbox('POST', '/rebuild-counts');
  const agent = await KnowingAgent.make(service);
  expect((await service.put('/channel-routing/chatapp', { campaignId: agent.campaign })).status).toBe(200);
  const { contact_id: id } = (await write(service, '+14155550170')).body;
  const quiet = await contact(service);
  const bookAt = await booker(service);
  await bookAt(id, 9);
  await bookAt(id, 10);
  await bookAt(quiet.id, 11);
  await advance(service, 90_000);
  await bookAt(id, 12);
  const totals = async (path: string) => (await service.get(path)).body.totals;
  expect(await totals('/analytics/outcomes')).toMatchObject({ sessions: 1, booked: 1 });
  expect(await totals('/analytics/summary')).toMatchObject({ booked: 4 });
  expect(await totals(`/analytics/summary?campaign_id=${agent.campaign}`)).toMatchObject({ booked: 2 });
  expect(await totals(`/analytics/summary?agent_id=${agent.id}`)).toMatchObject({ booked: 3 });
  const { data } = (await service.get('/analytics/dashboard-insights?startDate=2027-02-27&endDate=2027-03-02')).body;
  expect(data.topCampaigns).toMatchObject([{ campaignId: agent.campaign, booked: 2 }]);
  expect(data.metricDailyBreakdown.booked).toEqual([0, 0, 3, 1]);
  expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
  await service.write((db) => db.updateTable('daily_counts').set({ booked: 0, conversations_booked: 0 }).execute());
  expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBeGreaterThan(2);
  expect(await totals('/analytics/outcomes')).toMatchObject({ sessions: 1, booked: 1 });
  expect(await totals(`/analytics/summary?campaign_id=${agent.campaign}`)).toMatchObject({ booked: 2 });
});

// Proves rule analytics.50.
it('conversation costs are grouped by who handled the conversation', async ({ service }) => {
  const agent = await KnowingAgent.make(service);
  await agent.learn([['When are you open?', 'From nine to five.']]);
  await service.put('/entry-points/channel-defaults', { channel: 'chatapp', agent_id: agent.id });
  await settle(service);
  // Handled by AI alone; by AI and then the team; by the team and then AI; handed over by AI; without AI.
  await write(service, '+14155550190', 'When are you open?');
  const second = (await write(service, '+14155550191', 'When are you open?')).body;
  await service.sandbox('POST', `/accounts/${service.accountId}/team-replies`, { contact_id: second.contact_id, text: 'x' });
  const third = await contact(service);
  await service.sandbox('POST', `/accounts/${service.accountId}/team-replies`, { contact_id: third.id, text: 'x' });
  await service.post(`/contacts/${third.id}/resume`, {});
  await write(service, third.phone_number, 'When are you open?');
  await write(service, '+14155550192', 'Something entirely different, please');
  const failing = await send(service, (await contact(service)).id);
  await send(service, (await contact(service)).id);
  await service.sandbox('POST', `/accounts/${service.accountId}/receipts`, { message_id: failing, status: 'failed' });
  const { body } = await service.get('/analytics/conversation-costs');
  expect(body).toMatchObject({
    sessions: 6,
    total_credits: 7,
    summary: {
      contained: { sessions: 1, credits: 1, avg_credits: 1 },
      handed_off: { sessions: 3, credits: 5, avg_credits: 1.666667 },
      no_ai: { sessions: 2, credits: 1, avg_credits: 0.5 },
    },
    sessions_truncated: false,
  });
  expect((await service.get('/analytics/outcomes')).body.totals.human_alerted).toBe(1);
  expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
});

describe('the dashboard', () => {
  const dashboard = async (service: TestService, query = '', days = 'startDate=2027-02-27&endDate=2027-03-01') =>
    (await service.get(`/analytics/dashboard-insights?${days}${query}`)).body.data;

  // Proves rules analytics.37 and analytics.38.
  it('requires both dates, and shortens a long range', async ({ service }) => {
    for (const path of ['/analytics/dashboard-insights', '/analytics/dashboard-ai-insights'])
      for (const query of ['', 'startDate=2027-01-01', 'endDate=2027-01-01', 'startDate=2027-01-02&endDate=2027-01-01'])
        expect([query, (await service.get(`${path}?${query}`)).status]).toEqual([query, 400]);
    expect(await dashboard(service, '', 'startDate=2020-01-01&endDate=2027-03-01')).toMatchObject({
      startDate: addDays('2027-03-01', -91),
      endDate: '2027-03-01',
    });
  });

  // Proves rules analytics.39, analytics.40, analytics.42, analytics.43, analytics.44, analytics.45 and analytics.48.
  it('has all blocks', async ({ service }) => {
    const people = [await contact(service), await contact(service)];
    await send(service, people[0]?.id ?? '');
    await write(service, people[0]?.phone_number ?? '');
    await write(service, people[1]?.phone_number ?? '');
    await advance(service, 60);
    for (const { id } of people)
      await service.sandbox('POST', `/accounts/${service.accountId}/team-replies`, { contact_id: id, text: 'x' });
    const data = await dashboard(service);
    expect(data.heatmap.buckets).toHaveLength(168);
    // 2027-03-01 is a Monday, and it is noon.
    expect(data.heatmap.buckets[24 + 12]).toEqual({ weekday: 1, hour: 12, sent: 3, replied: 1, replyRate: 0.333333 });
    expect(data.heatmap.buckets.reduce((sum: number, { sent }: { sent: number }) => sum + sent, 0)).toBe(3);
    const last = new Date(epoch + 60_000).toISOString();
    expect(data.channelVolume).toEqual([{ channel: 'chatapp', sent: 3, received: 2, lastMessageAt: last }]);
    expect(data.inboxSla).toEqual({ medianFirstResponseMs: 60_000, sampleSize: 2 });
    expect(data.activityFeed).toHaveLength(2);
    expect(data.activityFeed[0]).toMatchObject({ kind: 'session', contactId: people[1]?.id, campaignId: null });
    expect(data.numberStats).toEqual([
      { number: '+14155550100', sent: 3, delivered: 0, read: 0, received: 2, replied: 1, replyRate: 0.333333 },
    ]);
    expect(data.channelDailySeries.series).toEqual([{ channel: 'chatapp', sent: [0, 0, 3], received: [0, 0, 2] }]);
    expect(data.metricDailyBreakdown).toMatchObject({ granularity: 'day', sent: [0, 0, 3], contact_created: [0, 0, 2] });
    expect((await dashboard(service, '&granularity=month')).metricDailyBreakdown).toMatchObject({
      labels: ['2027-02-01', '2027-03-01'],
      sent: [0, 3],
    });
    expect(data.contactsByCountry).toEqual([{ country: 'US', contacts: 2 }]);
    expect(data.ai_human_split).toEqual({ ai: 0, human: 2, automated: 1 });
    expect(data.conversation_outcomes).toEqual({ sessions: 2, contained: 0, handed_off: 0, no_ai: 2 });
  });

  it('shows the latest conversations in the feed, except those of contacts that are being deleted', async ({ service }) => {
    const numbers = Array.from({ length: 50 }, (_, index) => `+1415555${3_000 + index}`);
    for (const number of numbers) await write(service, number);
    const { contacts } = (await service.get('/contacts?limit=100')).body;
    const [deleted, others] = [contacts.slice(0, 25), contacts.slice(25)] as [{ id: string }[], { id: string }[]];
    const { account_id: elsewhere } = await service.makeAccount();
    await service.write((db) =>
      db
        .updateTable('contacts')
        .set({ account_id: elsewhere })
        .where(
          'id',
          'in',
          deleted.map(({ id }) => id),
        )
        .execute(),
    );
    const shown = (await dashboard(service)).activityFeed.map(({ contactId }: { contactId: string }) => contactId);
    expect(shown).toEqual(others.slice(0, 20).map(({ id }) => id));
  });

  // Proves rules analytics.41 and analytics.47.
  it('ranks campaigns, and those of an agent by its activity', async ({ service }) => {
    const [ada, bob] = [await KnowingAgent.make(service), await KnowingAgent.make(service, { name: 'Bob' })];
    for (const { campaign } of [ada, bob, ada]) {
      expect((await service.put('/channel-routing/chatapp', { campaignId: campaign })).status).toBe(200);
      const from = `+1415${2_000_000 + made++}`;
      await write(service, from);
      await write(service, from);
    }
    const [first, second, ...rest] = (await dashboard(service)).topCampaigns;
    expect(first).toEqual({
      campaignId: ada.campaign,
      name: 'Support',
      sent: 4,
      replied: 2,
      booked: 0,
      replyRate: 0.5,
      creditsSpent: 4,
    });
    expect([second.campaignId, second.sent, rest]).toEqual([bob.campaign, 2, []]);
    expect((await dashboard(service, `&agentId=${bob.id}`)).topCampaigns).toEqual([second]);
    expect((await dashboard(service, `&campaign_id=${ada.campaign}`)).ai_human_split).toEqual({ ai: 4, human: 0, automated: 0 });
    expect((await service.get(`/analytics/summary?campaign_id=${ada.campaign}`)).body.totals).toMatchObject({ sent: 4, credits_spent: 4 });
    expect((await service.get(`/analytics/credits?campaign_id=${ada.campaign}`)).body).toMatchObject({
      totals: { credits_used: 4, records: 4 },
      by_campaign: { [ada.campaign]: 4 },
    });
    expect((await service.get(`/analytics/outcomes?agent_id=${bob.id}`)).body.totals.sessions).toBe(1);
  });

  // Proves rule analytics.44.
  it('counts the contacts of a country under their first agents, and under no campaign', async ({ service }) => {
    const [ada, bob] = [await KnowingAgent.make(service), await KnowingAgent.make(service, { name: 'Bob' })];
    await contact(service);
    for (const { campaign } of [ada, ada, bob]) {
      expect((await service.put('/channel-routing/chatapp', { campaignId: campaign })).status).toBe(200);
      await write(service, `+1415${2_000_000 + made++}`);
    }
    await write(service, '+393311234567');
    const countries = async (query: string) => (await dashboard(service, query)).contactsByCountry;
    const us = (count: number) => ({ country: 'US', contacts: count });
    const italy = { country: 'IT', contacts: 1 };
    expect(await countries('')).toEqual([us(4), italy]);
    expect(await countries(`&agentId=${ada.id}`)).toEqual([us(2)]);
    expect(await countries(`&agentId=${bob.id}`)).toEqual([italy, us(1)]);
    expect(await countries(`&campaignId=${ada.campaign}`)).toBeNull();
    const { contacts } = (await service.get('/contacts?search=393311234567')).body;
    expect((await service.delete(`/contacts/${contacts[0].id}`)).status).toBe(200);
    expect(await countries(`&agentId=${bob.id}`)).toEqual([italy, us(1)]);
    // A rebuild keeps what a deleted contact has counted.
    await service.sandbox('POST', '/rebuild-counts');
    expect(await countries(`&agentId=${bob.id}`)).toEqual([italy, us(1)]);
  });

  // Proves rules analytics.46 and analytics.47.
  it('can be filtered by the tags of contacts', async ({ service }) => {
    const people = [await contact(service), await contact(service)];
    for (const { id } of people) await send(service, id);
    await write(service, people[0]?.phone_number ?? '');
    const tags: string[] = [];
    for (const name of ['A', 'B']) tags.push((await service.post('/tags', { name })).body.tag.id as string);
    await service.post(`/contacts/${people[0]?.id}/tags`, { tag_id: tags[0] });
    for (const tag of tags) await service.post(`/contacts/${people[1]?.id}/tags`, { tag_id: tag });
    const bookAt = await booker(service);
    await bookAt(people[0]?.id ?? '', 9);
    const whole = await dashboard(service);
    expect(whole.metricDailyBreakdown.booked).toEqual([0, 0, 1]);
    const either = await dashboard(service, `&tag_ids=${tags.join(',')}`);
    expect({ ...either, conversation_outcomes: whole.conversation_outcomes }).toEqual(whole);
    expect(either.conversation_outcomes).toBeNull();
    expect((await dashboard(service, `&tagIds=${tags.join(',')}&tagMatch=all`)).ai_human_split.automated).toBe(1);
    expect((await dashboard(service, `&tag_ids=${tags[0]}&tag_match=all`)).ai_human_split.automated).toBe(2);
    expect((await dashboard(service, `&tag_ids=${tags[1]}`)).metricDailyBreakdown.booked).toEqual([0, 0, 0]);
    expect(
      (await dashboard(service, `&tag_ids=${tags[0]}&agent_id=${(await KnowingAgent.make(service)).id}`)).metricDailyBreakdown.booked,
    ).toEqual([0, 0, 0]);
    const refused = async (query: string) =>
      (await service.get(`/analytics/dashboard-insights?startDate=2027-02-27&endDate=2027-03-01&${query}`)).status;
    expect(await refused('tag_ids=tag_none')).toBe(404);
    for (const query of ['tag_ids=', 'tag_ids=a,,b', `tag_ids=${tags[0]}&tag_match=some`]) expect(await refused(query)).toBe(400);
  });

  // Proves rule analytics.49.
  it('shows a win, a watch and a tip with their figures', async ({ service }) => {
    const days = 'startDate=2027-02-27&endDate=2027-03-01';
    const insights = async () => (await service.get(`/analytics/dashboard-ai-insights?${days}`)).body.data.insights;
    expect((await insights()).map(({ tone }: { tone: string }) => tone)).toEqual(['win', 'watch', 'tip']);
    const { id, phone_number: number } = await contact(service);
    for (let count = 0; count < 5; count++) await send(service, id);
    await write(service, number);
    const [win, watch, tip] = await insights();
    expect(win.detail).toBe('1 reply from 2027-02-27 to 2027-03-01, 0 in the 3 days before.');
    expect(watch.detail).toBe('5 credits spent from 2027-02-27 to 2027-03-01, 0 in the 3 days before.');
    expect([tip.title, tip.detail]).toEqual([
      'Let an agent answer',
      'Contacts wrote 1 message from 2027-02-27 to 2027-03-01 and got 0 answers.',
    ]);
  });

  // Proves rule analytics.49.
  it('shows rates and changes in percent only if they rest on enough messages', async ({ service }) => {
    const titles = async (start: string, end: string) => {
      const { body } = await service.get(`/analytics/dashboard-ai-insights?startDate=${start}&endDate=${end}`);
      return body.data.insights.map(({ title }: { title: string }) => title);
    };
    const { id, phone_number: number } = await contact(service);
    const reply = async (count: number) => {
      for (let each = 0; each < count; each++) await write(service, number);
    };
    for (let count = 0; count < 29; count++) await send(service, id);
    await reply(29);
    const first = await today(service);
    expect(await titles(first, first)).toEqual(['Contacts reply', 'More credits were spent', 'Let an agent answer']);
    await advance(service, 86_400);
    const second = await today(service);
    await send(service, id);
    expect(await titles(second, second)).toEqual(['Messages go out', 'Replies fell', 'Send more to learn the best hour']);
    await reply(30);
    expect((await titles(second, second))[0]).toBe('Replies grew');
    for (let count = 0; count < 29; count++) await send(service, id);
    expect((await titles(second, second))[2]).toBe('Write on Tuesdays at 12:00 UTC');
    await advance(service, 86_400);
    const third = await today(service);
    await send(service, id);
    await reply(36);
    expect((await titles(third, third))[0]).toBe('Replies grew by 20 %');
    await advance(service, 86_400);
    const fourth = await today(service);
    await send(service, id);
    await reply(9);
    expect((await titles(fourth, fourth))[1]).toBe('Replies fell by 75 %');
  });
});

// Proves rule analytics.53.
it('the activity of a contact includes its appointments', async ({ service }) => {
  const { id } = await contact(service);
  const appointment = await (await booker(service))(id, 9);
  await advance(service, 5);
  await service.post(`/appointments/${appointment}/cancel`);
  const { items } = (await service.get(`/analytics/entity-activity?entityType=contact&entityId=${id}`)).body;
  const item = { id: appointment, kind: 'appointment', from: null, to: null };
  expect(items).toEqual([
    { ...item, at: new Date(epoch + 5_000).toISOString(), label: expect.stringMatching(/^Canceled: /) },
    { ...item, at: new Date(epoch).toISOString(), label: 'Booked: Appointment at 2027-03-05T09:00:00.000Z' },
  ]);
});

// Proves rule analytics.52.
it('the activity of a contact shows simultaneous records in the order of their creation', async ({ service }) => {
  const { id } = await contact(service);
  // Ids are only ordered if they were created in different milliseconds.
  const pause = async () => {
    const now = Date.now();
    await until(() => Date.now() > now);
  };
  for (const number of [1, 2, 3]) {
    await service.post('/tasks', { title: `Task ${number}`, contact_id: id });
    await pause();
    await service.post('/contacts/send', { contact_id: id, body: `Message ${number}` });
    await pause();
  }
  const { items } = (await service.get(`/analytics/entity-activity?entityType=contact&entityId=${id}`)).body;
  expect(items.map(({ label }: { label: string }) => label)).toEqual([
    'Sent: Message 3',
    'Task created: Task 3',
    'Sent: Message 2',
    'Task created: Task 2',
    'Sent: Message 1',
    'A conversation on chatapp began',
    'Task created: Task 1',
  ]);
});

// Proves rules analytics.51, analytics.53.
it('the activity of a contact shows a late change to one of its oldest records', async ({ service }) => {
  const { id } = await contact(service);
  const made: string[] = [];
  for (let number = 0; number <= 100; number++)
    made.push((await service.post('/tasks', { title: `t${number}`, contact_id: id })).body.task.id as string);
  await advance(service, 60);
  await service.post(`/tasks/${made[0]}/complete`);
  const items = async () => (await service.get(`/analytics/entity-activity?entityType=contact&entityId=${id}`)).body.items;
  expect((await items()).slice(0, 2)).toMatchObject([{ label: 'Task completed: t0' }, { label: 'Task created: t100' }]);
});

// Proves rules analytics.52, analytics.53.
it('the activity of a contact shows a cancelation, whatever an import updates afterwards', async ({ service }) => {
  const { id } = await contact(service);
  await service.put(`/contacts/${id}`, { email: 'ada@sample.example' });
  const events = Array.from({ length: 230 }, (_, index) => {
    const day = new Date(epoch + (index + 2) * 86_400_000).toISOString().slice(0, 10);
    const times = { start: `${day}T09:00:00Z`, end: `${day}T10:00:00Z` };
    return { id: `e${index}`, summary: `S${index}`, ...times, attendees: [{ email: 'ada@sample.example' }] };
  });
  await service.sandbox('PATCH', `/accounts/${service.accountId}`, { calendar: { connected: true, events } });
  const importEvents = async () => {
    const { campaign } = (await service.post('/campaigns', { name: 'Practice' })).body;
    await service.post('/appointments/import-calendar-events', { campaign_id: campaign.id, identifier: 'EMAIL' });
    await settle(service);
  };
  await importEvents();
  await advance(service, 60);
  const { appointments } = (await service.get('/appointments?limit=100')).body;
  await service.post(`/appointments/${appointments.at(-1).id}/cancel`);
  await advance(service, 60);
  await importEvents();
  const { items } = (await service.get(`/analytics/entity-activity?entityType=contact&entityId=${id}`)).body;
  expect(items[0].label).toMatch(/^Canceled: /);
});

// Proves rule analytics.53.
it('a task keeps the time of its completion when it is edited', async ({ service }) => {
  const { task } = (await service.post('/tasks', { title: 'Call' })).body;
  const labels = async () =>
    (await service.get(`/analytics/entity-activity?entityType=task&entityId=${task.id}`)).body.items.map(
      ({ at, label }: { at: string; label: string }) => `${(Date.parse(at) - epoch) / 1_000} ${label}`,
    );
  await advance(service, 60);
  await service.post(`/tasks/${task.id}/complete`);
  await advance(service, 60);
  await service.put(`/tasks/${task.id}`, { title: 'Called', status: 'completed' });
  expect(await labels()).toEqual(['60 Task completed: Called', '0 Task created: Called']);
  await service.put(`/tasks/${task.id}`, { status: 'open' });
  expect(await labels()).toEqual(['0 Task created: Called']);
});

// Proves rule analytics.52.
it('a conversation ends before the next one begins at the same instant', async ({ service }) => {
  const { id } = await contact(service);
  await send(service, id);
  await advance(service, 86_400);
  await send(service, id);
  const { items } = (await service.get(`/analytics/entity-activity?entityType=contact&entityId=${id}`)).body;
  expect(items.map(({ label }: { label: string }) => label)).toEqual([
    'Sent: Hello',
    'A conversation on chatapp began',
    expect.stringMatching(/^The conversation on chatapp ended/),
    'Sent: Hello',
    'A conversation on chatapp began',
  ]);
});

// Proves rules analytics.51, analytics.52, analytics.53 and analytics.54.
it('the activity of a contact and of a task shows their events', async ({ service }) => {
  const { id, phone_number: number } = await contact(service);
  await send(service, id);
  await advance(service, 5);
  const { task } = (await service.post('/tasks', { title: 'Call back', contact_id: id })).body;
  await advance(service, 5);
  await write(service, number, 'Thanks');
  await service.post(`/tasks/${task.id}/complete`);
  await advance(service, 90_000);
  await settle(service);
  const activity = (type: string, entity: string) => service.get(`/analytics/entity-activity?entityType=${type}&entityId=${entity}`);
  const { items } = (await activity('contact', id)).body;
  expect(items.map(({ kind, label }: { kind: string; label: string }) => `${kind}: ${label}`)).toEqual([
    'session: The conversation on chatapp ended: replied',
    'task: Task completed: Call back',
    'message: The contact wrote: Thanks',
    'task: Task created: Call back',
    'message: Sent: Hello',
    'session: A conversation on chatapp began',
  ]);
  expect((await activity('task', task.id)).body.items).toHaveLength(2);
  for (const [type, entity, status] of [
    ['deal', 'dea_1', 404],
    ['contact', 'con_none', 404],
    ['task', id, 404],
    ['note', id, 400],
    ['contact', '', 400],
  ] as const)
    expect([type, (await activity(type, entity)).status]).toEqual([type, status]);
  expect((await service.get('/analytics/entity-activity?entityType=contact')).status).toBe(400);
});

describe('access', () => {
  it('requires analytics.view, and billing.view for reports on credits and costs', async ({ service }) => {
    const [reader, accountant] = [await service.signIn(['analytics.view']), await service.signIn(['billing.view'])];
    const status = async (path: string, key: string) => (await service.get(path, { key })).status;
    for (const path of everything) {
      const isBilling = path.includes('credits') || path.includes('costs');
      expect([path, await status(path, reader), await status(path, accountant)]).toEqual([
        path,
        isBilling ? 403 : 200,
        isBilling ? 200 : 403,
      ]);
    }
  });
});

function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
