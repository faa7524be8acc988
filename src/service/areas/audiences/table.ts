import type { RecipientStatus } from '../../../contract/areas/broadcasts/endpoints.ts';
import type { BroadcastCode } from '../../../contract/areas/errors/codes.ts';
import { boolean, instant, integer, json, text } from '../../store/columns.ts';
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
  state: text<RecipientStatus>(),
  replied: boolean().default(false),
  /** The message that it was sent. It stays here when the message is no longer kept. */
  message_id: text().nullable(),
  /** When it came to its state; null while it waits. */
  at: instant().nullable(),
  /** Why it failed. Null also for a broadcast of an earlier version, where nothing tells it. */
  code: text<BroadcastCode>().nullable(),
});

/** How many recipients of a broadcast stand where. There are none until all of them are fixed. */
export const recipientCounts = table('recipient_counts', {
  broadcast_id: text(),
  state: text<RecipientStatus>(),
  recipients: integer(),
});

export type StoredAudience = Row<typeof audiences>;

declare module '../../store/database.ts' {
  interface Database {
    audiences: StoredRow<typeof audiences>;
    broadcast_recipients: StoredRow<typeof broadcastRecipients>;
    recipient_counts: StoredRow<typeof recipientCounts>;
  }
}
