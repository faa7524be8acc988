import { instant, integer, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/** The changes of the status of contacts, and of the stage of deals. */
export const statusChanges = table('status_changes', {
  seq: integer().default(0),
  account_id: text(),
  entity_id: text(),
  from_status: text(),
  to_status: text(),
  at: instant(),
});

export type StatusChange = Row<typeof statusChanges>;

declare module '../../store/database.ts' {
  interface Database {
    status_changes: StoredRow<typeof statusChanges>;
  }
}
