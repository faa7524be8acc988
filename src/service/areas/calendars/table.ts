import type { CalendarEvent } from '../../../contract/areas/sandbox/calendar.ts';
import { integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/** The events in the external calendars of accounts. */
export const calendarEvents = table('calendar_events', {
  seq: integer().default(0),
  account_id: text(),
  id: text(),
  /** The appointment that the event was created from; null for the calendar's own events. */
  appointment_id: text().nullable(),
  event: json<CalendarEvent>(),
});

export type StoredCalendarEvent = Row<typeof calendarEvents>;

declare module '../../store/database.ts' {
  interface Database {
    calendar_events: StoredRow<typeof calendarEvents>;
  }
}
