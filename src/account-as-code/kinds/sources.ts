import * as z from 'zod';
import { pageAddress, pageKey } from '../../contract/areas/kb/address.ts';
import { deleteSource, importPage, listSources } from '../../contract/areas/kb/endpoints.ts';
import { counted } from '../../contract/text/counted.ts';
import type { Kind, LeftOut, AnswerRow } from '../kind.ts';
import { requestFields } from './schema.ts';

/** The URL of a page as the service normalises it. */
export function normalPage(text: unknown): unknown {
  return (typeof text === 'string' ? pageAddress(text)?.href : undefined) ?? text;
}

/** Leaves out an uploaded document, to which files cannot refer. */
export function uploaded({ url, title, storage_path: path }: AnswerRow): LeftOut | undefined {
  return url === null ? { note: `The source '${String(title ?? path)}' is an uploaded document, so it is not dumped` } : undefined;
}

/** Knowledge sources. Files list only the URLs of pages; uploaded documents have no URL, so files cannot refer to them. */
export const sources: Kind = {
  name: 'sources',
  noun: 'source',
  file: 'sources.yaml',
  schema: () => z.strictObject({ url: requestFields(importPage).url as z.ZodType }),
  normalise: ({ url }) => ({ url: normalPage(url) }),
  endpoints: [listSources, importPage, deleteSource],
  identity: {
    key: ['url'],
    idField: 'source_id',
    fold: (text) => {
      const url = pageAddress(text);
      return url ? pageKey(url) : text;
    },
    hasFixedName: true,
  },
  reading: {
    list: (client) => client.all(listSources, {}),
    leavesOut: (row) => uploaded(row) ?? (row.status === 'deleting' ? {} : undefined),
    isListedBySomeOnly: true,
    fields: ({ url }) => [{ url }],
  },
  writing: {
    step: 1,
    create: async ({ client, fields }) => ({ id: (await client.call(importPage, { body: fields })).source_id }),
    update: async () => undefined,
    remove: async ({ client, live: { id } }) => {
      await client.call(deleteSource, { params: { sourceId: id }, query: { delete_faqs: true } });
    },
    room: (rows, { pending_pages: most }) => ({
      left: most - rows.filter(({ status }) => status === 'queued' || status === 'processing').length,
      isFreed: false,
      reason: `at most ${counted(most, 'page')} can wait for import: try again when some are imported`,
    }),
    imports: ({ url }) => ({ url: String(url) }),
  },
  loss: {
    undo: ({ action }) => (action === 'delete' ? 'partial' : undefined),
    notRestored: () => 'Credits spent on imports are not refunded.',
  },
};
