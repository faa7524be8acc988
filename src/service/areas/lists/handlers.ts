import { checkNotEmpty } from '../../errors.ts';
import { type AreaHandlers, preparedHandler } from '../../http/handler.ts';
import { listRecords } from '../../http/record-handlers.ts';
import { deleteWithDependents } from '../../identity/deleted-accounts.ts';
import { fixAll, fixInSteps } from '../audiences/fixing.ts';
import { lists } from './table.ts';

/** The contacts on a list, which can be many. */
const memberships = [{ table: 'list_contacts', column: 'list_id', isUnreferenced: true }];

/** All list endpoints except those that add and remove contacts, which are in the area `contacts`. */
export const listHandlers: Omit<AreaHandlers<'lists'>, 'lists.addContacts' | 'lists.removeContacts'> = {
  'lists.list': listRecords(lists, 'lists'),

  'lists.create': async ({ db, account, body, now }) => ({
    list: lists.show(await lists.create(db, account.id, lists.read(body), now)),
  }),

  'lists.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    return { list: lists.show(await lists.change(db, account.id, params.id, lists.read(body), now)) };
  },

  'lists.delete': preparedHandler(fixInSteps, async ({ db, account, params, now }) => {
    await fixAll(db, account.id);
    await deleteWithDependents(db, lists, memberships, account.id, params.id, now);
    return {};
  }),
};
