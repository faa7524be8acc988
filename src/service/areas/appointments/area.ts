import { appointmentHandlers } from './handlers.ts';
import { calendarImport } from './importing.ts';
import { calendarSync } from './sync.ts';
import type { Area } from '../../area.ts';

/** Appointments and the calendars that they are synced with. */
export const appointmentArea = {
  handlers: appointmentHandlers,
  jobs: { calendar_import: calendarImport, calendar_sync: calendarSync },
  rows: [{ table: 'appointments' }, { table: 'calendar_events' }],
} satisfies Area;
