import * as contract from '../../contract/chat-sessions.ts';
import { callVerb, given, type Lookup, type Noun } from '../command.ts';

const columns = ['id', 'contact_id', 'channel', 'agent_id', 'started_at', 'concluded_at', 'outcome'];

const ids: Lookup = { endpoint: contract.listChatSessions, rows: 'chat_sessions', label: 'contact_id' };

export const sessions: Noun = {
  name: 'sessions',
  summary: 'Show the conversations with contacts',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listChatSessions,
      examples: [['msgctl sessions list --contact con_1', 'those with a contact, newest first']],
      options: [{ flags: '--contact <id>', summary: 'only those with this contact' }],
      query: ({ contact }) => given({ contact_id: contact }),
      shown: { columns },
    }),
    callVerb({
      name: 'get',
      endpoint: contract.getChatSession,
      examples: [['msgctl sessions get ses_1', 'one of them']],
      arguments: [['<id>', 'the id of a conversation', ids]],
      params: ['id'],
      shown: { field: 'chat_session', columns },
    }),
  ],
};
