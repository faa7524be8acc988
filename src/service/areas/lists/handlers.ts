import type { AreaHandlers } from '../../http/context.ts';
import { ApiError, notFound } from '../../errors.ts';
import type { Db } from '../../store/store.ts';
import { addContacts, removeContacts } from '../contacts/memberships.ts';
import { requireContacts } from '../contacts/records.ts';
import { deleteList, insertList, listLists, listRecord, renameList, requireList } from './records.ts';

/** @throws ApiError 404 when one of them is unknown: then nothing is changed */
async function contactSeqs(db: Db, accountId: string, ids: readonly string[]): Promise<number[]> {
  return (await requireContacts(db, accountId, ids)).map(({ seq }) => seq);
}

export const listHandlers: AreaHandlers<'lists'> = {
  'lists.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, take) => listLists(db, account.id, before, take));
    return { lists: rows.map(listRecord), next_cursor };
  },

  'lists.create': async ({ db, account, body, now }) => ({ list: await insertList(db, account.id, body.name, now) }),

  'lists.update': async ({ db, account, params, body, now }) => {
    if (body.name === undefined) throw new ApiError(400, 'No fields to update');
    const list = await renameList(db, account.id, params.id, body.name, now);
    if (!list) throw notFound('List');
    return { list };
  },

  'lists.delete': async ({ db, account, params }) => {
    if (!(await deleteList(db, account.id, params.id))) throw notFound('List');
    return {};
  },

  'lists.addContacts': async ({ db, account, params, body }) => {
    const { id } = await requireList(db, account.id, params.id);
    await addContacts(db, 'lists', id, await contactSeqs(db, account.id, body.contact_ids));
    return { list: listRecord(await requireList(db, account.id, id)) };
  },

  'lists.removeContacts': async ({ db, account, params, body }) => {
    const { id } = await requireList(db, account.id, params.id);
    await removeContacts(db, 'lists', id, await contactSeqs(db, account.id, body.contact_ids));
    return {};
  },
};
