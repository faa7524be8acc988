import { getEvent, listEvents } from '../../contract/areas/events/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Event types by name. */
export const eventLookup = lookup(listEvents, 'events', 'name', { what: 'event type', record: 'event', get: getEvent });
