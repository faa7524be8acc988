import { createHmac } from 'node:crypto';
import { iso } from '../../../contract/time/instants.ts';
import { deletedAccounts } from '../../identity/deleted-accounts.ts';
import { digest } from '../../identity/secrets.ts';
import type { Db } from '../../store/database.ts';
import { type Appointment, appointments } from '../appointments/table.ts';
import { type BookingPage, type EventType, eventTypes } from '../events/table.ts';
import { guestBookings } from './table.ts';

/** An event type with its booking page. */
export type BookedType = EventType & { readonly booking_page: BookingPage; readonly public_id: string };

/** Finds the event type of a booking page, also of one that is disabled; undefined for an unknown page. */
export async function findPage(db: Db, publicId: string): Promise<BookedType | undefined> {
  const row = await db
    .selectFrom('event_types')
    .selectAll()
    .where('public_id', '=', publicId)
    .where('account_id', 'not in', deletedAccounts(db))
    .executeTakeFirst();
  return row && (eventTypes.decode(row) as BookedType);
}

/** The token of a guest's booking. Every server of the store makes the same. @param secret of the store */
export function tokenOf(secret: string, appointmentId: string): string {
  return createHmac('sha256', secret).update(`booking ${appointmentId}`).digest('base64url');
}

/** Finds the appointment of a guest on a page; undefined for an unknown token, and when the appointment was deleted. */
export async function findBooked(db: Db, { id, account_id: accountId }: EventType, token: string): Promise<Appointment | undefined> {
  const row = await db.selectFrom('guest_bookings').selectAll().where('token', '=', digest(token)).executeTakeFirst();
  const booking = row && guestBookings.decode(row);
  if (booking?.event_id !== id) return undefined;
  return await appointments.find(db, accountId, booking.appointment_id);
}

/** A guest's booking as answers show it. */
export function bookingRecord(type: BookedType, appointment: Appointment, token: string, publicUrl: string) {
  const url = `${publicUrl}/b/${type.public_id}/bookings/${token}`;
  return {
    title: titleOf(type),
    start_time: iso(appointment.start_time),
    end_time: iso(appointment.end_time),
    status: appointment.status,
    manage_url: url,
    ics_url: `${url}.ics`,
  };
}

export function titleOf({ name, booking_page: { title } }: BookedType): string {
  return title ?? name;
}
