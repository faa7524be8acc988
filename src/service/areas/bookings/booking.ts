import * as z from 'zod';
import { email, filledText, id, instant, name, phoneNumber } from '../../../contract/fields.ts';
import { parseInstant } from '../../../contract/time/instants.ts';
import { loadZones } from '../../../contract/time/zones.ts';
import { ApiError, invalidField, notFound, tooMany } from '../../errors.ts';
import type { Service } from '../../http/handler.ts';
import { type Account, findAccount } from '../../identity/accounts.ts';
import { digest } from '../../identity/secrets.ts';
import type { Db } from '../../store/database.ts';
import { type Journal, withJournal } from '../activity/journal.ts';
import { bookAll } from '../appointments/booking.ts';
import { type Appointment, appointments } from '../appointments/table.ts';
import { readNumber } from '../contacts/address.ts';
import { splitName } from '../contacts/person-name.ts';
import { createContacts, findContactAt, newContact } from '../contacts/records.ts';
import { type BookedType, findPage, tokenOf } from './pages.ts';
import { bookingsToCome, offeredBetween } from './rules.ts';
import { guestBookings } from './table.ts';

/** What a guest sends. */
export const bookingSchema = z.object({
  start_time: instant(),
  name: name(),
  phone_number: phoneNumber(),
  email: email().optional(),
  company: name().optional(),
  note: filledText(2_000).optional(),
  client_id: id().optional(),
});

type Given = z.output<typeof bookingSchema>;

type Phone = Awaited<ReturnType<typeof readNumber>>;

/**
 * Books for a guest, who is the contact with the number, or becomes one (rules bookings.5 to bookings.8).
 * @throws ApiError 400 for a number that is none, or a time that is not offered; 409 when it is taken; 429 when the number has as many
 *   bookings to come as it can have
 */
export async function bookForGuest(service: Service, type: BookedType, given: Given, now: number): Promise<Appointment> {
  const { store, cursorSecret } = service;
  const [findZone, account] = await Promise.all([loadZones(), store.read((db) => findAccount(db, type.account_id))]);
  const phone = await readNumber(given.phone_number, 'phone_number', account?.defaultCountry ?? null);
  const start = parseInstant(given.start_time) as number;
  return await store.write(
    async (db) => {
      const [current, page] = [await findAccount(db, type.account_id), await findPage(db, type.public_id)];
      if (!current || !page?.booking_page.enabled) throw notFound('event');
      const client = given.client_id === undefined ? null : clientKey(given, phone.number);
      const before = client === null ? undefined : await findRepeated(db, page, client);
      if (before) return before;
      await checkNumber(db, current.id, phone.number, now);
      const { from, last } = offeredBetween(page.booking_page, findZone(page.timezone), now);
      if (start < from || start > last) throw notOffered();
      const contactId = await contactOf(db, current, phone, given, now);
      const body = { contact_id: contactId, event_id: page.id, start_time: given.start_time };
      const description = [given.name, given.note].filter((each) => each !== undefined).join('\n');
      const [outcome] = await bookAll(db, [{ account: current, body, description, now, prepared: findZone }]);
      if (!outcome || outcome instanceof ApiError) throw outcome ?? new Error('No outcome');
      const booked = await appointments.require(db, current.id, outcome.appointment_id);
      const token = digest(tokenOf(cursorSecret, booked.id));
      const row = { event_id: page.id, appointment_id: booked.id, token, phone_number: phone.number, client_id: client };
      await guestBookings.create(db, current.id, row, now);
      await withJournal(db, current, now, async (journal) => tell(journal, booked.id));
      return booked;
    },
    { accounts: [type.account_id] },
  );
}

function tell(journal: Journal, id: string): void {
  const text = 'A guest booked it on a booking page. The appointments show who comes.';
  journal.notify({ kind: 'appointment_booked', title: 'An appointment was booked', text, entity: { type: 'appointment', id } });
}

/** The 400 for a time that the page does not offer. */
export function notOffered(): ApiError {
  return invalidField('start_time', 'is not one of the slots that are offered', { reason: 'not_a_slot' });
}

/** The contact with a number, which is not changed; else a new one. */
async function contactOf(db: Db, account: Account, phone: Phone, { name: full, email, company }: Given, now: number): Promise<string> {
  const known = await findContactAt(db, account.id, 'chatapp', phone);
  if (known) return known.id;
  const contact = newContact(account.id, 'chatapp', phone, { ...splitName(full), email, company }, now);
  await withJournal(db, account, now, (journal) => createContacts(db, journal, [contact]));
  return contact.id;
}

/**
 * Identifies a request by the id that the browser gave it and by its content, so that nobody sees the booking of another guest whose
 * browser uses the same id.
 */
function clientKey({ client_id: id, start_time: start, name: full }: Given, number: string): string {
  return digest(JSON.stringify([id, parseInstant(start), full, number]));
}

async function findRepeated(db: Db, { id, account_id: accountId }: BookedType, client: string): Promise<Appointment | undefined> {
  const row = await db
    .selectFrom('guest_bookings')
    .select('appointment_id')
    .where('event_id', '=', id)
    .where('client_id', '=', client)
    .executeTakeFirst();
  return row && (await appointments.find(db, accountId, row.appointment_id));
}

/** @throws ApiError 429 when a number has as many bookings to come as it can have */
async function checkNumber(db: Db, accountId: string, number: string, now: number): Promise<void> {
  const rows = await db
    .selectFrom('guest_bookings')
    .innerJoin('appointments', 'appointments.id', 'guest_bookings.appointment_id')
    .select('appointments.start_time')
    .where('guest_bookings.account_id', '=', accountId)
    .where('guest_bookings.phone_number', '=', number)
    .where('appointments.status', '=', 'Confirmed')
    .where('appointments.start_time', '>', now)
    .execute();
  if (rows.length < bookingsToCome) return;
  const next = Math.min(...rows.map((row) => row.start_time));
  const message = `The number has ${bookingsToCome} bookings to come, as many as it can have`;
  throw tooMany(message, Math.ceil((next - now) / 1_000), { field: 'phone_number' });
}
