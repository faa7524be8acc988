import { migration } from '../store/migration.ts';

/**
 * The messages of an account in order, the index of their words, the changes of their status, and how replies were made. Maintenance
 * fills the index with the messages that are there.
 */
export const messageSearch = migration('0.3.0 search, stream and traces of messages', ({ engine, account, references, seq }) => [
  'create index messages_by_account on messages (account_id, seq)',
  // How far the words of an account's messages are in the index.
  `create table message_indexing (
    account_id text not null primary key references accounts (id) on delete cascade, indexed_through bigint not null)`,
  'create index message_indexing_by_progress on message_indexing (indexed_through)',
  ...(engine === 'sqlite' ? wordsOnSqlite : wordsOnPostgres),
  `create table message_statuses (
    ${seq}, id text not null unique, account_id text not null, contact_id text not null ${references('contacts (id)')},
    message_id text not null, message_seq bigint not null, status text not null, created_at bigint not null)`,
  'create index message_statuses_by_account on message_statuses (account_id, message_seq, seq)',
  'create index message_statuses_by_contact on message_statuses (contact_id, seq)',
  `create table reply_traces (
    ${seq}, message_id text not null unique, ${account}, contact_id text not null ${references('contacts (id)')}, reply_to text,
    source text not null, faqs text, model text, duration_ms bigint, created_at bigint not null)`,
  'create index reply_traces_by_account on reply_traces (account_id, seq)',
  'create index reply_traces_by_contact on reply_traces (contact_id, seq)',
]);

const wordsOnSqlite = [
  // The words alone: which messages have them is enough, and the messages are stored already.
  `create virtual table message_words using fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars ':_-'")`,
  `create trigger message_words_deleted after delete on messages begin
    delete from message_words where rowid = old.seq;
  end`,
];

const wordsOnPostgres = [
  'create table message_words (rowid bigint primary key references messages (seq) on delete cascade, words tsvector not null)',
  // The rows come in large batches, which need no list of pending ones that each search would read.
  'create index message_words_by_word on message_words using gin (words) with (fastupdate = off)',
];
