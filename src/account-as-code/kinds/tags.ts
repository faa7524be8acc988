import { tagContact } from '../../contract/areas/contacts/endpoints.ts';
import { createTag, deleteTag, listTags, updateTag } from '../../contract/areas/tags/endpoints.ts';
import { fold } from '../../contract/text/fold.ts';
import * as z from 'zod';
import { addEach, contactsWith, memberLimit } from './members.ts';
import { fieldsOfRow } from './rows.ts';
import type { Kind } from '../kind.ts';
import { requestFields } from './schema.ts';

/** Tags. Names are case-insensitive, because the service allows each only once regardless of case. */
export const tags: Kind = {
  name: 'tags',
  noun: 'tag',
  file: 'tags.yaml',
  schema: () => z.strictObject(requestFields(updateTag)),
  endpoints: [listTags, createTag, updateTag, deleteTag],
  identity: { key: ['name'], fold },
  reading: {
    list: (client) => client.all(listTags, {}),
    fields: (row) => [fieldsOfRow(row, ['name', 'description'])],
  },
  writing: {
    step: 1,
    create: async ({ client, fields }) => ({ id: (await client.call(createTag, { body: fields })).tag.id }),
    update: async ({ client, fields, live: { id } }) => {
      await client.call(updateTag, { params: { id }, body: fields });
      return undefined;
    },
    remove: async ({ client, live: { id } }) => {
      await client.call(deleteTag, { params: { id } });
    },
  },
  loss: {
    ofDeletion: ({ row }) => (Number(row.contact_count) > memberLimit ? `${String(row.contact_count)} contacts have it` : undefined),
    members: {
      read: (client, id) => contactsWith(client, { tag_id: id }),
      restore: (client, id, contacts) =>
        addEach(contacts, (contact) => client.call(tagContact, { params: { id: contact }, body: { tag_id: id } })),
    },
  },
};
