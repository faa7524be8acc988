import { sql } from 'kysely';
import type { MaintenanceTask } from '../../maintenance/task.ts';
import { trimming } from '../../maintenance/trimming.ts';

/**
 * Deletes old events with their deliveries and attempts. An event is kept while one of its deliveries is queued, or is to be:
 * jobs with a key queue those of many events.
 * @param keep how long they are kept, in milliseconds of the service's clock
 */
export function trimmingEvents(keep: number): MaintenanceTask {
  const unless = () => sql<boolean>`(exists (select 1 from deliveries where event_id = events.id and state = 'queued')
    or exists (select 1 from jobs
      where account_id = events.account_id and kind = 'webhook_delivery' and key is not null and failure is null))`;
  return trimming({ table: 'events', time: 'occurred_at', keep, unless });
}
