import { type OldRecords, trimming } from '../../maintenance/trimming.ts';
import type { MaintenanceTask } from '../../maintenance/task.ts';
import { noteDeleted } from './incomplete-days.ts';

/** Deletes expired records that counters count, as `trimming` does, and notes their days. */
export function trimmingCounted(records: OldRecords): MaintenanceTask {
  const { table, time } = records;
  return trimming({ ...records, onDelete: (db, isDeleted) => noteDeleted(db, table, time, isDeleted) });
}
