import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { listRecords } from '../../http/record-handlers.ts';
import { deleteWithDependents } from '../../identity/deleted-accounts.ts';
import { createTag, updateTag } from './records.ts';
import { tags } from './table.ts';

/** The contacts with a tag, which can be many, and the campaigns that have it. */
const memberships = [
  { table: 'contact_tags', column: 'tag_id', isUnreferenced: true },
  { table: 'campaign_tags', column: 'tag_id' },
];

export const tagHandlers: AreaHandlers<'tags'> = {
  'tags.list': listRecords(tags, 'tags'),

  'tags.create': async ({ db, account, body, now }) => ({
    tag: tags.show(await createTag(db, account.id, body.name, body.description ?? null, now)),
  }),

  'tags.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    return { tag: tags.show(await updateTag(db, account.id, params.id, body, now)) };
  },

  'tags.delete': async ({ db, account, params, now }) => {
    await deleteWithDependents(db, tags, memberships, account.id, params.id, now);
    return {};
  },
};
