import * as z from 'zod';
import { channelNames } from '../channels/names.ts';
import { endpoint } from '../../endpoint.ts';
import { id, instant, name, nextCursor, pageQuery, recordId, timestamp, words } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { broadcastCodes } from '../errors/codes.ts';
import { messageText } from '../messages/endpoints.ts';

export const broadcastStatuses = ['Draft', 'Pending Approval', 'Scheduled', 'Sending', 'Paused', 'Sent', 'Failed'] as const;

export type BroadcastStatus = (typeof broadcastStatuses)[number];

/** How far a recipient of a broadcast can come, in this order. */
export const recipientStatuses = ['waiting', 'sent', 'delivered', 'read', 'replied', 'failed'] as const;

export type RecipientStatus = (typeof recipientStatuses)[number];

const broadcast = () =>
  z.object({
    id: recordId('brd_'),
    name: z.string(),
    channel: z.enum(channelNames).describe('the channel that it is sent on'),
    agent_id: z.string().nullable().describe('the id of the agent that answers replies'),
    body: z.string().nullable().describe('the text, unless it sends a template'),
    template_id: z.string().nullable().describe('the id of the template, unless it sends a text'),
    contact_ids: z.array(z.string()).nullable().describe('the ids of the contacts that it names; null when they are more than 1,000'),
    // Older services send no count.
    contact_count: z.int().nullable().optional().describe('how many contacts it names; null when it names lists only'),
    list_ids: z.array(z.string()).describe('the ids of the lists that it names'),
    scheduled_at: timestamp().nullable().describe('when it starts; null for as soon as it is approved'),
    status: z.enum(broadcastStatuses),
    counts: z.object({
      total: z.int(),
      sent: z.int(),
      delivered: z.int().describe('how many were delivered'),
      read: z.int(),
      replied: z.int(),
      failed: z.int(),
    }),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const fields = () => ({
  agent_id: id().nullable().optional().describe('the agent that answers replies'),
  body: messageText().nullable().optional().describe('the text of the message, unless a template is used'),
  template_id: id().nullable().optional().describe('the template to send'),
  contact_ids: z.array(id()).max(limits.listContacts).optional().describe('contacts to send to'),
  list_ids: z.array(id()).max(1_000).optional().describe('lists of contacts to send to'),
  scheduled_at: instant().nullable().optional().meta({ description: 'when to start sending', defaultText: 'on approval' }),
});

const shared = { section: 'Broadcasts', access: 'account' } as const;
const edit = { ...shared, permission: 'messages.send' } as const;
const answer = { 200: () => z.object({ broadcast: broadcast() }) } as const;

export const listBroadcasts = endpoint({
  ...shared,
  name: 'broadcasts.list',
  method: 'GET',
  path: '/broadcasts',
  summary: 'List the broadcasts, newest first',
  query: () => z.object(pageQuery()),
  rows: 'broadcasts',
  responses: { 200: () => z.object({ broadcasts: z.array(broadcast()), next_cursor: nextCursor() }) },
});

export const createBroadcast = endpoint({
  ...edit,
  name: 'broadcasts.create',
  method: 'POST',
  path: '/broadcasts',
  summary: 'Create a broadcast as a draft',
  body: () =>
    z.object({
      name: name().describe('the name of the broadcast'),
      channel: z.enum(channelNames).describe('the channel to send on'),
      ...fields(),
    }),
  responses: { 201: () => z.object({ broadcast: broadcast() }) },
  errors: [404],
});

export const getBroadcast = endpoint({
  ...shared,
  name: 'broadcasts.get',
  method: 'GET',
  path: '/broadcasts/{id}',
  summary: 'Show a broadcast with its counts',
  responses: answer,
  errors: [404],
});

export const listBroadcastContacts = endpoint({
  ...shared,
  name: 'broadcasts.contacts',
  method: 'GET',
  path: '/broadcasts/{id}/contacts',
  summary: 'List the contacts that a broadcast names, in the order in which they were given',
  query: () => z.object(pageQuery()),
  rows: 'contact_ids',
  responses: { 200: () => z.object({ contact_ids: z.array(z.string()), next_cursor: nextCursor() }) },
  errors: [404],
});

const recipient = () =>
  z.object({
    contact_id: z.string().nullable().describe('the id of the contact; null once it is deleted'),
    name: z.string().nullable().describe('the name of the contact; null without one'),
    address: z.string().nullable().describe('the number of the contact, or its identity on the channel'),
    status: z.enum(recipientStatuses).describe('the furthest that it came'),
    message_id: z.string().nullable().describe('the id of the message; null when it got none'),
    at: timestamp().nullable().describe('when it came to this status; null while it waits'),
    error: z
      .object({ code: z.enum(broadcastCodes), text: z.string().describe('the meaning of the code') })
      .nullable()
      .describe('why it failed'),
  });

export const listRecipients = endpoint({
  ...shared,
  name: 'broadcasts.recipients',
  method: 'GET',
  path: '/broadcasts/{id}/recipients',
  summary: 'List the recipients of a broadcast, with how far each came and why it failed',
  query: () =>
    z.object({
      ...pageQuery(),
      status: words(recipientStatuses)
        .optional()
        .describe(`only these: a list of ${recipientStatuses.join(', ')}`),
    }),
  rows: 'recipients',
  responses: {
    200: () =>
      z.object({
        recipients: z.array(recipient()).describe('the recipients, in the order of sending'),
        counts: z
          .object({
            waiting: z.int().describe('how many wait for their message'),
            sent: z.int(),
            delivered: z.int(),
            read: z.int(),
            replied: z.int(),
            failed: z.int(),
          })
          .describe('how many recipients have each status'),
        next_cursor: nextCursor(),
      }),
  },
  errors: [404],
});

export const previewBroadcast = endpoint({
  ...shared,
  name: 'broadcasts.preview',
  method: 'GET',
  path: '/broadcasts/{id}/preview',
  summary: 'Show what approving a broadcast now would do: whom it reaches, what it costs, when it starts',
  responses: {
    200: () =>
      z.object({
        preview: z.object({
          recipients: z.int().describe('how many contacts it names, each once'),
          reachable: z.int().describe('how many of them would get the message'),
          unreachable: z.record(z.string(), z.int()).describe('how many would not, by the code of the reason'),
          duplicates: z.int().describe('how many are named more than once'),
          credits: z.number().describe('what the messages to all reachable contacts cost'),
          balance: z.number(),
          affordable: z.boolean().describe('whether the balance suffices'),
          starts_at: timestamp().describe('when the first message is sent'),
        }),
      }),
  },
  errors: [404, 409],
});

export const updateBroadcast = endpoint({
  ...edit,
  name: 'broadcasts.update',
  method: 'PUT',
  path: '/broadcasts/{id}',
  summary: 'Update a draft',
  body: () =>
    z.object({
      name: name().optional().describe('the name of the broadcast'),
      channel: z.enum(channelNames).optional().describe('the channel to send on'),
      ...fields(),
    }),
  responses: answer,
  errors: [404, 409],
});

export const deleteBroadcast = endpoint({
  ...edit,
  name: 'broadcasts.delete',
  method: 'DELETE',
  path: '/broadcasts/{id}',
  summary: 'Delete a broadcast that is not being sent',
  responses: { 200: () => z.object({}) },
  errors: [404, 409],
});

export const submitBroadcast = endpoint({
  ...edit,
  name: 'broadcasts.submit',
  method: 'POST',
  path: '/broadcasts/{id}/submit',
  summary: 'Submit a draft for approval',
  responses: answer,
  errors: [404, 409],
});

export const approveBroadcast = endpoint({
  ...edit,
  name: 'broadcasts.approve',
  method: 'POST',
  path: '/broadcasts/{id}/approve',
  summary: 'Approve a broadcast; it is sent at once or at its scheduled time',
  responses: answer,
  errors: [404, 409],
});

export const pauseBroadcast = endpoint({
  ...edit,
  name: 'broadcasts.pause',
  method: 'POST',
  path: '/broadcasts/{id}/pause',
  summary: 'Pause a broadcast while it is being sent',
  responses: answer,
  errors: [404, 409],
});

export const resumeBroadcast = endpoint({
  ...edit,
  name: 'broadcasts.resume',
  method: 'POST',
  path: '/broadcasts/{id}/resume',
  summary: 'Resume a paused broadcast',
  responses: answer,
  errors: [404, 409],
});

export const cancelBroadcast = endpoint({
  ...edit,
  name: 'broadcasts.cancel',
  method: 'POST',
  path: '/broadcasts/{id}/cancel',
  summary: 'Cancel a broadcast before it is sent; it becomes a draft again',
  responses: answer,
  errors: [404, 409],
});

export const broadcastEndpoints = [
  listBroadcasts,
  createBroadcast,
  getBroadcast,
  listBroadcastContacts,
  listRecipients,
  previewBroadcast,
  updateBroadcast,
  deleteBroadcast,
  submitBroadcast,
  approveBroadcast,
  pauseBroadcast,
  resumeBroadcast,
  cancelBroadcast,
] as const;
