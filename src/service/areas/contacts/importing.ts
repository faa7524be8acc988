import { identityKey, identityKeys } from '../../../contract/areas/contacts/address.ts';
import type { importContacts } from '../../../contract/areas/contacts/endpoints.ts';
import { duplicateRow, type ImportedContact, repeatedRow, type SkippedRow } from '../../../contract/areas/contacts/import-rows.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import type { Db } from '../../store/database.ts';
import type { Journal } from '../activity/journal.ts';
import { callCampaigns } from './campaign-calls.ts';
import { findOrCreateTags } from '../tags/records.ts';
import { addMemberships } from './memberships.ts';
import { changeContact, createContacts, findContactsByKey, newContact } from './records.ts';
import { searchText } from './rules.ts';
import type { Contact } from './table.ts';
import { readTagRoom } from './tag-room.ts';

type Row = ImportedContact | SkippedRow;

/**
 * Imports rows: creates new contacts, and updates or skips existing ones (rules contacts.42, contacts.44, contacts.45,
 * contacts.49, contacts.50).
 * @returns the answer of the endpoint
 */
export async function importRows(
  db: Db,
  journal: Journal,
  rows: readonly Row[],
  onDuplicate: 'skip' | 'update',
): Promise<Answer<typeof importContacts>> {
  const { account } = journal;
  const valid = rows.flatMap((row) => ('reason' in row ? [] : identityKeys(row.channel, row.address)));
  const known = await findContactsByKey(db, account.id, valid);
  const created = new Map<string, Contact>();
  const updates = new Map<string, ImportedContact['fields']>();
  const tagged = new Map<string, ImportedContact['tags']>();
  const keyOf = ({ channel, address }: ImportedContact) =>
    identityKeys(channel, address).find((key) => known.has(key) || created.has(key)) ?? identityKey(channel, address);
  const room = await readTagRoom(db, account.id, onDuplicate === 'update' ? known : new Map(), rows, keyOf);
  const ids: string[] = [];
  const skipped: Answer<typeof importContacts>['skipped'] = [];
  for (const [index, row] of rows.entries()) {
    if ('reason' in row) {
      skipped.push({ index, code: row.code, reason: row.reason });
      continue;
    }
    const { address, fields, tags } = row;
    const key = keyOf(row);
    const before = known.get(key) ?? created.get(key);
    if (before && onDuplicate === 'skip') {
      skipped.push({ index, ...(known.has(key) ? duplicateRow(address) : repeatedRow(address)) });
      continue;
    }
    const refusal = room.refusal(key, tags);
    if (refusal) {
      skipped.push({ index, ...refusal });
      continue;
    }
    if (before && known.has(key)) updates.set(key, { ...updates.get(key), ...fields });
    else created.set(key, before ? withFields(before, fields) : newImported(journal, row));
    ids.push((before ?? created.get(key))?.id ?? '');
    if (tags.size > 0) tagged.set(key, new Map([...(tagged.get(key) ?? []), ...tags]));
  }
  const tagsByKey = await tagsOfContacts(db, journal, tagged);
  await createContacts(db, journal, [...created.values()], ({ identity_key: key }) => tagsByKey.get(key) ?? []);
  // Done before the updates, whose events include the tags.
  await tagContacts(db, journal, tagsByKey);
  for (const [key, fields] of updates) {
    const contact = known.get(key);
    if (contact && Object.keys(fields).length > 0) await changeContact(db, journal, contact, fields);
  }
  return { imported: ids.length, contact_ids: ids, skipped };
}

function newImported({ account, now }: Journal, { channel, address, fields }: ImportedContact): Contact {
  const { first_name: firstName, last_name: lastName, email, company, ...flags } = fields;
  return { ...newContact(account.id, channel, address, { firstName, lastName, email, company }, now), ...flags };
}

function withFields(contact: Contact, fields: ImportedContact['fields']): Contact {
  const changed = { ...contact, ...fields };
  return { ...changed, search_text: searchText(changed) };
}

interface Tag {
  readonly id: string;
  readonly name: string;
}

/**
 * Finds the tags of contacts, and creates those that are missing.
 * @param tagged the tags by their folded names, by the key of a contact
 * @returns the tags by the key of a contact, in the order of creation
 */
async function tagsOfContacts(
  db: Db,
  { account, now }: Journal,
  tagged: ReadonlyMap<string, ImportedContact['tags']>,
): Promise<ReadonlyMap<string, Tag[]>> {
  const names = new Map<string, string>();
  for (const tags of tagged.values()) for (const [folded, name] of tags) names.set(folded, names.get(folded) ?? name);
  const known = await findOrCreateTags(db, account.id, names, now);
  const places = new Map(known.map(({ folded_name: folded }, place) => [folded, place]));
  const placesOf = (tags: ImportedContact['tags']) => [...tags.keys()].map((folded) => places.get(folded) ?? 0).sort((a, b) => a - b);
  const shown = known.map(({ id, name }): Tag => ({ id, name }));
  return new Map([...tagged].map(([key, tags]) => [key, placesOf(tags).map((place) => shown[place] as Tag)]));
}

/** The number of memberships that are prepared at once, which takes a few milliseconds. */
const membershipsAtOnce = 5_000;

/** Adds tags to contacts. @param tagsByKey the tags, by the key of a contact */
async function tagContacts(db: Db, { account, now }: Journal, tagsByKey: ReadonlyMap<string, readonly Tag[]>): Promise<void> {
  const add = async (memberships: readonly { id: string; seq: number }[]) =>
    await callCampaigns(db, account, await addMemberships(db, 'tags', memberships), now);
  const stored = await findContactsByKey(db, account.id, [...tagsByKey.keys()]);
  let some: { id: string; seq: number }[] = [];
  for (const [key, tags] of tagsByKey) {
    const contact = stored.get(key);
    if (contact) for (const { id } of tags) some.push({ id, seq: contact.seq });
    if (some.length < membershipsAtOnce) continue;
    await add(some);
    some = [];
  }
  await add(some);
}
