import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Selectable, sql } from 'kysely';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { Journal } from '../activity/journal.ts';
import { insertMany, isAmong } from '../../store/bulk.ts';
import { iso } from '../../clock/clock.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../identity/secrets.ts';
import type { ContactsTable } from '../../store/schema.ts';
import { type Db, prepared } from '../../store/store.ts';
import { fold } from '../../../contract/fold.ts';
import { uncount } from './memberships.ts';
import { type Address, identityKey, searchText } from './rules.ts';

/** A contact as it is kept. */
export type Contact = Omit<Selectable<ContactsTable>, 'seq'>;

/** A contact with its place in the order of creation. */
export type StoredContact = Selectable<ContactsTable>;

interface Memberships {
  readonly tags: { id: string; name: string }[];
  readonly listIds: string[];
}

const none: Memberships = { tags: [], listIds: [] };

/** A contact as answers show it (5/B, Contacts). */
function contactRecord(row: Contact, { tags, listIds }: Memberships) {
  return {
    id: row.id,
    phone_number: row.phone_number,
    identity: row.identity,
    first_name: row.first_name,
    last_name: row.last_name,
    email: row.email,
    company: row.company,
    channel: row.channel as ChannelName,
    country: row.country,
    tags,
    list_ids: listIds,
    agent_id: row.agent_id,
    do_not_disturb: row.do_not_disturb === 1,
    private_mode: row.private_mode === 1,
    paused: row.paused === 1,
    archived: row.archived === 1,
    last_message_at: iso(row.last_message_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** Contacts as answers show them, with their tags and lists in the order in which these were made. */
export async function contactRecords(db: Db, rows: readonly StoredContact[]) {
  const memberships = new Map<number, Memberships>(rows.map(({ seq }) => [seq, { tags: [], listIds: [] }]));
  const seqs = [...memberships.keys()];
  if (seqs.length === 0) return [];
  const tags = await db
    .selectFrom('contact_tags')
    .innerJoin('tags', 'tags.id', 'contact_tags.tag_id')
    .select(['contact_seq', 'tags.id', 'tags.name'])
    .where('contact_seq', 'in', seqs)
    .orderBy('tags.seq')
    .execute();
  for (const { contact_seq, id, name } of tags) memberships.get(contact_seq)?.tags.push({ id, name });
  const lists = await db
    .selectFrom('list_contacts')
    .innerJoin('lists', 'lists.id', 'list_contacts.list_id')
    .select(['contact_seq', 'lists.id'])
    .where('contact_seq', 'in', seqs)
    .orderBy('lists.seq')
    .execute();
  for (const { contact_seq, id } of lists) memberships.get(contact_seq)?.listIds.push(id);
  return rows.map((row) => contactRecord(row, memberships.get(row.seq) ?? none));
}

/** One contact as answers show it. */
export async function showContact(db: Db, row: StoredContact) {
  const [record] = await contactRecords(db, [row]);
  return record as NonNullable<typeof record>;
}

const oneContact = prepared<StoredContact>((db) => db.selectFrom('contacts').selectAll().where('account_id', '=', '').where('id', '=', ''));

/** @throws ApiError 404 when the account has no such contact */
export async function requireContact(db: Db, accountId: string, id: string): Promise<StoredContact> {
  const [contact] = await oneContact(db, [accountId, id]);
  if (!contact) throw notFound('Contact');
  return contact;
}

// By the ids alone: with the account too, SQLite would rather go through all contacts of that.
const manyContacts = prepared<StoredContact>((db) => db.selectFrom('contacts').selectAll().where(isAmong(db, 'id')));

/** Reads the contacts of some ids that the account has, by their ids. */
export async function findContacts(db: Db, accountId: string, ids: readonly string[]): Promise<Map<string, StoredContact>> {
  const rows = ids.length === 0 ? [] : await manyContacts(db, [JSON.stringify(ids)]);
  return new Map(rows.filter((row) => row.account_id === accountId).map((row) => [row.id, row]));
}

/** @throws ApiError 404 when the account lacks one of them */
export async function requireContacts(db: Db, accountId: string, ids: readonly string[]): Promise<StoredContact[]> {
  const found = await findContacts(db, accountId, ids);
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) throw notFound(`Contact ${missing}`);
  return [...found.values()];
}

const contactsByKey = prepared<StoredContact>((db) =>
  db.selectFrom('contacts').selectAll().where('account_id', '=', '').where(isAmong(db, 'identity_key')),
);

/** Reads the contacts of some numbers and accounts that there are, by their keys. */
export async function findContactsByKey(db: Db, accountId: string, keys: readonly string[]): Promise<Map<string, StoredContact>> {
  const rows = keys.length === 0 ? [] : await contactsByKey(db, [accountId, JSON.stringify(keys)]);
  return new Map(rows.map((row) => [row.identity_key, row]));
}

/** What a new contact may bring along. */
export interface Person {
  readonly firstName?: string | null | undefined;
  readonly lastName?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly company?: string | null | undefined;
}

/** Makes a contact that is not stored yet. */
export function newContact(accountId: string, channel: ChannelName, address: Address, person: Person, now: number): Contact {
  const fields = {
    phone_number: 'number' in address ? address.number : null,
    identity: 'identity' in address ? address.identity : null,
    first_name: person.firstName ?? null,
    last_name: person.lastName ?? null,
    email: person.email ?? null,
    company: person.company ?? null,
  };
  return {
    id: newId('con'),
    account_id: accountId,
    channel,
    identity_key: identityKey(channel, address),
    ...fields,
    country: 'number' in address ? address.country : null,
    agent_id: null,
    do_not_disturb: 0,
    private_mode: 0,
    paused: 0,
    taken_over: 0,
    archived: 0,
    own_identity: null,
    last_message_at: null,
    search_text: searchText(fields),
    created_at: now,
    updated_at: now,
  };
}

/** Tells of new contacts. */
export function announceContact(journal: Journal, contact: Contact): void {
  const { channel, agent_id: agentId } = contact;
  journal.emit('Contact Created', () => ({ contact: contactRecord(contact, none) }));
  journal.count('contact_created', { campaignId: null, agentId, channel, ownIdentity: null });
}

/** Stores new contacts. */
export async function insertContacts(db: Db, contacts: readonly Contact[]): Promise<void> {
  await insertMany(db, 'contacts', contacts);
}

/** Changes a contact's columns. */
export async function updateContact(db: Db, contact: StoredContact, change: Partial<Contact>): Promise<StoredContact> {
  const changed = { ...contact, ...change };
  const { search_text: _, ...fields } = changed;
  const text = searchText(fields);
  await db
    .updateTable('contacts')
    .set({ ...change, search_text: text })
    .where('id', '=', contact.id)
    .execute();
  return { ...changed, search_text: text };
}

/** Deletes a contact with all that hangs on it, and takes it out of the counts of its tags and lists. */
export async function deleteContact(db: Db, { id, seq }: StoredContact): Promise<void> {
  await uncount(db, seq);
  await db.deleteFrom('contacts').where('id', '=', id).execute();
}

/** By what a list of contacts is narrowed. */
export interface ContactFilters {
  readonly tag_id?: string | undefined;
  readonly list_id?: string | undefined;
  readonly channel?: ChannelName | undefined;
  readonly search?: string | undefined;
}

/** How many numbers of the order of creation a search goes through at a time: on a file others get their turn between. */
const searchStep = 20_000;

/** Reads an account's contacts by descending `seq`, below `before`. */
export async function listContacts(
  db: Db,
  accountId: string,
  filters: ContactFilters,
  before: number | undefined,
  take: number,
): Promise<StoredContact[]> {
  const { search } = filters;
  if (search === undefined) return await contactsBelow(db, accountId, filters, before, take).execute();
  const pattern = `%${fold(search).replace(/[\\%_]/g, '\\$&')}%`;
  const bounds = await db
    .selectFrom('contacts')
    .select((eb) => [eb.fn.min<number | null>('seq').as('first'), eb.fn.max<number | null>('seq').as('last')])
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  const found: StoredContact[] = [];
  let upper = Math.min(before ?? Infinity, (bounds.last ?? 0) + 1);
  while (found.length < take && upper > (bounds.first ?? Infinity)) {
    const lower = upper - searchStep;
    const matching = contactsBelow(db, accountId, filters, upper, take - found.length)
      .where('contacts.seq', '>=', lower)
      .where(sql<boolean>`contacts.search_text like ${pattern} escape '\\'`);
    found.push(...(await matching.execute()));
    upper = lower;
    await nextTurn();
  }
  return found;
}

/** The contacts that match, newest first: ordered by a membership, where there is one, so that a page begins where it is. */
function contactsBelow(
  db: Db,
  accountId: string,
  { tag_id: tag, list_id: list, channel }: ContactFilters,
  before: number | undefined,
  take: number,
) {
  let query = db.selectFrom('contacts').selectAll('contacts').where('contacts.account_id', '=', accountId).limit(take);
  if (channel !== undefined) query = query.where('contacts.channel', '=', channel);
  if (before !== undefined) query = query.where('contacts.seq', '<', before);
  if (list !== undefined && tag !== undefined)
    query = query.where((eb) =>
      eb.exists(
        eb.selectFrom('list_contacts').select('list_id').where('list_id', '=', list).where('contact_seq', '=', eb.ref('contacts.seq')),
      ),
    );
  const [table, reference, id] =
    tag !== undefined ? (['contact_tags', 'tag_id', tag] as const) : (['list_contacts', 'list_id', list] as const);
  if (id === undefined) return query.orderBy('contacts.seq', 'desc');
  // PostgreSQL does not carry the bound over to the membership by itself.
  const member = sql.ref<number>(`${table}.contact_seq`);
  const joined = query
    .innerJoin(table as 'contact_tags', `${table as 'contact_tags'}.contact_seq`, 'contacts.seq')
    .where(`${table as 'contact_tags'}.${reference as 'tag_id'}`, '=', id)
    .orderBy(member, 'desc');
  return before === undefined ? joined : joined.where(sql<boolean>`${member} < ${before}`);
}
