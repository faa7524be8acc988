import { listSources } from '../../contract/areas/kb/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Knowledge base sources by the URL of their page, their title, or the path of their document. */
export const sourceLookup = lookup(listSources, 'sources', 'url', {
  what: 'source',
  value: 'source_id',
  idField: 'source_id',
  names: ({ url, title, storage_path: path }) => [url, title, path, path?.split('/').at(-1) ?? null],
  givenBy: 'the id, the address, the title or the path',
});
