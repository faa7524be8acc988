import type { Endpoint } from '../../../contract/endpoint.ts';
import type { RequestContext } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { insertMany, insertOne } from '../../store/insert.ts';
import { type Audience, existingLists, readPart } from './parts.ts';
import { audiences, broadcastRecipients, type StoredAudience } from './table.ts';

// The recipients of a broadcast are fixed when it begins (rule broadcasts.13). They are written in parts, each in its own
// transaction. Before a list or a contact changes in the meantime, the remaining recipients are fixed first.

/** A broadcast that is about to begin. */
interface Beginning extends Audience {
  readonly id: string;
  readonly account_id: string;
}

/** Starts to fix the recipients of a broadcast, in the transaction that begins the broadcast. */
export async function beginFixing(
  db: Db,
  { id, account_id: accountId, contact_ids, list_ids: listIds }: Beginning,
): Promise<StoredAudience> {
  const { last } = await db
    .selectFrom('contacts')
    .select((eb) => eb.fn.max<number | null>('seq').as('last'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  const position = { contacts_read: 0, last_seq: 0, final_seq: last ?? 0 };
  const audience = { broadcast_id: id, account_id: accountId, contact_ids, list_ids: await existingLists(db, accountId, listIds) };
  return await insertOne(db, audiences, { ...audience, ...position, total: 0, is_fixed: false });
}

/** The audience of a broadcast while its recipients are being fixed; undefined after that. */
export async function findAudience(db: Db, broadcastId: string): Promise<StoredAudience | undefined> {
  const row = await db.selectFrom('audiences').selectAll().where('broadcast_id', '=', broadcastId).executeTakeFirst();
  return row && audiences.decode(row);
}

/** Fixes the next part of a broadcast's recipients. @returns the updated audience */
export async function fixPart(db: Db, audience: StoredAudience): Promise<StoredAudience> {
  if (audience.is_fixed) return audience;
  const { broadcast_id: broadcastId, account_id: accountId } = audience;
  const { members, position } = await readPart(db, accountId, audience, audience, audience.final_seq);
  const rows = members.map((member) => ({ broadcast_id: broadcastId, ...member, state: 'waiting' as const }));
  const added = await insertMany(db, broadcastRecipients, rows, 'on conflict do nothing returning contact_seq');
  const change = { ...position, total: audience.total + added.length, is_fixed: position === undefined };
  await db.updateTable('audiences').set(audiences.encode(change)).where('broadcast_id', '=', broadcastId).execute();
  return { ...audience, ...change };
}

/** Deletes the audience of a broadcast whose recipients are fixed, or that is deleted. */
export async function dropAudience(db: Db, broadcastId: string): Promise<void> {
  await db.deleteFrom('audiences').where('broadcast_id', '=', broadcastId).execute();
}

/**
 * Fixes all recipients that are not yet fixed for an account. Call it in a transaction before it changes lists or their contacts.
 */
export async function fixAll(db: Db, accountId: string): Promise<void> {
  for (;;) {
    const unfixed = await findUnfixed(db, accountId);
    if (!unfixed) return;
    await fixPart(db, unfixed);
  }
}

/** Same as `fixAll`, but in steps. The transaction that follows then has little left to do. */
export async function fixInSteps({
  service,
  account,
  write,
}: Pick<RequestContext<Endpoint>, 'service' | 'account' | 'write'>): Promise<void> {
  while (await service.store.read((db) => findUnfixed(db, account.id))) {
    const fixNext = async (db: Db) => {
      const unfixed = await findUnfixed(db, account.id);
      if (unfixed) await fixPart(db, unfixed);
    };
    // Work lost in a crash is repeated. The transaction that follows makes this one durable.
    await service.scheduler.run(() => write(fixNext, { isDurable: false }));
  }
}

async function findUnfixed(db: Db, accountId: string): Promise<StoredAudience | undefined> {
  const row = await db
    .selectFrom('audiences')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('is_fixed', '=', 0)
    .limit(1)
    .executeTakeFirst();
  return row && audiences.decode(row);
}
