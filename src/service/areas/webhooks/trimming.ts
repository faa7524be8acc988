import { sql } from 'kysely';
import type { MaintenanceTask } from '../../maintenance/task.ts';
import { trimming } from '../../maintenance/trimming.ts';

/**
 * Deletes old events along with their deliveries and attempts. An event is kept while one of its deliveries is queued. It is also
 * kept while a job with a key exists for the account, because such jobs queue deliveries.
 * @param keep how long they are kept, in milliseconds of the service's clock
 */
export function trimmingEvents(keep: number): MaintenanceTask {
  const unless = () => sql<boolean>`(exists (select 1 from deliveries where event_id = events.id and state = 'queued')
    or exists (select 1 from jobs
      where account_id = events.account_id and kind = 'webhook_delivery' and key is not null and failure is null))`;
  return trimming({ table: 'events', time: 'occurred_at', keep, unless });
}

/** Deletes old replays that have ended. @param keep see `trimmingEvents` */
export function trimmingReplays(keep: number): MaintenanceTask {
  return trimming({ table: 'webhook_replays', time: 'created_at', keep, unless: () => sql<boolean>`(status <> 'completed')` });
}
