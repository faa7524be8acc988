import { migration } from '../store/migration.ts';

/** How often the counters of an account were changed by a rebuild. */
export const recounts = migration('recounts', () => [
  'create table recounts (account_id text primary key references accounts (id) on delete cascade, revision bigint not null)',
]);
