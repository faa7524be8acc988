import { getBroadcast, listBroadcasts } from '../../contract/areas/broadcasts/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Broadcasts by name. */
export const broadcastLookup = lookup(listBroadcasts, 'broadcasts', 'name', { get: getBroadcast });
