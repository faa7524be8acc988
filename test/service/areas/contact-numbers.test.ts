import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestService } from '../../support/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await TestService.open();
});

beforeEach(async () => {
  await service.freshAccount();
  await connect('chatapp', '+14155550100');
});

afterAll(() => service.close());

const connect = (channel: string, identity: string) =>
  service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel, identity });

const create = (number: string) => service.post('/contacts', { phone_number: number });

const numbers = async () =>
  (await service.get('/contacts')).body.contacts.map((each: { phone_number: string }) => each.phone_number) as string[];

/** A contact as a store of before may hold it, with a number in an older form. */
async function stored(number: string): Promise<string> {
  const { contact } = (await create('+14155550111')).body;
  await service.write((db) =>
    db
      .updateTable('contacts')
      .set({ phone_number: number, identity_key: number, search_text: number })
      .where('id', '=', contact.id as string)
      .execute(),
  );
  return contact.id as string;
}

/** The numbers of one person: in the form of today, then in others. */
const people: [today: string, ...others: string[]][] = [
  ['+525512345678', '+52 1 55 1234 5678', '+52 044 55 1234 5678', '+52 01 55 1234 5678'],
  ['+5511987654321', '+55 11 8765-4321', '+55 (011) 98765-4321', '+55 0 15 11 8765 4321'],
  ['+5491123456789', '+54 11 15 2345-6789', '+54 9 11 15 2345-6789', '+54 (011) 15 2345 6789'],
  ['+5493512345678', '+54 351 15 234-5678', '+54 9 351 15 234 5678'],
  ['+5492966412345', '+54 2966 15 412345', '+54 9 2966 15 41-2345'],
  ['+2290190011234', '+229 90 01 12 34'],
  ['+390612345678', '+39 6 1234 5678'],
  ['+393471234567', '+39 0347 1234567'],
  ['+442079460018', '+44 (0)20 7946 0018', '+44 020 7946 0018'],
  ['+4930123456', '+49 (0)30 123456'],
  ['+74951234567', '+7 8 495 123-45-67'],
];

const spelled = people.flatMap(([today, ...others]) => others.map((other) => [other, today] as const));

// Proves rules contacts.8, contacts.54.
it.each(spelled)('%s is the number %s', async (written, today) => {
  const { status, body } = await create(written);
  expect([status, body.contact.phone_number]).toEqual([201, today]);
  for (const again of people.find(([each]) => each === today) ?? []) expect((await create(again)).status).toBe(409);
});

// Proves rules contacts.54, contacts.55.
it.each([
  ['a landline of Brazil', '+551133334444'],
  ['a landline of Argentina', '+541143210000'],
  ['a landline of Mexico', '+525555551234'],
  ['a mobile number of Brazil whose other digits are those of a landline', '+5511957654321'],
  ['a mobile number of Argentina that begins with 15', '+5491115234567'],
  ['a landline of Italy', '+390612345678'],
  ['a number that the plan has not assigned', '+15555550123'],
])('%s stays as it is', async (_what, number) => {
  expect((await create(number)).body.contact.phone_number).toBe(number);
});

// Proves rule contacts.54.
it('of Argentina without a 9 can be a landline, and is the person who has the other one', async () => {
  const { contact } = (await create('+54 11 2345-6789')).body;
  expect(contact.phone_number).toBe('+541123456789');
  expect((await create('+54 9 11 2345-6789')).status).toBe(409);
  const rows = ['+54 9 351 234 5678', '+54 351 234-5678'].map((number) => ({ phone_number: number }));
  expect((await service.post('/contacts/import', { contacts: rows })).body).toMatchObject({
    imported: 1,
    skipped: [{ index: 1, code: 'duplicate', reason: 'an earlier row has the same phone number' }],
  });
});

let made = 0;

/** Each way in by number. Returns the id of the contact. */
const ways: [string, (number: string) => Promise<unknown>][] = [
  [
    'a send',
    async (phone_number) => (await service.post('/contacts/send', { channel: 'chatapp', phone_number, body: 'Hello' })).body.contact_id,
  ],
  [
    'a template',
    async (phoneNumber) => {
      const text = { name: `welcome_${++made}`, language: 'en', body: 'Hello', status: 'submitted' };
      const { template_id: id } = (await service.post('/chatapp-templates/docs', text)).body;
      await service.sandbox('POST', `/accounts/${service.accountId}/templates/${id}/review`, { outcome: 'approved' });
      return (await service.post('/chatapp-templates/send', { phoneNumber, whatsappTemplateId: id })).body.contact_id;
    },
  ],
  [
    'an inbound message',
    async (from) => {
      const path = `/accounts/${service.accountId}/inbound`;
      return (await service.sandbox('POST', path, { channel: 'chatapp', from, text: 'Hello' })).body.contact_id;
    },
  ],
  [
    'an import with updates',
    async (number) => {
      const row = { phone_number: number, first_name: 'Ada', tags: ['VIP'] };
      return (await service.post('/contacts/import', { contacts: [row], on_duplicate: 'update' })).body.contact_ids[0];
    },
  ],
  [
    'a search',
    async (number) => {
      const { contacts } = (await service.get(`/contacts?search=${encodeURIComponent(number)}`)).body;
      return contacts[0]?.id;
    },
  ],
  [
    'a calendar import',
    async (phone) => {
      const start = '2027-03-02T09:00:00Z';
      const id = `event ${++made}`;
      const events = [{ id, summary: 'Dentist', start, end: start, attendees: [{ phone }] }];
      await service.sandbox('PATCH', `/accounts/${service.accountId}`, { calendar: { connected: true, events } });
      const { agent_id } = (await service.post('/agents', { name: 'Front desk' })).body;
      await service.post('/appointments/import-calendar-events', { agent_id, identifier: 'PHONE_NUMBER' });
      await service.sandbox('POST', '/settle');
      const { appointments } = (await service.get('/appointments')).body;
      return appointments.find((each: { ext_calendar_event_id: string }) => each.ext_calendar_event_id === id)?.contact_id;
    },
  ],
];

describe.each(ways)('%s', (what, reach) => {
  // Proves rule contacts.55.
  it('finds a contact by other spellings of its number', async () => {
    for (const [today, ...others] of people.slice(0, 3)) {
      const { id } = (await create(today)).body.contact;
      for (const other of others) expect(await reach(other), other).toBe(id);
    }
    expect(await numbers()).toHaveLength(3);
  });

  // Proves rule contacts.56.
  it('finds a contact whose number is stored in an older form, and leaves it as it is', async () => {
    for (const [old, today] of [
      ['+5215512345678', '+525512345678'],
      ['+551187654321', '+5511987654321'],
      ['+541123456789', '+5491123456789'],
      ['+22990011234', '+2290190011234'],
    ] as const) {
      const id = await stored(old);
      for (const written of [today, old]) expect(await reach(written), written).toBe(id);
      expect(await numbers()).toEqual([old]);
      await service.delete(`/contacts/${id}`);
    }
  });

  // Proves rule contacts.56.
  it('looks for the number as it was written first, when both forms are stored', async () => {
    const today = (await create('+52 55 1234 5678')).body.contact.id;
    const old = await stored('+5215512345678');
    // A search finds both.
    expect(await reach('+52 55 1234 5678')).toBe(what === 'a search' ? old : today);
    expect(await reach('+52 1 55 1234 5678')).toBe(old);
  });
});

// Proves rule contacts.54.
it('two sends at once to spellings of a new number reach one contact', async () => {
  const send = (phone_number: string) => service.post('/contacts/send', { channel: 'chatapp', phone_number, body: 'Hello' });
  const answers = await Promise.all(['+54 11 2345-6789', '+54 9 11 2345-6789', '+55 11 8765-4321', '+55 11 98765-4321'].map(send));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(await numbers()).toHaveLength(2);
});

// Proves rules contacts.36, contacts.55.
it('a search finds a number with its separators, and a part of one', async () => {
  const { id } = (await create('+14155550123')).body.contact;
  for (const text of ['+1 (415) 555-0123', '+1 (415) 555', '5550123']) {
    const { contacts } = (await service.get(`/contacts?search=${encodeURIComponent(text)}`)).body;
    expect(contacts, text).toMatchObject([{ id }]);
  }
});

describe('an import', () => {
  // Proves rules contacts.43, contacts.57.
  it.each(['4.1555E+10', '4,1555E+10', "'4.1555e+10", '+4.1555E+10', '5E+12', '####', '#NAME?', '#NUM!', '#DIV/0!', '#N/A'])(
    'skips the number %s, which a spreadsheet damaged, with a reason of its own',
    async (number) => {
      const reason = 'phone_number lost its digits in a spreadsheet: format the column as text there, and export it again';
      const { body } = await service.post('/contacts/import', { contacts: [{ phone_number: number }] });
      expect(body).toMatchObject({ imported: 0, skipped: [{ index: 0, code: 'invalid_number', reason }] });
      expect((await create(number)).body.error).toBe(reason.replace('phone_number', 'phone_number:'));
    },
  );

  it.each([
    ['+1 800 FLOWERS', ': it has letters'],
    ['+225 01 02 03 04', ': it has too few or too many digits for its country'],
    ['+52 55 1234 567', ': it has too few or too many digits for its country'],
    ['8 (495) 123-45-67', ''],
  ])('says what is wrong with %s', async (number, why) => {
    const reason = `phone_number is not a number in international format, such as +14155550100${why}`;
    expect((await service.post('/contacts/import', { contacts: [{ phone_number: number }] })).body.skipped).toEqual([
      { index: 0, code: 'invalid_number', reason },
    ]);
  });

  // Proves rules contacts.51, contacts.55.
  it('counts the tags of all spellings for one contact', async () => {
    const tags = (from: number) => Array.from({ length: 101 }, (_, index) => `tag ${from + index}`);
    const rows = [
      { phone_number: '+54 11 2345-6789', tags: tags(0) },
      { phone_number: '+54 9 11 2345-6789', tags: tags(101) },
    ];
    const { body } = await service.post('/contacts/import', { contacts: rows, on_duplicate: 'update' });
    expect(body).toMatchObject({ imported: 1, skipped: [{ index: 1, code: 'too_many' }] });
  });
});

describe('an own number', () => {
  const path = (number: string) => `/channels/chatapp-web/connections/${encodeURIComponent(number)}`;

  // Proves rule channels.23.
  it('is paired, and followed, in any spelling', async () => {
    const { body } = await service.post('/channels/chatapp-web/connections', { phone_number: '+52 1 55 1234 5678' });
    expect(body.phone_number).toBe('+525512345678');
    expect((await service.get(`${path('+5215512345678')}/status`)).body.status).toBe('qr_pending');
    await service.sandbox('POST', `/accounts/${service.accountId}/pairings/5215512345678/scan`);
    expect((await service.get(`${path('525512345678')}/status`)).body.status).toBe('connected');
    expect((await service.delete(path('+5215512345678'))).status).toBe(200);
    expect((await service.get(`${path('+525512345678')}/status`)).body.status).toBe('disconnected');
  });

  // Proves rule channels.23.
  it('that was connected in an older form keeps it', async () => {
    await connect('chatapp', '+55 11 98765-4321');
    await service.write((db) =>
      db.updateTable('channels').set({ identity: '+551187654321' }).where('identity', '=', '+5511987654321').execute(),
    );
    for (const number of ['+551187654321', '+55 11 98765-4321']) {
      expect((await connect('chatapp', number)).status).toBe(409);
      const { agent_id } = (await service.post('/agents', { name: 'Front desk', active: true })).body;
      const fields = { channel: 'chatapp', agent_id, phone_number: number };
      expect((await service.put('/entry-points/channel-defaults', fields)).status).toBe(200);
      const { body } = await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, {
        ...{ channel: 'chatapp', from: `+1415${5_550_200 + ++made}`, to: number, text: 'Hello' },
      });
      expect(body.decision).toMatchObject({ step: 'channel_default', agent_id });
      const rule = { type: 'channel_default', channels: ['chatapp'], match_config: { phone_numbers: [number] } };
      expect((await service.post(`/agents/${agent_id}/entry-points`, rule)).status).toBe(201);
      const cleared = `channel=chatapp&phone_number=${encodeURIComponent(number)}`;
      const answer = await service.delete(`/entry-points/channel-defaults?${cleared}`);
      expect(answer.body.disabled_entry_point_ids).toHaveLength(1);
    }
  });
});
