import { identityKey } from '../../../contract/areas/contacts/address.ts';
import type { importContacts } from '../../../contract/areas/contacts/endpoints.ts';
import { duplicateRow, type ImportedContact, repeatedRow, type SkippedRow } from '../../../contract/areas/contacts/import-rows.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import type { Db } from '../../store/database.ts';
import type { Journal } from '../activity/journal.ts';
import { findOrCreateTag, findTags } from '../tags/records.ts';
import { addContacts } from './memberships.ts';
import { changeContact, createContacts, findContactsByKey, newContact } from './records.ts';
import { searchText } from './rules.ts';
import type { Contact } from './table.ts';

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
  const valid = rows.flatMap((row) => ('reason' in row ? [] : [identityKey(row.channel, row.address)]));
  const known = await findContactsByKey(db, account.id, valid);
  const created = new Map<string, Contact>();
  const updates = new Map<string, ImportedContact['fields']>();
  const tagged = new Map<string, Set<string>>();
  const ids: string[] = [];
  const skipped: Answer<typeof importContacts>['skipped'] = [];
  for (const [index, row] of rows.entries()) {
    if ('reason' in row) {
      skipped.push({ index, code: row.code, reason: row.reason });
      continue;
    }
    const { channel, address, fields, tags } = row;
    const key = identityKey(channel, address);
    const before = known.get(key) ?? created.get(key);
    if (before && onDuplicate === 'skip') {
      skipped.push({ index, ...(known.has(key) ? duplicateRow(address) : repeatedRow(address)) });
      continue;
    }
    if (before && known.has(key)) updates.set(key, { ...updates.get(key), ...fields });
    else created.set(key, before ? withFields(before, fields) : newImported(journal, row));
    ids.push((before ?? created.get(key))?.id ?? '');
    for (const tag of tags) tagged.set(tag, (tagged.get(tag) ?? new Set()).add(key));
  }
  const keysByTag = await ensureTags(db, journal, tagged);
  const tags = await findTags(db, account.id, [...keysByTag.keys()]);
  const tagsOf = ({ identity_key: key }: Contact) => tags.filter(({ id }) => keysByTag.get(id)?.has(key));
  await createContacts(db, journal, [...created.values()], tagsOf);
  // Done before the updates, whose events include the tags.
  await tagContacts(db, account.id, keysByTag);
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

/** Creates missing tags. @param tagged the keys of contacts, by tag name @returns the keys of contacts, by tag id */
async function ensureTags(
  db: Db,
  { account, now }: Journal,
  tagged: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const keys = new Map<string, ReadonlySet<string>>();
  for (const [name, contacts] of tagged) {
    const { id } = await findOrCreateTag(db, account.id, name, now);
    keys.set(id, contacts.union(keys.get(id) ?? new Set()));
  }
  return keys;
}

/** Adds tags to contacts. @param keysByTag the keys of the contacts, by tag id */
async function tagContacts(db: Db, accountId: string, keysByTag: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
  const keys = new Set([...keysByTag.values()].flatMap((each) => [...each]));
  const stored = await findContactsByKey(db, accountId, [...keys]);
  for (const [id, contacts] of keysByTag) {
    const seqs = [...contacts].flatMap((key) => stored.get(key)?.seq ?? []);
    await addContacts(db, 'tags', id, seqs);
  }
}
