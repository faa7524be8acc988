import type { Endpoint } from '../../../contract/endpoint.ts';
import { withJournal } from '../activity/journal.ts';
import { type AreaHandlers, type Context, prepared } from '../../http/context.ts';
import { ApiError, notFound } from '../../errors.ts';
import { requireList } from '../lists/records.ts';
import { findOrInsertTag, requireTag } from '../tags/records.ts';
import type { NewEvent } from '../webhooks/emit.ts';
import { readAddress } from './address.ts';
import { addContacts, removeContacts } from './memberships.ts';
import {
  announceContact,
  type Contact,
  contactRecords,
  deleteContact,
  findContactsByKey,
  insertContacts,
  listContacts,
  newContact,
  requireContact,
  showContact,
  updateContact,
} from './records.ts';
import { readImportRow } from './rules.ts';

const flag = (value: boolean) => (value ? 1 : 0);

/** Puts a contact into a state, and tells of it; one that is in it already stays as it is. */
async function setState(
  { db, account, params, now }: Pick<Context<Endpoint>, 'db' | 'account' | 'now'> & { params: { id: string } },
  state: Partial<Pick<Contact, 'paused' | 'taken_over' | 'archived'>>,
  event: NewEvent['name'],
) {
  const contact = await requireContact(db, account.id, params.id);
  const isSo = Object.entries(state).every(([column, value]) => contact[column as keyof Contact] === value);
  if (isSo) return { contact: await showContact(db, contact) };
  const record = await showContact(db, await updateContact(db, contact, { ...state, updated_at: now }));
  await withJournal(db, account, now, async (journal) => journal.emit(event, () => ({ contact: record })));
  return { contact: record };
}

export const contactHandlers: AreaHandlers<'contacts'> = {
  'contacts.list': async ({ db, account, query, page }) => {
    if (query.tag_id !== undefined) await requireTag(db, account.id, query.tag_id);
    if (query.list_id !== undefined) await requireList(db, account.id, query.list_id);
    const { rows, next_cursor } = await page((before, take) => listContacts(db, account.id, query, before, take));
    return { contacts: await contactRecords(db, rows), next_cursor };
  },

  'contacts.create': prepared(
    async ({ body }) => await readAddress(body),
    async ({ db, account, body, now }, address) => {
      const { channel = 'chatapp', first_name: firstName, last_name: lastName, email, company } = body;
      const contact = newContact(account.id, channel, address, { firstName, lastName, email, company }, now);
      const taken = await findContactsByKey(db, account.id, [contact.identity_key]);
      if (taken.size > 0) {
        const what = contact.phone_number === null ? `account on ${channel}` : 'phone number';
        throw new ApiError(409, `There is a contact with this ${what} already`);
      }
      await withJournal(db, account, now, async (journal) => {
        await insertContacts(db, [contact]);
        announceContact(journal, contact);
      });
      return { contact: await showContact(db, await requireContact(db, account.id, contact.id)) };
    },
  ),

  'contacts.import': prepared(
    async ({ body }) => {
      const { readPhoneNumber } = await import('./phone-numbers.ts');
      return body.contacts.map((row) => readImportRow(row, body.defaultChannel ?? 'chatapp', readPhoneNumber));
    },
    async ({ db, account, now }, rows) => {
      const imported = new Map<string, Contact>();
      const skipped: { index: number; reason: string }[] = [];
      const numbers = rows.flatMap((row) => ('phone' in row ? [row.phone.number] : []));
      const known = await findContactsByKey(db, account.id, numbers);
      for (const [index, row] of rows.entries()) {
        if ('reason' in row) {
          skipped.push({ index, reason: row.reason });
          continue;
        }
        const { number } = row.phone;
        if (known.has(number)) skipped.push({ index, reason: 'there is a contact with this phone number already' });
        else if (imported.has(number)) skipped.push({ index, reason: 'the phone number stands in an earlier row too' });
        else imported.set(number, newContact(account.id, row.channel, row.phone, row, now));
      }
      const contacts = [...imported.values()];
      await withJournal(db, account, now, async (journal) => {
        await insertContacts(db, contacts);
        for (const contact of contacts) announceContact(journal, contact);
      });
      return { imported: contacts.length, contact_ids: contacts.map(({ id }) => id), skipped };
    },
  ),

  'contacts.get': async ({ db, account, params }) => ({
    contact: await showContact(db, await requireContact(db, account.id, params.id)),
  }),

  'contacts.update': async ({ db, account, params, body, now }) => {
    const { do_not_disturb: doNotDisturb, private_mode: privateMode, archived, ...person } = body;
    if (Object.keys(body).length === 0) throw new ApiError(400, 'No fields to update');
    const contact = await requireContact(db, account.id, params.id);
    const changed = await updateContact(db, contact, {
      ...person,
      ...(doNotDisturb !== undefined && { do_not_disturb: flag(doNotDisturb) }),
      ...(privateMode !== undefined && { private_mode: flag(privateMode) }),
      ...(archived !== undefined && { archived: flag(archived) }),
      updated_at: now,
    });
    const record = await showContact(db, changed);
    await withJournal(db, account, now, async (journal) => {
      if (changed.do_not_disturb > contact.do_not_disturb) journal.emit('Contact Do Not Disturb', () => ({ contact: record }));
      if (changed.archived < contact.archived) journal.emit('Contact Unarchived', () => ({ contact: record }));
    });
    return { contact: record };
  },

  'contacts.delete': async ({ db, account, params }) => {
    await deleteContact(db, await requireContact(db, account.id, params.id));
    return {};
  },

  'contacts.tag': async ({ db, account, params, body, now }) => {
    const contact = await requireContact(db, account.id, params.id);
    const tag =
      body.tag_id === undefined
        ? await findOrInsertTag(db, account.id, body.name ?? '', now)
        : await requireTag(db, account.id, body.tag_id);
    await addContacts(db, 'tags', tag.id, [contact.seq]);
    return { contact: await showContact(db, contact) };
  },

  'contacts.untag': async ({ db, account, params }) => {
    const contact = await requireContact(db, account.id, params.id);
    const tag = await requireTag(db, account.id, params.tagId);
    if ((await removeContacts(db, 'tags', tag.id, [contact.seq])) === 0) throw notFound('Tag');
    return {};
  },

  'contacts.pause': (context) => setState(context, { paused: 1 }, 'Contact Paused'),

  'contacts.resume': (context) => setState(context, { paused: 0, taken_over: 0 }, 'Contact Resumed'),

  'contacts.unarchive': (context) => setState(context, { archived: 0 }, 'Contact Unarchived'),
};
