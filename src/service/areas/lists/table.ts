import { accountTable } from '../../store/account-table.ts';
import { integer, text } from '../../store/columns.ts';
import type { StoredRow } from '../../store/table.ts';

export const lists = accountTable(
  'lists',
  { prefix: 'lst', record: 'list' },
  {
    name: text(),
    /** Updated by the transactions that add and remove contacts. */
    contact_count: integer().default(0),
  },
);

declare module '../../store/database.ts' {
  interface Database {
    lists: StoredRow<typeof lists>;
  }
}
