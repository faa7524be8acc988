import type { NotedType } from '../../../contract/areas/notes/endpoints.ts';
import { accountTable } from '../../store/account-table.ts';
import { text } from '../../store/columns.ts';
import type { Row, StoredRow } from '../../store/table.ts';

/** What people wrote about contacts, deals and tasks. */
export const notes = accountTable(
  'notes',
  { prefix: 'nte', record: 'note' },
  { entity_type: text<NotedType>(), entity_id: text(), text: text(), author: text().nullable() },
);

export type Note = Row<typeof notes>;

declare module '../../store/database.ts' {
  interface Database {
    notes: StoredRow<typeof notes>;
  }
}
