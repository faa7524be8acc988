import { channelNames } from '../../contract/areas/channels/names.ts';
import * as contract from '../../contract/areas/messages/endpoints.ts';
import { parseChoice } from '../invalid-value.ts';
import { agentLookup } from '../lookups/agents.ts';
import { campaignLookup } from '../lookups/campaigns.ts';
import { contactLookup } from '../lookups/contacts.ts';
import { agentField, contactField, withNamedFields } from '../lookups/named.ts';
import { pastPeriod } from '../lookups/past-times.ts';
import { sessionLookup } from '../lookups/sessions.ts';
import { callVerb } from '../verb/call-verb.ts';
import { readFields } from '../verb/fields.ts';
import type { FieldSpec, Noun, Options, Session } from '../verb/noun.ts';

const columns = [
  'id',
  'contact_id',
  'session_id',
  'channel',
  'direction',
  'type',
  'body',
  'status',
  'sender',
  'agent_id',
  'campaign_id',
  'template_id',
  'created_at',
] as const;

const table = ['created_at', 'contact', 'body', 'sender', 'status', 'channel', 'agent', 'id'] as const;

const filters = [
  ...pastPeriod('only messages'),
  { field: 'contact_id', flag: 'contact', lookup: contactLookup },
  { field: 'session_id', flag: 'session', lookup: sessionLookup, summary: 'only messages of this conversation' },
  'channel',
  'direction',
  'sender',
  'status',
  { field: 'agent_id', flag: 'agent', lookup: agentLookup },
  { field: 'campaign_id', flag: 'campaign', lookup: campaignLookup },
  { field: 'broadcast_id', flag: 'broadcast' },
] as const;

const named = [contactField, agentField];

const found = { endpoint: contract.searchMessages, fields: filters, shown: { columns } } as const;

/** The filters of the stream. */
const tailFields = [
  { field: 'contact_id', flag: 'contact', lookup: contactLookup },
  { field: 'channel', parse: parseChoice(channelNames) },
  'direction',
] as const satisfies FieldSpec[];

async function tailFiltered(session: Session, options: Options) {
  const { query } = await readFields(contract.streamMessages, tailFields, options, session);
  return await (await import('../messages/tail.ts')).tail(session, query);
}

export const messages: Noun = {
  name: 'messages',
  verbs: [
    withNamedFields(
      callVerb({
        ...found,
        name: 'list',
        summary: 'List the messages of the account, newest first',
        examples: [
          ['msgctl messages list --since 1h', 'of the last hour'],
          ['msgctl messages list --status failed --all -o csv', 'all that did not arrive'],
        ],
      }),
      named,
      table,
    ),
    withNamedFields(
      callVerb({
        ...found,
        name: 'search',
        summary: 'Find messages by their words, newest first',
        examples: [
          ['msgctl messages search refund --since 1d', 'who wrote "refund" today'],
          ['msgctl messages search order late --direction inbound', 'both words; `ord` finds "order" too'],
        ],
        arguments: [
          {
            field: 'search',
            name: 'words',
            summary: 'the words, which all must be in a message; the beginning of a word suffices',
            isRepeated: true,
            resolve: (words: string | readonly string[]) => [words].flat().join(' '),
          },
        ],
      }),
      named,
      table,
    ),
    withNamedFields(
      callVerb({
        name: 'get',
        endpoint: contract.getMessage,
        examples: [['msgctl messages get msg_1', 'show one message']],
        arguments: [{ param: 'id', summary: 'the id of a message' }],
        shown: { field: 'message', columns },
      }),
      named,
      ['created_at', 'contact', 'body', 'sender', 'status', 'channel', 'agent', 'session_id', 'id'],
    ),
    {
      name: 'why',
      summary: 'Show why a message was answered as it was, or why an agent wrote it',
      examples: [
        ['msgctl messages why msg_1', 'who answered, from which FAQs, and what to change'],
        ['msgctl messages why msg_1 -o json', 'the message and its trace'],
      ],
      arguments: [{ name: 'id', summary: 'the id of a message' }],
      endpoint: contract.traceMessage,
      shown: {
        columns: [
          'message.id',
          'message.direction',
          'message.body',
          'trace.decision.step',
          'trace.decision.agent_id',
          'trace.source',
          'trace.credits',
          'commands',
        ],
      },
      run: async (session, [id = '']) => await (await import('../messages/why.ts')).why(session, id),
    },
    {
      name: 'tail',
      summary: 'Show messages and their status as they come, until it is interrupted',
      examples: [
        ['msgctl messages tail', 'until Ctrl-C'],
        ['msgctl messages tail --contact +14155550123', 'one conversation'],
        ['msgctl messages tail --direction inbound -o ndjson | while read -r line; do notify-send "$line"; done', 'pass each on'],
      ],
      fields: tailFields,
      endpoint: contract.streamMessages,
      scope: 'one account',
      shown: { columns: ['event', ...columns], further: ['contact'] },
      text: async (rows, screen) => (await import('../messages/tail-lines.ts')).tailLines(rows, screen),
      run: async (session, _, options) => await tailFiltered(session, options),
    },
  ],
};
