import { migration } from '../store/migration.ts';

/** The tables that messages, imports and broadcasts fill, each with its references. */
const references = {
  contacts: ['account_id'],
  chat_sessions: ['account_id', 'contact_id'],
  messages: ['contact_id'],
  decisions: ['contact_id'],
  credit_ledger: ['account_id'],
  contact_tags: ['tag_id', 'contact_seq'],
  list_contacts: ['list_id', 'contact_seq'],
  broadcast_recipients: ['broadcast_id'],
};

/**
 * Drops foreign keys. PostgreSQL checks each row with a query of its own, which was a quarter of its work for a send. The lock on the
 * account keeps the account and its records from being deleted meanwhile, the counters of the same transaction still refer to the
 * account, and deletions name the rows that depend on a record. SQLite keeps these foreign keys: its checks cost nothing that could
 * be measured.
 */
export const uncheckedReferences = migration('unchecked references', ({ engine }) =>
  engine === 'sqlite'
    ? []
    : Object.entries(references).flatMap(([table, columns]) =>
        columns.map((column) => `alter table ${table} drop constraint ${table}_${column}_fkey`),
      ),
);
