import type { CalendarEvent } from '../../../contract/areas/sandbox/calendar.ts';
import { iso } from '../../../contract/time/instants.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { accountJob } from '../activity/account-job.ts';
import type { Journal } from '../activity/journal.ts';
import { readConnection, removeEvent, writeEvent } from '../calendars/records.ts';
import { contacts } from '../contacts/table.ts';
import { eventTypes } from '../events/table.ts';
import { type Appointment, appointments } from './table.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    /** `event` is the calendar event to remove, when the appointment was canceled or deleted. */
    calendar_sync: { readonly appointment: string; readonly event: string | null };
  }
}

/** Queues the sync of an appointment if a calendar is connected. @param event the calendar event to remove */
export async function syncLater(db: Db, journal: Journal, appointmentId: string, event: string | null = null): Promise<void> {
  if ((await readConnection(db, journal.account.id)).connected) await queueSync(db, journal, appointmentId, event);
}

/**
 * Queues the sync of an appointment. The caller has checked that a calendar is connected. @param event the calendar event to
 * remove
 */
export async function queueSync(db: Db, { account, now }: Journal, appointmentId: string, event: string | null = null): Promise<void> {
  await enqueue(db, { kind: 'calendar_sync', accountId: account.id, payload: { appointment: appointmentId, event }, dueAt: now });
}

/** Writes an appointment to the connected calendar, or removes it from there. */
export const calendarSync = accountJob<'calendar_sync'>(async (db, { account }, { payload: { appointment: id, event } }) => {
  if (!(await readConnection(db, account.id)).connected) return;
  if (event !== null) await removeEvent(db, account.id, event);
  const appointment = await appointments.find(db, account.id, id);
  if (appointment?.status !== 'Confirmed') return;
  const externalId = appointment.ext_calendar_event_id ?? newId('cal');
  await writeEvent(db, account.id, id, appointment.imported, await eventOf(db, appointment, externalId));
  await appointments.setColumns(db, appointment, { ext_calendar_event_id: externalId, calendar_synced: true });
});

/** The calendar event for an appointment. */
async function eventOf(db: Db, appointment: Appointment, id: string): Promise<CalendarEvent> {
  const { account_id: accountId, contact_id: contactId, event_id: eventId, start_time: start, end_time: end } = appointment;
  const contact = contactId === null ? undefined : await contacts.find(db, accountId, contactId);
  const type = eventId === null ? undefined : await eventTypes.find(db, accountId, eventId);
  const name = [contact?.first_name, contact?.last_name].filter(Boolean).join(' ');
  const { email, phone_number: phone } = contact ?? {};
  return {
    id,
    summary: appointment.summary ?? [type?.name ?? 'Appointment', name].filter(Boolean).join(': '),
    ...(appointment.description !== null && { description: appointment.description }),
    start: iso(start),
    end: iso(end),
    attendees: email || phone ? [{ ...(email && { email }), ...(phone && { phone }) }] : [],
  };
}
