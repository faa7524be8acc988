import * as z from 'zod';
import { createLink, deleteLink, followLink, listLinks } from '../../contract/areas/links/endpoints.ts';
import { fieldsOfRow, noneAt404 } from './rows.ts';
import type { Kind } from '../kind.ts';
import { requestFields } from './schema.ts';

/** Short links. The API cannot update them, so a change deletes and recreates the link, and its clicks are lost. */
export const shortLinks: Kind = {
  name: 'short-links',
  noun: 'short link',
  file: 'short-links.yaml',
  schema: () => z.strictObject(requestFields(createLink)),
  endpoints: [listLinks, createLink, deleteLink],
  identity: {
    key: ['slug'],
    hasFixedName: true,
    hasNewId: true,
  },
  reading: {
    list: (client) => client.all(listLinks, {}),
    fields: (row) => [fieldsOfRow(row, ['slug', 'url'])],
  },
  writing: {
    step: 4,
    required: () => ['url'],
    create: async ({ client, fields }) => ({ id: (await client.call(createLink, { body: fields })).short_link.id }),
    update: async ({ client, fields, live: { id, fields: before } }) => {
      await client.call(deleteLink, { params: { id } }).catch(noneAt404);
      await client.call(createLink, { body: { ...before, ...fields } });
      return undefined;
    },
    isRemade: true,
    remove: async ({ client, live: { id } }) => {
      await client.call(deleteLink, { params: { id } });
    },
    // Another account's link is not listed, but everyone can follow it.
    obstacle: async (client, { slug }) =>
      (await client.exists(followLink, { params: { slug: slug as string } })) ? 'another account has a link with this slug' : undefined,
  },
  loss: {
    ofDeletion: ({ row }) => `its clicks are lost (${String(row.clicks)} so far)`,
    notRestored: (action) => (action === 'create' ? undefined : 'The clicks of short links cannot be restored.'),
  },
};
