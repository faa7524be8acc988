import type { AreaHandlers } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { lists } from '../lists/table.ts';
import { addContacts, removeContacts } from './memberships.ts';
import { requireContacts } from './records.ts';

/** @throws ApiError 404 when the account does not have one of the contacts */
async function requireSeqs(db: Db, accountId: string, ids: readonly string[]): Promise<number[]> {
  return (await requireContacts(db, accountId, ids)).map(({ seq }) => seq);
}

/** The handlers that add contacts to lists and remove them. */
export const listContactHandlers: Pick<AreaHandlers<'lists'>, 'lists.addContacts' | 'lists.removeContacts'> = {
  'lists.addContacts': async ({ db, account, params, body }) => {
    const { id } = await lists.require(db, account.id, params.id);
    await addContacts(db, 'lists', id, await requireSeqs(db, account.id, body.contact_ids));
    return { list: lists.show(await lists.require(db, account.id, id)) };
  },

  'lists.removeContacts': async ({ db, account, params, body }) => {
    const { id } = await lists.require(db, account.id, params.id);
    await removeContacts(db, 'lists', id, await requireSeqs(db, account.id, body.contact_ids));
    return {};
  },
};
