import type { listAppointments } from '../../../contract/areas/appointments/endpoints.ts';
import type { getEvent } from '../../../contract/areas/events/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import type { Session } from '../../verb/noun.ts';
import { type Contact, contactLookup, contactName } from '../../lookups/contacts.ts';
import { eventLookup } from '../../lookups/events.ts';
import { readRecords } from '../../lookups/records.ts';

export type Appointment = Answer<typeof listAppointments>['appointments'][number];
type EventType = Answer<typeof getEvent>['event'];

/** What an appointment is about. */
export interface About {
  readonly event: EventType | undefined;
  readonly contact: Contact | undefined;
}

/** Reads the event types and contacts of appointments. Skips records that were deleted or that the key may not read. */
export async function readAbout({ names }: Session, appointments: readonly Appointment[]): Promise<(appointment: Appointment) => About> {
  const events = await readRecords(
    names,
    eventLookup,
    appointments.map(({ event_id: id }) => id),
  );
  const contacts = await readRecords(
    names,
    contactLookup,
    appointments.map(({ contact_id: id }) => id),
  );
  return ({ event_id: eventId, contact_id: contactId }) => ({
    event: events.get(eventId),
    contact: contacts.get(contactId),
  });
}

/** A title with the event type and the contact: `Consultation: Ada Lovelace`. */
export function appointmentTitle({ event, contact }: About): string {
  return [event?.name ?? 'Appointment', contact && contactName(contact)].filter(Boolean).join(': ');
}
