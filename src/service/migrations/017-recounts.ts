import { migration } from '../store/migration.ts';

/** How often a rebuild has changed the counters of an account. */
export const recounts = migration('recounts', () => [
  'create table recounts (account_id text primary key references accounts (id) on delete cascade, revision bigint not null)',
]);
