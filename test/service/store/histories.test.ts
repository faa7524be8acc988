import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import { tries } from '../../support/sweeps.ts';
import { type Answer, TestService } from '../../support/test-service.ts';

// Two services on one database do random work on three accounts at the same time. The acknowledged requests are then repeated
// sequentially on a separate service. Both databases must have the same contents.

/** A request. Accounts, contacts and tags have small numbers, so that requests refer to the same records. */
type Step =
  | { readonly do: 'send'; readonly account: number; readonly person: number }
  | { readonly do: 'write'; readonly account: number; readonly person: number }
  | { readonly do: 'create'; readonly account: number; readonly person: number }
  | { readonly do: 'tag'; readonly account: number; readonly tag: number }
  | { readonly do: 'transfer'; readonly client: number; readonly credits: number };

const account = fc.nat(2);
const person = fc.nat(4);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('send' as const), account, person }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('write' as const), account, person }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('create' as const), account, person }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tag' as const), account, tag: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('transfer' as const),
      client: fc.integer({ min: 1, max: 2 }),
      credits: fc.integer({ min: -6, max: 6 }).filter((credits) => credits !== 0),
    }),
  },
);

/** A service with an agency, two accounts that it manages, and a webhook of the agency for the events of all of them. */
interface Setting {
  readonly service: TestService;
  readonly accounts: readonly { readonly account_id: string; readonly api_key: string }[];
}

let open: TestService[] = [];

afterEach(async () => {
  for (const service of open.slice(1)) await service.service.close();
  await open[0]?.close();
  open = [];
});

async function start(): Promise<Setting> {
  const service = await TestService.open();
  open = [service];
  const agency = await service.makeAccount({ kind: 'agency' });
  const clients = [1, 2].map(() => service.makeAccount({ parent_account_id: agency.account_id }));
  const accounts = [agency, ...(await Promise.all(clients))];
  for (const [index, { account_id: id }] of accounts.entries()) {
    await service.liftLimits(id);
    await service.sandbox('PATCH', `/accounts/${id}`, { credits: 20 });
    await service.sandbox('POST', `/accounts/${id}/channels`, { channel: 'chatapp', identity: `+1415555010${index}` });
  }
  const webhook = {
    url: 'http://127.0.0.1:9/hook',
    subscribed_to: ['Contact Created', 'Credits Spent', 'New Message'],
    apply_to_sub_accounts: true,
  };
  expect((await service.post('/webhooks', webhook, { key: agency.api_key })).status).toBe(200);
  return { service, accounts };
}

async function take(service: TestService, accounts: Setting['accounts'], next: Step): Promise<Answer> {
  if (next.do === 'transfer') {
    const { account_id: id } = accounts[next.client] as Setting['accounts'][number];
    return await service.post(`/subaccounts/${id}/credits`, { amount: next.credits }, { key: accounts[0]?.api_key ?? '' });
  }
  const { account_id: id, api_key: key } = accounts[next.account] as Setting['accounts'][number];
  if (next.do === 'tag') return await service.post('/tags', { name: `tag ${next.tag}` }, { key });
  const number = `+1415555020${next.person}`;
  switch (next.do) {
    case 'send':
      return await service.post('/contacts/send', { channel: 'chatapp', phone_number: number, body: 'Hello' }, { key });
    case 'create':
      return await service.post('/contacts', { channel: 'chatapp', phone_number: number }, { key });
    case 'write':
      return await service.sandbox('POST', `/accounts/${id}/inbound`, { channel: 'chatapp', from: number, text: 'Hi' });
  }
}

/** The contents of a database, without ids and independent of the order across accounts. */
async function contentsOf({ service, accounts }: Setting): Promise<Record<string, unknown>> {
  const store = await service.database.open();
  const index = new Map(accounts.map(({ account_id: id }, position) => [id, position]));
  const queries = {
    balances: sql<Record<string, unknown>>`select account_id, millionths from balances`,
    ledger: sql<
      Record<string, unknown>
    >`select account_id, reason, count(*) as count, sum(millionths) as sum from credit_ledger group by account_id, reason`,
    contacts: sql<Record<string, unknown>>`select account_id, identity_key from contacts`,
    tags: sql<Record<string, unknown>>`select account_id, name, contact_count from tags`,
    messages: sql<Record<string, unknown>>`select messages.account_id, identity_key, direction, count(*) as count from messages
      inner join contacts on contacts.id = messages.contact_id group by messages.account_id, identity_key, direction`,
    sessions: sql<
      Record<string, unknown>
    >`select chat_sessions.account_id, identity_key, inbound, automated_sent, spent_millionths from chat_sessions
      inner join contacts on contacts.id = chat_sessions.contact_id`,
    counts: sql<
      Record<string, unknown>
    >`select account_id, channel, own_identity, automated_sent, received, contact_created, conversations, credits_spent from daily_counts`,
    events: sql<Record<string, unknown>>`select account_id, name, count(*) as count from events group by account_id, name`,
    deliveries: sql<
      Record<string, unknown>
    >`select account_id, webhook_account_id, count(*) as count from deliveries group by account_id, webhook_account_id`,
    jobs: sql<
      Record<string, unknown>
    >`select account_id, kind, count(*) as count from jobs where kind <> 'webhook_delivery' group by account_id, kind`,
  };
  const contents: Record<string, unknown> = {};
  for (const [name, query] of Object.entries(queries)) {
    const { rows } = await store.read((db) => query.execute(db));
    const own = rows.filter((row) => index.has(row.account_id as string));
    const named = own.map((row) => Object.entries(row).map(([column, value]) => [column, index.get(value as string) ?? value]));
    contents[name] = named.map((row) => JSON.stringify(row)).toSorted();
  }
  await store.close();
  return contents;
}

it('random concurrent requests to two services are equivalent to a sequential execution', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
      const together = await start();
      const first = together.service;
      const second = await TestService.on(first.database, {}, first);
      open.push(second);
      const answers = await Promise.all(steps.map((each, index) => take(index % 2 === 0 ? first : second, together.accounts, each)));
      // The only rejections are for missing credits, and for names and numbers that are in use.
      for (const { status } of answers) expect([200, 201, 402, 409]).toContain(status);
      const concurrent = await contentsOf(together);
      await second.service.close();
      await first.close();
      open = [];

      const alone = await start();
      // In an order in which each succeeds: contacts are created before messages are sent to them, and credits arrive before they
      // are spent.
      const order = ['create', 'transfer', 'tag', 'write', 'send'];
      let left = steps
        .filter((_, index) => (answers[index]?.status ?? 500) < 300)
        .toSorted((a, b) => order.indexOf(a.do) - order.indexOf(b.do));
      for (let before = Infinity; left.length > 0 && left.length < before;) {
        before = left.length;
        const refused: Step[] = [];
        // A transfer may have been possible only after another one.
        for (const each of left) if ((await take(alone.service, alone.accounts, each)).status >= 300) refused.push(each);
        left = refused;
      }
      expect(left).toEqual([]);
      expect(concurrent).toEqual(await contentsOf(alone));
      await alone.service.close();
      open = [];
    }),
    { numRuns: tries(2) },
  );
});
