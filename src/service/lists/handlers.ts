import type { AreaHandlers } from '../core/context.ts';
import { ApiError, notFound } from '../core/errors.ts';
import { deleteList, insertList, listLists, listRecord, renameList } from './records.ts';

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
};
