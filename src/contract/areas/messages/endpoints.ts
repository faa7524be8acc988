import * as z from 'zod';
import { channelNames } from '../channels/names.ts';
import { endpoint } from '../../endpoint.ts';
import { id, identity, instant, nextCursor, pageQuery, phoneNumber, recordId, text, timestamp } from '../../fields.ts';
import { choiceOfFields } from '../../issues.ts';
import { toolCall } from '../functions/calls.ts';
import { routingSteps } from '../routing/decide.ts';
import { wordsOf } from './words.ts';

export const directions = ['inbound', 'outbound'] as const;
export const messageTypes = ['text', 'media', 'tool_use'] as const;
const messageStatuses = ['queued', 'sent', 'delivered', 'read', 'failed', 'received'] as const;
const senders = ['contact', 'ai', 'human', 'automated'] as const;

/** Where the text of a reply came from. */
export const replySources = ['faq', 'clarify', 'greeting', 'handover', 'model', 'exact_text'] as const;

export type MessageStatus = (typeof messageStatuses)[number];
export type Sender = (typeof senders)[number];

/** A message as answers show it. */
export const message = () =>
  z.object({
    id: recordId('msg_'),
    contact_id: z.string(),
    session_id: z.string(),
    channel: z.enum(channelNames),
    direction: z.enum(directions),
    type: z.enum(messageTypes),
    body: z.string(),
    status: z.enum(messageStatuses),
    sender: z.enum(senders),
    agent_id: z.string().nullable(),
    campaign_id: z.string().nullable(),
    template_id: z.string().nullable(),
    created_at: timestamp(),
    // Services without tools and media omit these fields.
    tool: toolCall().nullable().optional().describe('the call, for a message of the type tool_use; null for others'),
    media: z
      .object({
        name: z.string(),
        mime_type: z.string().describe('the type of its content'),
        url: z.string().describe('the address of the file, which works for 24 hours'),
      })
      .nullable()
      .optional()
      .describe('the file, for a message of the type media; null for others'),
  });

/** The text of a message. */
export const messageText = () => text().refine((value) => value.trim() !== '', { error: 'must not be empty' });

const shared = { section: 'Messages', access: 'account' } as const;

export const sendMessage = endpoint({
  ...shared,
  name: 'messages.send',
  method: 'POST',
  path: '/contacts/send',
  permission: 'messages.send',
  summary: 'Send a message to a contact, or to a phone number or account, which becomes a contact',
  body: () =>
    z
      .object({
        contact_id: id().optional().describe('the contact to send to'),
        channel: z
          .enum(channelNames)
          .optional()
          .meta({ description: 'the channel to send on', defaultText: "the contact's own, or chatapp for a number" }),
        phone_number: phoneNumber().optional(),
        identity: identity().optional(),
        body: messageText().describe('the text of the message'),
      })
      .refine(
        (body) => body.contact_id !== undefined || body.channel !== undefined,
        choiceOfFields("give 'contact_id', or 'channel' with 'phone_number' or 'identity'"),
      )
      .refine(
        (body) => body.contact_id === undefined || (body.phone_number === undefined && body.identity === undefined),
        choiceOfFields("give either 'contact_id', or 'phone_number' or 'identity'"),
      ),
  responses: {
    201: () => z.object({ message_id: z.string(), contact_id: z.string(), channel: z.enum(channelNames) }),
  },
  errors: [402, 404, 422],
});

export const listMessages = endpoint({
  ...shared,
  name: 'messages.list',
  method: 'GET',
  path: '/contacts/{contactId}/messages',
  summary: 'List the messages with a contact, newest first',
  query: () =>
    z.object({
      ...pageQuery(),
      filter: z.enum(messageTypes).optional().describe('only messages of this type'),
      direction: z.enum(directions).optional().describe('only messages in this direction'),
    }),
  rows: 'messages',
  responses: { 200: () => z.object({ messages: z.array(message()), next_cursor: nextCursor() }) },
  errors: [404],
});

/** The texts that messages are searched for. */
const searched = () =>
  text(200).refine((value) => /[\p{L}\p{N}]/u.test(value) && wordsOf(value).length > 0, { error: 'must have a letter or a digit' });

export const searchMessages = endpoint({
  ...shared,
  name: 'messages.search',
  method: 'GET',
  path: '/messages',
  summary: 'List and search the messages of the account, newest first',
  query: () =>
    z.object({
      ...pageQuery(),
      search: searched().optional().describe('only messages with every one of these words, or with words that begin with them'),
      contact_id: id().optional().describe('only messages with this contact'),
      session_id: id().optional().describe('only messages of this chat session'),
      channel: z.enum(channelNames).optional().describe('only messages on this channel'),
      direction: z.enum(directions).optional().describe('only messages in this direction'),
      sender: z.enum(senders).optional().describe('only messages that these sent'),
      status: z.enum(messageStatuses).optional().describe('only messages with this status'),
      agent_id: id().optional().describe('only messages of this agent'),
      campaign_id: id().optional().describe('only messages of this campaign'),
      broadcast_id: id().optional().describe('only messages of this broadcast'),
      from: instant().optional().describe('only messages of this time or later'),
      to: instant().optional().describe('only messages of this time or earlier; a date is the whole day'),
    }),
  rows: 'messages',
  responses: { 200: () => z.object({ messages: z.array(message()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const getMessage = endpoint({
  ...shared,
  name: 'messages.get',
  method: 'GET',
  path: '/messages/{id}',
  summary: 'Show a message',
  responses: { 200: () => z.object({ message: message() }) },
  errors: [404],
});

/** The routing decision about what a contact did. */
export const decision = () =>
  z.object({
    step: z.enum(routingSteps).describe('the step that decided who answers'),
    agent_id: z.string().nullable(),
    entry_point_id: z.string().nullable(),
    reason: z.string().describe('why, in a sentence'),
    steps: z
      .array(
        z.object({
          step: z.enum(routingSteps).describe('the step'),
          decided: z.boolean().describe('whether it decided'),
          reason: z.string().describe('why, in a sentence'),
        }),
      )
      .describe('the steps that were tried, in their order'),
  });

/** Why a message is what it is. */
const trace = () =>
  z.object({
    decision: decision().nullable().describe('who answers the message, or the one that it replies to, and why'),
    public_reply: z.string().nullable().describe('the public reply below a comment; null until it is out, and for other messages'),
    reply_to: z.string().nullable().describe('the id of the message that it replies to'),
    source: z.enum(replySources).nullable().describe('what the reply is; null for other messages'),
    faqs: z
      .array(
        z.object({
          faq_id: z.string(),
          question: z.string().describe('the question, as it was'),
          score: z.number().describe('how well the FAQ matched'),
          chosen: z.boolean().describe('whether the reply was made with it'),
        }),
      )
      .max(8)
      .nullable()
      .describe('the best matching FAQs, best first; null unless an agent wrote the message'),
    tool_calls: z.array(toolCall()).nullable().describe('the calls that the agent made for the answer; null unless an agent wrote it'),
    model: z.string().nullable().describe('the name of the model that wrote it'),
    duration_ms: z.int().nullable().describe('how long the agent took to write it, in milliseconds'),
    credits: z.number().nullable().describe('what the message cost; null for inbound messages'),
    broadcast_id: z.string().nullable().describe('the id of the broadcast that sent it'),
    scheduled_task_id: z.string().nullable().describe('the id of the scheduled task that sent it'),
  });

export const traceMessage = endpoint({
  ...shared,
  name: 'messages.trace',
  method: 'GET',
  path: '/messages/{id}/trace',
  summary: 'Show why a message was answered, or written, as it was',
  responses: { 200: () => z.object({ trace: trace().describe('why the message is what it is') }) },
  errors: [404],
});

export const streamMessages = endpoint({
  ...shared,
  name: 'messages.stream',
  method: 'GET',
  path: '/messages/stream',
  summary: 'Stream messages and the changes of their status from now on, as server-sent events',
  isStream: true,
  query: () =>
    z.object({
      contact_id: id().optional().describe('only messages with this contact'),
      channel: z.enum(channelNames).optional().describe('only messages on this channel'),
      direction: z.enum(directions).optional().describe('only messages in this direction'),
      after: id().optional().describe('begin after the event with this id, unless Last-Event-ID is sent'),
    }),
  responses: { 200: () => z.object({}) },
  errors: [404, 429],
});

export const messageEndpoints = [sendMessage, listMessages, streamMessages, searchMessages, getMessage, traceMessage] as const;
