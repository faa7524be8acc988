import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RecipientStatus, recipientStatuses } from '../../../src/contract/areas/broadcasts/endpoints.ts';
import { tries } from '../../support/sweeps.ts';
import { TestService } from '../../support/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await TestService.open();
});

beforeEach(async () => {
  await service.freshAccount();
  await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 1_000 });
  await service.sandbox('POST', '/clock', { frozen: true });
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
});

afterAll(() => service.close());

let made = 0;

const contact = async (fields: object = {}): Promise<string> =>
  (await service.post('/contacts', { channel: 'chatapp', phone_number: `+1415${3_000_000 + made++}`, ...fields })).body.contact.id;
const contacts = (count: number) => Promise.all(Array.from({ length: count }, () => contact()));
const draft = async (fields: object): Promise<string> =>
  (await service.post('/broadcasts', { name: 'Spring', channel: 'chatapp', body: 'Hello', ...fields })).body.broadcast.id;
const step = async (id: string, name: string) => await service.post(`/broadcasts/${id}/${name}`);
const settle = () => service.sandbox('POST', '/settle');
const hold = (kinds: readonly string[]) => service.sandbox('POST', '/jobs', { hold: kinds });
const recipients = async (id: string, query = '') => (await service.get(`/broadcasts/${id}/recipients${query}`)).body;
const preview = (id: string) => service.get(`/broadcasts/${id}/preview`);
const now = async () => (await service.sandbox('GET', '/clock')).body.now as string;
const later = async (seconds: number) => new Date(Date.parse(await now()) + seconds * 1000).toISOString();
const receipt = (message: string, status: string) =>
  service.sandbox('POST', `/accounts/${service.accountId}/receipts`, { message_id: message, status });

async function send(fields: object): Promise<string> {
  const id = await draft(fields);
  await step(id, 'submit');
  await step(id, 'approve');
  await settle();
  return id;
}

describe('the recipients of a broadcast', () => {
  // Proves rules broadcasts.35, broadcasts.36, broadcasts.38.
  it('are there once it begins, with the furthest that each came', async () => {
    const named = await contact({ first_name: 'Ada', last_name: 'Lovelace' });
    const [two = '', three = ''] = await contacts(2);
    await service.put(`/contacts/${three}`, { do_not_disturb: true });
    const id = await draft({ contact_ids: [three, two, named] });
    const none = { recipients: [], counts: { waiting: 0, sent: 0, delivered: 0, read: 0, replied: 0, failed: 0 }, next_cursor: null };
    expect(await recipients(id)).toMatchObject(none);
    await step(id, 'submit');
    expect(await recipients(id)).toMatchObject(none);
    await hold(['broadcast']);
    await step(id, 'approve');
    const waiting = await recipients(id);
    expect(waiting.counts).toEqual({ waiting: 3, sent: 0, delivered: 0, read: 0, replied: 0, failed: 0 });
    expect(waiting.recipients[0]).toEqual({
      contact_id: named,
      name: 'Ada Lovelace',
      address: expect.stringMatching(/^\+1415/),
      status: 'waiting',
      message_id: null,
      at: null,
      error: null,
    });
    const at = await now();
    await hold([]);
    await settle();
    const sent = await recipients(id);
    expect(sent.counts).toEqual({ waiting: 0, sent: 2, delivered: 0, read: 0, replied: 0, failed: 1 });
    // In the order of sending, not in that in which they were given.
    expect(sent.recipients).toMatchObject([
      { contact_id: named, status: 'sent', message_id: expect.stringMatching(/^msg_/), at, error: null },
      { contact_id: two, name: null, status: 'sent', error: null },
      { contact_id: three, status: 'failed', message_id: null, at, error: { code: 'recipient_dnd', text: expect.any(String) } },
    ]);
    expect((await service.get(`/contacts/${named}/messages`)).body.messages[0].id).toBe(sent.recipients[0].message_id);
  });

  // Proves rules broadcasts.36, broadcasts.37.
  it('come further by delivery reports and replies, and never back', async () => {
    const ids = await contacts(4);
    const id = await send({ contact_ids: ids });
    const messages = (await recipients(id)).recipients.map((each: { message_id: string }) => each.message_id) as string[];
    await service.sandbox('POST', '/clock/advance', { seconds: 60 });
    const at = await now();
    await receipt(messages[0] ?? '', 'delivered');
    await receipt(messages[1] ?? '', 'read');
    await receipt(messages[2] ?? '', 'failed');
    const { phone_number: from } = (await service.get(`/contacts/${ids[3]}`)).body.contact;
    await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, { channel: 'chatapp', from, text: 'Yes' });
    // After its reply, a report no longer changes it.
    await receipt(messages[3] ?? '', 'delivered');
    const { recipients: rows, counts } = await recipients(id);
    expect(rows).toMatchObject([
      { status: 'delivered', at, error: null },
      { status: 'read', at, error: null },
      { status: 'failed', at, message_id: messages[2], error: { code: 'delivery_failed' } },
      { status: 'replied', at, error: null },
    ]);
    expect(counts).toEqual({ waiting: 0, sent: 0, delivered: 1, read: 1, replied: 1, failed: 1 });
  });

  // Proves rules broadcasts.37, broadcasts.39.
  it('are filtered by several statuses, page by page, with the counts of all', async () => {
    const ids = await contacts(6);
    for (const id of ids.slice(3)) await service.put(`/contacts/${id}`, { private_mode: true });
    const id = await send({ contact_ids: ids });
    await receipt((await recipients(id)).recipients[0].message_id, 'read');
    const first = await recipients(id, '?status=failed,read&limit=3');
    expect(first.recipients.map((each: { contact_id: string }) => each.contact_id)).toEqual([ids[0], ids[3], ids[4]]);
    expect(first.counts).toEqual({ waiting: 0, sent: 2, delivered: 0, read: 1, replied: 0, failed: 3 });
    const second = await recipients(id, `?status=failed,read&limit=3&cursor=${first.next_cursor}`);
    expect(second.recipients).toMatchObject([{ contact_id: ids[5], error: { code: 'private_mode' } }]);
    expect(second).toMatchObject({ counts: first.counts, next_cursor: null });
    expect((await service.get(`/broadcasts/${id}/recipients?status=lost`)).status).toBe(400);
    expect((await service.get(`/broadcasts/${id}/recipients?status=failed,`)).status).toBe(400);
    expect((await service.get('/broadcasts/brd_unknown/recipients')).status).toBe(404);
  });

  // Proves rule broadcasts.39.
  it('have cursors that hold while it is sent', async () => {
    const ids = await contacts(5);
    await hold(['broadcast']);
    const id = await draft({ contact_ids: ids });
    await step(id, 'submit');
    await step(id, 'approve');
    const first = await recipients(id, '?limit=2');
    await hold([]);
    await settle();
    const second = await recipients(id, `?limit=2&cursor=${first.next_cursor}`);
    const third = await recipients(id, `?limit=2&cursor=${second.next_cursor}`);
    const seen = [first, second, third].flatMap(({ recipients: rows }) => rows as { contact_id: string }[]);
    expect(seen.map((each) => each.contact_id)).toEqual(ids);
  });

  // Proves rule broadcasts.38.
  it('stay when a contact is deleted, without what tells who it was', async () => {
    const [one, two = ''] = await contacts(2);
    await service.put(`/contacts/${two}`, { do_not_disturb: true });
    const id = await send({ contact_ids: [one, two] });
    const { at } = (await recipients(id)).recipients[0];
    await service.delete(`/contacts/${one}`);
    await service.delete(`/contacts/${two}`);
    expect(await recipients(id)).toMatchObject({
      recipients: [
        { contact_id: null, name: null, address: null, message_id: null, status: 'sent', at, error: null },
        { contact_id: null, name: null, address: null, message_id: null, status: 'failed', error: { code: 'recipient_dnd' } },
      ],
      counts: { sent: 1, failed: 1 },
    });
    await service.delete(`/broadcasts/${id}`);
    expect((await service.get(`/broadcasts/${id}/recipients`)).status).toBe(404);
  });

  // Proves rule broadcasts.37.
  it('are as many in each status as the counts say, whatever happens', async () => {
    const happening = fc.constantFrom('delivered', 'read', 'failed', 'reply', 'delete');
    const happenings = fc.array(fc.tuple(fc.nat(3), happening), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(fc.nat(3), happenings, async (muted, all) => {
        const ids = await contacts(4);
        await service.put(`/contacts/${ids[muted]}`, { do_not_disturb: true });
        const id = await send({ contact_ids: ids });
        const before = (await recipients(id)).recipients as { message_id: string | null; address: string }[];
        for (const [place, what] of all) {
          const { message_id: message, address: from } = before[place] ?? { message_id: null, address: '' };
          if (what === 'delete') await service.delete(`/contacts/${ids[place]}`);
          else if (what === 'reply')
            await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, { channel: 'chatapp', from, text: 'Yes' });
          else if (message !== null) await receipt(message, what);
        }
        const { recipients: rows, counts } = await recipients(id);
        const counted = (status: RecipientStatus) => rows.filter((each: { status: string }) => each.status === status).length;
        expect(counts).toEqual(Object.fromEntries(recipientStatuses.map((status) => [status, counted(status)])));
        expect(rows).toHaveLength(4);
        // Of contacts that are still there, it agrees with the messages.
        for (const row of rows as { contact_id: string | null; message_id: string | null; status: string }[]) {
          if (row.contact_id === null || row.message_id === null) continue;
          const { messages } = (await service.get(`/contacts/${row.contact_id}/messages`)).body;
          const { status } = messages.find((each: { id: string }) => each.id === row.message_id);
          expect(row.status === 'replied' ? status !== 'failed' : row.status === status).toBe(true);
        }
      }),
      { numRuns: tries(15) },
    );
  });
});

describe('the preview of a broadcast', () => {
  const balance = async () => (await service.get('/users/me/credits')).body.balance as number;

  // Proves rules broadcasts.40, broadcasts.41.
  it('tells whom it reaches, who is named twice, what it costs, and changes nothing', async () => {
    const ids = await contacts(5);
    const list = (await service.post('/lists', { name: 'A' })).body.list.id;
    const other = (await service.post('/lists', { name: 'B' })).body.list.id;
    await service.post(`/lists/${list}/contacts`, { contact_ids: [ids[0], ids[1], ids[2]] });
    await service.post(`/lists/${other}/contacts`, { contact_ids: [ids[2], ids[3]] });
    await service.put(`/contacts/${ids[1]}`, { do_not_disturb: true });
    await service.put(`/contacts/${ids[3]}`, { private_mode: true });
    const id = await draft({ contact_ids: [ids[0], ids[4], ids[4]], list_ids: [list, other] });
    const before = await service.get(`/broadcasts/${id}`);
    expect((await preview(id)).body.preview).toEqual({
      recipients: 5,
      reachable: 3,
      unreachable: { recipient_dnd: 1, private_mode: 1 },
      // One by id and list, one on both lists, one given twice.
      duplicates: 3,
      credits: 3,
      balance: await balance(),
      affordable: true,
      starts_at: await now(),
    });
    expect(await service.get(`/broadcasts/${id}`)).toMatchObject({ body: before.body });
    await step(id, 'submit');
    const { credits, reachable } = (await preview(id)).body.preview;
    const spent = await balance();
    await step(id, 'approve');
    await settle();
    expect([spent - (await balance()), (await recipients(id)).counts.sent]).toEqual([credits, reachable]);
  });

  // Proves rules broadcasts.40, broadcasts.42.
  it('says when credits do not suffice, and when it starts', async () => {
    const ids = await contacts(2);
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 1 });
    const id = await draft({ contact_ids: ids });
    expect((await preview(id)).body.preview).toMatchObject({ credits: 2, balance: 1, affordable: false, reachable: 2 });
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 2 });
    expect((await preview(id)).body.preview).toMatchObject({ credits: 2, balance: 2, affordable: true });
    const at = await later(3_600);
    await service.put(`/broadcasts/${id}`, { scheduled_at: at });
    await step(id, 'submit');
    await step(id, 'approve');
    expect((await preview(id)).body.preview.starts_at).toBe(at);
    const quiet = { start_time: at.slice(11, 16), end_time: (await later(7_200)).slice(11, 16) };
    await service.put('/account-config', { quiet_hours: quiet });
    expect((await preview(id)).body.preview.starts_at).toBe(`${(await later(7_200)).slice(0, 16)}:00.000Z`);
  });

  // Proves rule broadcasts.41.
  it('counts everybody as unreachable while the channel is not connected', async () => {
    const ids = await contacts(2);
    const id = await draft({ contact_ids: ids, channel: 'sms' });
    expect((await preview(id)).body.preview).toMatchObject({ reachable: 0, unreachable: { channel_not_connected: 2 }, credits: 0 });
  });

  // Proves rule broadcasts.43.
  it('is refused once it has begun, without recipients, and where approving is refused', async () => {
    const list = (await service.post('/lists', { name: 'Empty' })).body.list.id;
    expect((await preview(await draft({ list_ids: [list] }))).status).toBe(400);
    const [one] = await contacts(1);
    const template = { name: 'welcome', body: 'Hi', language: 'en' };
    const { template_id: templateId } = (await service.post('/chatapp-templates/docs', template)).body;
    const unapproved = { contact_ids: [one], body: undefined, template_id: templateId };
    expect((await preview(await draft(unapproved))).status).toBe(400);
    const scheduled = await draft({ ...unapproved, scheduled_at: await later(60) });
    expect((await preview(scheduled)).body.preview).toMatchObject({ reachable: 0, unreachable: { template_not_approved: 1 } });
    const id = await send({ contact_ids: [one] });
    expect((await preview(id)).status).toBe(409);
    await hold(['broadcast']);
    const sending = await send({ contact_ids: [one] });
    expect((await preview(sending)).status).toBe(409);
    await step(sending, 'pause');
    expect((await preview(sending)).status).toBe(409);
    await hold([]);
    expect((await preview('brd_unknown')).status).toBe(404);
  });
});
