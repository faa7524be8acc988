import { migration } from '../store/migration.ts';

/** Keeps when tasks were completed. */
export const completedTasks = migration('completed tasks', () => [
  'alter table tasks add column completed_at bigint',
  "update tasks set completed_at = updated_at where status = 'completed'",
]);
