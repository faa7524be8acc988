import { migration } from '../store/migration.ts';

/** Adds the start time to the index of a contact's conversations, so that outcomes are computed from the index alone. */
export const sessionsOfContacts = migration('sessions of contacts', () => [
  'drop index chat_sessions_by_contact',
  'create index chat_sessions_by_contact on chat_sessions (contact_id, seq, started_at)',
]);
