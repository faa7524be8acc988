import * as contract from '../../contract/areas/sessions/endpoints.ts';
import { lookup } from '../verb/lookup.ts';
import { callVerb } from '../verb/call-verb.ts';
import type { Noun } from '../verb/noun.ts';
import { contactLookup } from '../lookups/contacts.ts';
import { agentField, contactField, withNamedFields } from '../lookups/named.ts';

const columns = ['id', 'contact_id', 'channel', 'agent_id', 'started_at', 'concluded_at', 'outcome'] as const;

const sessionLookup = lookup(contract.listSessions, 'chat_sessions', 'contact_id', {
  what: 'chat session',
  // A conversation has no name.
  names: () => [],
  get: contract.getSession,
});

export const sessions: Noun = {
  name: 'sessions',
  verbs: [
    withNamedFields(
      callVerb({
        name: 'list',
        endpoint: contract.listSessions,
        examples: [['msgctl sessions list --contact +14155550123', 'conversations with one contact, newest first']],
        fields: [{ field: 'contact_id', flag: 'contact', lookup: contactLookup }],
        shown: { columns },
      }),
      [contactField, agentField],
      ['id', 'contact', 'started_at', 'outcome', 'agent', 'channel', 'concluded_at'],
    ),
    withNamedFields(
      callVerb({
        name: 'get',
        endpoint: contract.getSession,
        examples: [['msgctl sessions get ses_1', 'show one conversation']],
        arguments: [{ param: 'id', summary: 'the id of a conversation', lookup: sessionLookup }],
        shown: { field: 'chat_session', columns: [...columns, 'alerted'] },
      }),
      [contactField, agentField],
      ['id', 'contact', 'channel', 'agent', 'started_at', 'concluded_at', 'outcome', 'alerted'],
    ),
  ],
};
