import type { AreaHandlers } from '../../http/context.ts';
import { ApiError, notFound } from '../../errors.ts';
import { deleteTag, insertTag, listTags, tagRecord, updateTag } from './records.ts';

export const tagHandlers: AreaHandlers<'tags'> = {
  'tags.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, take) => listTags(db, account.id, before, take));
    return { tags: rows.map(tagRecord), next_cursor };
  },

  'tags.create': async ({ db, account, body, now }) => ({
    tag: await insertTag(db, account.id, { name: body.name, description: body.description ?? null }, now),
  }),

  'tags.update': async ({ db, account, params, body, now }) => {
    if (body.name === undefined && body.description === undefined) throw new ApiError(400, 'No fields to update');
    const tag = await updateTag(db, account.id, params.id, body, now);
    if (!tag) throw notFound('Tag');
    return { tag };
  },

  'tags.delete': async ({ db, account, params }) => {
    if (!(await deleteTag(db, account.id, params.id))) throw notFound('Tag');
    return {};
  },
};
