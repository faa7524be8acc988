import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { type Address, identityKey, identityKeys } from '../../../contract/areas/contacts/address.ts';
import { sql } from 'kysely';
import { notFound } from '../../errors.ts';
import type { Service } from '../../http/handler.ts';
import { deleteWithDependents } from '../../identity/deleted-accounts.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { foundByKeys } from '../../store/found-by-keys.ts';
import { alsoHas, isAmong, isNumberAmong } from '../../store/is-among.ts';
import { insertMany } from '../../store/insert.ts';
import { engineOf, prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { noteDeletedContact } from '../activity/incomplete-days.ts';
import type { Journal } from '../activity/journal.ts';
import { fixAll } from '../audiences/fixing.ts';
import { lists } from '../lists/table.ts';
import { tags } from '../tags/table.ts';
import { forgetContact } from '../notices/log-failures.ts';
import { haveMore, leaveGroups } from './memberships.ts';
import { noteStatus } from '../status-changes/records.ts';
import { searchText, statusOf } from './rules.ts';
import { type Contact, contacts, type StoredContact } from './table.ts';

/** A tag, as the record of a contact shows it. */
interface ContactTag {
  readonly id: string;
  readonly name: string;
}

/** The tags and lists of a contact. */
interface Memberships {
  readonly tags: ContactTag[];
  readonly listIds: string[];
}

function contactRecord(contact: Contact, { tags, listIds }: Memberships) {
  const { id, phone_number, identity, first_name, last_name, email, company, channel, country, ...others } = contacts.show(contact);
  const identified = { id, phone_number, identity, first_name, last_name, email, company, channel, country };
  return { ...identified, tags, list_ids: listIds, ...others };
}

/** A new contact as answers show it. @param tags the tags that it is created with */
export function newContactRecord(contact: Contact, tags: ContactTag[] = []) {
  return contactRecord(contact, { tags, listIds: [] });
}

/** The tables of what contacts belong to. */
const groups = {
  tags: { table: tags, members: sql.table('contact_tags'), id: sql.ref('tag_id') },
  lists: { table: lists, members: sql.table('list_contacts'), id: sql.ref('list_id') },
};

type GroupKind = keyof typeof groups;

/** A tag or a list of a contact. */
interface Membership {
  readonly contact_seq: number;
  readonly id: string;
  readonly name: string;
}

/** With `coalesce`, SQLite starts from the few memberships of the contacts instead of all groups of the account. */
const joined = (kind: GroupKind) =>
  prepared<{ seqs: string; account: string }, Membership>((db, $) => {
    const { table, members, id } = groups[kind];
    const statement = sql<Membership>`
      select contact_seq, found.id, found.name from ${members} join ${sql.table(table.name)} as found on found.id = ${id}
      where ${isNumberAmong(db, 'contact_seq', $.seqs)} and coalesce(found.account_id, '') = ${$.account} order by found.seq`;
    return { compile: () => statement.compile(db) };
  });

const memberIds = (kind: GroupKind) =>
  prepared<{ seqs: string }, { contact_seq: number; id: string }>((db, $) => {
    const { members, id } = groups[kind];
    const statement = sql<{ contact_seq: number; id: string }>`
      select contact_seq, ${id} as id from ${members} where ${isNumberAmong(db, 'contact_seq', $.seqs)}`;
    return { compile: () => statement.compile(db) };
  });

const joinedOf = { tags: joined('tags'), lists: joined('lists') };
const memberIdsOf = { tags: memberIds('tags'), lists: memberIds('lists') };

/**
 * The tags or lists of contacts, in the order of creation. Memberships of deleted ones may still be stored, and are left out. On
 * PostgreSQL, they are read before the groups: for a join, it may compare all of them with all groups of the account.
 */
async function membershipsOf(db: Db, kind: GroupKind, seqs: string, account: string): Promise<readonly Membership[]> {
  if (engineOf(db) === 'sqlite') return await joinedOf[kind](db, { seqs, account });
  const members = await memberIdsOf[kind](db, { seqs });
  const found = await groups[kind].table.findMany(db, account, [...new Set(members.map(({ id }) => id))]);
  const seqOf = ({ id }: Membership) => found.get(id)?.seq ?? 0;
  return members
    .flatMap((member) => {
      const group = found.get(member.id);
      return group ? [{ ...member, name: group.name }] : [];
    })
    .sort((a, b) => seqOf(a) - seqOf(b));
}

/** Contacts of an account as answers show them, with their tags and lists in the order of creation. */
export async function contactRecords(db: Db, rows: readonly StoredContact[]) {
  const memberships = new Map<number, Memberships>(rows.map(({ seq }) => [seq, { tags: [], listIds: [] }]));
  if (!rows[0]) return [];
  const { account_id: account } = rows[0];
  const seqs = JSON.stringify([...memberships.keys()]);
  for (const { contact_seq, id, name } of await membershipsOf(db, 'tags', seqs, account))
    memberships.get(contact_seq)?.tags.push({ id, name });
  for (const { contact_seq, id } of await membershipsOf(db, 'lists', seqs, account)) memberships.get(contact_seq)?.listIds.push(id);
  const agents = await agentsOf(db, rows);
  return rows.map((row) => {
    const agentId = row.agent_id !== null && agents.has(row.agent_id) ? row.agent_id : null;
    return contactRecord({ ...row, agent_id: agentId }, memberships.get(row.seq) as Memberships);
  });
}

/** The number of tags and lists of contacts that are read at once, which takes a few milliseconds. */
const groupsAtOnce = 3_000;
/** Of contacts with more, this number is read at once: four have 2,800 at most. */
const contactsOfStep = 4;

/** Same as `contactRecords`. Many tags and lists are read in steps, so that other requests are served in between. */
export async function contactRecordsInSteps({ store, scheduler }: Service, rows: readonly StoredContact[]) {
  const seqs = rows.map(({ seq }) => seq);
  const few = await store.read(async (db) => ((await haveMore(db, seqs, groupsAtOnce)) ? undefined : await contactRecords(db, rows)));
  if (few) return few;
  const records: Awaited<ReturnType<typeof contactRecords>> = [];
  for (let from = 0; from < rows.length; from += contactsOfStep) {
    const part = rows.slice(from, from + contactsOfStep);
    records.push(...(await scheduler.run(() => store.read((db) => contactRecords(db, part)))));
  }
  return records;
}

/** The existing agents of contacts. Rows can still refer to deleted agents, which are left out. */
async function agentsOf(db: Db, rows: readonly StoredContact[]): Promise<Set<string>> {
  const ids = new Set(rows.flatMap(({ agent_id: id }) => id ?? []));
  if (ids.size === 0 || !rows[0]) return new Set();
  const found = await existingAgents(db, { ids: JSON.stringify([...ids]), account: rows[0].account_id });
  return new Set(found.map(({ id }) => id));
}

const existingAgents = prepared<{ ids: string; account: string }, { id: string }>((db, $) =>
  db
    .selectFrom('agents')
    .select('id')
    .where(isAmong(db, 'id', $.ids))
    .where(alsoHas(db, 'account_id', $.account)),
);

/** One contact as answers show it. */
export async function showContact(db: Db, row: StoredContact) {
  const [record] = await contactRecords(db, [row]);
  return record as NonNullable<typeof record>;
}

/** @throws ApiError 404 when the account does not have one of the contacts */
export async function requireContacts(db: Db, accountId: string, ids: readonly string[]): Promise<StoredContact[]> {
  const found = await contacts.findMany(db, accountId, ids);
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) throw notFound('contact', missing);
  return [...found.values()];
}

/** The number of contacts that are read or changed in one step, which takes a few milliseconds. */
export const contactsAtOnce = 250;

/**
 * Same as `requireContacts` for many ids. Works in steps, so that other requests are served in between.
 * @param check checks the contacts of a step further
 */
export async function requireInSteps(
  { store, scheduler }: Service,
  accountId: string,
  ids: readonly string[],
  check = async (_db: Db, _contacts: readonly StoredContact[]) => {},
): Promise<void> {
  for (let from = 0; from < ids.length; from += contactsAtOnce) {
    const part = ids.slice(from, from + contactsAtOnce);
    await scheduler.run(() => store.read(async (db) => await check(db, await requireContacts(db, accountId, part))));
  }
}

/** The account and the key of a contact (see `identityKey`). */
type ContactKey = readonly [accountId: string, key: string];

const contactsByKey = prepared<{ keys: string }, StoredRow<typeof contacts>>((db, $) =>
  foundByKeys(db, {
    keys: $.keys,
    table: sql`contacts`,
    columns: sql`found.*`,
    isWanted: sql`found.account_id = wanted.value ->> 0 and found.identity_key = wanted.value ->> 1`,
  }),
);

/** Reads contacts by key, in any account. Unknown keys are left out. */
export async function findContactsByKeys(db: Db, keys: readonly ContactKey[]): Promise<StoredContact[]> {
  const rows = keys.length === 0 ? [] : await contactsByKey(db, { keys: JSON.stringify(keys) });
  return rows.map(contacts.decode);
}

/** Reads contacts of the account by key. Unknown keys are left out. */
export async function findContactsByKey(db: Db, accountId: string, keys: readonly string[]): Promise<Map<string, StoredContact>> {
  const found = await findContactsByKeys(
    db,
    keys.map((key) => [accountId, key]),
  );
  return new Map(found.map((contact) => [contact.identity_key, contact]));
}

/** Finds the contact with an address, in whatever form its number is stored. */
export async function findContactAt(db: Db, accountId: string, channel: ChannelName, address: Address): Promise<StoredContact | undefined> {
  const keys = identityKeys(channel, address);
  const found = await findContactsByKey(db, accountId, keys);
  return firstOf(found, keys);
}

/** The value of the first of some keys that has one. */
export function firstOf<Value>(values: ReadonlyMap<string, Value>, keys: readonly string[]): Value | undefined {
  const key = keys.find((each) => values.has(each));
  return key === undefined ? undefined : values.get(key);
}

/** The personal data of a new contact. */
export interface PersonalData {
  readonly firstName?: string | null | undefined;
  readonly lastName?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly company?: string | null | undefined;
}

/** Builds a contact without storing it. */
export function newContact(accountId: string, channel: ChannelName, address: Address, person: PersonalData, now: number): Contact {
  const fields = {
    phone_number: 'number' in address ? address.number : null,
    identity: 'identity' in address ? address.identity : null,
    first_name: person.firstName ?? null,
    last_name: person.lastName ?? null,
    email: person.email ?? null,
    company: person.company ?? null,
  };
  return contacts.complete({
    id: newId('con'),
    account_id: accountId,
    channel,
    identity_key: identityKey(channel, address),
    ...fields,
    country: 'number' in address ? address.country : null,
    search_text: searchText(fields),
    created_at: now,
    updated_at: now,
  });
}

/**
 * Stores new contacts, counts them and emits their events.
 * @param tags the tags that a contact gets in the same transaction, which its event includes
 */
export async function createContacts(
  db: Db,
  journal: Journal,
  created: readonly Contact[],
  tags?: (contact: Contact) => ContactTag[],
): Promise<void> {
  await insertMany(db, contacts, created);
  for (const contact of created) announceContact(journal, contact, tags);
}

/** Counts a new contact and emits its event. */
export function announceContact(journal: Journal, contact: Contact, tags?: (contact: Contact) => ContactTag[]): void {
  const { country, channel, first_agent_id: agentId } = contact;
  journal.emit('Contact Created', () => ({ contact: newContactRecord(contact, tags?.(contact)) }));
  journal.countContact({ country, channel, agentId });
}

/** Changes columns of a contact, and updates its search text. */
export async function updateContact(db: Db, contact: StoredContact, change: Partial<Contact>, now: number): Promise<StoredContact> {
  const changed = { ...contact, ...change };
  await noteStatus(db, contact, { from: statusOf(contact), to: statusOf(changed), at: now });
  return await contacts.setColumns(db, contact, { ...change, search_text: searchText(changed) });
}

/** Dependent rows of a contact, which can be many. */
const conversation = [
  { table: 'messages', column: 'contact_id', isUnreferenced: true },
  { table: 'chat_sessions', column: 'contact_id', isUnreferenced: true },
  { table: 'decisions', column: 'contact_id', isUnreferenced: true },
  { table: 'contact_counts', column: 'contact_id', isUnreferenced: true },
  { table: 'message_statuses', column: 'contact_id', isUnreferenced: true },
  { table: 'reply_traces', column: 'contact_id', isUnreferenced: true },
  { table: 'notes', column: 'entity_id', isUnreferenced: true },
  { table: 'status_changes', column: 'entity_id', isUnreferenced: true },
];

/** Changes a contact at the request of the account, and emits the resulting events. */
export async function changeContact(db: Db, journal: Journal, contact: StoredContact, change: Partial<Contact>): Promise<StoredContact> {
  const changed = await updateContact(db, contact, { ...change, updated_at: journal.now }, journal.now);
  const isMuted = changed.do_not_disturb && !contact.do_not_disturb;
  const isUnarchived = !changed.archived && contact.archived;
  if (!isMuted && !isUnarchived) return changed;
  const record = await showContact(db, changed);
  if (isMuted) journal.emit('Contact Do Not Disturb', () => ({ contact: record }));
  if (isUnarchived) journal.emit('Contact Unarchived', () => ({ contact: record }));
  return changed;
}

/** Deletes a contact along with its messages and conversations. */
export async function deleteContact(db: Db, { id, seq, account_id: accountId }: StoredContact, now: number): Promise<void> {
  await fixAll(db, accountId);
  await noteDeletedContact(db, accountId, id);
  await leaveGroups(db, seq);
  await forgetContact(db, accountId, id);
  // All of them, also if the contact is deleted later, because it has much else.
  await db.deleteFrom('summaries').where('contact_id', '=', id).execute();
  await db.deleteFrom('scheduled_tasks').where('contact_id', '=', id).execute();
  await db.deleteFrom('visitors').where('contact_id', '=', id).execute();
  await db.updateTable('tasks').set({ contact_id: null }).where('contact_id', '=', id).execute();
  await db.updateTable('deals').set({ contact_id: null }).where('contact_id', '=', id).execute();
  const booked = db.selectFrom('appointments').select('id').where('contact_id', '=', id);
  // The guest can still see the booking, and cancel it.
  await db.updateTable('guest_bookings').set({ phone_number: '', client_id: null }).where('appointment_id', 'in', booked).execute();
  await db.updateTable('appointments').set({ contact_id: null }).where('contact_id', '=', id).execute();
  await deleteWithDependents(db, contacts, conversation, accountId, id, now);
}
