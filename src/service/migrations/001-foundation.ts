import { migration } from '../store/migration.ts';

export const foundation = migration('foundation', ({ seq, bytes, account }) => [
  `create table service_state (
      id bigint primary key, clock_frozen bigint not null, clock_reading bigint not null, clock_offset bigint not null,
      hold text not null, faults text not null, advance_owner text, advance_until bigint not null,
      sandbox_token_digest text not null, cursor_secret text not null, identity_key text not null)`,
  `create table accounts (
      ${seq}, id text not null unique, name text not null, email text, kind text not null,
      parent_id text references accounts (id) on delete cascade, plan text not null,
      costs_hidden bigint not null, auto_recharge_enabled bigint not null, low_credit_threshold bigint,
      own_ai_key text not null, template_provider text not null, calendar text not null,
      created_at bigint not null, updated_at bigint not null)`,
  'create index accounts_by_parent on accounts (parent_id, seq)',
  `create table balances (
      account_id text primary key references accounts (id) on delete cascade,
      millionths bigint not null check (millionths >= 0))`,
  `create table credit_ledger (
      ${seq}, id text not null unique, ${account}, at bigint not null, reason text not null,
      millionths bigint not null, is_adjustment bigint not null)`,
  'create index credit_ledger_by_account on credit_ledger (account_id, seq)',
  `create table api_keys (
      ${seq}, id text not null unique, ${account}, kind text not null, digest text not null unique, preview text not null,
      label text not null, scopes text not null, expires_at bigint, last_used_at bigint, created_at bigint not null,
      revoked_at bigint)`,
  'create index api_keys_by_account on api_keys (account_id, kind, seq)',
  "create unique index one_main_key on api_keys (account_id) where kind = 'main'",
  `create table members (
      ${seq}, id text not null unique, ${account}, name text not null, email text not null, role text not null,
      permissions text not null, created_at bigint not null, unique (account_id, email))`,
  'create index members_by_email on members (email)',
  `create table channels (
      ${seq}, id text not null unique, ${account}, channel text not null, identity text not null, name text,
      status text not null, connected_at bigint, unique (account_id, channel, identity))`,
  `create table uploads (path text primary key, ${account}, content ${bytes} not null, created_at bigint not null)`,
  'create index uploads_by_account on uploads (account_id)',
  `create table tags (
      ${seq}, id text not null unique, ${account}, name text not null, folded_name text not null, description text,
      contact_count bigint not null, created_at bigint not null, updated_at bigint not null,
      unique (account_id, folded_name))`,
  'create index tags_by_account on tags (account_id, seq)',
  `create table lists (
      ${seq}, id text not null unique, ${account}, name text not null, contact_count bigint not null,
      created_at bigint not null, updated_at bigint not null)`,
  'create index lists_by_account on lists (account_id, seq)',
  `create table events (
      ${seq}, id text not null unique, ${account}, name text not null, data text not null, occurred_at bigint not null)`,
  'create index events_by_account on events (account_id, seq)',
  `create table jobs (
      ${seq}, id text not null unique, kind text not null,
      account_id text references accounts (id) on delete cascade, payload text not null, due_at bigint not null,
      attempts bigint not null, lease_owner text, lease_until bigint not null, failure text)`,
  'create index jobs_by_due on jobs (due_at, seq) where failure is null',
  'create index jobs_by_account on jobs (account_id)',
  'create table rate_windows (bucket text primary key, started_at bigint not null, granted bigint not null)',
  `create table request_log (${seq}, entry text not null)`,
]);
