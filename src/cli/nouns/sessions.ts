import * as contract from '../../contract/areas/sessions/endpoints.ts';
import { summarizeSession } from '../../contract/areas/summaries/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import type { Noun, Verb } from '../verb/noun.ts';
import { withChat } from './sessions/conversation.ts';
import { agentLookup } from '../lookups/agents.ts';
import { contactLookup } from '../lookups/contacts.ts';
import { pastPeriod } from '../lookups/past-times.ts';
import { sessionLookup } from '../lookups/sessions.ts';
import { agentField, contactField, withNamedFields } from '../lookups/named.ts';

const columns = ['id', 'contact_id', 'channel', 'agent_id', 'started_at', 'concluded_at', 'outcome'] as const;

const conversation = { param: 'id', summary: 'the id of a conversation', lookup: sessionLookup } as const;

/** A verb that shows one conversation, with its names and its chat. */
function withConversation(verb: Verb): Verb {
  const named = withNamedFields(
    verb,
    [contactField, agentField],
    ['contact', 'channel', 'agent', 'started_at', 'concluded_at', 'outcome', 'alerted', 'id'],
  );
  return { ...named, run: async (session, values, options) => await withChat(session, await named.run(session, values, options)) };
}

export const sessions: Noun = {
  name: 'sessions',
  verbs: [
    withNamedFields(
      callVerb({
        name: 'list',
        endpoint: contract.listSessions,
        examples: [
          ['msgctl sessions list --contact +14155550123', 'conversations with one contact, newest first'],
          ['msgctl sessions list --state open --alerted true', 'those that wait for a person'],
          ['msgctl sessions list --outcome unanswered --since 1d', 'whom nobody answered today'],
        ],
        fields: [
          { field: 'contact_id', flag: 'contact', lookup: contactLookup },
          { field: 'agent_id', flag: 'agent', lookup: agentLookup },
          'channel',
          'outcome',
          'state',
          'alerted',
          ...pastPeriod('only conversations that started'),
        ],
        shown: { columns },
      }),
      [contactField, agentField],
      ['id', 'contact', 'started_at', 'outcome', 'agent', 'channel', 'concluded_at'],
    ),
    withConversation(
      callVerb({
        name: 'get',
        endpoint: contract.getSession,
        summary: 'Show a conversation: its chat, and who answers',
        examples: [
          ['msgctl sessions get ses_1', 'the chat'],
          ['msgctl sessions get ses_1 -o json', 'its fields'],
        ],
        arguments: [conversation],
        shown: { field: 'chat_session', columns: [...columns, 'alerted'] },
      }),
    ),
    callVerb({
      name: 'summarize',
      endpoint: summarizeSession,
      examples: [['msgctl sessions summarize ses_1', 'what the contact asked, who answered, and how it ended']],
      arguments: [conversation],
      shown: { field: 'summary', columns: ['id', 'text', 'date', 'chat_session_id', 'contact_id', 'created_at'] },
    }),
  ],
};
