import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { TestService } from '../../support/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await TestService.open();
});

beforeEach(async () => {
  await service.freshAccount();
});

afterAll(() => service.close());

const createContact = async (phone: string) => (await service.post('/contacts', { phone_number: phone })).body.contact.id as string;

const createNote = async (contactId: string, more: object = {}) =>
  (await service.post('/notes', { contact_id: contactId, text: 'Prefers calls', ...more })).body.note as { id: string };

it('makes a note and shows it, alone and in the list', async () => {
  const contact = await createContact('+14155550123');
  const { status, body } = await service.post('/notes', { contact_id: contact, text: ' Prefers calls ' });
  const now = new Date(service.clock.now).toISOString();
  expect([status, body.note]).toEqual([
    201,
    {
      id: expect.stringMatching(/^not_/),
      contact_id: contact,
      text: 'Prefers calls',
      pinned: false,
      remind_at: null,
      created_at: now,
      updated_at: now,
    },
  ]);
  expect((await service.get(`/notes/${body.note.id}`)).body.note).toEqual(body.note);
  expect((await service.get('/notes')).body).toEqual({ success: true, notes: [body.note], next_cursor: null });
});

it('lists the notes of all contacts or of one, in pages', async () => {
  const [ann, bob] = [await createContact('+14155550123'), await createContact('+14155550124')];
  const first = await createNote(ann);
  const second = await createNote(bob);
  const third = await createNote(ann);
  expect((await service.get('/notes')).body.notes).toEqual([third, second, first]);
  const { notes, next_cursor: cursor } = (await service.get(`/notes?contact_id=${ann}&limit=1`)).body;
  expect(notes).toEqual([third]);
  expect((await service.get(`/notes?contact_id=${ann}&limit=1&cursor=${cursor}`)).body).toMatchObject({
    notes: [first],
    next_cursor: null,
  });
});

it('changes what is given, and keeps the rest', async () => {
  const contact = await createContact('+14155550123');
  const note = await createNote(contact, { pinned: true, remind_at: '2027-03-02T15:00:00+01:00' });
  expect(note).toMatchObject({ pinned: true, remind_at: '2027-03-02T14:00:00.000Z' });
  service.clock.now += 1000;
  const { body } = await service.put(`/notes/${note.id}`, { pinned: false, remind_at: null, contact_id: 'con_x' });
  expect(body.note).toEqual({ ...note, pinned: false, remind_at: null, updated_at: new Date(service.clock.now).toISOString() });
  expect((await service.put(`/notes/${note.id}`, { contact_id: contact })).body.error).toBe('No fields to update');
});

it('refuses what is wrong', async () => {
  const contact = await createContact('+14155550123');
  const note = await createNote(contact);
  for (const wrong of [{ text: ' ' }, { text: 'x'.repeat(10_001) }, { pinned: 'yes' }, { pinned: null }, { remind_at: 'tomorrow' }]) {
    expect([wrong, (await service.post('/notes', { contact_id: contact, text: 'x', ...wrong })).status]).toEqual([wrong, 400]);
    expect([wrong, (await service.put(`/notes/${note.id}`, wrong)).status]).toEqual([wrong, 400]);
  }
  expect((await service.post('/notes', { text: 'x' })).status).toBe(400);
  expect((await service.get('/notes')).body.notes).toEqual([note]);
});

it('is made on a contact of the account only', async () => {
  const contact = await createContact('+14155550123');
  const { api_key: key } = await service.makeAccount();
  for (const [id, options] of [['con_x'], [contact, { key }]] as const) {
    expect((await service.post('/notes', { contact_id: id, text: 'x' }, options)).status).toBe(404);
    expect((await service.get(`/notes?contact_id=${id}`, options)).status).toBe(404);
  }
});

it('is deleted, once, or with its contact', async () => {
  const contact = await createContact('+14155550123');
  const [one, other] = [await createNote(contact), await createNote(contact)];
  expect((await service.delete(`/notes/${one.id}`)).body).toEqual({ success: true });
  expect((await service.delete(`/notes/${one.id}`)).status).toBe(404);
  await service.delete(`/contacts/${contact}`);
  expect((await service.get(`/notes/${other.id}`)).status).toBe(404);
});
