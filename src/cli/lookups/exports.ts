import { getExport, listExports } from '../../contract/areas/exports/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Exports of conversations, by id. */
export const exportLookup = lookup(listExports, 'chat_exports', 'id', {
  what: 'export',
  record: 'chat_export',
  get: getExport,
  listedBy: 'sessions exports list',
});
