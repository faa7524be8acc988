import * as contract from '../../contract/areas/sessions/endpoints.ts';
import { summarizeSession } from '../../contract/areas/summaries/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import type { Noun, Verb } from '../verb/noun.ts';
import { withChat } from './sessions/conversation.ts';
import { createExport, deleteExport, getExport, listExports } from '../../contract/areas/exports/endpoints.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import { mergeInput } from '../verb/input.ts';
import { dayForms, daysOf } from '../verb/days.ts';
import { readFields } from '../verb/fields.ts';
import { outOption } from '../verb/output-file.ts';
import { exportLookup } from '../lookups/exports.ts';
import { tagLookup } from '../lookups/tags.ts';
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

const exportColumns = [
  ...(['id', 'status', 'from', 'to', 'format', 'sessions', 'messages', 'bytes', 'expires_at'] as const),
  ...(['error_message', 'contact_ids', 'tag_id', 'agent_id', 'channel', 'sha256', 'created_at'] as const),
];

/** The columns of exports in tables. */
const exportTable = ['id', 'status', 'from', 'to', 'format', 'sessions', 'messages'] as const;

const exporting: Verb = {
  name: 'export',
  isTool: false,
  summary: 'Save the conversations that began in some days to a file',
  examples: [
    ['msgctl sessions export --from 2027-03-01 --to 2027-03-31 --format html --out march.html', 'a page to read or print'],
    ['msgctl sessions export --from 2027-03-01 --to 2027-03-31 --format csv --tag VIP > vip.csv', 'a row for each message'],
    ['msgctl sessions export --id exp_1 --out march.json', 'the file of an export that was made before'],
  ],
  endpoint: createExport,
  fields: [
    // With --id, the export has them.
    { field: 'from', placeholder: 'day', summary: `the first day, or all days: ${dayForms}`, isOptional: true },
    { field: 'to', placeholder: 'day', summary: 'the last day (default: the end of the range that --from names)', isOptional: true },
    { field: 'format', isOptional: true },
    { field: 'contact_ids', flag: 'contact', lookup: contactLookup },
    { field: 'tag_id', flag: 'tag', lookup: tagLookup },
    { field: 'agent_id', flag: 'agent', lookup: agentLookup },
    'channel',
  ],
  options: [
    { ...outOption, summary: `${outOption.summary}; by default, it goes to stdout` },
    { flags: '--id <export>', summary: 'download this export instead of making one' },
  ],
  shown: { field: 'chat_export', columns: exportColumns },
  run: async (session, _values, options) => {
    const { body } = await readFields(createExport, exporting.fields ?? [], options, session);
    const { from, to } = body as { from?: string; to?: string };
    const days = from === undefined && to === undefined ? {} : daysOf({ from, to }, await session.serviceTime());
    const fields = mergeInput(session.input, { ...body, ...days });
    return await (await import('./sessions/export.ts')).exportSessions(session, fields, exporting.fields ?? [], options);
  },
};

export const sessions: Noun = {
  name: 'sessions',
  groups: { exports: 'Files of conversations' },
  verbs: [
    withNamedFields(
      callVerb({
        name: 'list',
        endpoint: contract.listSessions,
        examples: [
          ['msgctl sessions list --contact +14155550123', 'conversations with one contact, newest first'],
          ['msgctl sessions list --state open --alerted', 'those that wait for a person'],
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
      summary: 'Sum up a conversation, for 1 credit',
      examples: [['msgctl sessions summarize ses_1', 'what the contact asked, who answered, and how it ended']],
      arguments: [conversation],
      shown: { field: 'summary', columns: ['id', 'text', 'date', 'chat_session_id', 'contact_id', 'created_at'] },
    }),
    exporting,
    callVerb({
      name: 'exports list',
      endpoint: listExports,
      summary: 'List the exports of conversations, newest first',
      examples: [['msgctl sessions exports list', 'the exports, newest first']],
      shown: { columns: exportColumns, table: exportTable },
    }),
    callVerb({
      name: 'exports get',
      endpoint: getExport,
      summary: 'Show an export of conversations',
      examples: [['msgctl sessions exports get exp_1', 'its state, its figures and until when it can be downloaded']],
      arguments: [{ param: 'id', summary: 'the id of an export', lookup: exportLookup }],
      shown: { field: 'chat_export', columns: exportColumns },
    }),
    {
      ...deleteVerb({
        endpoint: deleteExport,
        lookup: exportLookup,
        examples: [['msgctl sessions exports delete exp_1', 'deletes its file, or stops it']],
      }),
      name: 'exports delete',
    },
  ],
};
