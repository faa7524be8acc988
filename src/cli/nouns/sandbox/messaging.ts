import {
  askAgent,
  receiveComment,
  receiveFollower,
  receiveInbound,
  replyAsTeam,
  reportDelivery,
} from '../../../contract/areas/sandbox/conversations.ts';
import { reviewTemplate } from '../../../contract/areas/sandbox/templates.ts';
import { channelNames } from '../../../contract/areas/channels/names.ts';
import { sandboxVerb } from '../../verb/call-verb.ts';
import type { Verb } from '../../verb/noun.ts';
import { agentLookup } from '../../lookups/agents.ts';
import { contactLookup } from '../../lookups/contacts.ts';
import { accountArgument } from '../../lookups/sandbox-account.ts';
import { templateLookup } from '../../lookups/templates.ts';
import { withDecision } from './decision.ts';

const chatVerb: Verb = {
  name: 'chat',
  summary: 'Talk to the account as a contact, and see who answers and why',
  examples: [
    ['msgctl sandbox chat', 'a conversation in the terminal, until Ctrl-D'],
    ['msgctl sandbox chat --as +14155550177 < messages.txt', 'one message per line; prints one line of JSON for each'],
    ["msgctl sandbox chat --query 'turns[].decision.step' < messages.txt", 'select from the whole conversation'],
  ],
  options: [
    { flags: '--as <number>', summary: 'your number or account as the contact (default: +14155550123, or guest)' },
    { flags: '--channel <channel>', summary: 'the channel that you write on (default: chatapp)', choices: channelNames },
  ],
  endpoint: receiveInbound,
  isTool: false,
  takesInput: false,
  shown: {
    rows: 'turns',
    columns: [
      'text',
      'decision.step',
      'decision.agent_id',
      'decision.reason',
      'reply.source',
      'reply.body',
      'tool_calls',
      'silent',
      'tags_added',
      'credits_used',
    ],
  },
  // Through a pipe, the conversation is written as NDJSON.
  text: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  run: async (session, _values, options) => await (await import('./chat/chat.ts')).chat(session, options),
};

const ids = ['contact_id', 'message_id', 'session_id'] as const;

const explained = ['decision.step', 'decision.agent_id', 'decision.reason', 'reply.body'] as const;

/** Verbs that act as contacts and team members. */
export const messagingVerbs = [
  withDecision(
    sandboxVerb({
      name: 'inbound',
      endpoint: receiveInbound,
      examples: [
        ["msgctl sandbox inbound +14155550123 'Do you have a table?'", 'a message from a phone number'],
        ["msgctl sandbox inbound ada 'Hello' --channel photo_social", 'an account name, on a channel without numbers'],
      ],
      arguments: [{ field: 'from' }, { field: 'text' }, accountArgument],
      fields: [
        { field: 'channel', default: 'chatapp' },
        { field: 'to', placeholder: 'identity' },
        'first_name',
        'last_name',
        { field: 'reply_to_message_id', flag: 'reply-to-message' },
      ],
      shown: { columns: [...ids, ...explained, 'tool_calls'] },
    }),
  ),
  withDecision(
    sandboxVerb({
      name: 'comment',
      endpoint: receiveComment,
      examples: [["msgctl sandbox comment ada 'Nice! How much?' --channel photo_social --post-id post_1", 'a comment on a post']],
      arguments: [{ field: 'from' }, { field: 'text' }, accountArgument],
      fields: [{ field: 'channel', default: 'photo_social' }, 'post_id', 'first_name'],
      shown: { columns: [...ids, ...explained, 'public_reply'] },
    }),
  ),
  withDecision(
    sandboxVerb({
      name: 'follow',
      endpoint: receiveFollower,
      examples: [['msgctl sandbox follow ada', 'a new follower of the personal account']],
      arguments: [{ field: 'from' }, accountArgument],
      fields: ['first_name'],
      shown: { columns: [...ids, ...explained] },
    }),
  ),
  chatVerb,
  sandboxVerb({
    name: 'ask',
    endpoint: askAgent,
    examples: [["msgctl sandbox ask Ada 'When do you open?'", 'show what the agent would answer']],
    arguments: [
      { field: 'agent_id', name: 'agent', summary: 'the id or the name of an agent', lookup: agentLookup },
      { field: 'question' },
      accountArgument,
    ],
    shown: { columns: ['source', 'answer', 'faqs'] },
  }),
  sandboxVerb({
    name: 'receipt',
    endpoint: reportDelivery,
    examples: [['msgctl sandbox receipt msg_1 read', 'report that the contact read the message']],
    arguments: [{ field: 'message_id', name: 'message' }, { field: 'status' }, accountArgument],
    shown: { field: 'message', columns: ['id', 'status', 'contact_id', 'body'] },
  }),
  sandboxVerb({
    name: 'team-reply',
    endpoint: replyAsTeam,
    examples: [["msgctl sandbox team-reply con_1 'I am Eve, how can I help?'", 'a team member takes over the conversation']],
    arguments: [
      { field: 'contact_id', name: 'contact', summary: 'a contact by id, phone number, email address or name', lookup: contactLookup },
      { field: 'text' },
      accountArgument,
    ],
    shown: { columns: ['message_id', 'contact_id', 'channel'] },
    done: (answer) => `A person has taken over: agents do not answer this contact until \`msgctl contacts resume ${answer.contact_id}\`.`,
  }),
  sandboxVerb({
    name: 'review',
    endpoint: reviewTemplate,
    examples: [
      ['msgctl sandbox review order_ready approved', 'approve a template at once'],
      ["msgctl sandbox review order_ready rejected --reason 'Too vague'", 'with a reason'],
    ],
    arguments: [
      { param: 'templateId', name: 'template', summary: 'the id or the name of a template in review', lookup: templateLookup },
      { field: 'outcome' },
      accountArgument,
    ],
    fields: ['reason'],
    shown: { field: 'template', columns: ['id', 'name', 'status', 'rejection_reason'] },
  }),
];
