import type { Endpoint } from '../../../contract/endpoint.ts';
import type { RequestContext } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { insertMany, insertOne } from '../../store/insert.ts';
import { type Audience, existingLists, readPart } from './parts.ts';
import { audiences, broadcastRecipients, type StoredAudience } from './table.ts';

// The recipients of a broadcast are those at the moment at which it begins (rule broadcasts.13). They are fixed in parts,
// each in its own transaction. A change of a list, or of a contact, that comes in between first fixes the rest.

/** A broadcast that begins. */
interface Beginning extends Audience {
  readonly id: string;
  readonly account_id: string;
}

/** Begins to fix the recipients of a broadcast, in the transaction that begins the broadcast. */
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

/** The audience of a broadcast that begins; undefined once the broadcast has begun. */
export async function findAudience(db: Db, broadcastId: string): Promise<StoredAudience | undefined> {
  const row = await db.selectFrom('audiences').selectAll().where('broadcast_id', '=', broadcastId).executeTakeFirst();
  return row && audiences.decode(row);
}

/** Fixes the next recipients of a broadcast that begins. @returns the audience as it is then */
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

/** Forgets the audience of a broadcast that has begun or is deleted. */
export async function dropAudience(db: Db, broadcastId: string): Promise<void> {
  await db.deleteFrom('audiences').where('broadcast_id', '=', broadcastId).execute();
}

/** Fixes all recipients that are still to be fixed on an account. Call it in a transaction before it changes lists or their contacts. */
export async function fixAll(db: Db, accountId: string): Promise<void> {
  for (;;) {
    const unfixed = await findUnfixed(db, accountId);
    if (!unfixed) return;
    await fixPart(db, unfixed);
  }
}

/** Does the same in steps, so that little is left to be done for a transaction that follows. */
export async function fixInTurns({
  service,
  account,
  write,
}: Pick<RequestContext<Endpoint>, 'service' | 'account' | 'write'>): Promise<void> {
  while (await service.store.read((db) => findUnfixed(db, account.id))) {
    const fixNext = async (db: Db) => {
      const unfixed = await findUnfixed(db, account.id);
      if (unfixed) await fixPart(db, unfixed);
    };
    // What is lost in a crash is fixed again. The transaction that follows makes it durable.
    await service.turns.run(() => write(fixNext, { isDurable: false }));
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
