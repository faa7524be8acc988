import type { Fragments } from '../../store/migration.ts';

/** Accounts with their keys, members, credits and uploads. */
export function accounts({ account, bytes, references, seq, times }: Fragments): string[] {
  return [
    `create table accounts (
      ${seq}, id text not null unique, name text not null, email text, kind text not null,
      parent_id text references accounts (id) on delete cascade, plan text not null, costs_hidden bigint not null,
      auto_recharge_enabled bigint not null, low_credit_threshold bigint, own_ai_key text not null,
      template_provider text not null, calendar text not null, deleted_at bigint, ${times})`,
    'create index accounts_by_parent on accounts (parent_id, seq)',
    'create index deleted_accounts on accounts (id) where deleted_at is not null',
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
    `create table balances (
      account_id text primary key references accounts (id) on delete cascade,
      millionths bigint not null check (millionths >= 0), spent_month bigint not null, spent_millionths bigint not null)`,
    `create table credit_ledger (
      ${seq}, id text not null unique, account_id text not null ${references('accounts (id)')}, at bigint not null,
      reason text not null, millionths bigint not null, is_adjustment bigint not null, campaign_id text, agent_id text,
      message_id text, channel text)`,
    'create index credit_ledger_by_agent on credit_ledger (account_id, agent_id, at, seq) where agent_id is not null',
    'create index credit_ledger_by_campaign on credit_ledger (account_id, campaign_id, at, seq) where campaign_id is not null',
    'create index credit_ledger_by_time on credit_ledger (account_id, at, seq)',
    `create table uploads (path text primary key, ${account}, content ${bytes} not null, created_at bigint not null)`,
    'create index uploads_by_account on uploads (account_id)',
  ];
}
