import * as contract from '../../contract/areas/sessions/endpoints.ts';
import { lookup } from '../command/lookup.ts';
import { callVerb } from '../command/call-verb.ts';
import type { Noun } from '../command/noun.ts';

const columns = ['id', 'contact_id', 'channel', 'agent_id', 'started_at', 'concluded_at', 'outcome'] as const;

const ids = lookup(contract.listSessions, 'chat_sessions', 'contact_id');

export const sessions: Noun = {
  name: 'sessions',
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
