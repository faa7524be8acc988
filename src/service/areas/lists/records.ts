import { isAmong } from '../../store/bulk.ts';
import { iso } from '../../clock/clock.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../identity/secrets.ts';
import type { ListsTable } from '../../store/schema.ts';
import { type Db, prepared } from '../../store/store.ts';

const columns = ['seq', 'id', 'name', 'contact_count', 'created_at', 'updated_at'] as const;

/** A contact list as answers show it (5/B, Lists). */
export function listRecord(row: Omit<ListsTable, 'seq' | 'account_id'>) {
  return {
    id: row.id,
    name: row.name,
    contact_count: row.contact_count,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** Reads an account's contact lists by descending `seq`, below `before`. */
export async function listLists(db: Db, accountId: string, before: number | undefined, take: number) {
  const query = db.selectFrom('lists').select(columns).where('account_id', '=', accountId).orderBy('seq', 'desc').limit(take);
  return await (before === undefined ? query : query.where('seq', '<', before)).execute();
}

export async function insertList(db: Db, accountId: string, name: string, now: number) {
  const row = await db
    .insertInto('lists')
    .values({ id: newId('lst'), account_id: accountId, name, contact_count: 0, created_at: now, updated_at: now })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return listRecord(row);
}

/** Renames a list. Returns its record; undefined when the account has none of that id. */
export async function renameList(db: Db, accountId: string, id: string, name: string, now: number) {
  const row = await db
    .updateTable('lists')
    .set({ name, updated_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst();
  return row && listRecord(row);
}

/** @throws ApiError 404 when the account has no such list */
export async function requireList(db: Db, accountId: string, id: string) {
  const row = await db.selectFrom('lists').select(columns).where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('List');
  return row;
}

const manyLists = prepared<{ id: string; account_id: string }>((db) =>
  db.selectFrom('lists').select(['id', 'account_id']).where(isAmong(db, 'id')),
);

/** @throws ApiError 404 when the account lacks one of them */
export async function requireLists(db: Db, accountId: string, ids: readonly string[]): Promise<void> {
  const found = ids.length === 0 ? [] : await manyLists(db, [JSON.stringify(ids)]);
  const missing = ids.find((id) => !found.some((list) => list.id === id && list.account_id === accountId));
  if (missing !== undefined) throw notFound(`List ${missing}`);
}

/** Deletes a list. Returns whether the account had one of that id. */
export async function deleteList(db: Db, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('lists').where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
