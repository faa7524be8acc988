import type { listAppointments } from '../../../contract/areas/appointments/endpoints.ts';
import type { getEvent } from '../../../contract/areas/events/endpoints.ts';
import { InterfaceError } from '../../../client/errors.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { inParallel } from '../../../contract/in-parallel.ts';
import type { Lookup } from '../../verb/lookup.ts';
import type { Session } from '../../verb/noun.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { type Contact, contactLookup, contactName } from '../../lookups/contacts.ts';
import { eventLookup } from '../../lookups/events.ts';

export type Appointment = Answer<typeof listAppointments>['appointments'][number];
type EventType = Answer<typeof getEvent>['event'];

/** Maximum number of records that are read in parallel. */
const recordsAtOnce = 4;

/** What an appointment is about. */
export interface About {
  readonly event: EventType | undefined;
  readonly contact: Contact | undefined;
}

/** Reads the event types and contacts of appointments. Skips records that were deleted or that the key may not read. */
export async function readAbout({ names }: Session, appointments: readonly Appointment[]): Promise<(appointment: Appointment) => About> {
  const readAll = async (lookup: Lookup, ids: readonly (string | null)[]) => {
    const found = new Map<string | null, unknown>();
    await inParallel([...new Set(ids)], recordsAtOnce, async (id) => {
      if (id !== null) found.set(id, await names.record(lookup, id).catch(unlessMissing));
    });
    return found;
  };
  const events = await readAll(
    eventLookup,
    appointments.map(({ event_id: id }) => id),
  );
  const contacts = await readAll(
    contactLookup,
    appointments.map(({ contact_id: id }) => id),
  );
  return ({ event_id: eventId, contact_id: contactId }) => ({
    event: events.get(eventId) as EventType | undefined,
    contact: contacts.get(contactId) as Contact | undefined,
  });
}

/** A title with the event type and the contact: `Consultation: Ada Lovelace`. */
export function appointmentTitle({ event, contact }: About): string {
  return [event?.name ?? 'Appointment', contact && contactName(contact)].filter(Boolean).join(': ');
}

/** Ignores missing and forbidden records. @throws any other error */
function unlessMissing(error: unknown): undefined {
  const isMissing = error instanceof CliError && error.exitCode === exitCodes.notFound;
  if (!isMissing && !(error instanceof InterfaceError && error.status === 403)) throw error;
}
