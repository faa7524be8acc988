import { migration } from '../store/migration.ts';

/** A job that must be found again has a key: until now it was found by the text of its payload. */
export const jobKeys = migration('job keys', ({ engine }) => [
  'alter table jobs add column key text',
  `update jobs set key = ${engine === 'sqlite' ? "json_extract(payload, '$.connection')" : "payload::json ->> 'connection'"}
    where kind = 'channel_charge'`,
]);
