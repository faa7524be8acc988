import type { taskStatuses } from '../../../contract/areas/tasks/endpoints.ts';
import { accountTable } from '../../store/account-table.ts';
import { instant, text } from '../../store/columns.ts';
import type { StoredRow } from '../../store/table.ts';

export const tasks = accountTable(
  'tasks',
  { prefix: 'tsk', record: 'task' },
  {
    title: text(),
    description: text().nullable(),
    contact_id: text().nullable(),
    assignee: text().nullable(),
    due_at: instant().nullable(),
    status: text<(typeof taskStatuses)[number]>().default('open'),
    /** Null for an open task. */
    completed_at: instant().nullable().internal(),
  },
);

declare module '../../store/database.ts' {
  interface Database {
    tasks: StoredRow<typeof tasks>;
  }
}
