import { migration } from '../store/migration.ts';

/** What was read of sources. Those imported before have no text until they are read again. */
export const kbTexts = migration('0.3.0 texts of sources', ({ account }) => [
  `create table kb_texts (
    source_id text not null primary key references kb_sources (id) on delete cascade, ${account}, kept bigint not null,
    sections text not null)`,
  'create index kb_texts_by_account on kb_texts (account_id)',
]);
