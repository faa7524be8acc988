import { migration } from '../store/migration.ts';

/** What waits to be imported, and the sources of a status, without reading the others of the account. */
export const sourcesByStatus = migration('0.3.0 sources by status', () => [
  'drop index kb_sources_waiting',
  'create index kb_sources_by_status on kb_sources (account_id, status, seq)',
]);
