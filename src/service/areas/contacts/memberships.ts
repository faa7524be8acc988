import { sql } from 'kysely';
import { insertMany } from '../../store/bulk.ts';
import type { Db } from '../../store/store.ts';

/** What contacts can belong to, with the table that says so; each keeps count. */
const groups = {
  tags: { table: 'contact_tags', reference: 'tag_id' },
  lists: { table: 'list_contacts', reference: 'list_id' },
} as const;

type Group = keyof typeof groups;

/** How many contacts one statement takes out. */
const removedAtOnce = 1_000;

/** Adds contacts, by their `seq`, to a tag or list; those that belong to it stay. */
export async function addContacts(db: Db, group: Group, id: string, seqs: readonly number[]): Promise<void> {
  const { table, reference } = groups[group];
  const rows = [...new Set(seqs)].map((seq) => ({ [reference]: id, contact_seq: seq }));
  const added = await insertMany(db, table, rows as never, 'on conflict do nothing returning contact_seq');
  await changeCount(db, group, id, added.length);
}

/** Takes contacts, by their `seq`, out of a tag or list. Returns how many belonged to it. */
export async function removeContacts(db: Db, group: Group, id: string, seqs: readonly number[]): Promise<number> {
  const { table, reference } = groups[group];
  let removed = 0;
  for (let from = 0; from < seqs.length; from += removedAtOnce) {
    const some = sql.join(seqs.slice(from, from + removedAtOnce));
    const statement = sql`delete from ${sql.table(table)} where ${sql.ref(reference)} = ${id} and contact_seq in (${some})`;
    removed += Number((await statement.execute(db)).numAffectedRows ?? 0);
  }
  await changeCount(db, group, id, -removed);
  return removed;
}

/** Takes a contact that is about to be deleted out of all counts. */
export async function uncount(db: Db, seq: number): Promise<void> {
  for (const [group, { table, reference }] of Object.entries(groups))
    await sql`update ${sql.table(group)} set contact_count = contact_count - 1
      where id in (select ${sql.ref(reference)} from ${sql.table(table)} where contact_seq = ${seq})`.execute(db);
}

async function changeCount(db: Db, group: Group, id: string, change: number): Promise<void> {
  if (change === 0) return;
  await db
    .updateTable(group)
    .set((eb) => ({ contact_count: eb('contact_count', '+', change) }))
    .where('id', '=', id)
    .execute();
}
