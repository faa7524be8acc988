import { text } from '../../store/columns.ts';
import { type StoredRow, table } from '../../store/table.ts';

/** The labels of own phone numbers. All else about a number is read from its channels. */
export const phoneNumbers = table('phone_numbers', { account_id: text(), number: text(), label: text() });

declare module '../../store/database.ts' {
  interface Database {
    phone_numbers: StoredRow<typeof phoneNumbers>;
  }
}
