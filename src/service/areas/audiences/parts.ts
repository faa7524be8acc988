import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { alsoHas, isAmong } from '../../store/is-among.ts';
import { engineOf } from '../../store/prepared.ts';
import { limitTo, offsetBy } from '../../store/limits.ts';

/** The audience of a broadcast: contacts selected by id, and the contacts on lists. */
export interface Audience {
  readonly contact_ids: readonly string[];
  readonly list_ids: readonly string[];
}

/**
 * The position up to which an audience has been read: first the contacts selected by id, then the contacts on the lists, by
 * `seq`.
 */
export interface Position {
  readonly contacts_read: number;
  readonly last_seq: number;
}

/** A member of an audience. */
export interface Member {
  readonly contact_seq: number;
  readonly contact_id: string;
}

/** The maximum number of members in a part, which takes a few milliseconds. */
const partSize = 1_000;

/**
 * The number of members to read ahead from each list. It exceeds the list's share of the part, because with many lists the parts
 * would otherwise be small.
 */
function readAhead(size: number, lists: number): number {
  return Math.min(size, Math.max(8, Math.ceil((4 * size) / lists)));
}

/**
 * Reads the next part of an audience. A contact that is selected by id and also on a list is in two parts.
 * @param finalSeq the `seq` of the last contact that belongs to the audience
 * @returns the members, and the position after them; the position is undefined after the last part
 */
export async function readPart(
  db: Db,
  accountId: string,
  { contact_ids: contactIds, list_ids: listIds }: Audience,
  { contacts_read: contactsRead, last_seq: lastSeq }: Position,
  finalSeq: number,
): Promise<{ members: Member[]; position: Position | undefined }> {
  const named = contactIds.slice(contactsRead, contactsRead + partSize);
  const members = named.length === 0 ? [] : await namedContacts(db, accountId, named);
  const left = partSize - named.length;
  const read = contactsRead + named.length;
  if (left === 0) return { members, position: { contacts_read: read, last_seq: lastSeq } };
  if (listIds.length === 0) return { members, position: undefined };
  const lists = JSON.stringify(listIds);
  const end = await endOfPart(db, lists, readAhead(left, listIds.length), lastSeq, finalSeq);
  const listed = await listedContacts(db, lists, lastSeq, end ?? finalSeq, left);
  const isCut = listed.length === left;
  const last = isCut ? listed.at(-1)?.contact_seq : end;
  return { members: [...members, ...listed], position: last === undefined ? undefined : { contacts_read: read, last_seq: last } };
}

/** Filters ids of lists that exist in the account. The contacts of a deleted list may still be stored. */
export async function existingLists(db: Db, accountId: string, ids: readonly string[]): Promise<string[]> {
  const query = db
    .selectFrom('lists')
    .select('id')
    .where(isAmong(db, 'id', JSON.stringify(ids)));
  return (await query.where(alsoHas(db, 'account_id', accountId)).execute()).map(({ id }) => id);
}

async function namedContacts(db: Db, accountId: string, ids: readonly string[]): Promise<Member[]> {
  const { rows } = await sql<Member & { account_id: string }>`
    select seq as contact_seq, id as contact_id, account_id from contacts where ${isAmong(db, 'id', JSON.stringify(ids))}`.execute(db);
  return rows.filter((row) => row.account_id === accountId);
}

/** The `seq` up to which no list has more than `ahead` further members; undefined when no list has that many. */
async function endOfPart(db: Db, lists: string, ahead: number, lastSeq: number, finalSeq: number): Promise<number | undefined> {
  const each = engineOf(db) === 'sqlite' ? sql`json_each(${lists}) as list` : sql`json_array_elements_text(${lists}::json) as list (value)`;
  const { rows } = await sql<{ seq: number | null }>`
    select min(seq) as seq from (
      select (select contact_seq from list_contacts where list_id = list.value and contact_seq > ${lastSeq} and contact_seq <= ${finalSeq}
        order by contact_seq limit 1 ${offsetBy(ahead - 1)}) as seq from ${each}) as ends`.execute(db);
  return rows[0]?.seq ?? undefined;
}

async function listedContacts(db: Db, lists: string, after: number, until: number, limit: number): Promise<Member[]> {
  const { rows } = await sql<Member>`
    select seq as contact_seq, id as contact_id from contacts where seq in (
      select distinct contact_seq from list_contacts
      where ${isAmong(db, 'list_id', lists)} and contact_seq > ${after} and contact_seq <= ${until}
      order by contact_seq ${limitTo(limit)})
    order by seq`.execute(db);
  return rows;
}
