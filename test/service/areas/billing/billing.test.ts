import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renewPlan } from '../../../../src/service/areas/billing/renewals.ts';
import { TestService } from '../../../support/test-service.ts';

let service: TestService;

const start = '2029-01-31T12:00:00.000Z';
const day = 86_400;

beforeEach(async () => {
  service = await TestService.open();
  expect((await service.sandbox('POST', '/clock', { now: start })).status).toBe(200);
});

afterEach(() => service.close());

const change = async (planId: string, more: object = {}) => await service.post('/billing/change-plan', { plan_id: planId, ...more });
const subscription = async () => (await service.get('/billing/subscription')).body.subscription;
const balance = async () => (await service.get('/users/me/credits')).body.balance as number;
const plan = async () => (await service.get('/users/me')).body.user.plan;
const advance = async (days: number) => expect((await service.sandbox('POST', '/clock/advance', { seconds: days * day })).status).toBe(200);

/** The credits that plans added, oldest first, with their reasons. */
async function added(from: string, to: string): Promise<[reason: string, credits: number][]> {
  const { body } = await service.get(`/analytics/credits?from=${from}&to=${to}&limit=100`);
  return body.records
    .filter(({ reason }: { reason: string }) => reason.startsWith('plan_'))
    .map(({ reason, credits, is_adjustment }: { reason: string; credits: number; is_adjustment: boolean }) => {
      expect(is_adjustment).toBe(true);
      return [reason, -credits];
    })
    .toReversed();
}

const makeAgents = async (count: number) => {
  for (let made = 0; made < count; made++) expect((await service.post('/agents', { name: `Agent ${made}` })).status).toBe(201);
};

describe('plans', () => {
  // Proves rules billing.1, billing.2.
  it('are listed the cheapest first, and sandbox only while the account is on it', async () => {
    const { plans } = (await service.get('/billing/plans')).body;
    expect(plans.map(({ id, price_usd, monthly_credits }: Record<string, unknown>) => [id, price_usd, monthly_credits])).toEqual([
      ['sandbox', 0, null],
      ['starter', 29, 1_000],
      ['growth', 99, 5_000],
      ['scale', 299, 20_000],
    ]);
    expect(plans[3].plan).toEqual({ max_agents: 50, key_requests_per_minute: 600, account_requests_per_minute: 2_400 });
    expect(await subscription()).toEqual({
      plan_id: 'sandbox',
      status: 'active',
      monthly_credits: null,
      renews_at: null,
      pending_plan_id: null,
    });
    await change('starter');
    const left = (await service.get('/billing/plans')).body.plans.map(({ id }: { id: string }) => id);
    expect(left).toEqual(['starter', 'growth', 'scale']);
    // Proves rule billing.15.
    for (const unknown of ['sandbox', 'platinum']) {
      const { status, body } = await change(unknown);
      expect([status, body.reason]).toEqual([404, 'plan_not_found']);
    }
    expect((await change('')).body.field).toBe('plan_id');
  });

  // Proves rule billing.3.
  it('are seen with billing.view, and changed by owners and the main key', async () => {
    const [stranger, viewer] = [await service.signIn(['team.edit']), await service.signIn(['billing.view'])];
    for (const path of ['/billing/plans', '/billing/subscription']) {
      expect((await service.get(path, { key: stranger })).status).toBe(403);
      expect((await service.get(path, { key: viewer })).status).toBe(200);
    }
    const to = (key: string, body: object = { plan_id: 'starter', preview: true }) => service.post('/billing/change-plan', body, { key });
    expect((await to(viewer)).body).toMatchObject({ error_code: 403 });
    expect((await to(viewer, {})).status).toBe(403);
    const scoped = (await service.post('/api-keys', { scopes: { tags: ['Billing'], read_only: false } })).body.api_key as string;
    expect((await to(scoped)).body.error_code).toBe('key_scope_denied');
    expect((await to(scoped, {})).body.error_code).toBe('key_scope_denied');
    expect((await service.get('/billing/subscription', { key: scoped })).status).toBe(200);
    expect((await to(await service.signIn([], { role: 'owner' }))).status).toBe(200);
  });

  // Proves rule billing.20.
  it('of sub-accounts are changed by their agency', async () => {
    const agency = await service.makeAccount({ kind: 'agency' });
    const client = await service.makeAccount({ parent_account_id: agency.account_id });
    const body = { plan_id: 'starter', sub_account_id: client.account_id };
    expect((await service.post('/billing/change-plan', body, { key: agency.api_key })).status).toBe(200);
    const seen = await service.get('/billing/subscription', { key: client.api_key });
    expect(seen.body.subscription.plan_id).toBe('starter');
    expect((await service.get('/billing/subscription', { key: agency.api_key })).body.subscription.plan_id).toBe('sandbox');
  });
});

describe('a change of the plan', () => {
  // Proves rules billing.5, billing.4, credits.36.
  it('from sandbox begins a period at once, and sets agents and rate limits alone', async () => {
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { chatapp_templates: false, pending_pages: 7 } });
    const before = await plan();
    const { status, body } = await change('scale');
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        subscription: {
          plan_id: 'scale',
          status: 'active',
          monthly_credits: 20_000,
          renews_at: '2029-02-28T12:00:00.000Z',
          pending_plan_id: null,
        },
        credits_now: 20_000,
        price_now_usd: 299,
        effective_at: start,
      },
    ]);
    const { body: credits } = await service.get('/users/me/credits');
    expect([credits.balance, credits.monthly_credits]).toEqual([21_000, 20_000]);
    expect(await plan()).toEqual({ ...before, max_agents: 50, key_requests_per_minute: 600, account_requests_per_minute: 2_400 });
    const { headers } = await service.get('/tags');
    expect(headers['ratelimit-limit']).toBe('600');
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { max_agents: 51 } });
    expect(await plan()).toMatchObject({ max_agents: 51, key_requests_per_minute: 600, pending_pages: 7 });
  });

  // Proves rules billing.4, rate-limits.1.
  it('moves the rate limits of the key and of the account', async () => {
    await change('scale');
    await service.sandbox('POST', '/clock/advance', { seconds: 60 });
    const keys = await Promise.all(
      Array.from({ length: 5 }, async (_, number) => {
        const body = { label: `key ${number}`, scopes: { tags: ['Tags'], rate_limit_per_min: 600 } };
        return (await service.post('/api-keys', body)).body.api_key as string;
      }),
    );
    expect(keys.every((key) => typeof key === 'string')).toBe(true);
    await service.sandbox('POST', '/clock/advance', { seconds: 60 });
    let let_through = 0;
    for (const key of keys)
      for (let sent = 0; sent < 601; sent++) if ((await service.get('/tags?limit=1', { key })).status === 200) let_through++;
    // Each key is let through 600 times, and the account 2,400 times.
    expect(let_through).toBe(2_400);
  });

  // Proves rules billing.6, billing.13, billing.16, billing.18.
  it('up is in force at once, for the share of the period that is left, and emits nothing', async () => {
    await change('starter');
    await advance(14);
    const preview = await change('growth', { preview: true });
    expect(await subscription()).toMatchObject({ plan_id: 'starter' });
    expect(await balance()).toBe(2_000);
    const { body } = await change('growth');
    expect(body).toEqual(preview.body);
    expect(body).toMatchObject({ credits_now: 2_000, price_now_usd: 35, effective_at: '2029-02-14T12:00:00.000Z' });
    expect(body.subscription).toMatchObject({ plan_id: 'growth', renews_at: '2029-02-28T12:00:00.000Z' });
    expect(await balance()).toBe(4_000);
    expect(await plan()).toMatchObject({ max_agents: 10 });
    expect(await added('2029-01-31', '2029-02-28')).toEqual([
      ['plan_change', 1_000],
      ['plan_change', 2_000],
    ]);
    const store = await service.database.open();
    const events = await store.read((db) => db.selectFrom('events').selectAll().where('account_id', '=', service.accountId).execute());
    await store.close();
    expect(events).toEqual([]);
    const { totals } = (await service.get('/analytics/summary?from=2029-01-31&to=2029-02-28')).body;
    expect([totals.credits_spent, totals.credits_recharged]).toEqual([0, 0]);
  });

  // Proves rules billing.7, billing.8, billing.12, billing.19.
  it('down begins at the renewal, and can be taken back before', async () => {
    await change('growth');
    const { body } = await change('starter');
    expect(body).toMatchObject({ credits_now: 0, price_now_usd: 0, effective_at: '2029-02-28T12:00:00.000Z' });
    expect(body.subscription).toMatchObject({ plan_id: 'growth', status: 'changing', monthly_credits: 5_000, pending_plan_id: 'starter' });
    expect(await plan()).toMatchObject({ max_agents: 10 });
    const back = (await change('growth')).body;
    expect(back).toMatchObject({ credits_now: 0, price_now_usd: 0, effective_at: start, subscription: { status: 'active' } });
    await change('starter');
    await advance(28);
    expect(await subscription()).toEqual({
      plan_id: 'starter',
      status: 'active',
      monthly_credits: 1_000,
      renews_at: '2029-03-31T12:00:00.000Z',
      pending_plan_id: null,
    });
    expect(await plan()).toMatchObject({ max_agents: 3 });
    expect(await balance()).toBe(7_000);
  });

  // Proves rule billing.9.
  it('is refused while there are more agents than the plan allows, in a preview too', async () => {
    await makeAgents(4);
    for (const more of [{}, { preview: true }]) {
      const { status, body } = await change('starter', more);
      expect([status, body.blocking]).toEqual([409, { max_agents: { have: 4, limit: 3 } }]);
    }
    expect(await subscription()).toMatchObject({ plan_id: 'sandbox' });
    await change('growth');
    expect((await change('starter')).status).toBe(409);
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { max_agents: 20 } });
    await makeAgents(7);
    // The present plan is always there to come back to.
    expect((await change('growth')).status).toBe(200);
    expect((await change('scale')).status).toBe(200);
  });

  // Proves rules billing.10, billing.12, notifications.6.
  it('that waits is dropped when there are too many agents at the renewal', async () => {
    await makeAgents(3);
    await change('growth');
    await change('starter');
    await makeAgents(1);
    await advance(28);
    expect(await subscription()).toMatchObject({ plan_id: 'growth', status: 'active', pending_plan_id: null });
    expect(await balance()).toBe(11_000);
    const { notifications } = (await service.get('/notifications')).body;
    expect(notifications).toMatchObject([
      { kind: 'plan_change_blocked', severity: 'warning', title: 'The change to Starter was dropped', entity: null },
    ]);
  });
});

describe('the renewal of a plan', () => {
  // Proves rules billing.11, billing.12, billing.13.
  it('adds the credits of each month once while the clock advances by a year', async () => {
    await change('growth');
    await advance(1);
    const { fired } = (await service.sandbox('POST', '/clock/advance', { seconds: 364 * day })).body;
    const renewals = fired.filter(({ kind }: { kind: string }) => kind === 'plan_renewal').map(({ at }: { at: string }) => at.slice(0, 10));
    expect(renewals).toEqual([
      ...['2029-02-28', '2029-03-31', '2029-04-30', '2029-05-31', '2029-06-30', '2029-07-31'],
      ...['2029-08-31', '2029-09-30', '2029-10-31', '2029-11-30', '2029-12-31', '2030-01-31'],
    ]);
    expect(await balance()).toBe(1_000 + 13 * 5_000);
    expect((await subscription()).renews_at).toBe('2030-02-28T12:00:00.000Z');
  });

  // Proves rule billing.12.
  it('makes up late months in order, once each, on two servers', async () => {
    await change('scale');
    await change('growth');
    const other = await TestService.on(service.database, {}, service);
    await service.sandbox('POST', '/clock', { now: '2030-01-31T12:00:00.000Z' });
    await Promise.all([service.sandbox('POST', '/settle'), other.sandbox('POST', '/settle')]);
    await other.service.close();
    const months = await added('2030-01-31', '2030-01-31');
    expect(months).toEqual(Array.from({ length: 12 }, () => ['plan_renewal', 5_000]));
    expect(await balance()).toBe(1_000 + 20_000 + 12 * 5_000);
    expect(await subscription()).toMatchObject({ plan_id: 'growth', renews_at: '2030-02-28T12:00:00.000Z' });
  });

  // Proves rules billing.12, billing.17.
  it('that is late comes before a change of the plan, and is not made again', async () => {
    await change('starter');
    await service.sandbox('POST', '/jobs', { hold: ['plan_renewal'] });
    await service.sandbox('POST', '/clock', { now: '2029-04-15T12:00:00.000Z' });
    expect(await balance()).toBe(2_000);
    const preview = (await change('growth', { preview: true })).body;
    expect(await balance()).toBe(2_000);
    const { body } = await change('growth');
    expect(body).toEqual(preview);
    // Two months are made up, and 15 of the 30 days from 31 March on are left.
    expect(body).toMatchObject({ credits_now: 2_000, price_now_usd: 35, subscription: { renews_at: '2029-04-30T12:00:00.000Z' } });
    expect(await balance()).toBe(2_000 + 2 * 1_000 + 2_000);
    await service.sandbox('POST', '/jobs', { hold: [] });
    await service.sandbox('POST', '/settle');
    expect(await balance()).toBe(6_000);
    await advance(15);
    expect(await balance()).toBe(11_000);
    expect((await service.sandbox('GET', '/jobs')).body.waiting.plan_renewal).toBe(1);
  });

  // Proves rule billing.14.
  it('adds what a full balance still holds, and goes on', async () => {
    await change('scale');
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 1_000_000_000 });
    const store = await service.database.open();
    await store.write((db) =>
      db
        .updateTable('balances')
        .set({ millionths: 9e15 - 5e6 })
        .where('account_id', '=', service.accountId)
        .execute(),
    );
    await store.close();
    await advance(28);
    expect(await balance()).toBe(9_000_000_000);
    await advance(31);
    expect((await subscription()).renews_at).toBe('2029-04-30T12:00:00.000Z');
  });

  // Proves rule billing.12.
  it('leaves nothing when it ends before it is committed, and then happens once', async () => {
    await change('growth');
    const database = service.database;
    const failing = await TestService.on(
      database,
      {
        jobDefinitions: {
          plan_renewal: {
            run: async (job, parts) => {
              const finish = await renewPlan.run(job, parts);
              if (job.attempt > 1) return finish;
              return async (db, now) => {
                if (typeof finish === 'function') await finish(db, now);
                throw new Error('cut off');
              };
            },
          },
        },
      },
      service,
    );
    const seconds = (hours: number) => ({ seconds: hours * 3_600 });
    await failing.sandbox('POST', '/clock/advance', seconds(28 * 24));
    expect([await balance(), (await subscription()).renews_at]).toEqual([6_000, '2029-02-28T12:00:00.000Z']);
    // It is tried again, a little later.
    await failing.sandbox('POST', '/clock/advance', seconds(1));
    await failing.service.close();
    expect([await balance(), (await subscription()).renews_at]).toEqual([11_000, '2029-03-31T12:00:00.000Z']);
  });

  // Proves rule billing.12.
  it('ends with the account', async () => {
    const agency = await service.makeAccount({ kind: 'agency' });
    const client = await service.makeAccount({ parent_account_id: agency.account_id });
    await service.post('/billing/change-plan', { plan_id: 'starter' }, { key: client.api_key });
    expect((await service.delete(`/subaccounts/${client.account_id}`, { key: agency.api_key })).status).toBe(200);
    expect((await service.sandbox('GET', '/jobs')).body.waiting.plan_renewal).toBeUndefined();
    await advance(40);
  });
});
