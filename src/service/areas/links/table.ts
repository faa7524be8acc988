import { accountTable } from '../../store/account-table.ts';
import { integer, text } from '../../store/columns.ts';
import type { StoredRow } from '../../store/table.ts';

/** Short links. Slugs are unique across all accounts, because the public path does not contain an account. */
export const links = accountTable(
  'short_links',
  { prefix: 'lnk', record: 'short_link' },
  {
    slug: text(),
    url: text(),
    clicks: integer().default(0),
  },
);

declare module '../../store/database.ts' {
  interface Database {
    short_links: StoredRow<typeof links>;
  }
}
