import fc from 'fast-check';
import { expect } from 'vitest';
import { groupings, metricNames } from '../../../../src/contract/areas/analytics/names.ts';
import type { Db } from '../../../../src/service/store/database.ts';
import { it } from '../../../support/service-test.ts';
import { tries } from '../../../support/sweeps.ts';
import type { TestService } from '../../../support/test-service.ts';

// After random histories of an agency and its sub-account, all reports must agree with each other and with a naive recount of the
// records.

it.beforeAll(async ({ service }) => {
  await service.sandbox('POST', '/clock', { frozen: true });
});

const dayLength = 86_400_000;

const who = fc.record({ isSub: fc.boolean(), contact: fc.nat(2) });

const act = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), who, channel: fc.constantFrom('chatapp', 'sms') }),
  fc.record({ kind: fc.constant('write' as const), who, text: fc.constantFrom('alpha', 'beta', 'something else') }),
  fc.record({ kind: fc.constant('write' as const), who, text: fc.constantFrom('alpha', 'beta', 'something else') }),
  fc.record({ kind: fc.constant('route' as const), who }),
  fc.record({ kind: fc.constant('team' as const), who }),
  fc.record({ kind: fc.constant('receipt' as const), who, which: fc.nat(30), status: fc.constantFrom('delivered', 'read', 'failed') }),
  fc.record({ kind: fc.constant('book' as const), who }),
  fc.record({ kind: fc.constant('resume' as const), who }),
  fc.record({ kind: fc.constant('optimize' as const), who }),
  fc.record({ kind: fc.constant('summarize' as const), who }),
  fc.record({ kind: fc.constant('key' as const), who, own: fc.constantFrom('none', 'valid') }),
  fc.record({ kind: fc.constant('wait' as const), hours: fc.constantFrom(1, 7, 25, 24 * 9) }),
);

const question = fc.record({
  metrics: fc.subarray([...metricNames], { minLength: 1 }),
  groups: fc.constantFrom<(typeof groupings)[number][]>(
    [],
    ['campaign'],
    ['agent'],
    ['number'],
    ['campaign', 'channel'],
    ['agent', 'number'],
    ['date', 'channel'],
  ),
  granularity: fc.constantFrom('day', 'week', 'month'),
  limit: fc.integer({ min: 1, max: 3 }),
  pageSize: fc.integer({ min: 1, max: 5 }),
  match: fc.constantFrom('any', 'all'),
  // Mostly up to today, because most records are from today.
  back: fc.constantFrom(0, 0, 0, 1, 9),
});

let made = 0;

/** An account in a history. */
interface Side {
  readonly id: string;
  readonly own: Record<string, string>;
  readonly contacts: { id: string; phone_number: string }[];
  readonly agents: string[];
  readonly campaigns: string[];
  readonly sent: string[];
  readonly event: string;
  /** The agent of the contact of each appointment when it was booked. */
  readonly booked: Map<string, string | null>;
  /** The tags, each with the ids of its contacts. */
  readonly tags: { id: string; contacts: string[] }[];
}

// Proves rules activity.16, analytics.5, analytics.7, analytics.8, analytics.15, analytics.16, analytics.25, analytics.26, analytics.29,
// analytics.31, analytics.33, analytics.34 and analytics.46, and rules analytics.19, analytics.20, analytics.21 and analytics.49.
it('all reports agree with the records', async ({ service }) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 30, maxLength: 40 }),
      fc.array(question, { minLength: 6, maxLength: 6 }),
      async (acts, questions) => {
        await service.freshAccount({ kind: 'agency' });
        const sub = (await service.post('/subaccounts', { name: 'Client' })).body.sub_account.id as string;
        await service.post(`/subaccounts/${sub}/credits`, { amount: 300 });
        const sides = [await makeSide(service, service.accountId, {}), await makeSide(service, sub, { sub_account_id: sub })];
        for (const each of acts) {
          if (each.kind === 'wait') await service.sandbox('POST', '/clock/advance', { seconds: each.hours * 3600 });
          else await perform(service, each, sides[each.who.isSub ? 1 : 0] as Side);
        }
        for (const side of sides) {
          const everything = await service.write((db) => recount(db, side));
          for (const asked of questions) await expectAgreement(service, side, everything, asked);
          for (const asked of questions.slice(0, 2)) {
            await expectTagsToAgree(service, side, everything, asked);
            await expectCallsToAgree(service, side, asked);
            await expectInsightsToAgree(service, side, everything, asked);
          }
        }
        expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
        expect(service.errors).toEqual([]);
      },
    ),
    { numRuns: tries(4) },
  );
});

async function makeSide(service: TestService, id: string, own: Record<string, string>): Promise<Side> {
  for (const [index, channel] of ['chatapp', 'sms'].entries())
    await service.sandbox('POST', `/accounts/${id}/channels`, { channel, identity: `+1415555010${index}` });
  const contacts: Side['contacts'] = [];
  for (let index = 0; index < 3; index++)
    contacts.push((await service.post('/contacts', { ...own, phone_number: `+1415${9_300_100 + made++}` })).body.contact);
  const agents: string[] = [];
  const campaigns: string[] = [];
  for (const word of ['alpha', 'beta']) {
    const agent = (await service.post('/agents', { ...own, name: word })).body.agent_id as string;
    const campaign = (await service.post('/campaigns', { ...own, name: word, agent_id: agent })).body.campaign.id as string;
    const rule = { ...own, type: 'keyword', channels: ['chatapp'], match_config: { keywords: [word] } };
    await service.post(`/agents/${agent}/entry-points`, rule);
    agents.push(agent);
    campaigns.push(campaign);
  }
  const window = { start_time: '09:00', end_time: '17:00' };
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  const hours = { availability: Object.fromEntries(days.map((day) => [day, window])), max_bookings_per_slot: 100 };
  const { event } = (await service.post('/events', { ...own, name: 'Consultation', ...hours })).body;
  const tags: Side['tags'] = [];
  for (const count of [1, 2]) {
    const { tag } = (await service.post('/tags', { ...own, name: `Tag ${count}` })).body;
    const ids = contacts.slice(0, count).map((contact) => contact.id);
    for (const contact of ids) await service.post(`/contacts/${contact}/tags`, { ...own, tag_id: tag.id });
    tags.push({ id: tag.id, contacts: ids });
  }
  return { id, own, contacts, agents, campaigns, sent: [], event: event.id, booked: new Map(), tags };
}

async function perform(
  service: TestService,
  each: Exclude<typeof act extends fc.Arbitrary<infer Act> ? Act : never, { kind: 'wait' }>,
  side: Side,
) {
  const { id, own, agents, sent } = side;
  const contact = side.contacts[each.who.contact];
  switch (each.kind) {
    case 'send': {
      const { body } = await service.post('/contacts/send', { ...own, contact_id: contact?.id, channel: each.channel, body: 'x' });
      if (body.success) sent.push(body.message_id as string);
      return;
    }
    case 'write': {
      const { body } = await service.sandbox('POST', `/accounts/${id}/inbound`, {
        channel: 'chatapp',
        from: contact?.phone_number,
        text: each.text,
      });
      if (body.reply) sent.push(body.reply.message_id as string);
      return;
    }
    case 'team':
      await service.sandbox('POST', `/accounts/${id}/team-replies`, { contact_id: contact?.id, text: 'x' });
      return;
    case 'receipt':
      if (sent.length > 0)
        await service.sandbox('POST', `/accounts/${id}/receipts`, { message_id: sent[each.which % sent.length], status: each.status });
      return;
    case 'book': {
      // Separated in time from the acts before and after, so that it is known which conversations were open.
      const { now } = (await service.sandbox('POST', '/clock/advance', { seconds: 1 })).body;
      const { agent_id: agent } = (await service.get(`/contacts/${contact?.id}${own.sub_account_id ? `?sub_account_id=${id}` : ''}`)).body
        .contact;
      const start = `${showDay(Math.floor(Date.parse(now as string) / dayLength) + 1)}T12:00:00Z`;
      const { body } = await service.post('/appointments', { ...own, contact_id: contact?.id, event_id: side.event, start_time: start });
      side.booked.set(body.appointment_id as string, agent as string | null);
      await service.sandbox('POST', '/clock/advance', { seconds: 1 });
      return;
    }
    case 'resume':
      await service.post(`/contacts/${contact?.id}/resume`, own);
      return;
    case 'route': {
      const campaignId = side.campaigns[each.who.contact % 2];
      expect((await service.put('/channel-routing/chatapp', { ...own, campaignId })).status).toBe(200);
      return;
    }
    case 'key':
      await service.sandbox('PATCH', `/accounts/${id}`, { own_ai_key: each.own });
      return;
    case 'optimize':
      await service.post(`/agents/${agents[0]}/optimize`, { ...own, user_feedback: 'x' });
      await service.sandbox('POST', '/settle');
      return;
    case 'summarize': {
      const query = new URLSearchParams({ ...own, contact_id: contact?.id ?? '' });
      const { chat_sessions: sessions } = (await service.get(`/chat-sessions?${query.toString()}`)).body;
      if (sessions.length > 0) await service.post(`/chat-sessions/${sessions[0].id}/summary`, own);
    }
  }
}

/** One event, as the naive recount sees it. */
interface Happened {
  readonly metric: string;
  readonly at: number;
  readonly campaign: string | null;
  readonly channel: string | null;
  readonly agent: string | null;
  readonly number: string | null;
  readonly contact: string | null;
  readonly amount: number;
}

type Question = typeof question extends fc.Arbitrary<infer Asked> ? Asked : never;

/** The extent of a question: its days, their events, and the query parameters. */
async function about(service: TestService, own: Record<string, string>, everything: readonly Happened[], back: number) {
  const now = Date.parse((await service.sandbox('GET', '/clock')).body.now as string);
  const last = Math.floor(now / dayLength);
  const days = { first: last - 60, last: last - back };
  const range = { from: showDay(days.first), to: showDay(days.last) };
  const within = ({ at }: { at: number }) => Math.floor(at / dayLength) >= days.first && Math.floor(at / dayLength) <= days.last;
  const get = async (path: string, query: Record<string, string | number>) => {
    const all = Object.entries({ ...own, ...query }).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const { status, body } = await service.get(`${path}?${all.join('&')}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const happened = everything.filter(within);
  const sumOf = (metric: string, some: readonly Happened[] = happened) =>
    some.filter((each) => each.metric === metric).reduce((sum, { amount }) => sum + amount, 0);
  return { days, range, happened, get, sumOf };
}

async function expectAgreement(service: TestService, { own }: Side, everything: readonly Happened[], asked: Question): Promise<void> {
  const { days, range, happened, get, sumOf } = await about(service, own, everything, asked.back);
  const summary = await get('/analytics/summary', range);
  const counters = ['sent', 'delivered', 'read', 'replied', 'booked', 'contact_created', 'credits_spent'] as const;
  for (const name of counters) {
    expect([name, summary.totals[name]]).toEqual([name, sumOf(name)]);
    expect(summary.by_date.reduce((sum: number, day: Record<string, number>) => sum + (day[name] ?? 0), 0)).toBe(sumOf(name));
  }

  const series = await get('/analytics/series', {
    ...range,
    metrics: asked.metrics.join(','),
    ...(asked.groups.length > 0 && { group_by: asked.groups.join(',') }),
    granularity: asked.granularity,
    limit: asked.limit,
  });
  const buckets: { key?: Record<string, string | null>; total: number; metrics: Record<string, number[]> }[] = [
    ...series.series,
    ...(series.other_bucket ? [series.other_bucket] : []),
  ];
  for (const metric of asked.metrics) {
    expect(buckets.flatMap(({ metrics }) => metrics[metric] ?? []).reduce((sum, value) => sum + value, 0)).toBe(sumOf(metric));
    for (const [index, label] of (series.labels as string[]).entries()) {
      const [start, end] = [Date.parse(label), Date.parse((series.labels as string[])[index + 1] ?? '9999-12-31')];
      const step = happened.filter(({ at }) => at >= start && at < end);
      expect(buckets.reduce((sum, { metrics }) => sum + (metrics[metric]?.[index] ?? 0), 0)).toBe(sumOf(metric, step));
    }
    for (const { key = {}, metrics } of series.series) {
      const of = happened.filter((each) => Object.entries(key as object).every(([name, value]) => each[name as keyof Happened] === value));
      expect([key, metric, (metrics[metric] as number[]).reduce((sum, value) => sum + value, 0)]).toEqual([key, metric, sumOf(metric, of)]);
    }
  }
  for (const { total, metrics } of buckets)
    expect(total).toBe(
      Object.values(metrics)
        .flat()
        .reduce((sum, value) => sum + value, 0),
    );

  const records: { id: string; credits: number; reason: string; campaign_id: string | null; is_adjustment: boolean }[] = [];
  let first: { totals: { credits_used: number; records: number }; by_reason: object; by_campaign: object } | undefined;
  let cursor: string | null = null;
  do {
    const page = await get('/analytics/credits', { ...range, limit: asked.pageSize, ...(cursor !== null && { cursor }) });
    if (first) expect([page.totals, page.by_reason, page.by_reason_cost, page.by_campaign]).toEqual([null, null, null, null]);
    else first = page;
    records.push(...page.records);
    cursor = page.next_cursor as string | null;
  } while (cursor !== null);
  expect(new Set(records.map((record) => record.id)).size).toBe(records.length);
  const spent = records.filter((record) => !record.is_adjustment);
  expect(first?.totals).toMatchObject({ credits_used: sumOf('credits_spent'), records: spent.length });
  expect(first?.by_reason).toEqual(sumBy(spent, ({ reason }) => reason));
  expect(first?.by_campaign).toEqual(sumBy(spent, ({ campaign_id: campaign }) => campaign ?? 'none'));

  const recent = { from: showDay(days.last - 30), to: range.to };
  const lately = happened.filter(({ at }) => Math.floor(at / dayLength) >= days.last - 30);
  const costs = await get('/analytics/conversation-costs', recent);
  expect([costs.sessions, costs.total_credits]).toEqual([sumOf('conversations', lately), sumOf('conversation_credits', lately)]);
  for (const handling of ['contained', 'handed_off', 'no_ai'])
    expect([handling, costs.summary[handling]]).toMatchObject([
      handling,
      { sessions: sumOf(handling, lately), credits: sumOf(`${handling}_credits`, lately) },
    ]);
}

/** Checks outcomes and the dashboard, as a whole and filtered by tags. */
async function expectTagsToAgree(
  service: TestService,
  { own, tags }: Side,
  everything: readonly Happened[],
  asked: Question,
): Promise<void> {
  const { range, happened, get, sumOf } = await about(service, own, everything, asked.back);
  const outcomes = await get('/analytics/outcomes', range);
  const talks = happened.filter(({ metric }) => metric === 'conversations');
  const isTagged = ({ contact }: Happened) => tags.some(({ contacts }) => contacts.includes(contact ?? ''));
  const unresolved = talks.filter((talk) => !isTagged(talk)).length;
  expect(outcomes.totals).toEqual({
    sessions: talks.length,
    replied: sumOf('conversations_replied'),
    booked: sumOf('conversations_booked'),
    human_alerted: sumOf('conversations_alerted'),
    unresolved,
  });
  const byTag = [
    ...tags.map((tag) => [tag.id, talks.filter(({ contact }) => tag.contacts.includes(contact ?? '')).length]),
    [null, unresolved],
  ];
  expect(outcomes.by_tag.map((tag: { tag_id: string | null; total: number }) => [tag.tag_id, tag.total])).toEqual(
    expect.arrayContaining(byTag.filter(([, total]) => total !== 0)),
  );

  const dates = { startDate: range.from, endDate: range.to };
  const { data: whole } = await get('/analytics/dashboard-insights', dates);
  expect(whole.conversation_outcomes).toEqual({
    sessions: talks.length,
    ...Object.fromEntries(['contained', 'handed_off', 'no_ai'].map((handling) => [handling, sumOf(handling)])),
  });
  const filter = { tag_ids: tags.map((tag) => tag.id).join(','), tag_match: asked.match };
  const { data: tagged } = await get('/analytics/dashboard-insights', { ...dates, ...filter });
  const carries = ({ contact }: Happened) =>
    tags[asked.match === 'all' ? 'every' : 'some'](({ contacts }) => contacts.includes(contact ?? ''));
  const totalOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  for (const [data, some] of [
    [whole, happened],
    [tagged, happened.filter(carries)],
  ] as const) {
    const shown = data.metricDailyBreakdown;
    for (const name of ['sent', 'delivered', 'read', 'replied', 'booked', 'contact_created'])
      expect([name, totalOf(shown[name])]).toEqual([name, sumOf(name, some)]);
    for (const sender of ['ai', 'human', 'automated']) expect(data.ai_human_split[sender]).toBe(sumOf(`${sender}_sent`, some));
    for (const name of ['sent', 'replied'] as const)
      expect(totalOf(data.heatmap.buckets.map((bucket: Record<string, number>) => bucket[name]))).toBe(sumOf(name, some));
    for (const { campaignId, booked, sent } of data.topCampaigns) {
      const of = some.filter(({ campaign }) => campaign === campaignId);
      expect([booked, sent]).toEqual([sumOf('booked', of), sumOf('sent', of)]);
    }
  }
  expect(totalOf(tagged.metricDailyBreakdown.credits_spent)).toBe(sumOf('message_credits', happened.filter(carries)));
}

/** Checks AI calls, and the costs of those with the account's own key, by day and provider. */
async function expectCallsToAgree(service: TestService, { id, own }: Side, asked: Question): Promise<void> {
  const { days, range, get } = await about(service, own, [], asked.back);
  const { ownAiKey, calls } = await service.write(async (db) => ({
    ownAiKey: (await db.selectFrom('accounts').select('own_ai_key').where('id', '=', id).executeTakeFirstOrThrow()).own_ai_key,
    calls: await db.selectFrom('ai_calls').selectAll().where('account_id', '=', id).execute(),
  }));
  const cost = await get('/analytics/ai-cost', range);
  const isRedacted = ownAiKey === 'none';
  expect(cost.costs_redacted).toBe(isRedacted);
  const names = ['input_usd', 'cache_read_usd', 'output_usd', 'total_usd', 'byok_usd', 'platform_usd', 'cache_creation_usd'] as const;
  const costsOf = (some: typeof calls) => {
    const sum = (column: 'input_micro_usd' | 'cache_read_micro_usd' | 'output_micro_usd') =>
      some.reduce((total, call) => total + (isRedacted || call.has_own_key === 0 ? 0 : call[column]), 0);
    const [input, cached, output] = [sum('input_micro_usd'), sum('cache_read_micro_usd'), sum('output_micro_usd')];
    const total = input + cached + output;
    return [input, cached, output, total, total, 0, 0];
  };
  const within = calls.filter(({ at }) => Math.floor(at / dayLength) >= days.first && Math.floor(at / dayLength) <= days.last);
  expect([cost.totals.calls, Math.round(cost.totals.total_usd * 1e6)]).toEqual([within.length, costsOf(within)[3]]);
  expect(cost.days).toHaveLength(days.last - days.first + 1);
  for (const day of cost.days) {
    const made = within.filter(({ at }) => showDay(Math.floor(at / dayLength)) === day.date);
    expect([day.date, day.calls]).toEqual([day.date, made.length]);
    expect(names.map((name) => Math.round(day[name] * 1e6))).toEqual(costsOf(made));
    const providers = Object.entries(day.by_provider as Record<string, number>).map(([provider, usd]) => [provider, Math.round(usd * 1e6)]);
    const madeBy = Map.groupBy(made, ({ provider }) => provider);
    expect(providers.sort()).toEqual([...madeBy].map(([provider, some]) => [provider, costsOf(some)[3]]).sort());
  }
}

/** Checks the insights. Most rest on too few messages to state a rate. */
async function expectInsightsToAgree(service: TestService, { own }: Side, everything: readonly Happened[], asked: Question): Promise<void> {
  const { days, get, sumOf } = await about(service, own, everything, asked.back);
  const length = 10;
  const now = { first: days.last - length + 1, last: days.last };
  const figuresOf = ({ first, last }: { first: number; last: number }) => {
    const some = everything.filter(({ at }) => Math.floor(at / dayLength) >= first && Math.floor(at / dayLength) <= last);
    return (metric: string) => sumOf(metric, some);
  };
  const [sum, before] = [figuresOf(now), figuresOf({ first: now.first - length, last: now.first - 1 })];
  const { insights } = (await get('/analytics/dashboard-ai-insights', { startDate: showDay(now.first), endDate: showDay(now.last) })).data;
  const [win, watch, tip] = insights as { tone: string; title: string; detail: string }[];
  const during = `from ${showDay(now.first)} to ${showDay(now.last)}`;
  const many = (count: number, one: string, plural = `${one}s`) => `${count} ${count === 1 ? one : plural}`;
  const [replied, repliedBefore] = [sum('replied'), before('replied')];
  const replies = `${many(replied, 'reply', 'replies')} ${during}, ${repliedBefore} in the ${length} days before.`;
  const sessions = many(sum('conversations'), 'conversation');
  expect([win?.tone, watch?.tone, tip?.tone]).toEqual(['win', 'watch', 'tip']);
  if (replied > repliedBefore) expect(win?.detail).toBe(replies);
  else if (win?.title.startsWith('The campaign')) expect(sum('sent')).toBeGreaterThanOrEqual(30);
  else if (sum('contained') > 0) expect(win?.detail).toBe(`${sum('contained')} of ${sessions} ${during} needed nobody on the team.`);
  else {
    const figure = sum('sent') === 0 && sum('received') > 0 ? 'received' : 'sent';
    expect(win?.detail).toBe(`${many(sum(figure), 'message')} ${figure} ${during}, ${before(figure)} in the ${length} days before.`);
  }
  if (replied < repliedBefore) expect(watch?.detail).toBe(replies);
  else if (sum('handed_off') > 0) expect(watch?.detail).toBe(`${sum('handed_off')} of ${sessions} ${during} were handed to the team.`);
  else
    expect(watch?.detail).toBe(`${sum('credits_spent')} credits spent ${during}, ${before('credits_spent')} in the ${length} days before.`);
  const [received, answered] = [sum('received'), sum('ai_sent') + sum('human_sent')];
  if (tip?.title.startsWith('Write on')) expect(sum('sent')).toBeGreaterThanOrEqual(30);
  else if (received > answered)
    expect(tip?.detail).toBe(`Contacts wrote ${many(received, 'message')} ${during} and got ${many(answered, 'answer')}.`);
  else expect(tip?.detail).toBe(`${many(sum('sent'), 'message')} sent ${during}: no hour has 30 messages and a reply.`);
}

function sumBy<Item extends { credits: number }>(items: readonly Item[], nameOf: (item: Item) => string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const item of items) sums[nameOf(item)] = (sums[nameOf(item)] ?? 0) + item.credits;
  return sums;
}

function showDay(day: number): string {
  return new Date(day * dayLength).toISOString().slice(0, 10);
}

/** Reads the whole history of an account, record by record. */
async function recount(db: Db, { id: accountId, booked }: Side): Promise<Happened[]> {
  const all: Happened[] = [];
  const messages = await db.selectFrom('messages').selectAll().where('account_id', '=', accountId).orderBy('seq').execute();
  const sessions = await db.selectFrom('chat_sessions').selectAll().where('account_id', '=', accountId).execute();
  const written = new Set<string>();
  const replied = new Set<string>();
  const handled = new Map<string, { ai: boolean; human: boolean }>();
  for (const message of messages) {
    const place = {
      at: message.created_at,
      campaign: message.campaign_id,
      channel: message.channel,
      agent: message.agent_id,
      number: message.own_identity || null,
      contact: message.contact_id,
    };
    const add = (metric: string) => all.push({ metric, ...place, amount: 1 });
    const state = handled.get(message.session_id) ?? { ai: false, human: false };
    handled.set(message.session_id, state);
    if (message.direction === 'inbound') {
      add('received');
      if (written.has(message.session_id)) add('replied');
      if (written.has(message.session_id)) replied.add(message.session_id);
      continue;
    }
    written.add(message.session_id);
    add('sent');
    add(`${message.sender}_sent`);
    if (message.status === 'delivered' || message.status === 'read') add('delivered');
    if (message.status === 'read') add('read');
    if (message.status !== 'failed') all.push({ metric: 'message_credits', ...place, amount: message.millionths / 1e6 });
    if (message.sender === 'human') state.human = true;
    if (message.sender === 'ai') state.ai = true;
  }
  for (const session of sessions) {
    const place = {
      at: session.started_at,
      campaign: session.campaign_id,
      channel: session.channel,
      agent: session.first_agent_id,
      number: session.own_identity || null,
      contact: session.contact_id,
    };
    if (replied.has(session.id)) all.push({ metric: 'conversations_replied', ...place, amount: 1 });
    if (session.alerts !== '[]') all.push({ metric: 'conversations_alerted', ...place, amount: 1 });
    if (session.booked === 1) all.push({ metric: 'conversations_booked', ...place, amount: 1 });
    const state = handled.get(session.id);
    const handling = session.alerts !== '[]' || (state?.ai && state.human) ? 'handed_off' : state?.ai ? 'contained' : 'no_ai';
    // The cost of the messages of the conversation, without failed ones.
    const credits = messages
      .filter((message) => message.session_id === session.id && message.status !== 'failed')
      .reduce((sum, { millionths }) => sum + millionths / 1e6, 0);
    all.push({ metric: 'conversations', ...place, amount: 1 }, { metric: 'conversation_credits', ...place, amount: credits });
    all.push({ metric: handling, ...place, amount: 1 }, { metric: `${handling}_credits`, ...place, amount: credits });
  }
  const channels = new Map(messages.map(({ id, channel }) => [id, channel]));
  for (const record of await db.selectFrom('credit_ledger').selectAll().where('account_id', '=', accountId).execute())
    if (record.is_adjustment === 0)
      all.push({
        metric: 'credits_spent',
        at: record.at,
        campaign: record.campaign_id,
        channel: channels.get(record.message_id ?? '') ?? null,
        agent: record.agent_id,
        number: null,
        contact: null,
        amount: -record.millionths / 1e6,
      });
  for (const { id: contact, created_at: at, channel } of await db
    .selectFrom('contacts')
    .selectAll()
    .where('account_id', '=', accountId)
    .execute())
    all.push({ metric: 'contact_created', at, campaign: null, channel, agent: null, number: null, contact, amount: 1 });

  const bookings = await db.selectFrom('appointments').selectAll().where('account_id', '=', accountId).execute();
  expect(bookings).toHaveLength(booked.size);
  const withBooking = new Set<string>();
  for (const { id, contact_id: contact, created_at: at, campaign_id: campaign, agent_id: agent, channel } of bookings) {
    const before = messages.filter((each) => each.contact_id === contact && each.created_at <= at && at < each.created_at + dayLength);
    const last = Math.max(...before.map((each) => each.created_at));
    const during = new Set(before.filter((each) => each.created_at === last).map((each) => each.session_id));
    const present = sessions.filter((session) => during.has(session.id));
    expect(present.length === 0 ? [null] : present.map((session) => session.campaign_id)).toContain(campaign);
    expect(present.length === 0 || present.some((session) => session.booked === 1)).toBe(true);
    for (const session of present) withBooking.add(session.id);
    expect([id, agent]).toEqual([id, booked.get(id)]);
    all.push({ metric: 'booked', at, campaign, channel, agent, number: null, contact, amount: 1 });
  }
  for (const { id, booked: isBooked } of sessions) if (isBooked === 1) expect(withBooking).toContain(id);
  return all;
}
