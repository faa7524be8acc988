import { migration } from '../store/migration.ts';

/** Adds tables and columns for long work in steps: deletions, the start of broadcasts, and the trimming of old records. */
export const longWork = migration('long work', ({ account }) => [
  'alter table accounts add column deleted_at bigint',
  'create index deleted_accounts on accounts (id) where deleted_at is not null',
  // A partial index on the jobs that were given up, which are few.
  'create index given_up_jobs on jobs (due_at) where failure is not null',
  `create table audiences (
      broadcast_id text primary key references broadcasts (id) on delete cascade, ${account}, contact_ids text not null,
      list_ids text not null, contacts_read bigint not null, last_seq bigint not null, final_seq bigint not null,
      total bigint not null, is_fixed bigint not null)`,
  'create index audiences_by_account on audiences (account_id)',
]);
