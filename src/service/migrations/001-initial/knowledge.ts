import type { Fragments } from '../../store/migration.ts';

/** Sources and FAQs, with the search data of these. */
export function knowledge({ account, integer, keyed, seq, times }: Fragments): string[] {
  return [
    `create table kb_sources (
      ${seq}, id text not null unique, ${account}, url text, host text, storage_path text, title text, status text not null,
      faq_count bigint not null, section_count bigint not null, error_message text, refreshed_at bigint, url_key text,
      filename text, tier text not null, campaigns text not null, on_platform bigint not null, is_refresh bigint not null,
      refresh_id text, etag text, last_modified text, content_hash text, ${times})`,
    'create index kb_sources_by_account on kb_sources (account_id, seq)',
    'create index kb_sources_by_host on kb_sources (account_id, host, seq) where host is not null',
    'create index kb_sources_by_page on kb_sources (account_id, url_key) where url_key is not null',
    'create index kb_sources_by_refresh on kb_sources (refresh_id) where refresh_id is not null',
    "create index kb_sources_waiting on kb_sources (account_id, seq) where status in ('queued', 'processing', 'paused')",
    `create table kb_refreshes (
      ${seq}, id text not null unique, ${account}, host text not null, status text not null, total bigint not null,
      pending bigint not null, succeeded bigint not null, failed bigint not null, skipped_duplicate bigint not null,
      sources_reset bigint not null, sources_cancelled bigint not null, ${times})`,
    'create index kb_refreshes_by_host on kb_refreshes (account_id, host, seq)',
    `create table kb_import_sessions (
      ${seq}, id text not null unique, ${account}, approved bigint not null, used bigint not null, expires_at bigint not null,
      ${times})`,
    'create index kb_import_sessions_by_account on kb_import_sessions (account_id, expires_at)',
    `create table agent_sources (
      agent_id text not null references agents (id) on delete cascade,
      source_id text not null references kb_sources (id) on delete cascade, primary key (agent_id, source_id))`,
    'create index agent_sources_by_source on agent_sources (source_id)',
    `create table faqs (
      ${seq}, id text not null unique, ${account}, question text not null, question_key text not null, answer text not null,
      category text, tags text not null, is_active bigint not null, is_global bigint not null, usage_count bigint not null,
      order_index bigint not null, drafted text, ${times})`,
    'create index faqs_by_account on faqs (account_id, seq)',
    'create index faqs_by_question on faqs (account_id, question_key)',
    `create table faq_links (
      campaign_id text not null references campaigns (id) on delete cascade,
      faq_seq bigint not null references faqs (seq) on delete cascade, primary key (campaign_id, faq_seq))`,
    'create index faq_links_by_faq on faq_links (faq_seq)',
    `create table faq_sources (
      source_id text not null references kb_sources (id) on delete cascade,
      faq_seq bigint not null references faqs (seq) on delete cascade, primary key (source_id, faq_seq))`,
    'create index faq_sources_by_faq on faq_sources (faq_seq)',
    // Search data outlive their FAQ, so that the index entries of a deleted FAQ can still be found.
    `create table faq_search (
      faq_seq ${integer} primary key, ${account}, state text not null, is_active bigint not null,
      question_words text not null, answer_words text not null, scopes text not null)`,
    'create index faq_search_by_account on faq_search (account_id)',
    "create index faqs_to_prepare on faq_search (account_id, faq_seq) where state <> 'ready'",
    `create table faq_terms (
      scope text not null, term text not null, place bigint not null, faq_seq bigint not null,
      primary key (scope, term, place, faq_seq))${keyed}`,
    `create table faq_words (scope text not null, term text not null, faqs bigint not null, primary key (scope, term))${keyed}`,
    `create table faq_spellings (
      scope text not null, spelling text not null, term text not null, primary key (scope, spelling, term))${keyed}`,
  ];
}
