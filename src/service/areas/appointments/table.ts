import type { appointmentStatuses, attendeeIdentifiers, importStatuses } from '../../../contract/areas/appointments/endpoints.ts';
import { accountTable } from '../../store/account-table.ts';
import { boolean, instant, integer, text } from '../../store/columns.ts';
import type { Row, StoredRow } from '../../store/table.ts';

export const appointments = accountTable(
  'appointments',
  { prefix: 'apt', record: 'appointment' },
  {
    contact_id: text().nullable(),
    event_id: text().nullable(),
    status: text<(typeof appointmentStatuses)[number]>().default('Confirmed'),
    start_time: instant(),
    end_time: instant(),
    room_name: text().nullable(),
    description: text().nullable(),
    summary: text().nullable(),
    cancelation_reason: text().nullable(),
    ext_calendar_event_id: text().nullable(),
    calendar_synced: boolean().default(false),
    imported: boolean().default(false),
    /** The calendar event that it was imported from. Unlike `ext_calendar_event_id`, it stays when the appointment is canceled. */
    imported_event: text().nullable().internal(),
    is_recurring: boolean().default(false),
    recurrence_frequency: text().nullable(),
    recurring_event_id: text().nullable(),
    recurring_interval: integer().nullable(),
    recurring_sequence: integer().nullable(),
    end_after_x_occurrences: integer().nullable(),
    booking_provider: text().nullable(),
    /** The room of the place; empty when the event type has no rooms. */
    place_room: text().default('').internal(),
    /** The number of the place in the slot, from 1; null for an appointment that takes no place. */
    place: integer().nullable().internal(),
    /** The dimensions under which the booking is counted; all null for an imported appointment. */
    campaign_id: text().nullable().internal(),
    agent_id: text().nullable().internal(),
    channel: text().nullable().internal(),
  },
);

export type Appointment = Row<typeof appointments>;

/** Imports from a calendar. The id serves as the job id in the interface. */
export const calendarImports = accountTable(
  'calendar_imports',
  { prefix: 'imp', record: 'job' },
  {
    campaign_id: text().nullable(),
    agent_id: text().nullable(),
    identifier: text<(typeof attendeeIdentifiers)[number]>(),
    status: text<(typeof importStatuses)[number]>().default('queued'),
    message: text().nullable(),
    error: text().nullable(),
  },
);

declare module '../../store/database.ts' {
  interface Database {
    appointments: StoredRow<typeof appointments>;
    calendar_imports: StoredRow<typeof calendarImports>;
  }
}
