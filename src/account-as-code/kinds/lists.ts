import * as z from 'zod';
import { createList, deleteList, listLists, updateList } from '../../contract/areas/lists/endpoints.ts';
import { fieldsOfRow } from './rows.ts';
import type { Kind } from '../kind.ts';
import { memberLimit } from '../members.ts';
import { requestFields } from '../schema.ts';

/** Lists. Only the name is configuration; the members are data. */
export const lists: Kind = {
  name: 'lists',
  noun: 'list',
  step: 1,
  file: 'lists.yaml',
  schema: () => z.strictObject(requestFields(updateList)),
  key: ['name'],
  endpoints: [listLists, createList, updateList, deleteList],
  list: (client) => client.all(listLists, {}),
  idOf: ({ id }) => id as string,
  fields: (row) => [fieldsOfRow(row, ['name'])],
  create: async ({ client, fields }) => ({ id: (await client.call(createList, { body: fields })).list.id }),
  update: async ({ client, fields, live: { id } }) => {
    await client.call(updateList, { params: { id }, body: fields });
    return undefined;
  },
  remove: async ({ client, live: { id } }) => {
    await client.call(deleteList, { params: { id } });
  },
  loses: ({ row }) => (Number(row.contact_count) > memberLimit ? `it has ${String(row.contact_count)} members` : undefined),
};
