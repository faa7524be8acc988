import { boolean, integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/** The audiences of broadcasts while their recipients are being fixed. */
export const audiences = table('audiences', {
  broadcast_id: text(),
  account_id: text(),
  contact_ids: json<readonly string[]>(),
  /** The lists that existed when the broadcast began. */
  list_ids: json<readonly string[]>(),
  /** The number of entries of `contact_ids` that have been read. */
  contacts_read: integer(),
  /** The `seq` up to which the contacts on lists have been read, and the last `seq` of a contact when the broadcast began. */
  last_seq: integer(),
  final_seq: integer(),
  /** The number of recipients so far. */
  total: integer(),
  is_fixed: boolean(),
});

/**
 * The recipients of a broadcast, fixed when it begins. If a contact is deleted before sending, its recipient remains and fails.
 */
export const broadcastRecipients = table('broadcast_recipients', {
  broadcast_id: text(),
  contact_seq: integer(),
  contact_id: text(),
  state: text<'waiting' | 'sent' | 'failed'>(),
  replied: boolean().default(false),
});

export type StoredAudience = Row<typeof audiences>;

declare module '../../store/database.ts' {
  interface Database {
    audiences: StoredRow<typeof audiences>;
    broadcast_recipients: StoredRow<typeof broadcastRecipients>;
  }
}
