import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { contactTags, contactLists } from './table.ts';

/** The kinds of groups of contacts, with their membership tables. Each group stores the number of its contacts. */
const groups = {
  tags: { members: contactTags, reference: 'tag_id' },
  lists: { members: contactLists, reference: 'list_id' },
} as const;

type Group = keyof typeof groups;

/** Adds contacts, by their `seq`, to a tag or list that none of them belongs to yet. */
export async function addNewContacts(db: Db, group: Group, id: string, seqs: readonly number[]): Promise<void> {
  const { members, reference } = groups[group];
  await insertMany(db, members, seqs.map((seq) => ({ [reference]: id, contact_seq: seq })) as never);
  await changeCount(db, group, id, seqs.length);
}

/**
 * Adds contacts, by their `seq`, to a tag or list. Skips contacts that already belong to it. @returns the number of contacts
 * added
 */
export async function addContacts(db: Db, group: Group, id: string, seqs: readonly number[]): Promise<number> {
  const { members, reference } = groups[group];
  const rows = [...new Set(seqs)].map((seq) => ({ [reference]: id, contact_seq: seq }));
  const added = await insertMany(db, members, rows as never, 'on conflict do nothing returning contact_seq');
  await changeCount(db, group, id, added.length);
  return added.length;
}

/** Removes contacts, by their `seq`, from a tag or list. @returns the number of contacts removed */
export async function removeContacts(db: Db, group: Group, id: string, seqs: readonly number[]): Promise<number> {
  const { members, reference } = groups[group];
  const some = seqs.length === 0 ? sql`null` : sql.join(seqs);
  const statement = sql`delete from ${sql.table(members.name)} where ${sql.ref(reference)} = ${id} and contact_seq in (${some})`;
  const removed = Number((await statement.execute(db)).numAffectedRows ?? 0);
  await changeCount(db, group, id, -removed);
  return removed;
}

/** Removes a contact that is about to be deleted from its tags and lists. */
export async function leaveGroups(db: Db, seq: number): Promise<void> {
  for (const [group, { members, reference }] of Object.entries(groups)) {
    await sql`update ${sql.table(group)} set contact_count = contact_count - 1
      where id in (select ${sql.ref(reference)} from ${sql.table(members.name)} where contact_seq = ${seq})`.execute(db);
    await sql`delete from ${sql.table(members.name)} where contact_seq = ${seq}`.execute(db);
  }
}

async function changeCount(db: Db, group: Group, id: string, change: number): Promise<void> {
  if (change === 0) return;
  await db
    .updateTable(group)
    .set((eb) => ({ contact_count: eb('contact_count', '+', change) }))
    .where('id', '=', id)
    .execute();
}
