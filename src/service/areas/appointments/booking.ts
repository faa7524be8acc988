import type { Slot } from '../../../contract/areas/appointments/slots.ts';
import type { Db } from '../../store/database.ts';
import type { StoredContact } from '../contacts/table.ts';
import { findPlace } from './places.ts';
import type { EventType } from './records.ts';
import { type Appointment, appointments } from './table.ts';

/**
 * Books a slot for a contact, at `now`. The database refuses a place that another transaction took since it was found free;
 * then the next one is looked for.
 * @param room the room that is wanted; by default, the first one with a place
 * @throws ApiError 400 for a room that the event type does not have, 409 when all places are taken
 */
export async function book(
  db: Db,
  { id, account_id: accountId }: StoredContact,
  type: EventType,
  slot: Slot,
  room: string | undefined,
  now: number,
): Promise<Appointment> {
  for (;;) {
    const place = await findPlace(db, type, slot, room);
    const fields = { contact_id: id, event_id: type.id, start_time: slot.start, end_time: slot.end, ...place };
    const appointment = await appointments.createUnless('on conflict do nothing', db, accountId, fields, now);
    if (appointment) return appointment;
  }
}
