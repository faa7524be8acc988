import { migration } from '../store/migration.ts';

/** The index of the conversations of a contact has their beginnings, so that outcomes do not read the conversations. */
export const sessionsOfContacts = migration('sessions of contacts', () => [
  'drop index chat_sessions_by_contact',
  'create index chat_sessions_by_contact on chat_sessions (contact_id, seq, started_at)',
]);
