import { migration } from '../store/migration.ts';

/** Exports of chat sessions, the parts of their files, and the order in which they read messages. */
export const chatExports = migration('0.3.0 chat exports', ({ account, seq, times }) => [
  `create table chat_exports (
    ${seq}, id text not null unique, ${account}, status text not null, from_day text not null, to_day text not null, format text not null,
    contact_ids text, tag_id text, agent_id text, channel text, sessions bigint not null, messages bigint not null, bytes bigint not null,
    parts bigint not null, position text not null, sha256 text, expires_at bigint, error_message text, ${times})`,
  'create index chat_exports_by_account on chat_exports (account_id, seq)',
  "create unique index one_running_export on chat_exports (account_id) where status in ('queued', 'processing')",
  "create index expiring_exports on chat_exports (expires_at) where status = 'ready'",
  `create table chat_export_parts (
    ${seq}, account_id text not null, export_id text not null, number bigint not null, content text not null)`,
  'create unique index chat_export_parts_by_export on chat_export_parts (export_id, number)',
  'create index chat_export_parts_by_account on chat_export_parts (account_id, seq)',
  // The exports whose parts maintenance deletes.
  `create table discarded_exports (export_id text not null primary key, ${account})`,
  'create index messages_by_session on messages (session_id, seq)',
]);
