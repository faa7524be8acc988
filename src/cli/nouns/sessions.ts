import * as contract from '../../contract/areas/sessions/endpoints.ts';
import { callVerb, given, type Lookup, type Noun } from '../command/command.ts';

const columns = ['id', 'contact_id', 'channel', 'agent_id', 'started_at', 'concluded_at', 'outcome'];

const ids: Lookup = { endpoint: contract.listSessions, rows: 'chat_sessions', label: 'contact_id' };

export const sessions: Noun = {
  name: 'sessions',
  summary: 'Show the conversations with contacts',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listSessions,
      examples: [['msgctl sessions list --contact con_1', 'those with a contact, newest first']],
      options: [{ flags: '--contact <id>', summary: 'only those with this contact' }],
      query: ({ contact }) => given({ contact_id: contact }),
      shown: { columns },
    }),
    callVerb({
      name: 'get',
      endpoint: contract.getSession,
      examples: [['msgctl sessions get ses_1', 'one of them']],
      arguments: [['<id>', 'the id of a conversation', ids]],
      params: ['id'],
      shown: { field: 'chat_session', columns },
    }),
  ],
};
