import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBalance } from '../../../../src/service/areas/credits/records.ts';
import { chatSessions } from '../../../../src/service/areas/sessions/table.ts';
import { agency } from '../../../../src/service/areas/sandbox/history/businesses.ts';
import { writeHistory } from '../../../../src/service/areas/sandbox/history/history.ts';
import { StepScheduler } from '../../../../src/service/flow/steps.ts';
import { epoch, TestService } from '../../../support/test-service.ts';
import { until } from '../../../support/until.ts';

let service: TestService;

beforeEach(async () => {
  service = await TestService.open();
  await service.sandbox('POST', '/clock', { frozen: true });
});

afterEach(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
});

const midnight = Date.parse('2027-03-01T00:00:00Z');

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** The phone number of the contact with an index, if it is in the USA. */
const numberAt = (index: number) => `+1415${2_000_000 + ((index * 7_919) % 7_999_993)}`;

/** The number of messages of a history of several steps. */
const manySteps = 10_000;

const demo = async (body: object) => {
  const answer = await service.sandbox('POST', '/demo', body);
  expect(answer.status).toBe(200);
  return answer.body;
};

const figures = async () => {
  const { body } = await service.get('/analytics/summary?from=2026-10-01');
  const { data } = (await service.get('/analytics/dashboard-insights?startDate=2026-12-01&endDate=2027-03-01')).body;
  return [body, data.heatmap, data.channelVolume, data.inboxSla, data.contactsByCountry, data.conversation_outcomes, data.ai_human_split];
};

/** The lowest balance that the account had, at the times of its ledger records. */
async function lowestBalance(): Promise<number> {
  const { rows } = await service.write((db) =>
    sql<{ lowest: number }>`select min(balance) as lowest
      from (select sum(millionths) over (order by at, seq) as balance from credit_ledger where account_id = ${service.accountId}) as balances`.execute(
      db,
    ),
  );
  return Number(rows[0]?.lowest);
}

// Proves rule activity.17.
it('a demo history agrees with the counters, and depends only on the seed', async () => {
  const made = await demo({ messages: 2_000, days: 60, seed: 7 });
  expect(made).toMatchObject({ messages: 2_000 });
  for (const count of Object.values(made).filter((value) => typeof value === 'number')) expect(count).toBeGreaterThan(20);
  const first = await figures();
  expect(first[0].totals.sent).toBeGreaterThan(500);
  expect(first[0].totals.replied).toBeGreaterThan(100);
  expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
  const { balance } = (await service.get('/users/me/credits')).body;
  expect(balance).toBeGreaterThanOrEqual(0);
  expect(await lowestBalance()).toBeGreaterThanOrEqual(0);
  expect((await service.sandbox('GET', '/jobs')).body.waiting).not.toHaveProperty('webhook_delivery');
  const days = first[0].by_date.filter(({ sent }: { sent: number }) => sent > 0).length;
  expect(days).toBeGreaterThan(50);
  const { key } = service;
  const again = (await service.sandbox('POST', '/reset')).body;
  service.key = again.api_key as string;
  expect(service.key).not.toBe(key);
  await demo({ messages: 2_000, days: 60, seed: 7 });
  expect(await figures()).toEqual(first);
});

// Proves rule activity.17.
it('demo histories are created one at a time, because they book places in the same slots', async () => {
  const answers = await Promise.all([1, 2, 3].map((seed) => service.sandbox('POST', '/demo', { messages: 600, days: 20, seed })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
});

it('a demo history takes other slots than contacts who book while it is made', async () => {
  // A slow machine asks more often than the limit allows.
  await service.liftLimits();
  const days = ['02', '03', '04', '05', '08', '09'];
  const starts = days.flatMap((day) => ['09', '10', '11', '12', '13', '14', '15'].map((hour) => `2027-03-${day}T${hour}:00:00Z`));
  const [demo, booked] = await Promise.all([
    service.sandbox('POST', '/demo', { messages: manySteps }),
    until(async () => (await service.get('/contacts?limit=20')).body.contacts.length === 20).then(async () => {
      const [contact] = (await service.get('/contacts?limit=1')).body.contacts;
      const [event] = (await service.get('/events')).body.events;
      const booking = (start_time: string) => service.post('/appointments', { contact_id: contact.id, event_id: event.id, start_time });
      return await Promise.all(starts.map(booking));
    }),
  ]);
  expect(demo.status).toBe(200);
  expect(new Set(booked.map(({ status }) => status))).toEqual(new Set([201]));
  expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
});

it('a demo history leaves out records that are deleted while it is made', async () => {
  // The clock does not go on while the history is awaited.
  const plan = { key_requests_per_minute: 100_000, account_requests_per_minute: 100_000 };
  await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan });
  const [demo] = await Promise.all([
    // Most contacts come back in the steps after their first.
    service.sandbox('POST', '/demo', { messages: manySteps, days: 20 }),
    until(async () => (await service.get('/contacts?limit=20')).body.contacts.length === 20).then(async () => {
      // All at once, because each waits for the step that is being written.
      const deleteSome = async (kind: string) => {
        const found: { id: string }[] = (await service.get(`/${kind}?limit=20`)).body[kind];
        // The id of a webhook is its place, so the last one goes first.
        const answers: { status: number }[] = [];
        if (kind === 'webhooks') for (const { id } of found) answers.push(await service.delete(`/${kind}/${id}`));
        else answers.push(...(await Promise.all(found.map(({ id }) => service.delete(`/${kind}/${id}`)))));
        expect(answers.map(({ status }) => status)).toEqual(found.map(() => 200));
      };
      await Promise.all(['tags', 'lists', 'webhooks', 'contacts'].map(deleteSome));
    }),
  ]);
  expect(demo.status).toBe(200);
  for (const [table, column, kind] of [
    ['messages', 'contact_id', 'contacts'],
    ['chat_sessions', 'contact_id', 'contacts'],
    ['contact_counts', 'contact_id', 'contacts'],
    ['contact_tags', 'tag_id', 'tags'],
    ['list_contacts', 'list_id', 'lists'],
    ['deliveries', 'webhook_id', 'webhooks'],
  ] as const) {
    const { rows } = await service.write((db) =>
      sql<{ count: number }>`select count(*) as count from ${sql.table(table)}
        where ${sql.ref(column)} is not null and ${sql.ref(column)} not in (select id from ${sql.table(kind)})`.execute(db),
    );
    expect([table, Number(rows[0]?.count)]).toEqual([table, 0]);
  }
});

// Proves rule activity.17.
it('a demo history of many steps agrees with the counters, and depends only on the seed', async () => {
  // Use up numbers of the first step.
  for (let index = 20; index < 24; index++) await service.post('/contacts', { phone_number: numberAt(index) });
  const before = await figures();
  const made = await demo({ messages: 14_000, days: 20, seed: 5 });
  const first = await figures();
  expect(first).not.toEqual(before);
  expect(made.messages).toBe(14_000);
  expect(await lowestBalance()).toBeGreaterThanOrEqual(0);
  expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
  service.key = (await service.sandbox('POST', '/reset')).body.api_key as string;
  for (let index = 0; index < 4; index++) await service.post('/contacts', { phone_number: `+1415${1_000_000 + index}` });
  expect(await demo({ messages: 14_000, days: 20, seed: 5 })).toEqual(made);
  expect(await figures()).toEqual(first);
});

// Proves rule activity.17.
it('the same seed makes the same history when addresses of a later step are in use', async () => {
  const sizes = [];
  for (const from of [5_000_000, 1_000]) {
    service.key = (await service.sandbox('POST', '/reset')).body.api_key as string;
    // Numbers that the second step would use, or none.
    const contacts = Array.from({ length: 40 }, (_, index) => ({ phone_number: numberAt(from + index) }));
    await service.post('/contacts/import', { contacts });
    sizes.push([await demo({ messages: 14_000, days: 20, seed: 5 }), (await service.get('/users/me/credits')).body.balance]);
    expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
  }
  expect(sizes[0]).toEqual(sizes[1]);
});

it('a demo history has all of its messages when a transaction is repeated', async () => {
  const contacts = Array.from({ length: 40 }, (_, index) => ({ phone_number: numberAt(60 + index) }));
  await service.post('/contacts/import', { contacts });
  const store = await service.database.open();
  let transactions = 0;
  const write: typeof store.write = async (work, options) => {
    if (++transactions === 2) {
      // The first step is refused after a conflict, which is gone when it is repeated.
      const refused = new Error('Refused');
      const attempt = store.write(async (db) => {
        await work(db);
        throw refused;
      }, options);
      await expect(attempt).rejects.toBe(refused);
      for (const { id } of (await service.get('/contacts?limit=50')).body.contacts) await service.delete(`/contacts/${id}`);
    }
    return await store.write(work, options);
  };
  const repeating = Object.create(store, { write: { value: write }, read: { value: store.read.bind(store) } }) as typeof store;
  const plan = { messages: manySteps, days: 20, now: epoch };
  const made = await writeHistory({ store: repeating, scheduler: new StepScheduler() }, service.accountId, agency, plan, 5);
  const { rows } = await service.write((db) => sql<{ count: number }>`select count(*) as count from messages`.execute(db));
  expect([made.messages, Number(rows[0]?.count)]).toEqual([manySteps, manySteps]);
  await store.close();
});

it('a demo history ends when the service closes', async () => {
  const made = service.sandbox('POST', '/demo', { messages: 100_000 });
  await until(async () => (await service.get('/contacts?limit=1')).body.contacts.length === 1);
  await service.service.close();
  const { status, body } = await made;
  expect([status, body.error]).toEqual([503, 'The service is stopping; try again']);
  expect(service.errors).toEqual([]);
  await service.database.remove();
  service = await TestService.open();
});

// Proves rule activity.17.
it('a demo history can be extended, and is rejected if it is too large', async () => {
  // Use up the numbers that the history would try first for an account with 60 contacts, and the ones that it would try next.
  const used = [...Array.from({ length: 20 }, (_, index) => 60 + index), ...Array.from({ length: 40 }, (_, index) => 4_070 + index)];
  const contacts = used.map((index) => ({ phone_number: numberAt(index) }));
  expect((await service.post('/contacts/import', { contacts })).body).toMatchObject({ imported: 60 });
  await demo({ messages: 200, days: 10 });
  await demo({ messages: 200, days: 10, seed: 2 });
  expect((await service.get('/analytics/summary')).body.totals.sent).toBeGreaterThan(150);
  for (const [path, count] of [
    ['agents', 2],
    ['campaigns', 3],
    ['tags', 3],
    ['lists', 2],
    ['events', 1],
    ['webhooks', 2],
    ['faqs', 7],
    ['subaccounts', 2],
    ['broadcasts', 2],
  ] as const)
    expect([path, (await service.get(`/${path}`)).body[path === 'subaccounts' ? 'sub_accounts' : path].length]).toEqual([path, count]);
  expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
  for (const body of [{ messages: 0 }, { days: 0 }, { days: 1.5 }, { seed: -1 }, { messages: 1e9 }])
    expect((await service.sandbox('POST', '/demo', body)).status).toBe(400);
});

// Proves rule activity.17.
it('a demo history uses existing records with its names unchanged', async () => {
  const made = [
    ['tags', { name: 'vip', description: 'The guests of the house' }],
    ['events', { name: 'Consultation', slot_minutes: 30, max_bookings_per_slot: 1 }],
    ['agents', { name: 'Ada', goal: 'Book tables' }],
  ] as const;
  for (const [path, body] of made) expect((await service.post(`/${path}`, body)).status).toBe(201);
  const stored = async () =>
    await Promise.all(
      made.map(async ([path, { name }]) => (await service.get(`/${path}`)).body[path].find((each: { name: string }) => each.name === name)),
    );
  const [tag, event, agent] = await stored();
  await service.sandbox('POST', '/clock/advance', { seconds: 60 });
  await demo({ messages: 2_000, days: 5 });
  // The campaigns of the history have the agent, and their FAQs are the agent's.
  const faqs = { faq_refs: expect.any(Array), faq_refs_count: 7 };
  expect(await stored()).toEqual([{ ...tag, contact_count: expect.any(Number) }, event, { ...agent, ...faqs }]);
});

// Proves rules analytics.46, activity.10, activity.11 and activity.15.
it('dashboard figures are the same under a tag that all contacts have, across batches of contacts and counters', async () => {
  await demo({ messages: 3_000, days: 60 });
  await copySessions(20);
  // More contacts than one batch has.
  for (let from = 0; from < 1_500; from += 500) {
    const more = Array.from({ length: 500 }, (_, each) => ({ phone_number: `+1212${2_000_000 + from + each}` }));
    expect((await service.post('/contacts/import', { contacts: more })).status).toBe(200);
  }
  const tags: string[] = [];
  for (const name of ['A', 'B']) tags.push((await service.post('/tags', { name })).body.tag.id as string);
  await service.write(async (db) => {
    for (const [index, tag] of tags.entries())
      await sql`insert into contact_tags (tag_id, contact_seq)
        select ${sql.lit(tag)}, seq from contacts where seq % ${sql.lit(1 + 2 * index)} = 0`.execute(db);
  });
  const dashboard = async (query: string) =>
    (await service.get(`/analytics/dashboard-insights?startDate=2026-12-01&endDate=2027-03-01&${query}`)).body.data;
  const whole = { ...(await dashboard('')), conversation_outcomes: null };
  expect(whole.inboxSla.sampleSize).toBe(5_000);
  expect(await dashboard(`tag_ids=${tags.join(',')}`)).toEqual(whole);
  expect(await dashboard(`tag_ids=${tags[0]}`)).toEqual(whole);
  const both = await dashboard(`tag_ids=${tags.join(',')}&tag_match=all`);
  expect(both).toEqual(await dashboard(`tag_ids=${tags[1]}`));
  expect(both.ai_human_split.ai).toBeLessThan(whole.ai_human_split.ai);
  // More counters than one batch has.
  const hours = 600;
  await service.write(async (db) => {
    const numbers = sql`with recursive hours (hour) as (select 1 union all select hour + 1 from hours where hour < ${hours})`;
    const hour = sql`cast(${Date.parse('2027-01-01') / 3_600_000} as bigint) + hour`;
    await sql`insert into contact_counts (contact_id, hour, place, ai_sent, human_sent, automated_sent, received, delivered, "read", replied,
        credits_spent, last_message_at)
      ${numbers} select id, ${hour}, ${'\n\nchatapp\n'}, 1, 0, 0, 0, 0, 0, 0, 0, (${hour}) * 3600000
      from (select id from contacts order by seq limit 40) as few cross join hours where true on conflict do nothing`.execute(db);
  });
  expect((await dashboard(`tag_ids=${tags[0]}`)).ai_human_split.ai).toBe(whole.ai_human_split.ai + 40 * hours);
  // These counters have no messages, so a rebuild removes them.
  expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBeGreaterThanOrEqual(2 * 40 * hours);
  expect(await dashboard(`tag_ids=${tags[0]}`)).toEqual(whole);
  // Messages that are no longer kept still count.
  await service.write((db) => db.deleteFrom('messages').execute());
  expect(await dashboard(`tag_ids=${tags[0]}`)).toEqual(whole);
});

/** Copies each conversation that was answered and has ended, starting some seconds earlier. */
async function copySessions(copies: number): Promise<void> {
  const columns = Object.keys(chatSessions.columns).filter((column) => !['seq', 'id', 'started_at'].includes(column));
  const same = sql.join(columns.map((column) => sql.ref(column)));
  const numbers = sql`with recursive copies (copy) as (select 1 union all select copy + 1 from copies where copy < ${copies})`;
  await service.write((db) =>
    sql`insert into chat_sessions (id, started_at, ${same})
      ${numbers} select id || '_' || copy, started_at - copy * 1000, ${same} from chat_sessions cross join copies
      where concluded_at is not null and first_response_ms is not null`.execute(db),
  );
}

// Proves rule activity.17.
describe('a demo history', () => {
  beforeEach(async () => {
    await demo({ messages: 6_000, days: 60 });
  });

  it('has channels, tags and bookings', async () => {
    const { series } = (await service.get('/analytics/series?metrics=sent,booked&group_by=channel&from=2026-12-15')).body;
    expect(series.map(({ key }: { key: { channel: string } }) => key.channel).sort()).toEqual(['chatapp', 'page_messenger', 'sms']);
    expect(series.reduce((sum: number, { metrics }: { metrics: { booked: number[] } }) => sum + sumOf(metrics.booked), 0)).toBeGreaterThan(
      20,
    );
    const outcomes = (await service.get('/analytics/outcomes?group_by=tag&from=2026-12-15')).body;
    expect(outcomes.by_tag).toHaveLength(4);
    expect(outcomes.totals.booked).toBeGreaterThan(20);
    expect((await service.get('/appointments')).body.appointments[0]).toMatchObject({ status: 'Confirmed', event_id: expect.any(String) });
  });

  it('has a week of failed and retried webhooks', async () => {
    const deliveries: { state: string; attempts: { at: string; status_code: number }[] }[] = [];
    for (let cursor = ''; ;) {
      const { body } = await service.sandbox('GET', `/deliveries?limit=100&webhook_id=Front%20desk${cursor}`);
      deliveries.push(...body.deliveries);
      if (body.next_cursor === null) break;
      cursor = `&cursor=${encodeURIComponent(body.next_cursor as string)}`;
    }
    const retried = deliveries.filter(({ attempts }) => attempts.length > 1);
    expect(retried.filter(({ state }) => state === 'delivered').length).toBeGreaterThan(2);
    expect(retried.filter(({ state }) => state === 'failed').length).toBeGreaterThan(0);
    expect(deliveries.filter(({ state }) => state === 'queued')).toEqual([]);
    const [first] = retried;
    const waits = first?.attempts.map(({ at }) => Date.parse(at) - Date.parse(first.attempts[0]?.at ?? ''));
    expect(waits).toEqual([0, 60_000, 300_000, 1_800_000, 7_200_000].slice(0, waits?.length));
    // Most of them fail within one week.
    const days = retried.map(({ attempts }) => Math.floor(Date.parse(attempts[0]?.at ?? '') / 86_400_000)).sort((a, b) => a - b);
    expect((days.at(-3) ?? 0) - (days[2] ?? 0)).toBeLessThan(8);
    const webhook = (await service.get('/webhooks')).body.webhooks.find(({ name }: { name: string }) => name === 'Front desk');
    expect(webhook).toMatchObject({ enabled: false });
    const { health } = (await service.get(`/webhooks/${webhook.id}/health`)).body;
    expect(health).toMatchObject({
      is_disabled: false,
      total_successes: deliveries.filter(({ state }) => state === 'delivered').length,
      total_failures: deliveries.filter(({ state }) => state === 'failed').length,
    });
  });

  it('marks who has written, and counts what was spent', async () => {
    const unmarked = service.write((db) =>
      db
        .selectFrom('contacts')
        .innerJoin('messages', 'messages.contact_id', 'contacts.id')
        .select('contacts.id')
        .where('has_written', '=', 0)
        .where('direction', '=', 'inbound')
        .execute(),
    );
    expect(await unmarked).toEqual([]);
    const spent = (await service.get('/analytics/summary?from=2027-03-01')).body.totals.credits_spent;
    expect(spent).toBeGreaterThan(0);
    const balance = await service.write((db) => readBalance(db, service.accountId));
    expect([balance.spent_month, balance.spent_millionths]).toEqual([midnight, spent * 1e6]);
  });
});
