import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { deleteRecord, getRecord } from '../../http/record-handlers.ts';
import { newest } from '../../store/newest.ts';
import { contacts } from '../contacts/table.ts';
import { notes } from './table.ts';

export const noteHandlers: AreaHandlers<'notes'> = {
  'notes.list': async ({ db, account, query: { contact_id }, page }) => {
    if (contact_id !== undefined) await contacts.require(db, account.id, contact_id);
    const { rows, next_cursor } = await page((before, limit) => newest(db, notes, { account_id: account.id, contact_id }, before, limit));
    return { notes: rows.map(notes.show), next_cursor };
  },

  'notes.create': async ({ db, account, body, now }) => {
    await contacts.require(db, account.id, body.contact_id);
    return { note: notes.show(await notes.create(db, account.id, notes.read(body), now)) };
  },

  'notes.get': getRecord(notes, 'note'),

  'notes.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    return { note: notes.show(await notes.change(db, account.id, params.id, notes.read(body), now)) };
  },

  'notes.delete': deleteRecord(notes),
};
