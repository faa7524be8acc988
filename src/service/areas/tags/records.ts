import { fold } from '../../../contract/text/fold.ts';
import { nameTaken } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { prepared } from '../../store/prepared.ts';
import type { Row } from '../../store/table.ts';
import { tags } from './table.ts';

type Tag = Row<typeof tags>;

const taken = (name: string) => nameTaken(`A tag named '${name}' already exists`);

/** Creates a tag. @throws ApiError 409 when another tag has the name */
export async function createTag(db: Db, accountId: string, name: string, description: string | null, now: number): Promise<Tag> {
  const fields = { name, folded_name: fold(name), description };
  const tag = await tags.createUnless('on conflict (account_id, folded_name) do nothing', db, accountId, fields, now);
  if (!tag) throw taken(name);
  return tag;
}

/**
 * Changes a tag. Undefined fields are not changed.
 * @throws ApiError 404 when the account has no such tag, 409 when another tag has the name
 */
export async function updateTag(
  db: Db,
  accountId: string,
  id: string,
  { name, description }: { name?: string | undefined; description?: string | null | undefined },
  now: number,
): Promise<Tag> {
  if (name !== undefined) {
    await tags.require(db, accountId, id);
    const other = await findTagByName(db, accountId, name);
    if (other && other.id !== id) throw taken(name);
  }
  const change = { ...(name !== undefined && { name, folded_name: fold(name) }), ...(description !== undefined && { description }) };
  return await tags.change(db, accountId, id, change, now);
}

/** Finds the tag with a name, or creates it. */
export async function findOrCreateTag(db: Db, accountId: string, name: string, now: number): Promise<{ id: string }> {
  return (await findTagByName(db, accountId, name)) ?? (await createTag(db, accountId, name, null, now));
}

/** A tag with the name by which it is compared. */
type NamedTag = Pick<Tag, 'id' | 'name' | 'folded_name'> & { readonly seq: number };

/**
 * Finds the tags with some names, and creates those that are missing.
 * @param names the names, by the folded ones
 * @returns the tags, in the order of creation
 */
export async function findOrCreateTags(db: Db, accountId: string, names: ReadonlyMap<string, string>, now: number): Promise<NamedTag[]> {
  if (names.size === 0) return [];
  const folded = JSON.stringify([...names.keys()]);
  const find = () => findByNames(db, { account: accountId, names: folded });
  const known = new Set((await find()).map(({ folded_name: name }) => name));
  const missing = [...names].flatMap(([folded_name, name]) => {
    const times = { created_at: now, updated_at: now };
    return known.has(folded_name) ? [] : [{ id: newId('tag'), account_id: accountId, name, folded_name, ...times }];
  });
  await insertMany(db, tags, missing, 'on conflict (account_id, folded_name) do nothing');
  // Sorted here: for an order by `seq`, SQLite would read all tags of the account.
  return (await find()).sort((one, other) => one.seq - other.seq);
}

const findByNames = prepared<{ account: string; names: string }, NamedTag>((db, $) =>
  db
    .selectFrom('tags')
    .select(['seq', 'id', 'name', 'folded_name'])
    .where('account_id', '=', $.account)
    .where(isAmong(db, 'folded_name', $.names)),
);

/** Finds the tag with a name. */
export async function findTagByName(db: Db, accountId: string, name: string): Promise<{ id: string } | undefined> {
  return await db
    .selectFrom('tags')
    .select('id')
    .where('account_id', '=', accountId)
    .where('folded_name', '=', fold(name))
    .executeTakeFirst();
}
