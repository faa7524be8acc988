import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { createTag, updateTag } from './records.ts';
import { tags } from './table.ts';

export const tagHandlers: AreaHandlers<'tags'> = {
  'tags.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => tags.list(db, account.id, before, limit));
    return { tags: rows.map(tags.show), next_cursor };
  },

  'tags.create': async ({ db, account, body, now }) => ({
    tag: tags.show(await createTag(db, account.id, body.name, body.description ?? null, now)),
  }),

  'tags.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    return { tag: tags.show(await updateTag(db, account.id, params.id, body, now)) };
  },

  'tags.delete': async ({ db, account, params }) => {
    await tags.delete(db, account.id, params.id);
    return {};
  },
};
