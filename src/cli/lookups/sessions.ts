import { getSession, listSessions } from '../../contract/areas/sessions/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Conversations, which have no names. */
export const sessionLookup = lookup(listSessions, 'chat_sessions', 'contact_id', {
  what: 'conversation',
  record: 'chat_session',
  names: () => [],
  get: getSession,
});
