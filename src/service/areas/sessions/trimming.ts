import { sql } from 'kysely';
import type { MaintenanceTask } from '../../maintenance/task.ts';
import { trimming } from '../../maintenance/trimming.ts';

/**
 * Deletes conversations that concluded long ago.
 * @param keep how long they are kept after that, in milliseconds of the service's clock
 */
export function trimmingSessions(keep: number): MaintenanceTask {
  const unless = (before: number) => sql<boolean>`(concluded_at is null or concluded_at >= ${before})`;
  return trimming({ table: 'chat_sessions', time: 'started_at', keep, unless });
}
