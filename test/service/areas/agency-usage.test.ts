import fc from 'fast-check';
import { describe, expect, it as plainIt } from 'vitest';
import { centsFor } from '../../../src/service/areas/agency/price.ts';
import { it as base } from '../../support/account-test.ts';
import { tries } from '../../support/sweeps.ts';
import type { TestService } from '../../support/test-service.ts';

const it = base.extend('account', { kind: 'agency' });

const usage = async (service: TestService, query = '') => (await service.get(`/agency/usage${query}`)).body;

async function client(service: TestService, name: string): Promise<string> {
  const { id } = (await service.post('/subaccounts', { name })).body.sub_account as { id: string };
  await service.sandbox('PATCH', `/accounts/${id}`, { credits: 1_000 });
  await service.sandbox('POST', `/accounts/${id}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  return id;
}

async function send(service: TestService, account: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) {
    const body = { channel: 'chatapp', phone_number: `+1415555${1_000 + sent}`, body: 'Hi', sub_account_id: account };
    expect((await service.post('/contacts/send', body)).status).toBe(201);
  }
}

const nothing = { credits_spent: 0, messages_sent: 0, ai_replies: 0, conversations: 0, price_usd: null };

describe('the usage of sub-accounts', () => {
  // Proves rules agency.1, agency.8.
  it('is for agencies and those who see billing, of days as in analytics', async ({ service }) => {
    const id = await client(service, 'Bakery');
    const standard = await service.makeAccount();
    expect((await service.get('/agency/usage', { key: standard.api_key })).status).toBe(403);
    expect((await service.get('/agency/usage', { key: await service.signIn(['team.edit']) })).status).toBe(403);
    expect((await service.get('/agency/usage', { key: await service.signIn(['billing.view']) })).status).toBe(200);
    const scoped = (await service.post('/api-keys', { scopes: { tags: ['Agency'], read_only: false } })).body.api_key as string;
    expect((await service.get('/agency/usage', { key: scoped })).body.error_code).toBe('key_scope_denied');
    expect((await service.get(`/agency/usage?sub_account_id=${id}`)).status).toBe(400);
    const { from, to } = (await service.get('/analytics/summary')).body;
    expect(await usage(service)).toMatchObject({ from, to });
    for (const [query, field] of [
      ['?from=2027-02-02&to=2027-02-01', 'from'],
      ['?from=2026-01-31&to=2027-02-01', 'from'],
      ['?from=yesterday', 'from'],
    ] as const)
      expect((await usage(service, query)).field).toBe(field);
    expect(await usage(service, '?from=2026-02-01&to=2027-02-01')).toMatchObject({ from: '2026-02-01', to: '2027-02-01' });
  });

  // Proves rules agency.8, agency.11, agency.12.
  it('is paginated, newest first, with prices and their sums on the first page', async ({ service }) => {
    const ids = [await client(service, 'Bakery'), await client(service, 'Cafe'), await client(service, 'Garage')];
    await send(service, ids[0] as string, 3);
    await send(service, ids[2] as string, 1);
    expect((await usage(service)).totals).toEqual({ ...nothing, balance: 2_996, credits_spent: 4, messages_sent: 4, conversations: 4 });
    expect((await service.put('/agency/credit-price', { usd_per_1000: 5 })).body.credit_price).toEqual({ usd_per_1000: 5 });
    const first = await usage(service, '?limit=2');
    expect(first.accounts).toEqual([
      // 1 credit is half a cent.
      {
        account_id: ids[2],
        name: 'Garage',
        ...nothing,
        balance: 999,
        credits_spent: 1,
        messages_sent: 1,
        conversations: 1,
        price_usd: 0.01,
      },
      { account_id: ids[1], name: 'Cafe', ...nothing, balance: 1_000, price_usd: 0 },
    ]);
    expect(first.totals).toEqual({ ...nothing, balance: 2_996, credits_spent: 4, messages_sent: 4, conversations: 4, price_usd: 0.03 });
    const second = await usage(service, `?limit=2&cursor=${first.next_cursor}`);
    expect(second.accounts).toMatchObject([{ account_id: ids[0], credits_spent: 3, price_usd: 0.02 }]);
    expect([second.totals, second.next_cursor]).toEqual([null, null]);
  });

  // Proves rules agency.9, agency.11.
  it('equals the summary and the series of each account for the same days', { timeout: 60_000 }, async ({ service }) => {
    // The demo fills the first account, which becomes a client of this agency.
    await service.sandbox('POST', '/demo', { messages: 3_000, days: 60, seed: 5 });
    const filled = service.service.accountId;
    await service.write((db) => db.updateTable('accounts').set({ parent_id: service.accountId }).where('id', '=', filled).execute());
    const bakery = await client(service, 'Bakery');
    await send(service, bakery, 2);
    for (const query of ['', '?from=2027-01-15&to=2027-02-20', '?from=2027-02-10&to=2027-02-10']) {
      const { accounts, totals, from, to } = await usage(service, query);
      expect(accounts).toHaveLength(2);
      const sums = { ...nothing, balance: 0 };
      for (const { account_id: id, name: _, ...figures } of accounts) {
        const of = `from=${from}&to=${to}&sub_account_id=${id}`;
        const summary = (await service.get(`/analytics/summary?${of}`)).body;
        const { series } = (await service.get(`/analytics/series?${of}&metrics=ai_sent,conversations`)).body;
        const total = (metric: string) => (series[0].metrics[metric] as number[]).reduce((sum, value) => sum + value, 0);
        const { balance } = (await service.get(`/users/me/credits?sub_account_id=${id}`)).body;
        expect(figures).toEqual({
          balance,
          credits_spent: summary.totals.credits_spent,
          messages_sent: summary.totals.sent,
          ai_replies: total('ai_sent'),
          conversations: total('conversations'),
          price_usd: null,
        });
        for (const name of ['balance', 'credits_spent', 'messages_sent', 'ai_replies', 'conversations'] as const)
          sums[name] += figures[name];
      }
      expect(totals).toEqual(sums);
      if (query !== '?from=2027-02-10&to=2027-02-10') expect(totals.ai_replies).toBeGreaterThan(100);
    }
  });
});

describe('the price of credits', () => {
  // Proves rule agency.13.
  it('is null until it is set, and can be free', async ({ service }) => {
    expect((await service.get('/agency/credit-price')).body.credit_price).toEqual({ usd_per_1000: null });
    const set = async (price: unknown, key = service.key) => await service.put('/agency/credit-price', { usd_per_1000: price }, { key });
    for (const price of [0, 12.5, 0.333333, null, 1_000_000]) expect((await set(price)).body.credit_price).toEqual({ usd_per_1000: price });
    expect((await service.get('/agency/credit-price')).body.credit_price).toEqual({ usd_per_1000: 1_000_000 });
    for (const price of [-1, '5', 1_000_001, 0.0000004, 12.3456789]) expect((await set(price)).body.field).toBe('usd_per_1000');
    expect((await service.put('/agency/credit-price', {})).body.error).toBe('No fields to update');
    const member = await service.signIn(['billing.view']);
    expect((await set(1, member)).status).toBe(403);
    expect((await service.get('/agency/credit-price', { key: member })).status).toBe(200);
  });

  // Proves rule agency.12.
  plainIt('gives whole cents, exactly, with half a cent rounded up', () => {
    expect([centsFor(1_000_000, 5_000_000), centsFor(999_999, 5_000_000), centsFor(0, 5_000_000)]).toEqual([1, 0, 0]);
    expect([centsFor(9e15, 1e12), centsFor(-1_000_000, 5_000_000), centsFor(-3_000_000, 5_000_000)]).toEqual([9e14, 0, -1]);
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 9e15 }), fc.integer({ min: 0, max: 1e12 }), (credits, price) => {
        // 10^13 of the product are a cent.
        const doubled = 2n * BigInt(credits) * BigInt(price);
        const off = doubled - BigInt(centsFor(credits, price)) * 2n * 10n ** 13n;
        expect(off >= -(10n ** 13n) && off < 10n ** 13n).toBe(true);
      }),
      { numRuns: tries(500) },
    );
  });
});
