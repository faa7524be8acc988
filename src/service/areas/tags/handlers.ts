import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { deleteRecord, listRecords } from '../../http/record-handlers.ts';
import { createTag, updateTag } from './records.ts';
import { tags } from './table.ts';

export const tagHandlers: AreaHandlers<'tags'> = {
  'tags.list': listRecords(tags, 'tags'),

  'tags.create': async ({ db, account, body, now }) => ({
    tag: tags.show(await createTag(db, account.id, body.name, body.description ?? null, now)),
  }),

  'tags.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    return { tag: tags.show(await updateTag(db, account.id, params.id, body, now)) };
  },

  'tags.delete': deleteRecord(tags),
};
