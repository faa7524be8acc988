import { migration } from '../store/migration.ts';

/** Scheduled tasks, and which of them sent a message. */
export const scheduledTasks = migration('0.3.0 scheduled tasks', ({ account, seq, times }) => [
  `create table scheduled_tasks (
    ${seq}, id text not null unique, ${account}, name text not null, action text not null, contact_id text, run_at bigint not null,
    rrule text, timezone text not null, status text not null, due_at bigint, passed bigint not null, run bigint not null,
    failures bigint not null, last_run text, ${times})`,
  'create index scheduled_tasks_by_account on scheduled_tasks (account_id, seq)',
  'create index scheduled_tasks_by_contact on scheduled_tasks (contact_id)',
  'alter table messages add column scheduled_task_id text',
]);
