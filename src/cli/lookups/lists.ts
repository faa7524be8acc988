import { listLists } from '../../contract/areas/lists/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Lists of contacts by name. */
export const listLookup = lookup(listLists, 'lists', 'name');
