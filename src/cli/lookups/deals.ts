import { getDeal, listDeals } from '../../contract/areas/deals/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Deals by title. */
export const dealLookup = lookup(listDeals, 'deals', 'title', { get: getDeal, searchQuery: (title) => ({ search: title }) });
