import { migration } from '../store/migration.ts';

/** FAQs, their search data, and the calls of writers. */
export const faqs = migration('faqs', ({ engine, seq, account, times }) => {
  // All columns of an index row are part of the key. On SQLite, `without rowid` stores them only once.
  const keyed = engine === 'sqlite' ? ' without rowid' : '';
  return [
    `create table faqs (
      ${seq}, id text not null unique, ${account}, question text not null, question_key text not null, answer text not null,
      category text, tags text not null, is_active bigint not null, is_global bigint not null, usage_count bigint not null,
      order_index bigint not null, ${times})`,
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
      faq_seq ${engine === 'sqlite' ? 'integer' : 'bigint'} primary key, ${account}, state text not null, is_active bigint not null,
      question_words text not null, answer_words text not null, scopes text not null)`,
    "create index faqs_to_prepare on faq_search (account_id, faq_seq) where state <> 'ready'",
    'create index faq_search_by_account on faq_search (account_id)',
    `create table faq_terms (
      scope text not null, term text not null, place bigint not null, faq_seq bigint not null,
      primary key (scope, term, place, faq_seq))${keyed}`,
    `create table faq_words (scope text not null, term text not null, faqs bigint not null, primary key (scope, term))${keyed}`,
    `create table faq_spellings (
      scope text not null, spelling text not null, term text not null, primary key (scope, spelling, term))${keyed}`,
    'create index campaigns_by_agent on campaigns (agent_id) where agent_id is not null',
    // An account has at most one job for each kind and key.
    'create unique index jobs_by_key on jobs (account_id, kind, key) where key is not null and failure is null',
    `create table ai_calls (
      ${seq}, id text not null unique, ${account}, at bigint not null, kind text not null, provider text not null, tier text not null,
      agent_id text, campaign_id text, message_id text, ledger_id text, has_own_key bigint not null, input_tokens bigint not null,
      cached_input_tokens bigint not null, output_tokens bigint not null, input_micro_usd bigint not null,
      cache_read_micro_usd bigint not null, output_micro_usd bigint not null)`,
    'create index ai_calls_by_account on ai_calls (account_id, at)',
    'create index ai_calls_by_message on ai_calls (message_id) where message_id is not null',
    'create index ai_calls_by_ledger on ai_calls (ledger_id) where ledger_id is not null',
  ];
});
