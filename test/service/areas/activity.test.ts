import fc from 'fast-check';
import { expect } from 'vitest';
import { it } from '../../support/service-test.ts';
import { tries } from '../../support/sweeps.ts';
import type { TestService } from '../../support/test-service.ts';

// Compares the counters for analytics with the records after random operations.

it.beforeAll(async ({ service }) => {
  await service.sandbox('POST', '/clock', { frozen: true });
});

const act = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), contact: fc.nat(2), channel: fc.constantFrom('chatapp', 'sms') }),
  fc.record({ kind: fc.constant('write' as const), contact: fc.nat(2), channel: fc.constantFrom('chatapp', 'sms') }),
  fc.record({ kind: fc.constant('team' as const), contact: fc.nat(2) }),
  fc.record({ kind: fc.constant('receipt' as const), which: fc.nat(30), status: fc.constantFrom('delivered', 'read', 'failed') }),
  fc.record({ kind: fc.constant('broadcast' as const) }),
  fc.record({ kind: fc.constant('wait' as const), hours: fc.constantFrom(1, 7, 25) }),
);

let made = 0;

// Proves rules activity.1, activity.2, activity.3, activity.4, activity.5, activity.6, activity.7, activity.8
// and rules activity.10, activity.15.
it('counters agree with the records, by day, hour, channel and number', async ({ service }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
      const { account_id: id, api_key: key } = await service.makeAccount();
      await service.liftLimits(id);
      for (const channel of ['chatapp', 'sms'])
        await service.sandbox('POST', `/accounts/${id}/channels`, { channel, identity: '+14155550100' });
      const contacts: { id: string; phone_number: string }[] = [];
      for (let index = 0; index < 3; index++)
        contacts.push((await service.post('/contacts', { phone_number: `+1415${9990100 + made++}` }, { key })).body.contact);
      const sent: string[] = [];
      for (const each of acts) {
        const contact = contacts['contact' in each ? each.contact : 0];
        if (each.kind === 'send') {
          const { body } = await service.post('/contacts/send', { contact_id: contact?.id, channel: each.channel, body: 'x' }, { key });
          sent.push(body.message_id as string);
        } else if (each.kind === 'write')
          await service.sandbox('POST', `/accounts/${id}/inbound`, { channel: each.channel, from: contact?.phone_number, text: 'x' });
        else if (each.kind === 'team')
          await service.sandbox('POST', `/accounts/${id}/team-replies`, { contact_id: contact?.id, text: 'x' });
        else if (each.kind === 'receipt' && sent.length > 0)
          await service.sandbox('POST', `/accounts/${id}/receipts`, { message_id: sent[each.which % sent.length], status: each.status });
        else if (each.kind === 'broadcast') {
          const draft = { name: 'x', channel: 'chatapp', body: 'x', contact_ids: contacts.map((row) => row.id) };
          const { broadcast } = (await service.post('/broadcasts', draft, { key })).body;
          for (const step of ['submit', 'approve']) await service.post(`/broadcasts/${broadcast.id}/${step}`, {}, { key });
          await service.sandbox('POST', '/settle');
        } else if (each.kind === 'wait') await service.sandbox('POST', '/clock/advance', { seconds: each.hours * 3600 });
      }
      await expectAgreement(service, id);
      expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
    }),
    { numRuns: tries(7) },
  );
});

// Proves rule activity.15.
it('a rebuild restores the counters from the records, and returns how many differed', async ({ service }) => {
  const read = () =>
    service.write((db) => db.selectFrom('daily_counts').selectAll().orderBy('account_id').orderBy('day').orderBy('channel').execute());
  const before = await read();
  await service.write(async (db) => {
    await db.updateTable('daily_counts').set({ automated_sent: 99, booked: 7 }).where('automated_sent', '>', 0).execute();
    await db.deleteFrom('hourly_counts').execute();
  });
  const { changed, by_counter: byCounter } = (await service.sandbox('POST', '/rebuild-counts')).body;
  expect(byCounter).toMatchObject({ ledger: 0, calls: 0, countries: 0, contacts: 0 });
  expect([byCounter.daily > 1, byCounter.hourly > 0, byCounter.daily + byCounter.hourly]).toEqual([true, true, changed]);
  expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
  expect(await read()).toEqual(expect.arrayContaining(before.filter(({ automated_sent: sent }) => sent > 0)));
});

// Proves rule activity.15.
it('a rebuild can run alongside changes and another rebuild', async ({ service }) => {
  const rebuild = async () => (await service.sandbox('POST', '/rebuild-counts')).body.changed as number;
  const { account_id: id, api_key: key } = await service.makeAccount({ kind: 'standard' });
  await service.sandbox('PATCH', `/accounts/${id}`, { credits: 1_000 });
  await service.sandbox('POST', `/accounts/${id}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  const { contact } = (await service.post('/contacts', { phone_number: `+1415${9990100 + made++}` }, { key })).body;
  const send = () => service.post('/contacts/send', { contact_id: contact.id, channel: 'chatapp', body: 'x' }, { key });
  for (let count = 0; count < 3; count++) expect((await send()).status).toBe(201);
  await rebuild();
  const later = Date.parse('2027-12-31');
  await service.write(async (db) => {
    await db.updateTable('daily_counts').set({ automated_sent: 90, last_message_at: later }).where('account_id', '=', id).execute();
    await db.deleteFrom('hourly_counts').where('account_id', '=', id).execute();
    await db.updateTable('contact_counts').set({ automated_sent: 80 }).where('contact_id', '=', contact.id).execute();
    const [day] = await db.selectFrom('daily_counts').selectAll().where('account_id', '=', id).execute();
    if (day)
      await db
        .insertInto('daily_counts')
        .values({ ...day, campaign_id: 'cmp_deleted' })
        .execute();
  });
  const [one, other] = await Promise.all([rebuild(), rebuild(), ...Array.from({ length: 20 }, send)]);
  expect(one + other).toBeGreaterThan(0);
  await expectAgreement(service, id);
  expect(await rebuild()).toBe(0);
  const daily = await service.write((db) => db.selectFrom('daily_counts').selectAll().where('account_id', '=', id).execute());
  expect(daily.map(({ campaign_id: campaign }) => campaign)).not.toContain('cmp_deleted');
  expect(Math.max(...daily.map(({ last_message_at: last }) => last))).toBeLessThan(later);
  expect(service.errors).toEqual([]);
});

async function expectAgreement(service: TestService, accountId: string): Promise<void> {
  const store = await service.database.open();
  const { messages, ledger, sessions, daily, hourly, contacts } = await store.read(async (db) => ({
    messages: await db.selectFrom('messages').selectAll().where('account_id', '=', accountId).orderBy('seq').execute(),
    ledger: await db.selectFrom('credit_ledger').selectAll().where('account_id', '=', accountId).execute(),
    sessions: await db.selectFrom('chat_sessions').selectAll().where('account_id', '=', accountId).execute(),
    daily: await db.selectFrom('daily_counts').selectAll().where('account_id', '=', accountId).execute(),
    hourly: await db.selectFrom('hourly_counts').selectAll().where('account_id', '=', accountId).execute(),
    contacts: await db.selectFrom('contacts').selectAll().where('account_id', '=', accountId).execute(),
  }));
  await store.close();
  const expected = new Map<string, number>();
  const hours = new Map<string, number>();
  const add = (counter: string, at: number, channel: string, own: string, amount = 1) => {
    const key = [counter, Math.floor(at / 86_400_000), channel, own].join(' ');
    expected.set(key, (expected.get(key) ?? 0) + amount);
    const name = counter.endsWith('_sent') ? 'sent' : counter === 'replied' ? 'replied' : null;
    if (name) hours.set(`${name} ${Math.floor(at / 3_600_000)}`, (hours.get(`${name} ${Math.floor(at / 3_600_000)}`) ?? 0) + amount);
  };
  const writtenTo = new Set<string>();
  for (const { direction, sender, status, created_at: at, channel, own_identity: own, session_id: session } of messages) {
    if (direction === 'outbound') {
      writtenTo.add(session);
      add(`${sender}_sent`, at, channel, own);
      if (status === 'delivered' || status === 'read') add('delivered', at, channel, own);
      if (status === 'read') add('read', at, channel, own);
    } else {
      add('received', at, channel, own);
      if (writtenTo.has(session)) add('replied', at, channel, own);
    }
  }
  const lastMessages = new Map(
    messages.map(({ created_at: at, channel, own_identity: own }) => [[Math.floor(at / 86_400_000), channel, own].join(' '), at]),
  );
  const channelOf = new Map(messages.map(({ id, channel }) => [id, channel]));
  for (const { is_adjustment: isAdjustment, millionths, at, message_id: message } of ledger)
    if (isAdjustment === 0) add('credits_spent', at, channelOf.get(message ?? '') ?? '', '', -millionths);
  for (const { started_at: at, channel, own_identity: own, spent_millionths: spent, replied } of sessions) {
    add('conversations', at, channel, own);
    if (replied > 0) add('conversations_replied', at, channel, own);
    if (spent !== 0) add('conversation_credits', at, channel, own, spent);
  }
  for (const { created_at: at, channel } of contacts) add('contact_created', at, channel, '');
  const counted = new Map<string, number>();
  for (const {
    account_id: _,
    day,
    campaign_id: campaign,
    agent_id: agent,
    channel,
    own_identity: own,
    last_message_at: last,
    ...counters
  } of daily) {
    expect([campaign, agent]).toEqual(['', '']);
    expect(last).toBe(lastMessages.get([day, channel, own].join(' ')) ?? 0);
    for (const [counter, amount] of Object.entries(counters)) if (amount !== 0) counted.set([counter, day, channel, own].join(' '), amount);
  }
  const nonZero = new Map([...expected].filter(([, amount]) => amount !== 0));
  expect(new Map([...counted].sort())).toEqual(new Map([...nonZero].sort()));
  const countedHours = new Map(
    hourly.flatMap(
      ({ hour, sent, replied }) =>
        [
          [`sent ${hour}`, sent],
          [`replied ${hour}`, replied],
        ] as const,
    ),
  );
  expect(new Map([...countedHours].filter(([, amount]) => amount !== 0).sort())).toEqual(new Map([...hours].sort()));
  // The cost of the conversations must equal the ledger records of their messages.
  const spent = ledger.filter(({ message_id: message }) => message !== null).reduce((total, { millionths }) => total - millionths, 0);
  expect(sessions.reduce((total, { spent_millionths: each }) => total + each, 0)).toBe(spent);
}
