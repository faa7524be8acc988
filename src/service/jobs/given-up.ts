import { type MaintenanceTask, rowsOfStep } from '../maintenance/task.ts';
import type { Db } from '../store/database.ts';

/** The jobs that were given up before an instant. */
function givenUp(db: Db, before: number, limit: number) {
  return db.selectFrom('jobs').select('id').where('failure', 'is not', null).where('due_at', '<', before).limit(limit);
}

/** Deletes the jobs that were given up. @param keep how long they are kept, in milliseconds of the service's clock */
export function trimmingGivenUpJobs(keep: number): MaintenanceTask {
  return {
    isDue: async (db, now) => (await givenUp(db, now - keep, 1).executeTakeFirst()) !== undefined,
    step: async (db, now) => {
      const { numDeletedRows } = await db
        .deleteFrom('jobs')
        .where('id', 'in', givenUp(db, now - keep, rowsOfStep))
        .executeTakeFirst();
      return numDeletedRows > 0n ? 0 : undefined;
    },
  };
}
