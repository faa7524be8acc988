import { sql } from 'kysely';
import { recipientStatuses, type RecipientStatus } from '../../../contract/areas/broadcasts/endpoints.ts';
import type { BroadcastCode } from '../../../contract/areas/errors/codes.ts';
import type { Db } from '../../store/database.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import type { Journal } from '../activity/journal.ts';
import type { Member } from '../audiences/parts.ts';
import { broadcastRecipients, recipientCounts } from '../audiences/table.ts';
import { endNotification, endStatus } from './rules.ts';

/** Reads the next waiting recipients of a broadcast. */
export async function nextRecipients(db: Db, broadcastId: string, limit: number): Promise<Member[]> {
  return await db
    .selectFrom('broadcast_recipients')
    .select(['contact_seq', 'contact_id'])
    .where('broadcast_id', '=', broadcastId)
    // Written out: for a parameter, SQLite would plan again each time, because an index is for this state.
    .where('state', '=', sql.lit('waiting'))
    .orderBy('contact_seq')
    .limit(limit)
    .execute();
}

/** A recipient that was sent its message, or failed. */
export interface Settled extends Member {
  readonly state: 'sent' | 'failed';
  readonly message_id: string | null;
  readonly at: number;
  readonly code: BroadcastCode | null;
}

/** Records the recipients as sent or failed. */
export async function settleRecipients(db: Db, broadcastId: string, recipients: readonly Settled[]): Promise<void> {
  const rows = recipients.map((recipient) => ({ broadcast_id: broadcastId, ...recipient }));
  await insertMany(db, broadcastRecipients, rows, settling);
  const failed = recipients.filter(({ state }) => state === 'failed').length;
  await countStates(db, broadcastId, { waiting: -recipients.length, sent: recipients.length - failed, failed });
}

const settling = overwriting(['broadcast_id', 'contact_seq'], ['state', 'message_id', 'at', 'code']);

/** Adds to the numbers of recipients by state. */
export async function countStates(db: Db, broadcastId: string, changes: Partial<Record<RecipientStatus, number>>): Promise<void> {
  const changed = recipientStatuses.flatMap((state) => {
    const recipients = changes[state] ?? 0;
    return recipients === 0 ? [] : [{ broadcast_id: broadcastId, state, recipients }];
  });
  await insertMany(db, recipientCounts, changed, adding);
}

const adding = 'on conflict (broadcast_id, state) do update set recipients = recipient_counts.recipients + excluded.recipients';

/** Notes that a recipient came further. One that failed, or came further already, stays as it is. */
async function advance(db: Db, broadcastId: string, contactSeq: number, state: RecipientStatus, at: number): Promise<void> {
  const one = db
    .selectFrom('broadcast_recipients')
    .select('state')
    .where('broadcast_id', '=', broadcastId)
    .where('contact_seq', '=', contactSeq);
  const before = await one.executeTakeFirst();
  if (!before || recipientStatuses.indexOf(before.state) >= recipientStatuses.indexOf(state)) return;
  await db
    .updateTable('broadcast_recipients')
    .set({ state, at, code: state === 'failed' ? 'delivery_failed' : null })
    .where('broadcast_id', '=', broadcastId)
    .where('contact_seq', '=', contactSeq)
    .execute();
  await countStates(db, broadcastId, { [before.state]: -1, [state]: 1 });
}

/**
 * Counts a delivery report for a message of a broadcast. A failed message no longer counts as sent, and when it was the last one that
 * did, the account is told that the broadcast failed.
 */
export async function countReceipt(
  db: Db,
  journal: Journal,
  { broadcastId, contactId }: { readonly broadcastId: string; readonly contactId: string },
  receipt: 'delivered' | 'read' | 'failed',
): Promise<void> {
  const { seq } = await db.selectFrom('contacts').select('seq').where('id', '=', contactId).executeTakeFirstOrThrow();
  await advance(db, broadcastId, seq, receipt, journal.now);
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
export async function countReply(db: Db, broadcastId: string, contactSeq: number, now: number): Promise<void> {
  const first = await db
    .updateTable('broadcast_recipients')
    .set({ replied: 1 })
    .where('broadcast_id', '=', broadcastId)
    .where('contact_seq', '=', contactSeq)
    .where('replied', '=', 0)
    .returning('contact_seq')
    .executeTakeFirst();
  if (!first) return;
  await advance(db, broadcastId, contactSeq, 'replied', now);
  await db
    .updateTable('broadcasts')
    .set((eb) => ({ replied: eb('replied', '+', 1) }))
    .where('id', '=', broadcastId)
    .execute();
}
