import { readImportRow } from '../../../contract/areas/contacts/import-rows.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { limits } from '../../../contract/limits.ts';
import { ApiError, checkNotEmpty, notFound } from '../../errors.ts';
import { type AccountContext, type AreaHandlers, preparedHandler, searchHandler } from '../../http/handler.ts';
import { stepByStep } from '../../flow/steps.ts';
import { withJournal } from '../activity/journal.ts';
import { callCampaigns } from './campaign-calls.ts';
import { lists } from '../lists/table.ts';
import { findOrCreateTag } from '../tags/records.ts';
import { tags } from '../tags/table.ts';
import type { NewEvent } from '../webhooks/emit.ts';
import { readAddress } from './address.ts';
import { listContacts } from './list.ts';
import { addContacts, findFull, removeContacts } from './memberships.ts';
import {
  changeContact,
  contactRecordsInSteps,
  createContacts,
  findContactAt,
  newContact,
  newContactRecord,
  showContact,
  updateContact,
} from './records.ts';
import { importRows } from './importing.ts';
import { type Contact, contacts } from './table.ts';

type ContactContext = Pick<AccountContext<Endpoint>, 'db' | 'account' | 'now'> & { params: { id: string } };

/** Changes the state of a contact and emits an event. Does nothing when the contact already has that state. */
async function setState(
  { db, account, params, now }: ContactContext,
  state: Partial<Pick<Contact, 'paused' | 'taken_over' | 'archived'>>,
  event: NewEvent['name'],
) {
  const contact = await contacts.require(db, account.id, params.id);
  const isSo = Object.entries(state).every(([column, value]) => contact[column as keyof typeof state] === value);
  if (isSo) return { contact: await showContact(db, contact) };
  const record = await showContact(db, await updateContact(db, contact, { ...state, updated_at: now }, now));
  await withJournal(db, account, now, async (journal) => journal.emit(event, () => ({ contact: record })));
  return { contact: record };
}

export const contactHandlers: Omit<AreaHandlers<'contacts'>, 'contacts.delete'> = {
  'contacts.list': searchHandler(
    async ({ service, account, query, page }) => {
      const { tag_id: tag, list_id: list } = query;
      await service.store.read(async (db) => {
        if (tag !== undefined) await tags.require(db, account.id, tag);
        if (list !== undefined) await lists.require(db, account.id, list);
      });
      return await page((before, limit) => listContacts(service, account.id, query, before, limit));
    },
    async ({ service }, { rows, next_cursor }) => ({ contacts: await contactRecordsInSteps(service, rows), next_cursor }),
  ),

  'contacts.create': preparedHandler(
    async ({ account, body }) => await readAddress(body, undefined, account.defaultCountry),
    async ({ db, account, body, now }, address) => {
      const { channel = 'chatapp', first_name: firstName, last_name: lastName, email, company } = body;
      const { do_not_disturb = false, private_mode = false, archived = false } = body;
      const person = newContact(account.id, channel, address, { firstName, lastName, email, company }, now);
      const contact = { ...person, do_not_disturb, private_mode, archived };
      if (await findContactAt(db, account.id, channel, address)) {
        const what = contact.phone_number === null ? `account on ${channel}` : 'phone number';
        throw new ApiError(409, `A contact with this ${what} already exists`);
      }
      await withJournal(db, account, now, (journal) => createContacts(db, journal, [contact]));
      return { contact: newContactRecord(contact) };
    },
  ),

  'contacts.import': preparedHandler(
    async ({ account, body }) => {
      const { readNationalNumber } = await import('../../../contract/areas/contacts/phone-numbers.ts');
      const readNumber = (text: string) => readNationalNumber(text, account.defaultCountry);
      const pause = stepByStep();
      const rows: ReturnType<typeof readImportRow>[] = [];
      for (const row of body.contacts) {
        rows.push(readImportRow(row, body.defaultChannel ?? 'chatapp', readNumber));
        await pause();
      }
      return rows;
    },
    async ({ db, account, body, now }, rows) =>
      await withJournal(db, account, now, (journal) => importRows(db, journal, rows, body.on_duplicate ?? 'skip')),
  ),

  'contacts.get': async ({ db, account, params }) => ({
    contact: await showContact(db, await contacts.require(db, account.id, params.id)),
  }),

  'contacts.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    const contact = await contacts.require(db, account.id, params.id);
    const changed = await withJournal(db, account, now, (journal) => changeContact(db, journal, contact, contacts.read(body)));
    return { contact: await showContact(db, changed) };
  },

  'contacts.tag': async ({ db, account, params, body, now }) => {
    const contact = await contacts.require(db, account.id, params.id);
    const tag =
      body.tag_id === undefined
        ? await findOrCreateTag(db, account.id, body.name ?? '', now)
        : await tags.require(db, account.id, body.tag_id);
    const full = await findFull(db, 'tags', tag.id, account.id, [contact.seq]);
    if (full.size > 0) throw new ApiError(400, `The contact has ${limits.contactTags} tags, as many as it can have: remove one first`);
    const isNew = (await addContacts(db, 'tags', tag.id, [contact.seq])) > 0;
    if (isNew) await callCampaigns(db, account, [{ id: tag.id, seq: contact.seq }], now);
    return { contact: await showContact(db, contact) };
  },

  'contacts.untag': async ({ db, account, params }) => {
    const contact = await contacts.require(db, account.id, params.id);
    const tag = await tags.require(db, account.id, params.tagId);
    if ((await removeContacts(db, 'tags', tag.id, [contact.seq])) === 0) throw notFound('tag');
    return {};
  },

  'contacts.pause': (context) => setState(context, { paused: true }, 'Contact Paused'),

  'contacts.resume': (context) => setState(context, { paused: false, taken_over: false }, 'Contact Resumed'),

  'contacts.unarchive': (context) => setState(context, { archived: false }, 'Contact Unarchived'),
};
