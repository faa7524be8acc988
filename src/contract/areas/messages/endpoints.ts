import * as z from 'zod';
import { channelNames } from '../channels/names.ts';
import { endpoint } from '../../endpoint.ts';
import { id, identity, nextCursor, pageQuery, phoneNumber, recordId, text, timestamp } from '../../fields.ts';
import { choiceOfFields } from '../../issues.ts';

export const directions = ['inbound', 'outbound'] as const;
export const messageTypes = ['text', 'media', 'tool_use'] as const;
const messageStatuses = ['queued', 'sent', 'delivered', 'read', 'failed', 'received'] as const;
const senders = ['contact', 'ai', 'human', 'automated'] as const;

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

export const messageEndpoints = [sendMessage, listMessages] as const;
