import type { Endpoint } from '../../../contract/endpoint.ts';
import { type AreaHandlers, ownTransactionsHandler, type RequestContext } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { fixAll, fixInSteps } from '../audiences/fixing.ts';
import { lists } from '../lists/table.ts';
import { addContacts, removeContacts } from './memberships.ts';
import { contactsAtOnce, requireContacts, requireInSteps } from './records.ts';
import { contacts } from './table.ts';

type ListContext = Pick<RequestContext<Endpoint>, 'service' | 'account' | 'write'> & {
  readonly params: { readonly id: string };
  readonly body: { readonly contact_ids: readonly string[] };
};

/**
 * Adds contacts to a list or removes them, in transactions of a few milliseconds. All contacts are checked before the first
 * change. Contacts that are deleted in the meantime are skipped.
 * @returns the list
 * @throws ApiError 404 when the account does not have the list or one of the contacts
 */
async function changeInSteps(context: ListContext, change: typeof addContacts | typeof removeContacts) {
  const { service, account, params, body, write } = context;
  const ids = [...new Set(body.contact_ids)];
  const isOnePart = ids.length <= contactsAtOnce;
  await service.store.read((db) => lists.require(db, account.id, params.id));
  if (!isOnePart) await requireInSteps(service, account.id, ids);
  await fixInSteps(context);
  const changePart = async (db: Db, part: readonly string[]) => {
    await fixAll(db, account.id);
    const { id } = await lists.require(db, account.id, params.id);
    const found = isOnePart ? await requireContacts(db, account.id, part) : [...(await contacts.findMany(db, account.id, part)).values()];
    await change(
      db,
      'lists',
      id,
      found.map(({ seq }) => seq),
    );
    return await lists.require(db, account.id, id);
  };
  for (let from = 0; from + contactsAtOnce < ids.length; from += contactsAtOnce) {
    const part = ids.slice(from, from + contactsAtOnce);
    await service.scheduler.run(() => write((db) => changePart(db, part), { isDurable: false }));
  }
  const last = ids.slice(-(ids.length % contactsAtOnce || contactsAtOnce));
  return await write(async (db) => {
    if (!isOnePart) await touchList(db, params.id);
    return await changePart(db, last);
  });
}

/** Writes a list without changing it. The last transaction must write something, so that it makes the earlier parts durable. */
async function touchList(db: Db, id: string): Promise<void> {
  await db
    .updateTable('lists')
    .set((eb) => ({ contact_count: eb.ref('contact_count') }))
    .where('id', '=', id)
    .execute();
}

/** The handlers that add contacts to lists and remove them. */
export const listContactHandlers: Pick<AreaHandlers<'lists'>, 'lists.addContacts' | 'lists.removeContacts'> = {
  'lists.addContacts': ownTransactionsHandler(async (context) => ({ list: lists.show(await changeInSteps(context, addContacts)) })),

  'lists.removeContacts': ownTransactionsHandler(async (context) => {
    await changeInSteps(context, removeContacts);
    return {};
  }),
};
