import { migration } from '../store/migration.ts';

/** Invitations and the choice of an account, the settings of an account, notifications, error records. */
export const teamConfigNotifications = migration('0.3.0 team, config, notifications, errors', ({ account, seq }) => [
  'alter table members add column activated_at bigint',
  'update members set activated_at = created_at',
  `create table account_choices (
    email text not null primary key, member_id text not null references members (id) on delete cascade)`,
  'create index account_choices_by_member on account_choices (member_id)',
  'alter table accounts add column business_name text',
  "alter table accounts add column timezone text not null default 'UTC'",
  'alter table accounts add column language text',
  'alter table accounts add column default_country text',
  'alter table accounts add column session_hours bigint not null default 24',
  'alter table accounts add column quiet_hours text',
  'alter table accounts add column auto_recharge_credits bigint not null default 1000000000',
  'alter table chat_sessions add column concludes_after bigint not null default 86400000',
  `create table notifications (
    ${seq}, id text not null unique, ${account}, kind text not null, title text not null, text text not null, entity_type text,
    entity_id text, read_at bigint, created_at bigint not null)`,
  'create index notifications_by_account on notifications (account_id, seq)',
  'create index notifications_by_kind on notifications (account_id, kind, seq)',
  'create index notifications_unread on notifications (account_id, seq) where read_at is null',
  'create index notifications_read on notifications (account_id, seq) where read_at is not null',
  'create index notifications_unread_by_kind on notifications (account_id, kind, seq) where read_at is null',
  'create index notifications_read_by_kind on notifications (account_id, kind, seq) where read_at is not null',
  `create table error_records (
    ${seq}, id text not null unique, ${account}, source text not null, code text not null, entity_type text not null, entity_id text,
    contact_id text, repeat_key text, count bigint not null, first_at bigint not null, last_at bigint not null)`,
  'create index error_records_by_account on error_records (account_id, seq)',
  'create index error_records_by_source on error_records (account_id, source, seq)',
  'create index error_records_by_code on error_records (account_id, code, seq)',
  'create index error_records_by_source_and_code on error_records (account_id, source, code, seq)',
  'create index error_records_by_time on error_records (account_id, first_at, seq)',
  'create index error_records_by_entity on error_records (account_id, entity_id, seq) where entity_id is not null',
  'create index error_records_by_contact on error_records (account_id, contact_id, seq) where contact_id is not null',
  'create index error_records_repeated on error_records (repeat_key, seq) where repeat_key is not null',
]);
