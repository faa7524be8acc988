import type { JobKind } from '../../contract/job-kinds.ts';
import { integer, json, text } from '../store/columns.ts';
import { type StoredRow, table } from '../store/table.ts';

export const jobs = table('jobs', {
  seq: integer().default(0),
  id: text(),
  kind: text<JobKind>(),
  /** Jobs of one lane share a part of the runner, so that a slow lane does not delay others. */
  lane: text(),
  account_id: text().nullable(),
  payload: json<unknown>(),
  /** Identifies the job within its account and kind. */
  key: text().nullable(),
  /** By the service's clock. */
  due_at: integer(),
  attempts: integer().default(0),
  /** The process that runs it, and the real time at which its lease expires. Without a process, the job waits until that time. */
  lease_owner: text().nullable(),
  lease_until: integer().default(0),
  /** The text of the last error, if the job was given up. */
  failure: text().nullable(),
});

declare module '../store/database.ts' {
  interface Database {
    jobs: StoredRow<typeof jobs>;
  }
}
