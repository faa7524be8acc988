import type { ErrorCode } from '../../../contract/areas/errors/codes.ts';
import type { Action } from '../../../contract/areas/schedules/action.ts';
import type { ScheduleStatus } from '../../../contract/areas/schedules/endpoints.ts';
import { accountTable } from '../../store/account-table.ts';
import { instant, integer, json, text } from '../../store/columns.ts';
import type { Row, StoredRow } from '../../store/table.ts';

export const schedules = accountTable(
  'scheduled_tasks',
  { prefix: 'sch', record: 'scheduled_task' },
  {
    name: text(),
    action: json<Action>(),
    /** The contact that the action names. */
    contact_id: text().nullable(),
    run_at: instant(),
    rrule: text().nullable(),
    timezone: text(),
    status: text<ScheduleStatus>().default('active'),
    /** The next occurrence, also while the task is paused; null when none is left. */
    due_at: instant().nullable(),
    /** The number of occurrences before that. */
    passed: integer().default(0),
    /** Incremented whenever another job is queued. A job with an earlier number does nothing. */
    run: integer().default(0),
    /** The number of occurrences in a row that failed. */
    failures: integer().default(0),
    last_run: json<LastRun>().nullable(),
  },
);

export type ScheduledTask = Row<typeof schedules>;

/** What an action made. */
export interface Made {
  readonly message_id: string | null;
  readonly task_id: string | null;
  readonly broadcast_id: string | null;
}

/** What an action made that leaves no record of its own. */
export const nothingMade: Made = { message_id: null, task_id: null, broadcast_id: null };

/** What came of the last run, at an instant in epoch milliseconds. */
export interface LastRun extends Made {
  readonly at: number;
  /** Null when it did what it was to do. */
  readonly code: ErrorCode | null;
}

declare module '../../store/database.ts' {
  interface Database {
    scheduled_tasks: StoredRow<typeof schedules>;
  }
}
