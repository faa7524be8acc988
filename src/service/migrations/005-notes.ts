import { migration } from '../store/migration.ts';

export const notes = migration('notes', ({ seq, account, times }) => [
  `create table notes (
      ${seq}, id text not null unique, ${account}, contact_id text not null references contacts (id) on delete cascade,
      text text not null, pinned bigint not null, remind_at bigint, ${times})`,
  'create index notes_by_account on notes (account_id, seq)',
  'create index notes_by_contact on notes (contact_id, seq)',
]);
