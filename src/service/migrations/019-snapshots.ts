import { migration } from '../store/migration.ts';

/** The configuration of accounts that agencies keep, and what applying it to sub-accounts did. */
export const snapshots = migration('0.3.0 snapshots', ({ account, seq, times, bytes }) => [
  `create table snapshots (
    ${seq}, id text not null unique, ${account}, name text not null, description text, source_id text not null, counts text not null,
    bytes bigint not null, ${times})`,
  'create index snapshots_by_account on snapshots (account_id, seq)',
  `create table snapshot_contents (
    snapshot_id text not null primary key references snapshots (id) on delete cascade, records ${bytes} not null)`,
  `create table snapshot_jobs (
    ${seq}, id text not null unique, ${account}, snapshot_id text not null references snapshots (id) on delete cascade,
    on_conflict text not null, ${times})`,
  'create index snapshot_jobs_by_snapshot on snapshot_jobs (snapshot_id)',
  'create index snapshot_jobs_by_account on snapshot_jobs (account_id, seq)',
  `create table snapshot_job_accounts (
    job_id text not null references snapshot_jobs (id) on delete cascade, position bigint not null, target_id text not null,
    status text not null, plan text, created bigint not null, updated bigint not null, skipped bigint not null, error text,
    needs_attention text not null, primary key (job_id, position))`,
]);
