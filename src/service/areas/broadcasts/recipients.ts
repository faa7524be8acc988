import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { endStatus } from './rules.ts';
import { type Broadcast, broadcastRecipients } from './table.ts';

/** A recipient of a broadcast. */
interface Recipient {
  readonly contact_seq: number;
  readonly contact_id: string;
}

/** The audience of a broadcast, as JSON lists of ids. */
interface Audience {
  readonly contacts: string;
  readonly lists: string;
}

/** The named contacts and the contacts on the named lists, each once. The caller has checked that the account owns them. */
const audience = (db: Db, { contacts, lists }: Audience) =>
  sql`select contacts.seq as contact_seq, contacts.id as contact_id from contacts
      where ${isAmong(db, 'contacts.id', contacts)}
    union
    select contacts.seq, contacts.id from list_contacts inner join contacts on contacts.seq = list_contacts.contact_seq
      where ${isAmong(db, 'list_contacts.list_id', lists)}`;

const countedAudience = prepared<Audience, { count: number }>((db, $) => ({
  compile: () => sql<{ count: number }>`select count(*) as count from (${audience(db, $)}) as audience`.compile(db),
}));

const insertAudience = prepared<Audience & { broadcast: string }, never>((db, $) => ({
  compile: () =>
    sql<never>`insert into broadcast_recipients (broadcast_id, contact_seq, contact_id, state, replied)
      select ${$.broadcast}, contact_seq, contact_id, 'waiting', 0 from (${audience(db, $)}) as audience`.compile(db),
}));

function audienceOf({ contact_ids: contacts, list_ids: lists }: Pick<Broadcast, 'contact_ids' | 'list_ids'>): Audience {
  return { contacts: JSON.stringify(contacts), lists: JSON.stringify(lists) };
}

/** Counts the contacts that a broadcast would be sent to now. */
export async function countAudience(db: Db, broadcast: Pick<Broadcast, 'contact_ids' | 'list_ids'>): Promise<number> {
  const [row] = await countedAudience(db, audienceOf(broadcast));
  return row?.count ?? 0;
}

/** Stores the recipients of a broadcast when it begins. @returns their number */
export async function fixRecipients(db: Db, broadcast: Broadcast): Promise<number> {
  await insertAudience(db, { broadcast: broadcast.id, ...audienceOf(broadcast) });
  const { count } = await db
    .selectFrom('broadcast_recipients')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('broadcast_id', '=', broadcast.id)
    .executeTakeFirstOrThrow();
  return count;
}

/** Reads the next waiting recipients of a broadcast. */
export async function nextRecipients(db: Db, broadcastId: string, limit: number): Promise<Recipient[]> {
  return await db
    .selectFrom('broadcast_recipients')
    .select(['contact_seq', 'contact_id'])
    .where('broadcast_id', '=', broadcastId)
    .where('state', '=', 'waiting')
    .orderBy('contact_seq')
    .limit(limit)
    .execute();
}

/** Records which recipients were sent the broadcast, and which failed. */
export async function settleRecipients(
  db: Db,
  broadcastId: string,
  recipients: readonly (Recipient & { readonly state: 'sent' | 'failed' })[],
): Promise<void> {
  const rows = recipients.map((recipient) => ({ broadcast_id: broadcastId, ...recipient }));
  await insertMany(db, broadcastRecipients, rows, 'on conflict (broadcast_id, contact_seq) do update set state = excluded.state');
}

/** Counts a delivery report for a message of a broadcast. A failed message no longer counts as sent. */
export async function countReceipt(db: Db, broadcastId: string, receipt: 'delivered' | 'read' | 'failed'): Promise<void> {
  const broadcast = await db
    .updateTable('broadcasts')
    .set((eb) => ({ [receipt]: eb(receipt, '+', 1), ...(receipt === 'failed' && { sent: eb('sent', '-', 1) }) }))
    .where('id', '=', broadcastId)
    .returning(['status', 'total', 'failed'])
    .executeTakeFirst();
  if (broadcast?.status !== 'Sent') return;
  const status = endStatus(broadcast.total, broadcast.failed);
  if (status !== 'Sent') await db.updateTable('broadcasts').set({ status }).where('id', '=', broadcastId).execute();
}

/** Counts that a contact replied to a broadcast, once for each contact. */
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
