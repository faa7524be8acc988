import { createTag, deleteTag, listTags, updateTag } from '../../contract/areas/tags/endpoints.ts';
import { fold } from '../../contract/fold.ts';
import * as z from 'zod';
import { fieldsOfRow } from './rows.ts';
import type { Kind } from '../kind.ts';
import { requestFields } from '../schema.ts';
import { memberLimit } from '../members.ts';

/** Tags. Names are case-insensitive, because the service allows each only once regardless of case. */
export const tags: Kind = {
  name: 'tags',
  noun: 'tag',
  step: 1,
  file: 'tags.yaml',
  schema: () => z.strictObject(requestFields(updateTag)),
  key: ['name'],
  fold,
  endpoints: [listTags, createTag, updateTag, deleteTag],
  list: (client) => client.all(listTags, {}),
  idOf: ({ id }) => id as string,
  fields: (row) => [fieldsOfRow(row, ['name', 'description'])],
  create: async ({ client, fields }) => ({ id: (await client.call(createTag, { body: fields })).tag.id }),
  update: async ({ client, fields, live: { id } }) => {
    await client.call(updateTag, { params: { id }, body: fields });
    return undefined;
  },
  remove: async ({ client, live: { id } }) => {
    await client.call(deleteTag, { params: { id } });
  },
  loses: ({ row }) => (Number(row.contact_count) > memberLimit ? `${String(row.contact_count)} contacts have it` : undefined),
};
