import { bytes, instant, text } from '../../store/columns.ts';
import { type StoredRow, table } from '../../store/table.ts';

/** The files in the storage of accounts. */
export const uploads = table('uploads', {
  path: text(),
  account_id: text(),
  content: bytes(),
  created_at: instant(),
});

declare module '../../store/database.ts' {
  interface Database {
    uploads: StoredRow<typeof uploads>;
  }
}
