import { sql } from 'kysely';
import type { MaintenanceTask } from '../../maintenance/task.ts';
import { trimming } from '../../maintenance/trimming.ts';
import { noteConversations } from '../activity/incomplete-days.ts';

/**
 * Defines the task that deletes conversations some time after their end.
 * @param keep how long they are kept after their end, in milliseconds of the service's clock
 */
export function trimmingSessions(keep: number): MaintenanceTask {
  const unless = (before: number) => sql<boolean>`(concluded_at is null or concluded_at >= ${before})`;
  return trimming({ table: 'chat_sessions', time: 'started_at', keep, unless, onDelete: noteConversations });
}
