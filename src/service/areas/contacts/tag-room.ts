import { type ImportedContact, type SkippedRow, tooManyDifferentTags, tooManyTags } from '../../../contract/areas/contacts/import-rows.ts';
import { limits } from '../../../contract/limits.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import { countGroups } from './memberships.ts';
import type { StoredContact } from './table.ts';

/** Tells which rows of an import leave their contact with at most as many tags as a contact can have, and the import with few. */
export interface TagRoom {
  /**
   * Why the contact with a key cannot get these tags too; undefined when it can. They then count for later rows.
   * @param tags the tags by their folded names
   */
  readonly refusal: (key: string, tags: ImportedContact['tags']) => SkippedRow | undefined;
}

/** The tags of a contact: some by their folded names, and how many others there are. */
interface Tags {
  readonly names: ReadonlySet<string>;
  readonly others: number;
}

const namesOf = prepared<{ contact: number; account: string }, { folded_name: string }>((db, $) =>
  db
    .selectFrom('contact_tags')
    .innerJoin('tags', 'tags.id', 'contact_tags.tag_id')
    .select('folded_name')
    .where('contact_seq', '=', $.contact)
    .where('tags.account_id', '=', $.account),
);

/**
 * Reads how many tags the contacts of an import have. Reads the names only of contacts that could get too many.
 * @param known the existing contacts that the import changes, by key
 * @param keyOf the key of the contact of a row
 */
export async function readTagRoom(
  db: Db,
  accountId: string,
  known: ReadonlyMap<string, StoredContact>,
  rows: readonly (ImportedContact | SkippedRow)[],
  keyOf: (row: ImportedContact) => string,
): Promise<TagRoom> {
  const wanted = new Map<string, number>();
  for (const row of rows) {
    if ('reason' in row || row.tags.size === 0) continue;
    const key = keyOf(row);
    wanted.set(key, (wanted.get(key) ?? 0) + row.tags.size);
  }
  const changed = [...known].filter(([key]) => wanted.has(key));
  const counts = await countGroups(
    db,
    'tags',
    changed.map(([, { seq }]) => seq),
  );
  const tags = new Map<string, Tags>();
  for (const [key, { seq }] of changed) {
    const count = counts.get(seq) ?? 0;
    const isSafe = count + (wanted.get(key) ?? 0) <= limits.contactTags;
    const names = isSafe ? [] : (await namesOf(db, { contact: seq, account: accountId })).map(({ folded_name: name }) => name);
    tags.set(key, { names: new Set(names), others: isSafe ? count : 0 });
  }
  const different = new Set<string>();
  return {
    refusal: (key, added) => {
      if (added.size === 0) return undefined;
      const { names, others } = tags.get(key) ?? { names: new Set<string>(), others: 0 };
      const all = names.union(added);
      // A contact that already has more keeps them, and rows that add none are accepted.
      if (all.size + others > limits.contactTags && all.size > names.size) return tooManyTags(all.size + others);
      const further = [...added.keys()].filter((name) => !different.has(name));
      if (different.size + further.length > limits.importTags) return tooManyDifferentTags();
      tags.set(key, { names: all, others });
      for (const name of further) different.add(name);
      return undefined;
    },
  };
}
