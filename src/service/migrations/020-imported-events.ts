import { migration } from '../store/migration.ts';

/**
 * Keeps from which calendar event an appointment was imported, even after it is canceled. What was canceled before has lost its
 * event.
 */
export const importedEvents = migration('imported events', () => [
  'alter table appointments add column imported_event text',
  'update appointments set imported_event = ext_calendar_event_id where imported = 1',
  'drop index imported_appointments',
  'create unique index imported_appointments on appointments (account_id, imported_event) where imported_event is not null',
]);
