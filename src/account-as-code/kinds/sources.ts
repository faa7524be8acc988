import * as z from 'zod';
import { pageAddress, pageKey } from '../../contract/areas/kb/address.ts';
import { deleteSource, importPage, listSources } from '../../contract/areas/kb/endpoints.ts';
import type { Kind } from '../kind.ts';
import { requestFields } from '../schema.ts';

/** The URL of a page as the service normalises it. */
export function normalPage(text: unknown): unknown {
  return (typeof text === 'string' ? pageAddress(text)?.href : undefined) ?? text;
}

/** Knowledge sources. Files list only the URLs of pages; uploaded documents have no URL, so files cannot refer to them. */
export const sources: Kind = {
  name: 'sources',
  noun: 'source',
  step: 1,
  file: 'sources.yaml',
  schema: () => z.strictObject({ url: requestFields(importPage).url as z.ZodType }),
  key: ['url'],
  fold: (text) => {
    const url = pageAddress(text);
    return url ? pageKey(url) : text;
  },
  normalise: ({ url }) => ({ url: normalPage(url) }),
  hasFixedName: true,
  endpoints: [listSources, importPage, deleteSource],
  list: (client) => client.all(listSources, {}),
  leavesOut: ({ url, title, storage_path: path, status }) =>
    url === null ? `The uploaded source '${String(title ?? path)}' is not dumped` : status === 'deleting',
  idOf: ({ source_id: id }) => id as string,
  fields: ({ url }) => [{ url }],
  create: async ({ client, fields }) => ({ id: (await client.call(importPage, { body: fields })).source_id }),
  update: async () => undefined,
  remove: async ({ client, live: { id } }) => {
    await client.call(deleteSource, { params: { sourceId: id }, query: { delete_faqs: true } });
  },
  undo: ({ action }) => (action === 'delete' ? 'partial' : undefined),
  notRestored: () => 'Credits that imports cost do not come back.',
};
