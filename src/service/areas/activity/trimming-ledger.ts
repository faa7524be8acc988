import type { MaintenanceTask } from '../../maintenance/task.ts';
import { trimming } from '../../maintenance/trimming.ts';
import { noteDeleted } from './incomplete-days.ts';

/** Defines the task that deletes records of the credit ledger. @param keep how long they are kept, in milliseconds */
export function trimmingLedger(keep: number): MaintenanceTask {
  return trimming({
    table: 'credit_ledger',
    time: 'at',
    keep,
    onDelete: (db, isDeleted) => noteDeleted(db, 'credit_ledger', 'at', isDeleted),
  });
}
