import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Events } from '../../support/events.ts';
import { tries } from '../../support/sweeps.ts';
import { TestService } from '../../support/test-service.ts';

let service: TestService;
let events: Events;

/** The number of parts of broadcasts that are sent before one fails. */
let parts = Infinity;

beforeAll(async () => {
  const failpoint = (name: string) => {
    if (name === 'broadcast.leased' && parts-- <= 0) throw new Error('This part fails');
  };
  service = await TestService.open({ failpoint });
});

beforeEach(async () => {
  await service.freshAccount();
  await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 100_000 });
  await service.sandbox('POST', '/clock', { frozen: true });
  await service.sandbox('POST', '/jobs', { hold: [] });
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  events = await Events.of(service);
  await service.sandbox('POST', '/settle');
});

afterEach(() => events.close());

afterAll(() => service.close());

let made = 0;

/** Imports contacts. Returns their ids. */
async function importContacts(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let left = count; left > 0; left -= 500) {
    const contacts = Array.from({ length: Math.min(500, left) }, () => ({ phone_number: `+1415${2_000_000 + made++}` }));
    ids.push(...((await service.post('/contacts/import', { contacts })).body.contact_ids as string[]));
  }
  return ids;
}

const draft = async (fields: object) =>
  (await service.post('/broadcasts', { name: 'Spring', channel: 'chatapp', body: 'Hello', ...fields })).body.broadcast as { id: string };
const step = async (id: string, name: string) => await service.post(`/broadcasts/${id}/${name}`);
const get = async (id: string) => (await service.get(`/broadcasts/${id}`)).body.broadcast;
const settle = () => service.sandbox('POST', '/settle');
const balance = async () => (await service.get('/users/me/credits')).body.balance as number;

async function send(fields: object) {
  const { id } = await draft(fields);
  await step(id, 'submit');
  await step(id, 'approve');
  return id;
}

describe('a broadcast', () => {
  // Proves rules broadcasts.1, broadcasts.9, broadcasts.10, broadcasts.16, broadcasts.17, broadcasts.19
  // and rules broadcasts.20, broadcasts.22, broadcasts.24, broadcasts.25.
  it('goes from draft through approval to sent, with exact counts', async () => {
    const ids = await importContacts(3);
    await service.put(`/contacts/${ids[1]}`, { do_not_disturb: true });
    const broadcast = await draft({ contact_ids: ids });
    expect(broadcast).toMatchObject({
      id: expect.stringMatching(/^brd_/),
      status: 'Draft',
      contact_ids: ids,
      list_ids: [],
      scheduled_at: null,
      template_id: null,
      agent_id: null,
      counts: { total: 3, sent: 0, delivered: 0, read: 0, replied: 0, failed: 0 },
    });
    expect((await step(broadcast.id, 'submit')).body.broadcast.status).toBe('Pending Approval');
    await events.take();
    expect((await step(broadcast.id, 'approve')).body.broadcast.status).toBe('Sending');
    await settle();
    expect(await get(broadcast.id)).toMatchObject({ status: 'Sent', counts: { total: 3, sent: 2, failed: 1 } });
    const told = await events.take();
    expect(told.map(({ event }) => event)).toEqual(['Broadcast Started', 'Credits Spent', 'Credits Spent', 'Broadcast Completed']);
    expect(told.at(-1)?.data.broadcast).toEqual(await get(broadcast.id));
    expect((await service.get(`/contacts/${ids[0]}/messages`)).body.messages).toMatchObject([
      { body: 'Hello', sender: 'automated', status: 'sent', agent_id: null },
    ]);
    expect((await service.get(`/contacts/${ids[1]}/messages`)).body.messages).toEqual([]);
  });

  // Proves rules broadcasts.10, broadcasts.13, broadcasts.14, broadcasts.24.
  it('is scheduled for a future time, and then uses the current contacts of its lists', async () => {
    const [one, two] = await importContacts(2);
    const list = (await service.post('/lists', { name: 'Regulars' })).body.list.id as string;
    await service.post(`/lists/${list}/contacts`, { contact_ids: [one] });
    const now = Date.parse((await service.sandbox('GET', '/clock')).body.now);
    const { id } = await draft({ list_ids: [list], contact_ids: [one], scheduled_at: new Date(now + 60_000).toISOString() });
    await step(id, 'submit');
    expect((await step(id, 'approve')).body.broadcast).toMatchObject({ status: 'Scheduled', counts: { total: 1 } });
    await service.post(`/lists/${list}/contacts`, { contact_ids: [two] });
    await service.sandbox('POST', '/clock/advance', { seconds: 59 });
    expect((await get(id)).status).toBe('Scheduled');
    await service.sandbox('POST', '/clock/advance', { seconds: 1 });
    expect(await get(id)).toMatchObject({ status: 'Sent', counts: { total: 2, sent: 2 } });
  });

  // Proves rules broadcasts.9, broadcasts.11.
  it('does not start after it was cancelled', async () => {
    const [one] = await importContacts(1);
    const now = Date.parse((await service.sandbox('GET', '/clock')).body.now);
    const { id } = await draft({ contact_ids: [one], scheduled_at: new Date(now + 60_000).toISOString() });
    await step(id, 'submit');
    await step(id, 'approve');
    expect((await step(id, 'cancel')).body.broadcast.status).toBe('Draft');
    await service.sandbox('POST', '/clock/advance', { seconds: 120 });
    expect(await get(id)).toMatchObject({ status: 'Draft', counts: { sent: 0 } });
    // Its scheduled time has passed, so it starts on approval.
    await step(id, 'submit');
    expect((await step(id, 'approve')).body.broadcast.status).toBe('Sending');
  });

  // Proves rules broadcasts.17, broadcasts.20, broadcasts.22.
  it('fails if all messages failed', async () => {
    const ids = await importContacts(2);
    for (const id of ids) await service.put(`/contacts/${id}`, { private_mode: true });
    const id = await send({ contact_ids: ids });
    await settle();
    expect(await get(id)).toMatchObject({ status: 'Failed', counts: { total: 2, sent: 0, failed: 2 } });
    expect(await events.names()).toContain('Broadcast Completed');
  });

  // Proves rules broadcasts.15, broadcasts.18.
  it('resumes where it was paused, and sends one message to each of thousands of contacts', async () => {
    const ids = await importContacts(1000);
    const before = await balance();
    // The second part fails once, so that the broadcast stops halfway.
    parts = 1;
    const id = await send({ contact_ids: ids });
    await settle();
    parts = Infinity;
    expect(await get(id)).toMatchObject({ status: 'Sending', counts: { total: 1000, sent: 125, failed: 0 } });
    expect((await step(id, 'pause')).status).toBe(200);
    await service.sandbox('POST', '/clock/advance', { seconds: 60 });
    expect(await get(id)).toMatchObject({ status: 'Paused', counts: { sent: 125 } });
    expect((await step(id, 'resume')).body.broadcast.status).toBe('Sending');
    await settle();
    expect(await get(id)).toMatchObject({ status: 'Sent', counts: { total: 1000, sent: 1000, failed: 0 } });
    expect(before - (await balance())).toBe(1000);
    for (const contact of [ids[0], ids[249], ids[250], ids[999]])
      expect((await service.get(`/contacts/${contact}/messages`)).body.messages).toHaveLength(1);
  });

  describe('with more contacts than one step covers', () => {
    let ids: string[];
    let lists: string[];

    /** A broadcast to 1,300 contacts: some named, some on a list, some both. */
    const audience = () => ({ contact_ids: ids.slice(100, 700), list_ids: lists });

    beforeEach(async () => {
      await service.put('/webhooks/1', { subscribed_to: ['Broadcast Started'] });
      ids = await importContacts(1_301);
      const parts = [ids.slice(0, 900), ids.slice(600, 1_300)];
      lists = await Promise.all(
        parts.map(async (members) => {
          const { id } = (await service.post('/lists', { name: 'Part' })).body.list as { id: string };
          const { body } = await service.post(`/lists/${id}/contacts`, { contact_ids: members });
          expect(body.list.contact_count).toBe(members.length);
          return id;
        }),
      );
    });

    // Proves rules broadcasts.14, broadcasts.24, broadcasts.29.
    it('counts all recipients on approval, before it sends to any', async () => {
      const broadcast = await draft(audience());
      expect(broadcast).toMatchObject({ counts: { total: 1_300 } });
      expect((await step(broadcast.id, 'submit')).body.broadcast.counts.total).toBe(1_300);
      await service.sandbox('POST', '/jobs', { hold: ['broadcast'] });
      await events.take();
      expect((await step(broadcast.id, 'approve')).body.broadcast).toMatchObject({ status: 'Sending', counts: { total: 1_300, sent: 0 } });
      const [started, ...others] = await events.take();
      expect([started?.event, started?.data.broadcast.counts.total, others]).toEqual(['Broadcast Started', 1_300, []]);
    });

    // Proves rules broadcasts.13, broadcasts.14, broadcasts.29.
    it('keeps its recipients if lists and contacts change while the recipients are being stored', async () => {
      const now = Date.parse((await service.sandbox('GET', '/clock')).body.now as string);
      const { id } = await draft({ ...audience(), scheduled_at: new Date(now + 60_000).toISOString() });
      await step(id, 'submit');
      await step(id, 'approve');
      await events.take();
      parts = 1;
      await service.sandbox('POST', '/clock/advance', { seconds: 60 });
      // The first part is stored, and the next one failed.
      expect(await get(id)).toMatchObject({ status: 'Sending', counts: { sent: 0, failed: 0 } });
      expect(await events.names()).toEqual([]);
      const [newcomer = '', leaver = '', deleted = ''] = [ids[1_300], ids[1_299], ids[650]];
      await service.post(`/lists/${lists[0]}/contacts`, { contact_ids: [newcomer] });
      await service.delete(`/lists/${lists[0]}`);
      await service.call('DELETE', `/v1/lists/${lists[1]}/contacts`, { contact_ids: [leaver] });
      await service.delete(`/contacts/${deleted}`);
      parts = Infinity;
      service.errors.length = 0;
      await service.sandbox('POST', '/clock/advance', { seconds: 60 });
      expect(await get(id)).toMatchObject({ status: 'Sent', counts: { total: 1_300, sent: 1_299, failed: 1 } });
      const messages = async (contact: string) => ((await service.get(`/contacts/${contact}/messages`)).body.messages as object[]).length;
      expect([await messages(newcomer), await messages(leaver)]).toEqual([0, 1]);
      const [started] = await events.take();
      expect([started?.event, started?.data.broadcast.counts.total]).toEqual(['Broadcast Started', 1_300]);
    });

    // Proves rules broadcasts.8, broadcasts.18, broadcasts.29.
    it('can be paused, resumed and deleted while the recipients are being stored', async () => {
      const begin = async () => {
        const now = Date.parse((await service.sandbox('GET', '/clock')).body.now as string);
        const { id } = await draft({ ...audience(), scheduled_at: new Date(now + 60_000).toISOString() });
        await step(id, 'submit');
        await step(id, 'approve');
        parts = 1;
        await service.sandbox('POST', '/clock/advance', { seconds: 60 });
        parts = Infinity;
        return id;
      };
      const deleted = await begin();
      expect((await step(deleted, 'pause')).body.broadcast.status).toBe('Paused');
      expect((await service.delete(`/broadcasts/${deleted}`)).status).toBe(200);
      await service.sandbox('POST', '/clock/advance', { seconds: 60 });
      const paused = await begin();
      expect((await step(paused, 'pause')).body.broadcast.status).toBe('Paused');
      await service.sandbox('POST', '/clock/advance', { seconds: 60 });
      expect((await step(paused, 'resume')).body.broadcast.status).toBe('Sending');
      await settle();
      expect(await get(paused)).toMatchObject({ status: 'Sent', counts: { total: 1_300, sent: 1_300, failed: 0 } });
      service.errors.length = 0;
    });
  });

  // Proves rule broadcasts.19.
  it('is sent concurrently with other messages of the account, and all are charged', async () => {
    const ids = await importContacts(300);
    const id = await send({ contact_ids: ids });
    const sends = async () => {
      for (let round = 0; round < 2; round++)
        await Promise.all(
          ids.slice(0, 20).map((contact) => service.post('/contacts/send', { contact_id: contact, body: 'x' }, { key: service.key })),
        );
    };
    await Promise.all([settle(), sends()]);
    await settle();
    expect(await get(id)).toMatchObject({ status: 'Sent', counts: { total: 300, sent: 300, failed: 0 } });
    expect(100_000 - (await balance())).toBe(340);
  });

  // Proves rule broadcasts.15.
  it('reaches each recipient once while two processes send, pause and resume it', async () => {
    const ids = await importContacts(400);
    const second = await TestService.on(service.database, {}, service);
    await service.sandbox('POST', '/jobs', { hold: ['broadcast'] });
    const id = await send({ contact_ids: ids });
    await service.sandbox('POST', '/jobs', { hold: [] });
    const disturb = async (by: TestService) => {
      for (let time = 0; time < 2; time++)
        for (const name of ['pause', 'resume']) await by.post(`/broadcasts/${id}/${name}`, {}, { key: service.key });
    };
    await Promise.all([settle(), second.sandbox('POST', '/settle'), disturb(service), disturb(second)]);
    await step(id, 'resume');
    await settle();
    expect(await get(id)).toMatchObject({ status: 'Sent', counts: { total: 400, sent: 400, failed: 0 } });
    await second.service.close();
    const store = await service.database.open();
    const sent = await store.read((db) => db.selectFrom('messages').select('contact_id').where('broadcast_id', '=', id).execute());
    const counted = await store.read((db) =>
      db
        .selectFrom('daily_counts')
        .select('automated_sent')
        .where('account_id', '=', service.accountId)
        .where('automated_sent', '>', 0)
        .execute(),
    );
    await store.close();
    expect([sent.length, new Set(sent.map(({ contact_id: contact }) => contact)).size]).toEqual([400, 400]);
    expect(counted).toEqual([{ automated_sent: 400 }]);
    expect(100_000 - (await balance())).toBe(400);
  });

  // Proves rules broadcasts.20, broadcasts.21, broadcasts.22.
  it('sends to the first contacts while credits last, and fails for the others', async () => {
    const ids = await importContacts(10);
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 4 });
    const id = await send({ contact_ids: ids });
    await settle();
    expect(await get(id)).toMatchObject({ status: 'Sent', counts: { total: 10, sent: 4, failed: 6 } });
    expect(await balance()).toBe(0);
    const counts = ids.map(async (each) => ((await service.get(`/contacts/${each}/messages`)).body.messages as object[]).length);
    expect(await Promise.all(counts)).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
  });

  // Proves rule broadcasts.21.
  it('sends in the order in which the contacts were created, regardless of how they were chosen', async () => {
    const ids = await importContacts(8);
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 4 });
    const list = (await service.post('/lists', { name: 'x' })).body.list.id as string;
    await service.post(`/lists/${list}/contacts`, { contact_ids: [ids[5], ids[2]] });
    await send({ contact_ids: ids.filter((_, index) => index !== 2).reverse(), list_ids: [list] });
    await settle();
    const counts = [];
    for (const id of ids) counts.push((await service.get(`/contacts/${id}/messages`)).body.messages.length);
    expect(counts).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
  });

  // Proves rule broadcasts.20.
  it('fails for contacts unreachable on its channel, and for all without a connected number', async () => {
    const [numbered = ''] = await importContacts(1);
    const { contact } = (await service.post('/contacts', { channel: 'photo_social', identity: 'ada' })).body;
    const outcome = async (channel: string) => {
      const id = await send({ contact_ids: [numbered, contact.id], channel });
      await settle();
      const { status, counts } = await get(id);
      return [status, counts.sent, counts.failed];
    };
    expect(await outcome('chatapp')).toEqual(['Sent', 1, 1]);
    expect(await outcome('sms')).toEqual(['Failed', 0, 2]);
    expect((await service.get(`/contacts/${numbered}/messages`)).body.messages).toHaveLength(1);
    expect((await service.get(`/contacts/${contact.id}/messages`)).body.messages).toEqual([]);
  });

  // Proves rule broadcasts.12.
  it('updated_at is changed by each step, but not by counts', async () => {
    const [contact = ''] = await importContacts(1);
    await service.sandbox('POST', '/jobs', { hold: ['broadcast'] });
    const { id } = await draft({ contact_ids: [contact] });
    const updatedAfter = async (what: () => Promise<unknown>) => {
      const now = (await service.sandbox('POST', '/clock/advance', { seconds: 1 })).body.now as string;
      await what();
      return (await get(id)).updated_at === now;
    };
    for (const name of ['submit', 'cancel', 'submit', 'approve', 'pause', 'resume'])
      expect([name, await updatedAfter(() => step(id, name))]).toEqual([name, true]);
    expect(await updatedAfter(() => service.sandbox('POST', '/jobs', { hold: [] }).then(settle))).toBe(true);
    const [message] = (await service.get(`/contacts/${contact}/messages`)).body.messages;
    const report = { message_id: message.id as string, status: 'read' };
    expect(await updatedAfter(() => service.sandbox('POST', `/accounts/${service.accountId}/receipts`, report))).toBe(false);
    expect((await get(id)).counts.read).toBe(1);
  });

  // Proves rule broadcasts.20.
  it('counts a recipient deleted before its turn as failed', async () => {
    const ids = await importContacts(2);
    await service.sandbox('POST', '/jobs', { hold: ['broadcast'] });
    const id = await send({ contact_ids: ids });
    await service.delete(`/contacts/${ids[0]}`);
    await service.sandbox('POST', '/jobs', { hold: [] });
    await settle();
    expect(await get(id)).toMatchObject({ status: 'Sent', counts: { total: 2, sent: 1, failed: 1 } });
  });
});

describe('the contacts of a broadcast', () => {
  // Proves rules broadcasts.33, broadcasts.34.
  it('are shown up to 1,000, and listed in the order in which they were given', async () => {
    const ids = await importContacts(1_001);
    const given = ids.toReversed();
    const large = await draft({ contact_ids: [...given, given[0]] });
    const { id } = large;
    const shown = { contact_ids: null, contact_count: 1_001, list_ids: [], counts: { total: 1_001 } };
    for (const broadcast of [large, await get(id), (await service.get('/broadcasts')).body.broadcasts[0]])
      expect(broadcast).toMatchObject(shown);
    const pages = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await service.get(`/broadcasts/${id}/contacts?limit=100${cursor && `&cursor=${cursor}`}`);
      pages.push(body.contact_ids);
      cursor = body.next_cursor;
    }
    expect(pages.map(({ length }) => length)).toEqual([...Array.from({ length: 10 }, () => 100), 1]);
    expect(pages.flat()).toEqual(given);
    const { next_cursor } = (await service.get(`/broadcasts/${id}/contacts?limit=100`)).body;
    await service.put(`/broadcasts/${id}`, { contact_ids: given.slice(50) });
    const stale = await service.get(`/broadcasts/${id}/contacts?limit=100&cursor=${next_cursor}`);
    expect([stale.status, stale.body.error]).toEqual([
      400,
      'cursor: the contacts of the broadcast have changed; omit it for the first page',
    ]);
    const smaller = (await service.put(`/broadcasts/${id}`, { contact_ids: given.slice(0, 1_000) })).body.broadcast;
    expect([smaller.contact_ids, smaller.contact_count]).toEqual([given.slice(0, 1_000), 1_000]);
    expect((await service.get('/broadcasts')).body.broadcasts[0]).toEqual(smaller);
    const { list } = (await service.post('/lists', { name: 'Readers' })).body;
    await service.put(`/broadcasts/${id}`, { contact_ids: [], list_ids: [list.id] });
    expect(await get(id)).toMatchObject({ contact_ids: [], contact_count: null, list_ids: [list.id] });
    expect((await service.get(`/broadcasts/${id}/contacts`)).body).toMatchObject({ contact_ids: [], next_cursor: null });
    expect((await service.get('/broadcasts/brd_none/contacts')).status).toBe(404);
  });

  it('all get a message, however many they are', async () => {
    const { id } = await draft({ contact_ids: await importContacts(1_001) });
    await step(id, 'submit');
    await step(id, 'approve');
    await settle();
    expect(await get(id)).toMatchObject({ status: 'Sent', contact_ids: null, contact_count: 1_001, counts: { sent: 1_001 } });
  });
});

describe('broadcast actions', () => {
  const allowed: Record<string, string[]> = {
    Draft: ['submit'],
    'Pending Approval': ['approve', 'cancel'],
    Scheduled: ['cancel'],
    Sending: ['pause'],
    Paused: ['resume'],
    Sent: [],
    Failed: [],
  };
  const way: Record<string, string[]> = {
    Draft: [],
    'Pending Approval': ['submit'],
    Scheduled: ['submit', 'approve'],
    Sending: ['submit', 'approve'],
    Paused: ['submit', 'approve', 'pause'],
    Sent: ['submit', 'approve', 'settle'],
    Failed: ['submit', 'approve', 'settle'],
  };

  // Proves rules broadcasts.6, broadcasts.8, broadcasts.9.
  it.each(Object.keys(allowed))('return 409 if the status %s does not allow them', async (status) => {
    const [contact] = await importContacts(1);
    if (status === 'Failed') await service.put(`/contacts/${contact}`, { do_not_disturb: true });
    await service.sandbox('POST', '/jobs', { hold: way[status]?.includes('settle') ? [] : ['broadcast'] });
    const later = status === 'Scheduled' ? { scheduled_at: '2099-01-01T00:00:00Z' } : {};
    const { id } = await draft({ contact_ids: [contact], ...later });
    for (const name of way[status] ?? []) await (name === 'settle' ? settle() : step(id, name));
    expect((await get(id)).status).toBe(status);
    for (const name of ['submit', 'approve', 'pause', 'resume', 'cancel'].filter((each) => !allowed[status]?.includes(each)))
      expect([name, (await step(id, name)).status]).toEqual([name, 409]);
    expect((await service.put(`/broadcasts/${id}`, { name: 'x' })).status).toBe(status === 'Draft' ? 200 : 409);
    expect((await service.delete(`/broadcasts/${id}`)).status).toBe(status === 'Sending' ? 409 : 200);
  });
});

describe('delivery reports and replies', () => {
  // Proves rules broadcasts.25, broadcasts.26, broadcasts.27, messages.34, messages.36.
  it('count each recipient once as delivered, read, failed or replied', async () => {
    const ids = await importContacts(3);
    const id = await send({ contact_ids: ids });
    await settle();
    const sent = async (index: number) =>
      (await service.get(`/contacts/${ids[index]}/messages?direction=outbound`)).body.messages[0].id as string;
    const report = async (index: number, status: string) =>
      await service.sandbox('POST', `/accounts/${service.accountId}/receipts`, { message_id: await sent(index), status });
    await report(0, 'read');
    await report(1, 'delivered');
    await report(2, 'failed');
    const from = (await service.get(`/contacts/${ids[0]}`)).body.contact.phone_number as string;
    const write = async (more = {}) =>
      (await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, { channel: 'chatapp', from, text: 'Yes', ...more })).body;
    expect((await write()).decision).toMatchObject({ step: 'broadcast_reply', agent_id: null, entry_point_id: null });
    await write({ reply_to_message_id: await sent(0) });
    expect((await get(id)).counts).toEqual({ total: 3, sent: 2, delivered: 2, read: 1, replied: 1, failed: 1 });
    // After a newer message, only a reply that quotes the broadcast's message counts.
    await service.post('/contacts/send', { contact_id: ids[0], body: 'Thanks' });
    expect((await write()).decision.step).toBe('none');
    expect((await write({ reply_to_message_id: await sent(0).then(() => broadcastMessage(ids[0] as string)) })).decision.step).toBe(
      'broadcast_reply',
    );
  });

  // Proves rule broadcasts.23.
  it('change the broadcast to Failed if all its messages failed', async () => {
    const ids = await importContacts(2);
    const id = await send({ contact_ids: ids });
    await settle();
    for (const contact of ids) {
      expect((await get(id)).status).toBe('Sent');
      const message_id = await broadcastMessage(contact);
      await service.sandbox('POST', `/accounts/${service.accountId}/receipts`, { message_id, status: 'failed' });
    }
    expect(await get(id)).toMatchObject({ status: 'Failed', counts: { total: 2, sent: 0, failed: 2 } });
  });

  // Proves rules broadcasts.27, messages.29, messages.36.
  it('do not count as broadcast replies after the conversation has ended', async () => {
    // Uses its own store: advancing the clock by two days would end the conversations of the other tests.
    const shared = service;
    service = await TestService.open();
    try {
      await service.sandbox('POST', '/clock', { frozen: true });
      await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
      const [contact = ''] = await importContacts(1);
      const id = await send({ contact_ids: [contact] });
      await settle();
      await service.sandbox('POST', '/clock/advance', { seconds: 48 * 3600 });
      const from = (await service.get(`/contacts/${contact}`)).body.contact.phone_number as string;
      const reply = { channel: 'chatapp', from, text: 'Yes', reply_to_message_id: await broadcastMessage(contact) };
      const inbound = await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, reply);
      expect(inbound.body.decision.step).toBe('broadcast_reply');
      expect((await get(id)).counts.replied).toBe(0);
    } finally {
      await service.close();
      service = shared;
    }
  });

  async function broadcastMessage(contact: string): Promise<string> {
    const { messages } = (await service.get(`/contacts/${contact}/messages?direction=outbound`)).body;
    return messages.at(-1).id as string;
  }
});

describe('a broadcast draft', () => {
  // Proves rules broadcasts.1, broadcasts.2, broadcasts.3.
  it.each([
    { body: undefined },
    { body: null },
    { body: '' },
    { contact_ids: undefined },
    { contact_ids: [] },
    { channel: 'fax' },
    { name: '' },
    { scheduled_at: 'soon' },
  ])('returns 400 with %j', async (wrong) => {
    const ids = await importContacts(1);
    const right = { name: 'x', channel: 'chatapp', body: 'x', contact_ids: ids };
    expect((await service.post('/broadcasts', { ...right, ...wrong })).status).toBe(400);
    expect((await service.get('/broadcasts')).body.broadcasts).toEqual([]);
  });

  // Proves rules broadcasts.5, conventions.55.
  it.each([{ contact_ids: ['con_x'] }, { list_ids: ['lst_x'] }, { agent_id: 'agt_x' }, { template_id: 'tpl_x', body: undefined }])(
    'returns 404 with %j',
    async (wrong) => {
      const ids = await importContacts(1);
      const right = { name: 'x', channel: 'chatapp', body: 'x', contact_ids: ids };
      expect((await service.post('/broadcasts', { ...right, ...wrong })).status).toBe(404);
      const { id } = await draft({ contact_ids: ids });
      expect((await service.put(`/broadcasts/${id}`, { ...wrong, ...('template_id' in wrong && { body: null }) })).status).toBe(404);
      expect((await get(id)).contact_ids).toEqual(ids);
    },
  );

  // Proves rule broadcasts.4.
  it.each([
    ['contact_ids', 10_000],
    ['list_ids', 1_000],
  ])('limits %s to %i entries, and ignores duplicates', async (field, most) => {
    const status = async (count: number) =>
      (await service.post('/broadcasts', { name: 'x', channel: 'chatapp', body: 'x', [field]: Array<string>(count).fill('x') })).status;
    expect([await status(most), await status(most + 1)]).toEqual([404, 400]);
    const known =
      field === 'contact_ids' ? await importContacts(2) : [(await service.post('/lists', { name: 'x' })).body.list.id as string];
    const { id } = await draft({ [field]: [...known, ...known] });
    expect((await get(id))[field]).toEqual(known);
    const twice = known.slice(0, 1).concat(known.slice(0, 1));
    expect((await service.put(`/broadcasts/${id}`, { [field]: twice })).body.broadcast[field]).toEqual(known.slice(0, 1));
  });

  // Proves rules broadcasts.7, broadcasts.24, conventions.63.
  it('can be updated field by field', async () => {
    const ids = await importContacts(2);
    const { id } = await draft({ contact_ids: ids, scheduled_at: '2099-01-01T00:00:00Z' });
    const { body } = await service.put(`/broadcasts/${id}`, { contact_ids: [ids[0]], scheduled_at: null });
    expect(body.broadcast).toMatchObject({
      name: 'Spring',
      body: 'Hello',
      contact_ids: [ids[0]],
      scheduled_at: null,
      counts: { total: 1 },
    });
    expect((await service.put(`/broadcasts/${id}`, {})).body.error).toBe('No fields to update');
    expect((await service.put(`/broadcasts/${id}`, { contact_ids: [] })).status).toBe(400);
  });
});

// Proves rule broadcasts.14.
it('a broadcast reaches each contact exactly once, even if lists and contacts overlap', async () => {
  const contacts = await importContacts(6);
  const subset = fc.uniqueArray(fc.nat(5));
  await fc.assert(
    fc.asyncProperty(subset, subset, subset, async (named, first, second) => {
      fc.pre(named.length + first.length + second.length > 0);
      const lists: string[] = [];
      for (const members of [first, second]) {
        const list = (await service.post('/lists', { name: 'x' })).body.list.id as string;
        if (members.length > 0) await service.post(`/lists/${list}/contacts`, { contact_ids: members.map((index) => contacts[index]) });
        lists.push(list);
      }
      const id = await send({ contact_ids: named.map((index) => contacts[index]), list_ids: lists, body: `Text ${made++}` });
      await settle();
      const expected = new Set([...named, ...first, ...second]);
      expect((await get(id)).counts).toMatchObject({ total: expected.size, sent: expected.size, failed: 0 });
    }),
    { numRuns: tries(5) },
  );
});

// Proves rule broadcasts.28.
it('broadcasts are listed newest first, page by page', async () => {
  const contact_ids = await importContacts(1);
  const made: { id: string }[] = [];
  for (const name of ['b', 'c', 'a']) made.unshift(await draft({ name, contact_ids }));
  const first = (await service.get('/broadcasts?limit=2')).body;
  const second = (await service.get(`/broadcasts?limit=2&cursor=${first.next_cursor}`)).body;
  expect([first.broadcasts, second.broadcasts, second.next_cursor]).toEqual([made.slice(0, 2), made.slice(2), null]);
});
