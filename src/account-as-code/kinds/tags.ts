import { tagContact } from '../../contract/areas/contacts/endpoints.ts';
import { createTag, deleteTag, listTags, updateTag } from '../../contract/areas/tags/endpoints.ts';
import { fold } from '../../contract/text/fold.ts';
import * as z from 'zod';
import { addEach, contactsWith, memberLimit } from './members.ts';
import { fieldsOfRow } from './rows.ts';
import type { Kind } from '../kind.ts';
import { once, requestFields } from './schema.ts';

const fields = once(() => requestFields(updateTag));

/** Tags. Names are case-insensitive, because the service allows each only once regardless of case. */
export const tags: Kind = {
  name: 'tags',
  noun: 'tag',
  file: 'tags.yaml',
  schema: () => z.strictObject(fields()),
  endpoints: [listTags, createTag, updateTag, deleteTag],
  identity: { key: ['name'], fold },
  reading: {
    list: (client) => client.all(listTags, {}),
    fields: (row) => [fieldsOfRow(row, Object.keys(fields()))],
  },
  writing: {
    step: 1,
    create: async ({ client, fields: body }) => ({ id: (await client.call(createTag, { body })).tag.id }),
    update: async ({ client, fields: body, live: { id } }) => {
      await client.call(updateTag, { params: { id }, body });
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
