import { iso } from '../../clock/clock.ts';
import { ApiError, notFound } from '../../errors.ts';
import { newId } from '../../identity/secrets.ts';
import type { TagsTable } from '../../store/schema.ts';
import type { Db } from '../../store/store.ts';
import { fold } from '../../../contract/fold.ts';

const columns = ['seq', 'id', 'name', 'description', 'contact_count', 'created_at', 'updated_at'] as const;

type TagRow = Omit<TagsTable, 'seq' | 'account_id' | 'folded_name'>;

/** A tag as answers show it (5/B, Tags). */
export function tagRecord(row: TagRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    contact_count: row.contact_count,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

const nameTaken = (name: string) => new ApiError(409, `There is a tag named '${name}' already`);

/** Reads an account's tags by descending `seq`, below `before`. */
export async function listTags(db: Db, accountId: string, before: number | undefined, take: number) {
  const query = db.selectFrom('tags').select(columns).where('account_id', '=', accountId).orderBy('seq', 'desc').limit(take);
  return await (before === undefined ? query : query.where('seq', '<', before)).execute();
}

/** @throws ApiError 409 when the name is taken */
export async function insertTag(db: Db, accountId: string, tag: { name: string; description: string | null }, now: number) {
  const row = await db
    .insertInto('tags')
    .values({
      ...tag,
      id: newId('tag'),
      account_id: accountId,
      folded_name: fold(tag.name),
      contact_count: 0,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'folded_name']).doNothing())
    .returning(columns)
    .executeTakeFirst();
  if (!row) throw nameTaken(tag.name);
  return tagRecord(row);
}

/**
 * Changes a tag. Returns its record; undefined when the account has none of that id.
 * @throws ApiError 409 when another tag has the name
 */
export async function updateTag(
  db: Db,
  accountId: string,
  id: string,
  change: { name?: string | undefined; description?: string | null | undefined },
  now: number,
) {
  if (change.name !== undefined) {
    const other = await db
      .selectFrom('tags')
      .select('id')
      .where('account_id', '=', accountId)
      .where('folded_name', '=', fold(change.name))
      .where('id', '!=', id)
      .executeTakeFirst();
    if (other && (await tagExists(db, accountId, id))) throw nameTaken(change.name);
  }
  const row = await db
    .updateTable('tags')
    .set({
      ...(change.name === undefined ? {} : { name: change.name, folded_name: fold(change.name) }),
      ...(change.description === undefined ? {} : { description: change.description }),
      updated_at: now,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst();
  return row && tagRecord(row);
}

async function tagExists(db: Db, accountId: string, id: string): Promise<boolean> {
  return (
    (await db.selectFrom('tags').select('id').where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst()) !== undefined
  );
}

/** @throws ApiError 404 when the account has no such tag */
export async function requireTag(db: Db, accountId: string, id: string): Promise<{ id: string }> {
  if (!(await tagExists(db, accountId, id))) throw notFound('Tag');
  return { id };
}

/** Finds the tag of a name, or makes it. */
export async function findOrInsertTag(db: Db, accountId: string, name: string, now: number): Promise<{ id: string }> {
  const known = await db
    .selectFrom('tags')
    .select('id')
    .where('account_id', '=', accountId)
    .where('folded_name', '=', fold(name))
    .executeTakeFirst();
  return known ?? (await insertTag(db, accountId, { name, description: null }, now));
}

/** Deletes a tag. Returns whether the account had one of that id. */
export async function deleteTag(db: Db, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('tags').where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
