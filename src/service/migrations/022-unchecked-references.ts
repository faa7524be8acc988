import { migration } from '../store/migration.ts';

const references = ['contacts_account_id', 'chat_sessions_account_id', 'chat_sessions_contact_id', 'messages_contact_id'];

/**
 * Drops the foreign keys of the records of a message. PostgreSQL checks each row with a query of its own, which is a quarter of its
 * work for a send. The lock on the account keeps the account and its contacts from being deleted meanwhile, the counters of the same
 * transaction still refer to the account, and deletions name the rows that depend on a record. SQLite keeps these foreign keys:
 * its checks cost nothing that could be measured.
 */
export const uncheckedReferences = migration('unchecked references', ({ engine }) =>
  engine === 'sqlite'
    ? []
    : [...references, 'decisions_contact_id', 'credit_ledger_account_id'].map((reference) => {
        const table = reference.replace(/_(account|contact)_id$/, '');
        return `alter table ${table} drop constraint if exists ${reference}_fkey`;
      }),
);
