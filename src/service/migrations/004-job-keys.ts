import { migration } from '../store/migration.ts';

/** Adds keys to jobs that must be found later. Before, they were found by the text of their payload. */
export const jobKeys = migration('job keys', ({ engine }) => [
  'alter table jobs add column key text',
  `update jobs set key = ${engine === 'sqlite' ? "json_extract(payload, '$.connection')" : "payload::json ->> 'connection'"}
    where kind = 'channel_charge'`,
]);
