import type { Retention } from '../../maintenance/retention.ts';
import type { MaintenanceTask } from '../../maintenance/task.ts';
import { trimming } from '../../maintenance/trimming.ts';

/** Deletes old notifications or error records. They are kept as long as events. @param time the column that tells how old one is */
export function trimmingNotices(table: 'notifications' | 'error_records', time: string, { events }: Retention): MaintenanceTask | null {
  return events === null ? null : trimming({ table, time, keep: events });
}
