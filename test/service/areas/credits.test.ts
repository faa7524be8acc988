import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Events } from '../../support/events.ts';
import { tries } from '../../support/sweeps.ts';
import { TestService } from '../../support/test-service.ts';

// Compares credits with a simple model: the balance is the sum of the ledger and never negative, even with concurrent sends,
// refunds and transfers.

let first: TestService;
/** Another process on the same store. */
let second: TestService;

beforeAll(async () => {
  first = await TestService.open();
  second = await TestService.on(first.database, {}, first);
  await first.sandbox('POST', '/clock', { frozen: true });
});

afterAll(async () => {
  await second.service.close();
  await first.close();
});

interface Account {
  readonly id: string;
  readonly key: string;
}

let made = 0;

/** Creates an agency with a client, each with a connected channel, a contact and credits. */
async function family(agencyCredits: number, clientCredits: number) {
  const agency = await first.makeAccount({ kind: 'agency' });
  const client = await first.makeAccount({ parent_account_id: agency.account_id });
  const accounts: (Account & { contact: string })[] = [];
  for (const [{ account_id: id, api_key: key }, credits] of [
    [agency, agencyCredits],
    [client, clientCredits],
  ] as const) {
    await first.liftLimits(id);
    await first.sandbox('PATCH', `/accounts/${id}`, { credits });
    await first.sandbox('POST', `/accounts/${id}/channels`, { channel: 'chatapp', identity: '+14155550100' });
    const { contact } = (await first.post('/contacts', { phone_number: `+1415${8880100 + made++}` }, { key })).body;
    accounts.push({ id, key, contact: contact.id as string });
  }
  return accounts as [(typeof accounts)[number], (typeof accounts)[number]];
}

async function balanceOf({ key }: Account): Promise<number> {
  return (await first.get('/users/me/credits', { key })).body.balance as number;
}

/** The ledger of an account, in credits. */
async function ledgerOf({ id }: Account): Promise<{ reason: string; credits: number; is_adjustment: number }[]> {
  const store = await first.database.open();
  const rows = await store.read((db) =>
    db.selectFrom('credit_ledger').select(['reason', 'millionths', 'is_adjustment']).where('account_id', '=', id).orderBy('seq').execute(),
  );
  await store.close();
  return rows.map(({ millionths, ...row }) => ({ ...row, credits: millionths / 1e6 }));
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

const act = fc.record({
  process: fc.nat(1),
  by: fc.nat(1),
  what: fc.oneof(
    fc.constant('send' as const),
    fc.constant('fail' as const),
    fc.integer({ min: -8, max: 8 }).filter((amount) => amount !== 0),
  ),
});

// Proves rules credits.2, credits.3, credits.18.
it('the balance is exact and never negative with concurrent sends, refunds and transfers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(act, { minLength: 1, maxLength: 8 }), { maxLength: 4 }), async (rounds) => {
      const [agency, client] = await family(10, 5);
      const sent: { id: string; account: number }[] = [];
      let failed = 0;
      for (const round of rounds) {
        const results = await Promise.all(
          round.map(async ({ process, by, what }) => {
            const service = process === 0 ? first : second;
            const account = by === 0 ? agency : client;
            if (typeof what === 'number')
              return { what, answer: await service.post(`/subaccounts/${client.id}/credits`, { amount: what }, { key: agency.key }) };
            if (what === 'send')
              return {
                what,
                by,
                answer: await service.post('/contacts/send', { contact_id: account.contact, body: 'x' }, { key: account.key }),
              };
            const target = sent.pop();
            if (!target) return { what, answer: { status: 200, body: {} } };
            const path = `/accounts/${(target.account === 0 ? agency : client).id}/receipts`;
            return { what, answer: await service.sandbox('POST', path, { message_id: target.id, status: 'failed' }) };
          }),
        );
        for (const { what, by, answer } of results) {
          expect([200, 201, 402]).toContain(answer.status);
          if (what === 'send' && answer.status === 201)
            sent.push({ id: (answer.body as { message_id: string }).message_id, account: by ?? 0 });
          if (what === 'fail' && 'message' in answer.body) failed++;
        }
        for (const account of [agency, client]) {
          const balance = await balanceOf(account);
          expect(balance).toBeGreaterThanOrEqual(0);
          expect(sum((await ledgerOf(account)).map(({ credits }) => credits))).toBe(balance);
        }
      }
      // The two accounts lost only the spent credits.
      const total = (await balanceOf(agency)) + (await balanceOf(client));
      expect(total).toBe(15 - sent.length);
      const refunds = [...(await ledgerOf(agency)), ...(await ledgerOf(client))].filter(({ reason }) => reason === 'refund');
      expect(refunds).toHaveLength(failed);
    }),
    { numRuns: tries(6) },
  );
});

// Proves rules credits.3, credits.12.
it('exactly as many sends succeed as there are credits, in two processes at the same time', async () => {
  const [agency] = await family(25, 0);
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      (index % 2 === 0 ? first : second).post('/contacts/send', { contact_id: agency.contact, body: 'x' }, { key: agency.key }),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(25);
  expect(answers.filter(({ status }) => status === 402)).toHaveLength(15);
  expect(await balanceOf(agency)).toBe(0);
});

describe('the credit balance', () => {
  let account: Account & { contact: string };
  let events: Events;

  beforeEach(async () => {
    [account] = await family(1000, 0);
    first.key = account.key;
    events = await Events.of(first, account.key);
  });

  afterEach(() => events.close());

  const settings = (body: object) => first.sandbox('PATCH', `/accounts/${account.id}`, body);
  const send = () => first.post('/contacts/send', { contact_id: account.contact, body: 'x' }, { key: account.key });

  // Proves rules credits.20, credits.21, credits.22, credits.24.
  it('emits an event each time it drops below the threshold', async () => {
    await settings({ credits: 101, low_credit_threshold: 100 });
    await events.take();
    for (let count = 0; count < 3; count++) await send();
    const told = await events.take();
    expect(told.map(({ event }) => event)).toEqual(['Credits Spent', 'Credits Spent', 'Low Credit Balance', 'Credits Spent']);
    expect(told[2]?.data).toMatchObject({ credits: { balance: 99, low_credit_threshold: 100 } });
    await settings({ credits: 100 });
    await send();
    expect(await events.names()).toEqual(['Credits Spent', 'Low Credit Balance']);
  });

  // Proves rules credits.10, credits.11, credits.23, credits.24.
  it('is recharged when it drops below the threshold, with automatic recharge', async () => {
    await settings({ credits: 100, auto_recharge_enabled: true });
    await events.take();
    await send();
    expect((await events.take()).map(({ event, data }) => [event, data.credits.balance])).toEqual([
      ['Credits Spent', 99],
      ['Low Credit Balance', 99],
      ['Credits Recharged', 1099],
    ]);
    expect((await ledgerOf(account)).slice(-2)).toEqual([
      { reason: 'message', credits: -1, is_adjustment: 0 },
      { reason: 'recharge', credits: 1000, is_adjustment: 1 },
    ]);
  });

  // Proves rule credits.13.
  it('is not recharged for a request that costs more than it', async () => {
    await settings({ credits: 0.5, auto_recharge_enabled: true });
    await events.take();
    expect((await send()).status).toBe(402);
    expect([await balanceOf(account), await events.names()]).toEqual([0.5, []]);
  });

  // Proves rules credits.18, credits.19.
  it('is refunded without an event', async () => {
    await settings({ credits: 100 });
    const { message_id } = (await send()).body;
    await events.take();
    expect((await first.sandbox('POST', `/accounts/${account.id}/receipts`, { message_id, status: 'failed' })).status).toBe(200);
    expect([await balanceOf(account), await events.names()]).toEqual([100, []]);
  });

  // Proves rule credits.25.
  it('can be set by the sandbox, which can cross the threshold but never recharges', async () => {
    await settings({ auto_recharge_enabled: true });
    await events.take();
    expect((await settings({ credits: 50 })).body.account.credits).toBe(50);
    expect(await balanceOf(account)).toBe(50);
    await settings({ credits: 40 });
    await settings({ credits: 500 });
    expect(await events.take()).toMatchObject([{ event: 'Low Credit Balance', data: { credits: { balance: 50 } } }]);
  });

  // Proves rules credits.21, credits.23.
  it('crosses the threshold once in a batch of concurrent sends', async () => {
    await settings({ credits: 102, auto_recharge_enabled: true });
    await events.take();
    await Promise.all(Array.from({ length: 5 }, send));
    expect(await balanceOf(account)).toBe(1097);
    const names = await events.names();
    expect(names.filter((name) => name === 'Credits Recharged')).toHaveLength(1);
  });
});

// Proves rules credits.8, credits.9.
it('a sub-account sees the credits used this month, minus refunds and without adjustments', async () => {
  const [agency, client] = await family(500, 100);
  const used = async (account: Account) =>
    (await first.get('/users/me/credits', { key: account.key })).body.used_this_month as number | null;
  const send = async () =>
    (await first.post('/contacts/send', { contact_id: client.contact, body: 'x' }, { key: client.key })).body.message_id as string;
  const messages = [await send(), await send(), await send()];
  await first.post(`/subaccounts/${client.id}/credits`, { amount: 10 }, { key: agency.key });
  expect(await used(client)).toBe(3);
  expect(await used(agency)).toBeNull();
  await first.sandbox('POST', `/accounts/${client.id}/receipts`, { message_id: messages[0], status: 'failed' });
  expect(await used(client)).toBe(2);
  await first.sandbox('POST', '/clock/advance', { seconds: 31 * 24 * 3600 });
  expect(await used(client)).toBe(0);
  await first.sandbox('POST', `/accounts/${client.id}/receipts`, { message_id: messages[1], status: 'failed' });
  expect(await used(client)).toBe(0);
  const later = await send();
  await send();
  expect(await used(client)).toBe(2);
  await first.sandbox('POST', `/accounts/${client.id}/receipts`, { message_id: later, status: 'failed' });
  expect(await used(client)).toBe(1);
});
