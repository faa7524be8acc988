import { sql } from 'kysely';
import { limits } from '../../../contract/limits.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { isNumberAmong } from '../../store/is-among.ts';
import { contactTags, contactLists } from './table.ts';
import { limitTo } from '../../store/limits.ts';

/**
 * The kinds of groups of contacts, with their membership tables, and the number of groups that a contact can belong to. Each group
 * stores the number of its contacts.
 */
const groups = {
  tags: { members: contactTags, reference: 'tag_id', most: limits.contactTags },
  lists: { members: contactLists, reference: 'list_id', most: limits.contactLists },
} as const;

type Group = keyof typeof groups;

/**
 * Counts the tags or lists of contacts.
 * @param seqs the contacts, by their `seq`
 * @param accountId counts only those of this account. Without it, those that are being deleted count too, which is faster
 * @returns the numbers by contact. Contacts without any are left out
 */
export async function countGroups(db: Db, group: Group, seqs: readonly number[], accountId?: string): Promise<Map<number, number>> {
  if (seqs.length === 0) return new Map();
  const { members, reference } = groups[group];
  const existing =
    accountId === undefined
      ? sql``
      : sql`and ${sql.ref(reference)} in (select id from ${sql.table(group)} where account_id = ${accountId})`;
  const { rows } = await sql<{ seq: number; count: number }>`
    select contact_seq as seq, count(*) as count from ${sql.table(members.name)}
    where ${isNumberAmong(db, 'contact_seq', JSON.stringify(seqs))} ${existing} group by contact_seq`.execute(db);
  return new Map(rows.map(({ seq, count }) => [seq, count]));
}

/** Whether contacts, by their `seq`, have more than `most` tags or lists together. Counts no further. */
export async function haveMore(db: Db, seqs: readonly number[], most: number): Promise<boolean> {
  const contacts = JSON.stringify(seqs);
  const someOf = ({ members }: (typeof groups)[Group]) => sql`select count(*) as count from (
    select 1 as found from ${sql.table(members.name)} where ${isNumberAmong(db, 'contact_seq', contacts)} ${limitTo(most + 1)}) as some_rows`;
  const { rows } = await sql<{ count: number }>`${someOf(groups.tags)} union all ${someOf(groups.lists)}`.execute(db);
  return rows.reduce((sum, { count }) => sum + count, 0) > most;
}

/**
 * Finds contacts that may not be added to a group, because they belong to as many as a contact can.
 * @param seqs the contacts, by their `seq`
 */
export async function findFull(db: Db, group: Group, id: string, accountId: string, seqs: readonly number[]): Promise<ReadonlySet<number>> {
  const { members, reference, most } = groups[group];
  const isMany = (counts: ReadonlyMap<number, number>) => [...counts].flatMap(([seq, count]) => (count >= most ? [seq] : []));
  const many = isMany(await countGroups(db, group, seqs));
  if (many.length === 0) return new Set();
  const full = new Set(isMany(await countGroups(db, group, many, accountId)));
  const { rows } = await sql<{ seq: number }>`
    select contact_seq as seq from ${sql.table(members.name)}
    where ${sql.ref(reference)} = ${id} and ${isNumberAmong(db, 'contact_seq', JSON.stringify(many))}`.execute(db);
  for (const { seq } of rows) full.delete(seq);
  return full;
}

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

/** A contact in a group: the id of the group, and the `seq` of the contact. */
export interface Membership {
  readonly id: string;
  readonly seq: number;
}

/** Adds contacts to tags or lists. Skips memberships that exist already. @returns those that are new */
export async function addMemberships(db: Db, group: Group, added: readonly Membership[]): Promise<Membership[]> {
  const { members, reference } = groups[group];
  const rows = added.map(({ id, seq }) => ({ [reference]: id, contact_seq: seq }));
  const clause = `on conflict do nothing returning ${reference} as id, contact_seq as seq`;
  const inserted = (await insertMany(db, members, rows as never, clause)) as unknown as Membership[];
  for (const [id, ofGroup] of Map.groupBy(inserted, (membership) => membership.id)) await changeCount(db, group, id, ofGroup.length);
  return inserted;
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
