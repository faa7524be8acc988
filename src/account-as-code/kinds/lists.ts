import * as z from 'zod';
import type { Caller } from '../../contract/call.ts';
import { addListContacts, createList, deleteList, listLists, updateList } from '../../contract/areas/lists/endpoints.ts';
import { addEach, contactsWith, memberLimit, succeeds } from './members.ts';
import { fieldsOfRow } from './rows.ts';
import type { Kind } from '../kind.ts';
import { once, requestFields } from './schema.ts';

const fields = once(() => requestFields(updateList));

/** Lists. Only the name is configuration; the members are data. */
export const lists: Kind = {
  name: 'lists',
  noun: 'list',
  file: 'lists.yaml',
  schema: () => z.strictObject(fields()),
  endpoints: [listLists, createList, updateList, deleteList],
  identity: { key: ['name'] },
  reading: {
    list: (client) => client.all(listLists, {}),
    fields: (row) => [fieldsOfRow(row, Object.keys(fields()))],
  },
  writing: {
    step: 1,
    create: async ({ client, fields: body }) => ({ id: (await client.call(createList, { body })).list.id }),
    update: async ({ client, fields: body, live: { id } }) => {
      await client.call(updateList, { params: { id }, body });
      return undefined;
    },
    remove: async ({ client, live: { id } }) => {
      await client.call(deleteList, { params: { id } });
    },
  },
  loss: {
    ofDeletion: ({ row }) => (Number(row.contact_count) > memberLimit ? `it has ${String(row.contact_count)} members` : undefined),
    members: { read: (client, id) => contactsWith(client, { list_id: id }), restore: restoreMembers },
  },
};

/** Adds contacts with one call, or one by one if some of them no longer exist. */
async function restoreMembers(client: Caller, id: string, contacts: readonly string[]): Promise<void> {
  const add = (contactIds: string[]) => client.call(addListContacts, { params: { id }, body: { contact_ids: contactIds } });
  if (contacts.length > 0 && (await succeeds(() => add([...contacts])))) return;
  await addEach(contacts, (contact) => add([contact]));
}
