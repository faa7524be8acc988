import { sql } from 'kysely';
import type { MaintenanceTask } from '../../maintenance/task.ts';
import { trimming } from '../../maintenance/trimming.ts';

/**
 * Deletes old events with their deliveries and attempts. An event is kept while one of its deliveries is queued.
 * @param keep how long they are kept, in milliseconds of the service's clock
 */
export function trimmingEvents(keep: number): MaintenanceTask {
  const unless = () => sql<boolean>`exists (select 1 from deliveries where event_id = events.id and state = 'queued')`;
  return trimming({ table: 'events', time: 'occurred_at', keep, unless });
}
