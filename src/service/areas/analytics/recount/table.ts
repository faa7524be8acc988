import { integer, text } from '../../../store/columns.ts';
import { type StoredRow, table } from '../../../store/table.ts';

/** The revision of an account's counters. A rebuild that finds a different revision than at its start begins again. */
export const recounts = table('recounts', {
  account_id: text(),
  revision: integer(),
});

declare module '../../../store/database.ts' {
  interface Database {
    recounts: StoredRow<typeof recounts>;
  }
}
