import { accountTable } from '../../store/account-table.ts';
import { instant, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/** The visitors of chats. They become contacts with their first message. */
export const visitors = accountTable(
  'visitors',
  { prefix: 'vis', record: 'contact' },
  {
    widget_id: text(),
    /** The digest of the token. */
    token: text(),
    /** Null until the visitor writes. */
    contact_id: text().nullable(),
    name: text().nullable(),
    email: text().nullable(),
    phone: text().nullable(),
    /** When the token was last used, to the hour. */
    used_at: instant(),
  },
);

export type Visitor = Row<typeof visitors>;

/** The messages of visitors by the ids that their browsers gave them. */
export const visitorMessages = table('visitor_messages', {
  account_id: text(),
  visitor_id: text(),
  client_id: text(),
  message_id: text(),
});

declare module '../../store/database.ts' {
  interface Database {
    visitors: StoredRow<typeof visitors>;
    visitor_messages: StoredRow<typeof visitorMessages>;
  }
}
