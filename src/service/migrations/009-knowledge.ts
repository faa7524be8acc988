import { migration } from '../store/migration.ts';

/** Columns and tables for imports and refreshes of sources. */
export const knowledge = migration('knowledge', ({ seq, account, times }) => [
  ...[
    'url_key text',
    'filename text',
    "tier text not null default 'standard'",
    "campaigns text not null default '[]'",
    'on_platform bigint not null default 0',
    'is_refresh bigint not null default 0',
    'refresh_id text',
    'etag text',
    'last_modified text',
    'content_hash text',
  ].map((column) => `alter table kb_sources add column ${column}`),
  'create index kb_sources_by_page on kb_sources (account_id, url_key) where url_key is not null',
  'create index kb_sources_by_host on kb_sources (account_id, host, seq) where host is not null',
  "create index kb_sources_waiting on kb_sources (account_id, seq) where status in ('queued', 'processing', 'paused')",
  'create index kb_sources_by_refresh on kb_sources (refresh_id) where refresh_id is not null',
  `create table kb_refreshes (
      ${seq}, id text not null unique, ${account}, host text not null, status text not null, total bigint not null,
      pending bigint not null, succeeded bigint not null, failed bigint not null, skipped_duplicate bigint not null,
      sources_reset bigint not null, sources_cancelled bigint not null, ${times})`,
  'create index kb_refreshes_by_host on kb_refreshes (account_id, host, seq)',
  `create table kb_import_sessions (
      ${seq}, id text not null unique, ${account}, approved bigint not null, used bigint not null, expires_at bigint not null, ${times})`,
  'create index kb_import_sessions_by_account on kb_import_sessions (account_id, expires_at)',
]);
