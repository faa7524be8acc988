import * as contract from '../../contract/areas/sessions/endpoints.ts';
import { callVerb } from '../command/call-verb.ts';
import type { Lookup, Noun } from '../command/noun.ts';

const columns = ['id', 'contact_id', 'channel', 'agent_id', 'started_at', 'concluded_at', 'outcome'] as const;

const ids: Lookup = { endpoint: contract.listSessions, rows: 'chat_sessions', label: 'contact_id' };

export const sessions: Noun = {
  name: 'sessions',
  summary: 'Show conversations with contacts',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listSessions,
      examples: [['msgctl sessions list --contact con_1', 'conversations with one contact, newest first']],
      fields: [{ field: 'contact_id', flag: 'contact' }],
      shown: { columns },
    }),
    callVerb({
      name: 'get',
      endpoint: contract.getSession,
      examples: [['msgctl sessions get ses_1', 'show one conversation']],
      arguments: [{ param: 'id', summary: 'the id of a conversation', completes: ids }],
      shown: { field: 'chat_session', columns },
    }),
  ],
};
