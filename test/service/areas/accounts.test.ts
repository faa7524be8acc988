import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { defaultPlan } from '../../../src/contract/plan.ts';
import { it as base } from '../../support/account-test.ts';
import { tries } from '../../support/sweeps.ts';
import type { TestService } from '../../support/test-service.ts';

const it = base.extend('account', { kind: 'agency' });

const create = async (service: TestService, name = 'Client') =>
  (await service.post('/subaccounts', { name })).body.sub_account as { id: string };

const balance = async (service: TestService, id = service.accountId) =>
  (await service.sandbox('GET', `/accounts/${id}`)).body.account.credits as number;

const move = (service: TestService, id: string, amount: unknown) => service.post(`/subaccounts/${id}/credits`, { amount });

/** Reads an account's ledger and outbox directly from the store. */
async function records(service: TestService, id: string) {
  const store = await service.database.open();
  const [entries, events] = await store.read(async (db) => [
    await db
      .selectFrom('credit_ledger')
      .select(['reason', 'millionths', 'is_adjustment'])
      .where('account_id', '=', id)
      .orderBy('seq')
      .execute(),
    await db.selectFrom('events').select(['name', 'data']).where('account_id', '=', id).orderBy('seq').execute(),
  ]);
  await store.close();
  return { entries, events: events.map(({ name, data }) => ({ name, data: JSON.parse(data) as unknown })) };
}

describe('sub-accounts', () => {
  // Proves rules accounts.4, credits.7.
  it('are created without credits, shown and listed', async ({ service }) => {
    const { status, body } = await service.post('/subaccounts', { name: 'Bakery', email: 'b@shop.example' });
    expect(status).toBe(201);
    expect(body.sub_account).toMatchObject({ id: expect.stringMatching(/^acc_/), name: 'Bakery', email: 'b@shop.example', balance: 0 });
    expect((await service.get(`/subaccounts/${body.sub_account.id}`)).body.sub_account).toEqual(body.sub_account);
    expect((await service.get('/subaccounts')).body).toEqual({ success: true, sub_accounts: [body.sub_account], next_cursor: null });
  });

  // Proves rules accounts.4, accounts.18, accounts.23.
  it("have no main key, and get the default plan regardless of their agency's", async ({ service }) => {
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { webhooks: false, max_agents: 3 } });
    const { id } = await create(service);
    expect((await service.sandbox('GET', `/accounts/${id}`)).body.account).toMatchObject({ kind: 'standard', plan: defaultPlan });
    const owner = await service.signIn([], { role: 'owner' }, id);
    expect((await service.get('/api-keys/current', { key: owner })).status).toBe(404);
  });

  // Proves rule accounts.5.
  it.for([
    [{}, 400],
    [{ name: ' ' }, 400],
    [{ name: null }, 400],
    [{ name: 'x', email: 'no address' }, 400],
    [{ name: 'x', email: null }, 201],
  ] as const)('can be created with %j: %i', async ([body, status], { service }) => {
    expect((await service.post('/subaccounts', body)).status).toBe(status);
  });

  // Proves rule accounts.7.
  it('are listed newest first, page by page', async ({ service }) => {
    const made: { id: string }[] = [];
    for (const name of ['b', 'c', 'a']) made.unshift(await create(service, name));
    const first = (await service.get('/subaccounts?limit=2')).body;
    const second = (await service.get(`/subaccounts?limit=2&cursor=${first.next_cursor}`)).body;
    expect([first.sub_accounts, second.sub_accounts, second.next_cursor]).toEqual([made.slice(0, 2), made.slice(2), null]);
  });

  // Proves rule accounts.11.
  it('lose their jobs and deliveries when they are deleted', async ({ service }) => {
    const { id } = await create(service);
    await service.sandbox('POST', '/jobs', { hold: ['webhook_delivery'] });
    const subscription = { url: 'http://127.0.0.1:9/hook', subscribed_to: ['Reads'], apply_to_sub_accounts: true };
    await service.post('/webhooks', subscription);
    await service.sandbox('POST', `/accounts/${id}/events`, { event: 'Reads' });
    const left = async () => ({
      deliveries: (await service.sandbox('GET', `/deliveries?account_id=${id}`)).body.deliveries.length as number,
      jobs: ((await service.sandbox('GET', '/jobs')).body.waiting.webhook_delivery ?? 0) as number,
    });
    const { deliveries, jobs } = await left();
    expect(deliveries).toBe(1);
    await service.delete(`/subaccounts/${id}`);
    expect(await left()).toEqual({ deliveries: 0, jobs: jobs - 1 });
    await service.sandbox('POST', '/jobs', { hold: [] });
  });

  // Proves rules accounts.1, credentials.28.
  it('are available to agencies only', async ({ service }) => {
    const { api_key: key } = await service.makeAccount();
    for (const answer of [await service.get('/subaccounts', { key }), await service.post('/subaccounts', { name: 'x' }, { key })])
      expect(answer.status).toBe(403);
  });

  // Proves rule accounts.6.
  it('belong to one agency: others get 404', async ({ service }) => {
    const { id } = await create(service);
    const { api_key: key } = await service.makeAccount({ kind: 'agency' });
    expect((await service.get('/subaccounts', { key })).body.sub_accounts).toEqual([]);
    expect((await service.get(`/subaccounts/${id}`, { key })).status).toBe(404);
    expect((await service.delete(`/subaccounts/${id}`, { key })).status).toBe(404);
    expect((await service.post(`/subaccounts/${id}/credits`, { amount: 1 }, { key })).status).toBe(404);
    expect((await service.get(`/subaccounts/${service.accountId}`)).status).toBe(404);
  });

  // Proves rules accounts.8, accounts.9, accounts.10.
  it('return their credits and lose all their records when they are deleted', async ({ service }) => {
    const { id } = await create(service);
    await move(service, id, 300);
    const { body } = await service.sandbox('POST', `/accounts/${id}/main-key`);
    await service.post('/tags', { name: 'gone' }, { key: body.api_key });
    expect((await service.delete(`/subaccounts/${id}`)).body).toEqual({ success: true });
    expect(await balance(service)).toBe(1000);
    expect((await service.get('/health', { key: body.api_key })).status).toBe(401);
    expect((await service.get(`/subaccounts/${id}`)).status).toBe(404);
  });
});

describe('a credit transfer', () => {
  // Proves rules accounts.12, accounts.15 and analytics.17.
  it('moves credits both ways, as adjustments on both ledgers', async ({ service }) => {
    const { id } = await create(service);
    expect((await move(service, id, 250.5)).body.sub_account.balance).toBe(250.5);
    expect((await move(service, id, -50.25)).body.sub_account.balance).toBe(200.25);
    expect(await balance(service)).toBe(799.75);
    expect((await records(service, id)).entries).toEqual([
      { reason: 'transfer_in', millionths: 250_500_000, is_adjustment: 1 },
      { reason: 'transfer_out', millionths: -50_250_000, is_adjustment: 1 },
    ]);
    const accountsIn = async (query: string) =>
      (await service.get(`/analytics/credits${query}`)).body.records.map((each: Record<string, unknown>) => [
        each.reason,
        each.credits,
        each.transfer_account_id,
      ]);
    expect(await accountsIn('')).toEqual([
      ['transfer_in', -50.25, id],
      ['transfer_out', 250.5, id],
      ['starting_credits', -1000, null],
    ]);
    expect(await accountsIn(`?sub_account_id=${id}`)).toEqual([
      ['transfer_out', 50.25, service.accountId],
      ['transfer_in', -250.5, service.accountId],
    ]);
  });

  // Proves rules accounts.13, accounts.14, credits.4.
  it('returns 402 and changes nothing if it exceeds the balance', async ({ service }) => {
    const { id } = await create(service);
    const answer = await move(service, id, 1000.000001);
    expect([answer.status, answer.body.error_code]).toEqual([402, 402]);
    for (const amount of [-0.000001, 2e9, -2e9, 1e300]) expect((await move(service, id, amount)).status).toBe(402);
    expect([await balance(service), await balance(service, id)]).toEqual([1000, 0]);
    expect((await records(service, id)).entries).toEqual([]);
  });

  // Proves rules accounts.16, credits.5.
  it('cannot raise a balance above the limit for exact sums', async ({ service }) => {
    const { id } = await create(service);
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 1e9 });
    for (let round = 1; round <= 9; round++) {
      expect((await move(service, id, 1e9)).status).toBe(200);
      await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 1e9 });
    }
    expect((await move(service, id, 1e9)).status).toBe(400);
    expect(await balance(service, id)).toBe(9e9);
  });

  // Proves rule accounts.14.
  it.for([0, '5', null, 0.0000001, 1e-10, NaN])('returns 400 for the amount %s', async (amount, { service }) => {
    expect((await move(service, (await create(service)).id, amount)).status).toBe(400);
  });

  // Proves rules accounts.15, credits.2, credits.3.
  it('never loses or creates credits or makes a balance negative, in any order and concurrently', async ({ service }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ which: fc.nat(1), amount: fc.integer({ min: -900, max: 900 }) }), { minLength: 1, maxLength: 12 }),
        async (moves) => {
          const { account_id, api_key } = await service.makeAccount({ kind: 'agency' });
          await service.liftLimits(account_id);
          const ids: string[] = [];
          for (const name of ['a', 'b'])
            ids.push((await service.post('/subaccounts', { name }, { key: api_key })).body.sub_account.id as string);
          const answers = await Promise.all(
            moves.map(({ which, amount }) => service.post(`/subaccounts/${ids[which]}/credits`, { amount: amount || 1 }, { key: api_key })),
          );
          for (const { status } of answers) expect([200, 402]).toContain(status);
          const accounts = [account_id, ...ids];
          const balances = await Promise.all(accounts.map((id) => balance(service, id)));
          expect(balances.reduce((sum, credits) => sum + credits, 0)).toBe(1000);
          expect(Math.min(...balances)).toBeGreaterThanOrEqual(0);
          for (const [index, id] of accounts.entries()) {
            const { entries } = await records(service, id);
            expect(entries.reduce((sum, { millionths }) => sum + millionths, 0) / 1e6).toBe(balances[index]);
          }
        },
      ),
      { numRuns: tries(6) },
    );
  });
});

describe('the credit balance', () => {
  // Proves rule credits.1.
  it('is returned with its settings, and for sub-accounts with the credits spent this month', async ({ service }) => {
    const { id } = await create(service);
    await move(service, id, 40);
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { low_credit_threshold: 7.5 });
    expect((await service.get('/users/me/credits')).body).toEqual({
      success: true,
      balance: 960,
      monthly_credits: null,
      used_this_month: null,
      auto_recharge_enabled: false,
      low_credit_threshold: 7.5,
    });
    expect((await service.get(`/users/me/credits?sub_account_id=${id}`)).body).toMatchObject({ balance: 40, used_this_month: 0 });
  });
});

describe('a low balance', () => {
  // Events are stored only if a webhook subscribes to them.
  it.beforeEach(async ({ service }) => {
    const subscribed_to = ['Low Credit Balance', 'Credits Recharged'];
    expect((await service.post('/webhooks', { url: 'http://127.0.0.1:9/hook', subscribed_to })).status).toBe(200);
  });

  // Proves rules accounts.17, credits.21, credits.22.
  it('emits an event each time the balance drops below the threshold', async ({ service }) => {
    const { id } = await create(service);
    await move(service, id, 900);
    await move(service, id, 1);
    await move(service, id, 1);
    await move(service, id, -10);
    await move(service, id, 10);
    const { events } = await records(service, service.accountId);
    expect(events).toMatchObject([
      { name: 'Low Credit Balance', data: { credits: { balance: 99 } } },
      { name: 'Low Credit Balance', data: { credits: { balance: 98 } } },
    ]);
  });

  // Proves rules accounts.17, credits.22, credits.23, credits.24.
  it("recharges an account with automatic recharge, at the account's own threshold", async ({ service }) => {
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { auto_recharge_enabled: true, low_credit_threshold: 500 });
    const { id } = await create(service);
    await move(service, id, 500);
    expect(await balance(service)).toBe(500);
    await move(service, id, 1);
    expect(await balance(service)).toBe(1499);
    expect((await records(service, service.accountId)).events).toMatchObject([
      { name: 'Low Credit Balance', data: { credits: { balance: 499, low_credit_threshold: 500 } } },
      { name: 'Credits Recharged', data: { credits: { balance: 1499 } } },
    ]);
  });
});
