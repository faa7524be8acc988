import type { Endpoint } from '../../../contract/endpoint.ts';
import { limits } from '../../../contract/limits.ts';
import { invalidField } from '../../errors.ts';
import { type AreaHandlers, ownTransactionsHandler, type RequestContext } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import type { Row } from '../../store/table.ts';
import { fixAll, fixInSteps } from '../audiences/fixing.ts';
import { lists } from '../lists/table.ts';
import { addContacts, findFull, removeContacts } from './memberships.ts';
import { contactsAtOnce, requireContacts, requireInSteps } from './records.ts';
import { contacts, type StoredContact } from './table.ts';

type List = Row<typeof lists>;

type ListContext = Pick<RequestContext<Endpoint>, 'service' | 'account' | 'write'> & {
  readonly params: { readonly id: string };
  readonly body: { readonly contact_ids: readonly string[] };
};

/** What a request does with the contacts of a list. */
interface ListChange {
  /** Runs for all contacts before any of them is changed. @throws ApiError when one of them cannot be changed */
  readonly check: (db: Db, listId: string, accountId: string, found: readonly StoredContact[]) => Promise<void>;
  /** Changes some of the contacts, by their `seq`. */
  readonly apply: (db: Db, listId: string, accountId: string, seqs: readonly number[]) => Promise<unknown>;
}

/** Adds contacts to a list. Skips those that are on as many lists as a contact can be. */
async function addWhereFree(db: Db, listId: string, accountId: string, seqs: readonly number[]): Promise<void> {
  const full = await findFull(db, 'lists', listId, accountId, seqs);
  await addContacts(
    db,
    'lists',
    listId,
    seqs.filter((seq) => !full.has(seq)),
  );
}

/** @throws ApiError 400 when one of the contacts is on as many lists as a contact can be */
async function checkFree(db: Db, listId: string, accountId: string, found: readonly StoredContact[]): Promise<void> {
  const seqs = found.map(({ seq }) => seq);
  const full = await findFull(db, 'lists', listId, accountId, seqs);
  const first = found.find(({ seq }) => full.has(seq));
  if (first)
    throw invalidField(
      'contact_ids',
      `the contact ${first.id} is on ${limits.contactLists} lists, as many as it can be on: remove it from one first`,
    );
}

const adding: ListChange = { check: checkFree, apply: addWhereFree };

const removing: ListChange = {
  check: async () => {},
  apply: (db, listId, _accountId, seqs) => removeContacts(db, 'lists', listId, seqs),
};

/**
 * Adds contacts to a list or removes them, in transactions of a few milliseconds. All contacts are checked before the first
 * change. Contacts that are deleted in the meantime, or put on other lists until they cannot be on another, are skipped.
 * @param done runs in the last transaction
 * @returns the list
 * @throws ApiError 404 when the account does not have the list or one of the contacts, 400 when one that is added is on as many
 * lists as a contact can be
 */
async function changeInSteps(context: ListContext, change: ListChange, done?: (db: Db, list: List) => Promise<void>): Promise<List> {
  const { service, account, params, body, write } = context;
  const ids = [...new Set(body.contact_ids)];
  const isOnePart = ids.length <= contactsAtOnce;
  await service.store.read((db) => lists.require(db, account.id, params.id));
  const check = (db: Db, found: readonly StoredContact[]) => change.check(db, params.id, account.id, found);
  if (!isOnePart) await requireInSteps(service, account.id, ids, check);
  await fixInSteps(context);
  const changePart = async (db: Db, part: readonly string[]) => {
    await fixAll(db, account.id);
    const { id } = await lists.require(db, account.id, params.id);
    const found = isOnePart ? await requireContacts(db, account.id, part) : [...(await contacts.findMany(db, account.id, part)).values()];
    if (isOnePart) await check(db, found);
    const seqs = found.map(({ seq }) => seq);
    await change.apply(db, id, account.id, seqs);
    return await lists.require(db, account.id, id);
  };
  for (let from = 0; from + contactsAtOnce < ids.length; from += contactsAtOnce) {
    const part = ids.slice(from, from + contactsAtOnce);
    await service.scheduler.run(() => write((db) => changePart(db, part), { isDurable: false }));
  }
  const last = ids.slice(-(ids.length % contactsAtOnce || contactsAtOnce));
  return await write(async (db) => {
    if (!isOnePart) await touchList(db, params.id);
    const list = await changePart(db, last);
    await done?.(db, list);
    return list;
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
  'lists.addContacts': ownTransactionsHandler(async (context) => {
    const answerOf = (list: List) => ({ list: lists.show(list) });
    return answerOf(await changeInSteps(context, adding, (db, list) => context.keep(db, answerOf(list))));
  }),

  'lists.removeContacts': ownTransactionsHandler(async (context) => {
    await changeInSteps(context, removing);
    return {};
  }),
};
