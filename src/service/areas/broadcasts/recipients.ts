import { sql } from 'kysely';
import { insertMany, isAmong } from '../../store/bulk.ts';
import { type Db, prepared } from '../../store/store.ts';
import type { Receipt } from '../messages/rules.ts';
import { endStatus } from './rules.ts';

/** Whom a broadcast is for. */
export interface Audience {
  readonly contactIds: readonly string[];
  readonly listIds: readonly string[];
}

export interface Recipient {
  readonly contact_seq: number;
  readonly contact_id: string;
}

/** The contacts that are named, or are on a list that is; each once. That they are the account's was checked before. */
const audience = (db: Db) =>
  sql`select contacts.seq as contact_seq, contacts.id as contact_id from contacts
      where ${isAmong(db, 'contacts.id')}
    union
    select contacts.seq, contacts.id from list_contacts inner join contacts on contacts.seq = list_contacts.contact_seq
      where ${isAmong(db, 'list_contacts.list_id')}`;

const counted = prepared<{ count: number }>((db) => ({
  compile: () => sql<{ count: number }>`select count(*) as count from (${audience(db)}) as audience`.compile(db),
}));

const parametersOf = ({ contactIds, listIds }: Audience) => [JSON.stringify(contactIds), JSON.stringify(listIds)];

/** Counts whom a broadcast would go to now. */
export async function countAudience(db: Db, to: Audience): Promise<number> {
  const [row] = await counted(db, parametersOf(to));
  return row?.count ?? 0;
}

const fix = prepared<never>((db) => ({
  compile: () =>
    sql<never>`insert into broadcast_recipients (broadcast_id, contact_seq, contact_id, state, replied)
      select ${''}, contact_seq, contact_id, 'waiting', 0 from (${audience(db)}) as audience`.compile(db),
}));

/** Fixes who gets a broadcast, when it begins. Returns how many they are. */
export async function fixRecipients(db: Db, broadcastId: string, to: Audience): Promise<number> {
  await fix(db, [broadcastId, ...parametersOf(to)]);
  const { count } = await db
    .selectFrom('broadcast_recipients')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('broadcast_id', '=', broadcastId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Reads the next that wait for a broadcast. */
export async function waitingRecipients(db: Db, broadcastId: string, take: number): Promise<Recipient[]> {
  return await db
    .selectFrom('broadcast_recipients')
    .select(['contact_seq', 'contact_id'])
    .where('broadcast_id', '=', broadcastId)
    .where('state', '=', 'waiting')
    .orderBy('contact_seq')
    .limit(take)
    .execute();
}

/** Writes down what became of recipients. */
export async function settleRecipients(
  db: Db,
  broadcastId: string,
  recipients: readonly (Recipient & { readonly state: 'sent' | 'failed' })[],
): Promise<void> {
  const rows = recipients.map((recipient) => ({ broadcast_id: broadcastId, ...recipient, replied: 0 }));
  await insertMany(db, 'broadcast_recipients', rows, 'on conflict (broadcast_id, contact_seq) do update set state = excluded.state');
}

/** Counts what a delivery report says of a message of a broadcast: one that failed was not sent after all. */
export async function countOutcome(db: Db, broadcastId: string, outcome: Receipt): Promise<void> {
  const broadcast = await db
    .updateTable('broadcasts')
    .set((eb) => ({ [outcome]: eb(outcome, '+', 1), ...(outcome === 'failed' && { sent: eb('sent', '-', 1) }) }))
    .where('id', '=', broadcastId)
    .returning(['status', 'total', 'failed'])
    .executeTakeFirst();
  if (broadcast?.status !== 'Sent') return;
  const status = endStatus(broadcast.total, broadcast.failed);
  if (status !== 'Sent') await db.updateTable('broadcasts').set({ status }).where('id', '=', broadcastId).execute();
}

/** Counts that a contact replied to a broadcast, once. */
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
