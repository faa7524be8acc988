import { integer, text } from '../../../store/columns.ts';
import { type StoredRow, table } from '../../../store/table.ts';

/** How often the counters of an account were changed by a rebuild, so that two rebuilds at the same time do not both add what differs. */
export const recounts = table('recounts', {
  account_id: text(),
  revision: integer(),
});

declare module '../../../store/database.ts' {
  interface Database {
    recounts: StoredRow<typeof recounts>;
  }
}
