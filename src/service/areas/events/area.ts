import { eventHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** Event types, which are booked. */
export const eventArea = {
  handlers: eventHandlers,
  rows: [{ table: 'event_types', dependents: [{ table: 'appointments', column: 'event_id', isKept: true }] }],
} satisfies Area;
