import type { Fragments } from '../../store/migration.ts';

/** What belongs to no account: the state of the service, jobs, rate limits and the request log. */
export function service({ seq }: Fragments): string[] {
  return [
    `create table service_state (
      id bigint primary key, clock_frozen bigint not null, clock_reading bigint not null, clock_offset bigint not null,
      hold text not null, faults text not null, advance_owner text, advance_until bigint not null,
      sandbox_token_digest text not null, cursor_secret text not null, identity_key text not null)`,
    `create table jobs (
      ${seq}, id text not null unique, kind text not null, account_id text references accounts (id) on delete cascade,
      payload text not null, due_at bigint not null, attempts bigint not null, lease_owner text, lease_until bigint not null,
      failure text, lane text not null, key text)`,
    'create index given_up_jobs on jobs (due_at) where failure is not null',
    'create index jobs_by_account on jobs (account_id)',
    'create index jobs_by_due on jobs (due_at, seq) where failure is null',
    // An account has at most one job for each kind and key.
    'create unique index jobs_by_key on jobs (account_id, kind, key) where key is not null and failure is null',
    'create index jobs_by_lane on jobs (lane, due_at, seq) where failure is null',
    // Partial indexes: few jobs run, and few were given up, while many wait, for example for the end of a conversation.
    'create index jobs_by_lease on jobs (lease_owner) where lease_owner is not null',
    `create table rate_windows (
      bucket text primary key, started_at bigint not null, granted bigint not null, portion bigint not null)`,
    `create table request_log (${seq}, entry text not null)`,
  ];
}
