import fc from 'fast-check';
import { afterAll, describe, expect } from 'vitest';
import { it } from '../../support/account-test.ts';
import { Events } from '../../support/events.ts';
import { tries } from '../../support/sweeps.ts';
import type { TestService } from '../../support/test-service.ts';
let events: Events;

it.beforeEach(async ({ service }) => {
  await events?.close();
  events = await Events.of(service);
});

afterAll(async () => {
  await events.close();
});

let made = 0;
const number = () => `+1415${5550100 + made++}`;

async function create(service: TestService, fields: Record<string, unknown> = {}) {
  const { body } = await service.post('/contacts', { phone_number: number(), ...fields });
  return body.contact as { id: string; phone_number: string };
}

const list = async (service: TestService, query = '') => (await service.get(`/contacts?${query}`)).body.contacts as { id: string }[];
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

describe('a new contact', () => {
  // Proves rules contacts.6, contacts.9, contacts.12, contacts.17, webhooks.31.
  it('is created by phone number, and gets the country of the number', async ({ service }) => {
    const { status, body } = await service.post('/contacts', { phone_number: '+49 (30) 90-1820', first_name: 'Ada', company: 'ACME' });
    expect(status).toBe(201);
    expect(body.contact).toEqual({
      id: expect.stringMatching(/^con_/),
      phone_number: '+4930901820',
      identity: null,
      first_name: 'Ada',
      last_name: null,
      email: null,
      company: 'ACME',
      channel: 'chatapp',
      country: 'DE',
      tags: [],
      list_ids: [],
      agent_id: null,
      do_not_disturb: false,
      private_mode: false,
      paused: false,
      archived: false,
      last_message_at: null,
      created_at: new Date(service.clock.now).toISOString(),
      updated_at: new Date(service.clock.now).toISOString(),
    });
    expect((await service.get(`/contacts/${body.contact.id}`)).body.contact).toEqual(body.contact);
    expect(await events.take()).toMatchObject([{ event: 'Contact Created', data: { contact: body.contact } }]);
  });

  // Proves rules contacts.4, contacts.13.
  it('cannot use a number that is in use on any channel with numbers', async ({ service }) => {
    const { phone_number } = await create(service);
    for (const channel of ['chatapp', 'chatapp_web', 'sms'])
      expect((await service.post('/contacts', { phone_number, channel })).status).toBe(409);
    const other = await service.makeAccount();
    expect((await service.post('/contacts', { phone_number }, { key: other.api_key })).status).toBe(201);
  });

  // Proves rules contacts.3, contacts.5, contacts.13.
  it('is unique by account name on each channel without numbers', async ({ service }) => {
    const make = async (channel: string) => (await service.post('/contacts', { channel, identity: 'ada' })).status;
    expect([await make('photo_social'), await make('email'), await make('email')]).toEqual([201, 201, 409]);
  });

  // Proves rules contacts.1, contacts.2.
  it('can be created on each of the 17 channels, on three of them by number', async ({ service }) => {
    for (const channel of ['chatapp', 'chatapp_web', 'sms'])
      expect(await create(service, { channel })).toMatchObject({ channel, identity: null });
    const others =
      'photo_social photo_social_private page_social page_messenger secure_messenger email chat_widget custom_channel ' +
      'asia_messenger voip_messenger video_social device_messenger pro_network community_platform';
    for (const channel of others.split(' ')) {
      const { contact } = (await service.post('/contacts', { channel, identity: 'ada' })).body;
      expect(contact).toMatchObject({ channel, identity: 'ada', phone_number: null, country: null });
    }
  });

  // Proves rules contacts.7, contacts.8.
  it.for([
    ['+1 999 555 0100', '+19995550100'],
    ['+49 (0)30 901820', '+4930901820'],
    ['+44 (0)20 7946 0958', '+442079460958'],
  ] as const)('may have any possible number, stored without a trunk prefix: %s', async ([phone_number, stored], { service }) => {
    expect((await service.post('/contacts', { phone_number })).body.contact.phone_number).toBe(stored);
  });

  // Proves rule contacts.10.
  it('has an identity that is trimmed and compared exactly', async ({ service }) => {
    const make = async (identity: string) => await service.post('/contacts', { channel: 'photo_social', identity });
    expect((await make(' ada\t')).body.contact.identity).toBe('ada');
    const statuses = [];
    for (const identity of ['ada ', 'Ada', 'á', 'a\u0301', 'x'.repeat(200), 'x'.repeat(201), ' ', ''])
      statuses.push((await make(identity)).status);
    expect(statuses).toEqual([409, 201, 201, 201, 201, 400, 400, 400]);
  });

  // Proves rule contacts.16.
  it('can set its switches, which are off by default', async ({ service }) => {
    const on = { do_not_disturb: true, private_mode: true, archived: true };
    expect(await create(service, on)).toMatchObject(on);
    const { status, body } = await service.post('/contacts', { phone_number: '+14155550177', private_mode: true, tags: ['VIP'] });
    expect([status, body.contact]).toMatchObject([201, { do_not_disturb: false, private_mode: true, archived: false, tags: [] }]);
    expect((await service.get(`/contacts/${body.contact.id}`)).body.contact).toEqual(body.contact);
    expect((await service.post('/contacts', { phone_number: '+14155550178', archived: 'yes' })).status).toBe(400);
    expect(await events.names()).toEqual(['Contact Created', 'Contact Created']);
  });

  // Proves rule contacts.9.
  it.for([
    ['+4774097', 'NO', '+4779982', 'SJ'],
    ['+35810722', 'FI', '+35818248', 'AX'],
    ['+14155550100', 'US', '+14165550100', 'CA'],
    ['+15551234567', 'US', '+447700900123', 'GB'],
  ] as const)(
    'gets the country of its number, independent of earlier numbers: %s %s, %s %s',
    async ([first, its, second, other], { service }) => {
      const country = async (phone_number: string) => (await service.post('/contacts', { phone_number })).body.contact.country as string;
      expect([await country(first), await country(second)]).toEqual([its, other]);
    },
  );

  // Proves rule contacts.14.
  it('is created once by concurrent requests', async ({ service }) => {
    const phone_number = number();
    const answers = await Promise.all(Array.from({ length: 6 }, () => service.post('/contacts', { phone_number })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(await events.names()).toEqual(['Contact Created']);
  });

  // Proves rules contacts.2, contacts.6, contacts.11, contacts.15, conventions.53.
  it.for([
    {},
    { phone_number: '4155550100' },
    { phone_number: '+1415' },
    { phone_number: '+1415555010012345' },
    { phone_number: 'call +14155550100' },
    { phone_number: '+14155550100;ext=5' },
    { phone_number: '' },
    { phone_number: null },
    { phone_number: 14155550100 },
    { channel: 'photo_social' },
    { channel: 'photo_social', phone_number: '+14155550100' },
    { channel: 'fax', phone_number: '+14155550100' },
    { phone_number: '+14155550100', email: 'no address' },
    { phone_number: '+14155550100', first_name: 'x'.repeat(201) },
  ])('is rejected with %j', async (body, { service }) => {
    expect((await service.post('/contacts', body)).status).toBe(400);
    expect(await list(service)).toEqual([]);
  });
});

describe('updating a contact', () => {
  // Proves rules contacts.18, conventions.62, conventions.64.
  it('keeps omitted fields and clears null fields', async ({ service }) => {
    const { id } = await create(service, { first_name: 'Ada', email: 'ada@shop.example' });
    service.clock.now += 1000;
    const { body } = await service.put(`/contacts/${id}`, { last_name: 'L', email: null });
    expect(body.contact).toMatchObject({
      first_name: 'Ada',
      last_name: 'L',
      email: null,
      updated_at: new Date(service.clock.now).toISOString(),
    });
  });

  // Proves rule contacts.21.
  it('does not happen through messages, tags and lists', async ({ service }) => {
    const before = await create(service);
    await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
    const group = (await service.post('/lists', { name: 'Regulars' })).body.list.id as string;
    service.clock.now += 1000;
    await service.post('/contacts/send', { contact_id: before.id, body: 'Hello' });
    await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, {
      channel: 'chatapp',
      from: before.phone_number,
      text: 'Hi',
    });
    const tagged = (await service.post(`/contacts/${before.id}/tags`, { name: 'VIP' })).body.contact;
    await service.post(`/lists/${group}/contacts`, { contact_ids: [before.id] });
    const after = (await service.get(`/contacts/${before.id}`)).body.contact;
    expect(after).toEqual({ ...before, tags: tagged.tags, list_ids: [group], last_message_at: new Date(service.clock.now).toISOString() });
  });

  // Proves rules contacts.19, contacts.20.
  it('emits an event once for do-not-disturb and once for unarchiving', async ({ service }) => {
    const { id } = await create(service);
    await events.take();
    for (const change of [
      { do_not_disturb: true },
      { do_not_disturb: true },
      { do_not_disturb: false },
      { archived: true },
      { archived: false },
      { private_mode: true },
    ])
      expect((await service.put(`/contacts/${id}`, change)).body.contact).toMatchObject(change);
    expect(await events.names()).toEqual(['Contact Do Not Disturb', 'Contact Unarchived']);
  });

  // Proves rules contacts.18, conventions.37, conventions.48, conventions.63.
  it('returns 400 without a known field', async ({ service }) => {
    const { id } = await create(service);
    for (const body of [{}, { phone_number: '+14155550199' }, { paused: true }])
      expect((await service.put(`/contacts/${id}`, body)).body.error).toBe('No fields to update');
    expect((await service.put(`/contacts/${id}`, { archived: null })).status).toBe(400);
    expect((await service.put('/contacts/unknown', {})).status).toBe(400);
    expect((await service.put('/contacts/unknown', { archived: true })).status).toBe(404);
  });

  // Proves rules contacts.20, contacts.22, contacts.23, contacts.24, contacts.25, conventions.13.
  it('pauses, resumes and unarchives, and emits an event only for a change', async ({ service }) => {
    const { id } = await create(service);
    await service.put(`/contacts/${id}`, { archived: true });
    await events.take();
    const step = async (name: string) => (await service.post(`/contacts/${id}/${name}`)).body.contact as object;
    expect(await step('resume')).toMatchObject({ paused: false });
    expect(await step('pause')).toMatchObject({ paused: true });
    expect(await step('pause')).toMatchObject({ paused: true });
    expect(await step('resume')).toMatchObject({ paused: false });
    expect(await step('unarchive')).toMatchObject({ archived: false });
    expect(await step('unarchive')).toMatchObject({ archived: false });
    expect(await events.names()).toEqual(['Contact Paused', 'Contact Resumed', 'Contact Unarchived']);
  });
});

describe('the list of contacts', () => {
  // Proves rule contacts.34.
  it('is filtered by tag, list and channel, in any combination', async ({ service }) => {
    const tag = (await service.post('/tags', { name: 'VIP' })).body.tag.id as string;
    const group = (await service.post('/lists', { name: 'Regulars' })).body.list.id as string;
    const rows: { id: string }[] = [];
    for (let index = 0; index < 8; index++) rows.push(await create(service, { channel: index % 2 === 0 ? 'sms' : 'chatapp' }));
    for (const index of [0, 1, 2, 3]) await service.post(`/contacts/${rows[index]?.id}/tags`, { tag_id: tag });
    await service.post(`/lists/${group}/contacts`, { contact_ids: [2, 3, 4, 5].map((index) => rows[index]?.id) });
    const expected = (...indices: number[]) => indices.map((index) => rows[index]?.id);
    expect(ids(await list(service, `tag_id=${tag}`))).toEqual(expected(3, 2, 1, 0));
    expect(ids(await list(service, `list_id=${group}`))).toEqual(expected(5, 4, 3, 2));
    expect(ids(await list(service, `list_id=${group}&tag_id=${tag}`))).toEqual(expected(3, 2));
    expect(ids(await list(service, 'channel=sms'))).toEqual(expected(6, 4, 2, 0));
    expect(ids(await list(service, `channel=sms&tag_id=${tag}&list_id=${group}`))).toEqual(expected(2));
    const first = (await service.get(`/contacts?tag_id=${tag}&limit=3`)).body;
    const second = (await service.get(`/contacts?tag_id=${tag}&limit=3&cursor=${first.next_cursor}`)).body;
    expect([ids(first.contacts), ids(second.contacts), second.next_cursor]).toEqual([expected(3, 2, 1), expected(0), null]);
  });

  // Proves rule contacts.35.
  it('returns 404 for an unknown tag or list, or one of another account', async ({ service }) => {
    const other = await service.makeAccount();
    const tag = (await service.post('/tags', { name: 'theirs' }, { key: other.api_key })).body.tag.id as string;
    for (const query of [`tag_id=${tag}`, 'tag_id=x', 'list_id=x']) expect((await service.get(`/contacts?${query}`)).status).toBe(404);
    expect((await service.get('/contacts?channel=fax')).status).toBe(400);
    for (const search of ['%20', '%00', 'a%00b']) expect((await service.get(`/contacts?search=${search}`)).status).toBe(400);
  });

  // Proves rules contacts.36, contacts.37, contacts.38.
  it('can be searched by part of the name, number, email address, account name or company, ignoring case', async ({ service }) => {
    const ada = await create(service, { first_name: 'Ada', last_name: 'ÖZTÜRK', email: 'ada@shop.example', company: '100%_Club' });
    const contact = (await service.post('/contacts', { channel: 'photo_social', identity: 'Ada.Lovelace' })).body.contact;
    await create(service, { first_name: 'Grace' });
    const found = async (text: string) => ids(await list(service, `search=${encodeURIComponent(text)}`));
    expect(await found('ada')).toEqual([contact.id, ada.id]);
    for (const text of ['da özt', ' özt\t', 'SHOP.example', ada.phone_number.slice(3), '%_club', '0%_C'])
      expect(await found(text)).toEqual([ada.id]);
    // A match must be within one field, and there are no wildcards.
    for (const text of ['%a%', 'a_a', 'ÖZTÜRK+1', 'öztürk\n+1', '\\']) expect(await found(text)).toEqual([]);
    // SQLite's LIKE takes these characters for one.
    const odd = await create(service, { first_name: '\uffff' });
    expect([await found('\uffff'), await found('\ufffd')]).toEqual([[odd.id], []]);
    await service.put(`/contacts/${ada.id}`, { first_name: 'Eve' });
    expect(await found('ada öz')).toEqual([]);
    expect(await found('eve')).toEqual([ada.id]);
  });
});

// Proves rules contacts.34, contacts.36.
it('a search pages through matches that are far apart', async ({ service }) => {
  const rows = [
    await create(service, { first_name: 'Ada 1' }),
    await create(service, { first_name: 'Ada 2' }),
    await create(service, { first_name: 'Ada 3' }),
  ];
  const store = await service.database.open();
  await store.write(async (db) => {
    for (const [index, { id }] of rows.entries())
      await db
        .updateTable('contacts')
        .set({ seq: 1_000_000 + index * 20_000 })
        .where('id', '=', id)
        .execute();
  });
  await store.close();
  expect(ids(await list(service, 'search=ada'))).toEqual([rows[2]?.id, rows[1]?.id, rows[0]?.id]);
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const { body }: { body: { contacts: { id: string }[]; next_cursor: string | null } } = await service.get(
      `/contacts?search=ada&limit=1${cursor === null ? '' : `&cursor=${cursor}`}`,
    );
    found.push(...ids(body.contacts));
    cursor = body.next_cursor;
  } while (cursor !== null);
  expect(found).toEqual([rows[2]?.id, rows[1]?.id, rows[0]?.id]);
});

describe('the tags and lists of a contact', () => {
  // Proves rule contacts.33.
  it('are listed in the order of their creation', async ({ service }) => {
    const { id } = await create(service);
    const made = async (path: string, noun: string) => {
      const found: string[] = [];
      for (const name of ['b', 'c', 'a']) found.push((await service.post(path, { name })).body[noun].id as string);
      return found as [string, string, string];
    };
    const [tags, lists] = [await made('/tags', 'tag'), await made('/lists', 'list')];
    for (const index of [2, 0, 1] as const) {
      await service.post(`/contacts/${id}/tags`, { tag_id: tags[index] });
      await service.post(`/lists/${lists[index]}/contacts`, { contact_ids: [id] });
    }
    const { contact } = (await service.get(`/contacts/${id}`)).body;
    expect([ids(contact.tags), contact.list_ids]).toEqual([tags, lists]);
    expect(await list(service)).toEqual([contact]);
  });

  // Proves rules contacts.29, contacts.31, contacts.32, contacts.48, lists.4, lists.8, tags.6.
  it('have correct counts after tagging, repeated tagging, untagging and deleting', async ({ service }) => {
    const tag = (await service.post('/tags', { name: 'VIP' })).body.tag.id as string;
    const group = (await service.post('/lists', { name: 'Regulars' })).body.list.id as string;
    const counts = async () => [
      (await service.get('/tags')).body.tags[0].contact_count as number,
      (await service.get('/lists')).body.lists[0].contact_count as number,
    ];
    const [one, two] = [await create(service), await create(service)];
    for (const { id } of [one, two, one]) {
      const { body } = await service.post(`/contacts/${id}/tags`, { name: 'vip' });
      expect(body.contact.tags).toEqual([{ id: tag, name: 'VIP' }]);
    }
    const joined = await service.post(`/lists/${group}/contacts`, { contact_ids: [one.id, two.id, one.id] });
    expect([joined.status, joined.body.list.contact_count]).toEqual([200, 2]);
    expect((await service.get(`/contacts/${one.id}`)).body.contact.list_ids).toEqual([group]);
    expect(await counts()).toEqual([2, 2]);
    expect((await service.delete(`/contacts/${one.id}/tags/${tag}`)).body).toEqual({ success: true });
    expect((await service.delete(`/contacts/${one.id}/tags/${tag}`)).status).toBe(404);
    const left = await service.call('DELETE', `/v1/lists/${group}/contacts`, { contact_ids: [one.id, one.id] });
    expect(left.body).toEqual({ success: true });
    expect(await counts()).toEqual([1, 1]);
    await service.delete(`/contacts/${two.id}`);
    expect(await counts()).toEqual([0, 0]);
    expect((await service.get(`/contacts/${two.id}`)).status).toBe(404);
  });

  // Proves rules lists.2, lists.5, lists.8, lists.9.
  it('can include several lists, which the contact leaves one by one and survives', async ({ service }) => {
    const make = async (name: string) => (await service.post('/lists', { name })).body.list as { id: string };
    const [first, second] = [await make('first'), await make('second')];
    const [one, two] = [await create(service), await create(service)];
    for (const { id } of [first, second]) await service.post(`/lists/${id}/contacts`, { contact_ids: [one.id] });
    expect((await service.get(`/contacts/${one.id}`)).body.contact.list_ids).toEqual([first.id, second.id]);
    service.clock.now += 1000;
    const leave = (contact_ids: string[]) => service.call('DELETE', `/v1/lists/${first.id}/contacts`, { contact_ids });
    expect((await leave([two.id])).status).toBe(200);
    expect((await service.get('/lists')).body.lists).toEqual([
      { ...second, contact_count: 1 },
      { ...first, contact_count: 1 },
    ]);
    expect((await leave([two.id, one.id])).status).toBe(200);
    expect((await service.get(`/contacts/${one.id}`)).body.contact.list_ids).toEqual([second.id]);
    await service.delete(`/lists/${second.id}`);
    expect((await service.get(`/contacts/${one.id}`)).body.contact).toMatchObject({ id: one.id, list_ids: [] });
  });

  // Proves rules contacts.28, contacts.29, contacts.30, conventions.55, lists.3, lists.6.
  it('are created by name if missing; an unknown id returns 404 and changes nothing', async ({ service }) => {
    const { id } = await create(service);
    const { body } = await service.post(`/contacts/${id}/tags`, { name: 'New' });
    expect(body.contact.tags).toMatchObject([{ name: 'New' }]);
    for (const wrong of [{ tag_id: 'tag_x' }, { tag_id: 'tag_x', name: 'y' }, {}])
      expect((await service.post(`/contacts/${id}/tags`, wrong)).status).toBe('name' in wrong || !('tag_id' in wrong) ? 400 : 404);
    const group = (await service.post('/lists', { name: 'Regulars' })).body.list.id as string;
    expect((await service.post(`/lists/${group}/contacts`, { contact_ids: [id, 'con_x'] })).status).toBe(404);
    expect((await service.post(`/lists/${group}/contacts`, { contact_ids: [] })).status).toBe(400);
    expect((await service.get('/lists')).body.lists[0].contact_count).toBe(0);
  });
});

describe('a contact import', () => {
  const importing = async (service: TestService, contacts: unknown, more = {}) =>
    (await service.post('/contacts/import', { contacts, ...more })).body;

  // Proves rules contacts.17, contacts.40, contacts.41, contacts.42, contacts.43, contacts.44, contacts.46.
  it('creates contacts, and reports why rows were skipped', async ({ service }) => {
    const known = await create(service);
    const [one, two] = [number(), number()];
    const body = await importing(service, [
      { phone_number: one, first_name: 'Ada', last_name: 'L' },
      { phone_number: 'nonsense' },
      { phone_number: known.phone_number },
      { phone_number: one },
      { first_name: 'nobody' },
      { phone_number: two, channel: 'email' },
      'text',
      null,
      { phone_number: two, first_name: 7 },
      { phone_number: two, channel: 'sms' },
    ]);
    expect(body).toMatchObject({ success: true, imported: 2, contact_ids: [expect.any(String), expect.any(String)] });
    expect(body.skipped.map(({ index }: { index: number }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const { reason } of body.skipped) expect(reason).toMatch(/number|channel|object|first_name/);
    expect(await list(service)).toMatchObject([
      { id: body.contact_ids[1], phone_number: two, channel: 'sms' },
      { id: body.contact_ids[0], phone_number: one, channel: 'chatapp', first_name: 'Ada', last_name: 'L', country: 'US' },
      { id: known.id },
    ]);
    expect((await events.names()).filter((name) => name === 'Contact Created')).toHaveLength(3);
  });

  // Proves rule webhooks.31.
  it('includes the tags of a row in its events', async ({ service }) => {
    const [fresh, known] = [number(), number()];
    await service.post('/contacts', { phone_number: known });
    const { contact_ids: ids } = await importing(service, [{ phone_number: known, tags: ['x'], archived: true }], {
      on_duplicate: 'update',
    });
    await service.post('/tags', { name: 'Lead' });
    await events.take();
    const rows = [
      { phone_number: known, tags: ['y'], archived: false, do_not_disturb: true },
      { phone_number: fresh, tags: ['new', 'LEAD', 'lead'] },
    ];
    const { contact_ids: imported } = await importing(service, rows, { on_duplicate: 'update' });
    const told = await events.take();
    expect(told.map(({ event }) => event).sort()).toEqual(['Contact Created', 'Contact Do Not Disturb', 'Contact Unarchived']);
    for (const { data } of told) {
      const { contact } = (await service.get(`/contacts/${data.contact.id}`)).body;
      expect(data.contact.tags).toEqual(contact.tags);
    }
    const tagsOf = (id: string) =>
      told.find(({ data }) => data.contact.id === id)?.data.contact.tags.map(({ name }: { name: string }) => name);
    expect([tagsOf(ids[0]), tagsOf(imported[1])]).toEqual([
      ['x', 'y'],
      ['Lead', 'new'],
    ]);
  });

  // Proves rules contacts.41, contacts.43.
  it('uses the default channel; an unsupported one skips all rows', async ({ service }) => {
    expect(await importing(service, [{ phone_number: number() }], { defaultChannel: 'chatapp_web' })).toMatchObject({ imported: 1 });
    expect((await list(service))[0]).toMatchObject({ channel: 'chatapp_web' });
    expect(await importing(service, [{ phone_number: number() }], { defaultChannel: 'carrier_pigeon' })).toMatchObject({
      imported: 0,
      skipped: [{ index: 0, reason: expect.stringContaining('channel') }],
    });
  });

  // Proves rules contacts.40, contacts.43, contacts.50.
  it('accepts all fields that can be set, identities and tags', async ({ service }) => {
    const existing = (await service.post('/tags', { name: 'VIP' })).body.tag.id as string;
    const one = number();
    const fields = { email: 'ada@example.com', company: 'Engines', do_not_disturb: true, private_mode: true, archived: true };
    const body = await importing(service, [
      { phone_number: one, first_name: 'Ada', ...fields, tags: ['vip', 'New'] },
      { channel: 'photo_social', identity: 'grace', last_name: null, tags: ['New'] },
      { phone_number: number(), email: 'nobody' },
      { phone_number: number(), archived: 'yes' },
      { phone_number: number(), tags: 'VIP' },
      { channel: 'photo_social' },
      { channel: 'photo_social', phone_number: number() },
      { channel: 'carrier_pigeon', phone_number: number() },
      { channel: 'photo_social', identity: 'grace' },
    ]);
    expect(body.imported).toBe(2);
    expect(body.skipped.map(({ index, code }: { index: number; code: string }) => [index, code])).toEqual([
      [2, 'invalid_row'],
      [3, 'invalid_row'],
      [4, 'invalid_row'],
      [5, 'invalid_number'],
      [6, 'unsupported_channel'],
      [7, 'unsupported_channel'],
      [8, 'duplicate'],
    ]);
    const [grace, ada] = await list(service);
    expect(ada).toMatchObject({ id: body.contact_ids[0], phone_number: one, first_name: 'Ada', ...fields });
    expect(ada).toMatchObject({ tags: [{ id: existing, name: 'VIP' }, { name: 'New' }] });
    expect(grace).toMatchObject({ channel: 'photo_social', identity: 'grace', tags: [{ name: 'New' }] });
    const tags = (await service.get('/tags')).body.tags as { name: string; contact_count: number }[];
    expect(tags.map(({ name, contact_count: count }) => [name, count])).toEqual([
      ['New', 2],
      ['VIP', 1],
    ]);
    expect(await list(service, 'search=engines')).toMatchObject([{ id: ada?.id }]);
  });

  // Proves rule contacts.49.
  it('updates existing contacts if asked to', async ({ service }) => {
    const known = await create(service, { first_name: 'Ada', last_name: 'L', channel: 'sms' });
    const fresh = number();
    const body = await importing(
      service,
      [
        { phone_number: known.phone_number, first_name: 'Augusta', do_not_disturb: true, channel: 'chatapp', tags: ['VIP'] },
        { phone_number: fresh, first_name: 'Eve', last_name: 'One' },
        { phone_number: fresh, first_name: 'Eva', company: 'Late' },
      ],
      { on_duplicate: 'update' },
    );
    expect(body).toMatchObject({ imported: 3, skipped: [] });
    expect(body.contact_ids).toEqual([known.id, body.contact_ids[1], body.contact_ids[1]]);
    const [eva, ada] = await list(service);
    expect(eva).toMatchObject({ first_name: 'Eva', last_name: 'One', company: 'Late' });
    expect(ada).toMatchObject({ id: known.id, channel: 'sms', first_name: 'Augusta', last_name: 'L', do_not_disturb: true });
    expect(await list(service, 'search=augusta')).toHaveLength(1);
    expect((await events.names()).filter((name) => name === 'Contact Do Not Disturb')).toHaveLength(1);
    expect((await service.post('/contacts/import', { contacts: [], on_duplicate: 'replace' })).status).toBe(400);
  });

  // Proves rule contacts.45.
  it('leaves existing contacts unchanged', async ({ service }) => {
    const known = await create(service, { first_name: 'Ada', channel: 'sms' });
    service.clock.now += 1000;
    const row = { phone_number: known.phone_number, first_name: 'Eve', last_name: 'L', channel: 'chatapp' };
    expect(await importing(service, [row])).toMatchObject({ imported: 0, contact_ids: [] });
    expect(await list(service)).toEqual([known]);
  });

  // Proves rules contacts.51, conventions.85.
  it('skips the rows with which a contact would have more than 200 tags, and changes nothing of them', async ({ service }) => {
    const named = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `tag ${from + index}`);
    const [full, fresh, other] = [number(), number(), number()];
    expect(await importing(service, [{ phone_number: full, tags: named(0, 200) }])).toMatchObject({ imported: 1, skipped: [] });
    const rows = [
      { phone_number: full, first_name: 'Eve', tags: ['One more'] },
      { phone_number: full, first_name: 'Ada', tags: ['TAG 7'] },
      { phone_number: fresh, tags: named(0, 201) },
      { phone_number: other, tags: named(0, 150) },
      { phone_number: other, tags: named(100, 201) },
      { phone_number: other, tags: named(100, 200) },
    ];
    const { imported, skipped } = await importing(service, rows, { on_duplicate: 'update' });
    expect(imported).toBe(3);
    expect(skipped).toEqual(
      [0, 2, 4].map((index) => ({ index, code: 'too_many', reason: 'the contact would have 201 tags: a contact has at most 200 tags' })),
    );
    const found = async (phone: string) => (await service.get(`/contacts?search=${encodeURIComponent(phone)}`)).body.contacts[0];
    expect(await found(full)).toMatchObject({ first_name: 'Ada' });
    for (const phone of [full, other]) expect((await found(phone)).tags).toHaveLength(200);
    expect(await found(fresh)).toBeUndefined();
    expect((await service.get('/tags?limit=100')).body.tags.map(({ name }: { name: string }) => name)).not.toContain('One more');
  });

  // Proves rule contacts.52.
  it('has at most 1,000 different tags', async ({ service }) => {
    const rows = Array.from({ length: 10 }, (_, row) => ({
      phone_number: number(),
      tags: Array.from({ length: 150 }, (_, index) => `different ${row} ${index}`),
    }));
    const { imported, skipped } = await importing(service, [...rows, { phone_number: number(), tags: ['DIFFERENT 0 7'] }]);
    expect([imported, skipped.map(({ index, code }: { index: number; code: string }) => [index, code])]).toEqual([
      7,
      [6, 7, 8, 9].map((index) => [index, 'too_many']),
    ]);
    const { tags } = (await service.get('/contacts?limit=1')).body.contacts[0];
    expect(tags.map(({ name }: { name: string }) => name)).toEqual(['different 0 7']);
    const stored = await service.write((db) => db.selectFrom('tags').select(['name', 'contact_count']).orderBy('seq').execute());
    const different = stored.filter(({ name }) => name.startsWith('different'));
    expect(different.map(({ name }) => name)).toEqual(rows.flatMap((row) => row.tags).slice(0, 900));
    expect(different.filter(({ contact_count: count }) => count !== 1)).toEqual([{ name: 'different 0 7', contact_count: 2 }]);
  });

  // Proves rule contacts.39.
  it('accepts 500 rows, and returns 400 for more rows or anything but a list', async ({ service }) => {
    const rows = Array.from({ length: 501 }, () => ({ phone_number: number() }));
    expect((await service.post('/contacts/import', { contacts: rows })).status).toBe(400);
    expect((await service.post('/contacts/import', {})).status).toBe(400);
    expect((await service.post('/contacts/import', { contacts: {} })).status).toBe(400);
    expect(await importing(service, rows.slice(0, 500))).toMatchObject({ imported: 500, skipped: [] });
    expect(await importing(service, rows.slice(0, 500))).toMatchObject({ imported: 0 });
    expect(await importing(service, [])).toMatchObject({ imported: 0, contact_ids: [], skipped: [] });
  });

  // Proves rule contacts.46.
  it('imports or skips each row exactly once', async ({ service }) => {
    const row = fc.oneof(
      fc.record({ phone_number: fc.integer({ min: 0, max: 9 }).map((digit) => `+1415555020${digit}`) }),
      fc.record({ phone_number: fc.oneof(fc.string(), fc.constantFrom('+1415', '+', '+999999999')) }),
      fc.anything({ maxDepth: 1 }).map((value) => (value === undefined ? null : value)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 12 }), async (rows) => {
        const before = (await list(service, 'limit=100')).length;
        const { imported, contact_ids: made, skipped } = await importing(service, rows);
        expect(imported + skipped.length).toBe(rows.length);
        expect(new Set(made).size).toBe(imported);
        expect(new Set(skipped.map(({ index }: { index: number }) => index)).size).toBe(skipped.length);
        expect((await list(service, 'limit=100')).length).toBe(before + imported);
      }),
      { numRuns: tries(20) },
    );
  });
});

// Proves rules contacts.47, sessions.9, activity.11.
it('deleting a contact deletes its messages and chat sessions, but keeps their counts', async ({ service }) => {
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  const [one, two] = [await create(service), await create(service)];
  for (const { id } of [one, two]) await service.post('/contacts/send', { contact_id: id, body: 'Hello' });
  const rows = async () => {
    const store = await service.database.open();
    const found = await store.read(async (db) => {
      const of = (table: 'messages' | 'chat_sessions') =>
        db.selectFrom(table).select('contact_id').where('account_id', '=', service.accountId).execute();
      const counts = await db.selectFrom('daily_counts').selectAll().where('account_id', '=', service.accountId).execute();
      return { messages: await of('messages'), sessions: await of('chat_sessions'), counts };
    });
    await store.close();
    return found;
  };
  const before = await rows();
  expect([before.messages.length, before.sessions.length]).toEqual([2, 2]);
  const { chat_sessions: sessions } = (await service.get(`/chat-sessions?contact_id=${one.id}`)).body;
  await service.delete(`/contacts/${one.id}`);
  const left = [{ contact_id: two.id }];
  expect(await rows()).toEqual({ messages: left, sessions: left, counts: before.counts });
  expect((await service.get(`/chat-sessions/${sessions[0].id}`)).status).toBe(404);
  expect((await service.get(`/contacts/${one.id}/messages`)).status).toBe(404);
});

// Proves rule conventions.21.
it('contacts are not visible to other accounts', async ({ service }) => {
  const { id } = await create(service);
  const { api_key: key } = await service.makeAccount();
  expect((await service.get('/contacts', { key })).body.contacts).toEqual([]);
  for (const answer of [
    await service.get(`/contacts/${id}`, { key }),
    await service.put(`/contacts/${id}`, { archived: true }, { key }),
    await service.post(`/contacts/${id}/pause`, {}, { key }),
    await service.post(`/contacts/${id}/tags`, { name: 'x' }, { key }),
    await service.get(`/contacts/${id}/messages`, { key }),
    await service.post('/contacts/send', { contact_id: id, body: 'x' }, { key }),
    await service.delete(`/contacts/${id}`, { key }),
  ])
    expect([answer.status, answer.body.error]).toEqual([404, 'Contact not found']);
});
