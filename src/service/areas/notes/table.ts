import { accountTable } from '../../store/account-table.ts';
import { boolean, instant, text } from '../../store/columns.ts';
import type { StoredRow } from '../../store/table.ts';

export const notes = accountTable(
  'notes',
  { prefix: 'not', noun: 'Note' },
  {
    contact_id: text(),
    text: text(),
    pinned: boolean().default(false),
    remind_at: instant().nullable(),
  },
);

declare module '../../store/database.ts' {
  interface Database {
    notes: StoredRow<typeof notes>;
  }
}
