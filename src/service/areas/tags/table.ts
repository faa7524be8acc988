import { accountTable } from '../../store/account-table.ts';
import { integer, text } from '../../store/columns.ts';
import type { StoredRow } from '../../store/table.ts';

export const tags = accountTable(
  'tags',
  { prefix: 'tag', record: 'tag' },
  {
    name: text(),
    /** The name for comparison: names that differ only in case are the same. */
    folded_name: text().internal(),
    description: text().nullable(),
    /** Updated by the transactions that tag and untag contacts, so that listing tags need not count contacts. */
    contact_count: integer().default(0),
  },
);

declare module '../../store/database.ts' {
  interface Database {
    tags: StoredRow<typeof tags>;
  }
}
