import type { Db } from '../../store/database.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import type { Journal } from '../activity/journal.ts';
import type { Member } from '../audiences/parts.ts';
import { broadcastRecipients } from '../audiences/table.ts';
import { endNotification, endStatus } from './rules.ts';

/** Reads the next waiting recipients of a broadcast. */
export async function nextRecipients(db: Db, broadcastId: string, limit: number): Promise<Member[]> {
  return await db
    .selectFrom('broadcast_recipients')
    .select(['contact_seq', 'contact_id'])
    .where('broadcast_id', '=', broadcastId)
    .where('state', '=', 'waiting')
    .orderBy('contact_seq')
    .limit(limit)
    .execute();
}

/** Records the recipients as sent or failed. */
export async function settleRecipients(
  db: Db,
  broadcastId: string,
  recipients: readonly (Member & { readonly state: 'sent' | 'failed' })[],
): Promise<void> {
  const rows = recipients.map((recipient) => ({ broadcast_id: broadcastId, ...recipient }));
  await insertMany(db, broadcastRecipients, rows, overwriting(['broadcast_id', 'contact_seq'], ['state']));
}

/**
 * Counts a delivery report for a message of a broadcast. A failed message no longer counts as sent, and when it was the last one that
 * did, the account is told that the broadcast failed.
 */
export async function countReceipt(db: Db, journal: Journal, broadcastId: string, receipt: 'delivered' | 'read' | 'failed'): Promise<void> {
  const broadcast = await db
    .updateTable('broadcasts')
    .set((eb) => ({ [receipt]: eb(receipt, '+', 1), ...(receipt === 'failed' && { sent: eb('sent', '-', 1) }) }))
    .where('id', '=', broadcastId)
    .returning(['id', 'name', 'status', 'total', 'failed'])
    .executeTakeFirst();
  if (broadcast?.status !== 'Sent') return;
  const status = endStatus(broadcast.total, broadcast.failed);
  if (status === 'Sent') return;
  await db.updateTable('broadcasts').set({ status }).where('id', '=', broadcastId).execute();
  journal.notify(endNotification(broadcast, status));
}

/** Counts the reply of a contact to a broadcast, once for each contact. */
export async function countReply(db: Db, broadcastId: string, contactSeq: number): Promise<void> {
  const first = await db
    .updateTable('broadcast_recipients')
    .set({ replied: 1 })
    .where('broadcast_id', '=', broadcastId)
    .where('contact_seq', '=', contactSeq)
    .where('replied', '=', 0)
    .returning('contact_seq')
    .executeTakeFirst();
  if (!first) return;
  await db
    .updateTable('broadcasts')
    .set((eb) => ({ replied: eb('replied', '+', 1) }))
    .where('id', '=', broadcastId)
    .execute();
}
