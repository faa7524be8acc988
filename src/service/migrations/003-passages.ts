import { migration } from '../store/migration.ts';

/**
 * The index of FAQs by the passages of their answers, which the jobs of faq_search fill anew, what contacts were asked to choose from, and
 * which FAQs could be merged.
 */
export const passages = migration('0.3.0 passages', ({ account, integer, keyed }) => [
  'alter table chat_sessions add column choices text',
  "alter table faq_checks add column proposals text not null default '[]'",
  'drop table faq_search',
  'drop table faq_terms',
  'drop table faq_words',
  'drop table faq_spellings',
  `create table faq_search (
    faq_seq ${integer} primary key, ${account}, state text not null, is_active bigint not null, scopes text not null,
    language text not null, question_words text not null, answer_key text not null)`,
  'create index faq_search_by_account on faq_search (account_id)',
  "create index faqs_to_prepare on faq_search (account_id, faq_seq) where state <> 'ready'",
  `create table faq_passages (
    faq_seq bigint not null references faq_search (faq_seq) on delete cascade, passage bigint not null, words text not null,
    primary key (faq_seq, passage))${keyed}`,
  `create table faq_vectors (
    faq_seq bigint not null, passage bigint not null, model text not null, vector text not null, primary key (faq_seq, passage),
    foreign key (faq_seq, passage) references faq_passages (faq_seq, passage) on delete cascade)`,
  `create table faq_terms (
    scope text not null, term text not null, place bigint not null, faq_seq bigint not null, passage bigint not null,
    primary key (scope, term, place, faq_seq, passage))${keyed}`,
  `create table faq_words (scope text not null, term text not null, passages bigint not null, primary key (scope, term))${keyed}`,
  `create table faq_spellings (
    scope text not null, spelling text not null, term text not null, primary key (scope, spelling, term))${keyed}`,
  `insert into faq_search (faq_seq, account_id, state, is_active, scopes, language, question_words, answer_key)
    select seq, account_id, 'changed', is_active, '[]', 'en', '', '' from faqs`,
  // A job of the account that waits already does it all.
  "delete from jobs where kind = 'faq_search' and failure is null",
  `insert into jobs (id, kind, account_id, payload, due_at, attempts, lease_until, lane, key)
    select 'job_passages' || min(seq), 'faq_search', account_id, '{}', 0, 0, 0, 'faq_search', '' from faqs group by account_id`,
]);
