import type { Db } from '../../store/database.ts';
import { isNumberAmong } from '../../store/is-among.ts';
import { preparedLists } from '../../store/prepared.ts';

/** A filter for contacts that have any, or all, of some tags. */
export interface TagFilter {
  readonly tagIds: readonly string[];
  readonly match: 'any' | 'all';
}

const nextWithTag = preparedLists<{ tag: string; before: number; limit: number }, readonly [seq: number]>((db, $) =>
  db
    .selectFrom('contact_tags')
    .select('contact_seq')
    .where('tag_id', '=', $.tag)
    .where('contact_seq', '<', $.before)
    .orderBy('contact_seq', 'desc')
    .limit($.limit),
);

/**
 * Reads the next contacts that match a filter, newest first. Each tag is read by its index, so that the time of a step does not
 * depend on the number of contacts.
 * @param before the `seq` at which the previous step stopped
 * @param limit the number of contacts that are examined
 * @returns the `seq` of each contact, and where the next step begins (undefined at the end)
 */
export async function nextMatching(
  db: Db,
  { tagIds, match }: TagFilter,
  before: number,
  limit: number,
): Promise<{ contacts: number[]; end: number | undefined }> {
  const [first = '', ...others] = new Set(tagIds);
  const read = match === 'all' ? [first] : [first, ...others];
  const rows = await Promise.all(read.map((tag) => nextWithTag(db, { tag, before, limit })));
  const seqs = rows.flatMap((list) => list.map(([seq]) => seq));
  const found = read.length === 1 ? seqs : [...new Set(seqs)].sort((a, b) => b - a).slice(0, limit);
  const contacts = match === 'all' && others.length > 0 ? await withAll(db, found, others) : found;
  return { contacts, end: found.length < limit ? undefined : found.at(-1) };
}

/** The contacts that have all of some tags. */
async function withAll(db: Db, contacts: readonly number[], tagIds: readonly string[]): Promise<number[]> {
  const rows = await db
    .selectFrom('contact_tags')
    .select('contact_seq')
    .where(isNumberAmong(db, 'contact_seq', JSON.stringify(contacts)))
    .where('tag_id', 'in', tagIds)
    .groupBy('contact_seq')
    .having((eb) => eb.fn.countAll(), '=', tagIds.length)
    .execute();
  return rows.map(({ contact_seq: seq }) => seq);
}
