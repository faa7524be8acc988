import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, name, text } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { channelNames } from '../channels/names.ts';
import { toolCall } from '../functions/calls.ts';
import { decision, message, messageText, replySources } from '../messages/endpoints.ts';
import { commentChannels } from '../routing/decide.ts';
import { shared } from './shared.ts';

/** A model may take 20 seconds to reply. */
const answering = { bytes: 64 * 1024 * 1024, milliseconds: 60_000 };

const reply = () => z.object({ message_id: z.string(), body: z.string(), source: z.enum(replySources).describe('what the reply is') });

/** The result of an action of a contact. */
const received = () => ({
  contact_id: z.string(),
  message_id: z.string(),
  session_id: z.string(),
  decision: decision().describe('who answers, and why'),
  reply: reply().nullable().describe('the reply of the agent; null without one'),
  tool_calls: z.array(toolCall()).describe('the calls that the agent made, in their order'),
});

export const receiveInbound = endpoint({
  ...shared,
  name: 'sandbox.inbound',
  method: 'POST',
  path: '/sandbox/accounts/{id}/inbound',
  summary: 'Simulate a message from a contact',
  answerLimits: answering,
  body: () =>
    z.object({
      channel: z.enum(channelNames).describe('the channel of the message'),
      from: name().describe("the contact's number or account"),
      to: name().optional().describe('your number or account that receives the message'),
      text: messageText().describe('the text of the message'),
      first_name: text(limits.nameLength).optional().describe("the contact's first name"),
      last_name: text(limits.nameLength).optional().describe("the contact's last name"),
      reply_to_message_id: id().optional().describe('the message that the contact replies to'),
    }),
  responses: { 201: () => z.object(received()) },
  errors: [404],
});

export const receiveComment = endpoint({
  ...shared,
  name: 'sandbox.comments',
  method: 'POST',
  path: '/sandbox/accounts/{id}/comments',
  summary: 'Simulate a comment on a post',
  answerLimits: answering,
  body: () =>
    z.object({
      channel: z.enum(commentChannels).describe('the channel of the post'),
      post_id: id().describe('the id of the post'),
      from: name().describe("the contact's account"),
      text: messageText().describe('the text of the comment'),
      first_name: text(limits.nameLength).optional().describe("the contact's first name"),
    }),
  responses: {
    201: () => z.object({ ...received(), public_reply: z.string().nullable().describe('the text of the public reply; null without one') }),
  },
  errors: [404],
});

export const receiveFollower = endpoint({
  ...shared,
  name: 'sandbox.followers',
  method: 'POST',
  path: '/sandbox/accounts/{id}/followers',
  summary: 'Simulate a new follower of a personal account',
  answerLimits: answering,
  body: () =>
    z.object({
      from: name().describe("the contact's account"),
      first_name: text(limits.nameLength).optional().describe("the contact's first name"),
    }),
  responses: {
    201: () =>
      z.object({
        ...received(),
        message_id: z.string().nullable().describe('the id of the first message; null when nobody writes one'),
        session_id: z.string().nullable().describe('the id of its chat session; null without one'),
      }),
  },
  errors: [404],
});

export const askAgent = endpoint({
  ...shared,
  name: 'sandbox.ask',
  method: 'POST',
  path: '/sandbox/accounts/{id}/ask',
  summary: 'Show what an agent would answer, without any effect',
  answerLimits: answering,
  body: () =>
    z.object({
      agent_id: id().describe('the id of an agent'),
      question: messageText().describe('what the agent is asked'),
    }),
  responses: {
    200: () =>
      z.object({
        answer: z.string().nullable().describe('the answer; null when the agent has none'),
        source: z.enum(replySources).nullable().describe('what the answer is; null without one'),
        faqs: z.array(
          z.object({
            faq_id: z.string(),
            score: z.number().describe('how well the FAQ matches the question'),
            source_id: z.string().nullable().describe('the id of the source that the FAQ was made from; null for others'),
            url: z.string().nullable().describe('the address of that source; null for a document, and for others'),
            passage: z.string().describe('the part of the answer that matches best'),
          }),
        ),
      }),
  },
  errors: [404],
});

/** The statuses that a delivery report can give a message. */
export const receiptStatuses = ['delivered', 'read', 'failed'] as const;

export const reportDelivery = endpoint({
  ...shared,
  name: 'sandbox.receipts',
  method: 'POST',
  path: '/sandbox/accounts/{id}/receipts',
  summary: 'Simulate a delivery report for a sent message',
  body: () =>
    z.object({
      message_id: id().describe('the id of a message'),
      status: z.enum(receiptStatuses).describe('delivered, read or failed'),
    }),
  responses: { 200: () => z.object({ message: message() }) },
  errors: [404, 409],
});

export const replyAsTeam = endpoint({
  ...shared,
  name: 'sandbox.teamReplies',
  method: 'POST',
  path: '/sandbox/accounts/{id}/team-replies',
  summary: 'Simulate a reply of a team member, who takes over the conversation',
  body: () =>
    z.object({
      contact_id: id().describe('the id of a contact'),
      text: messageText().describe('the text of the reply'),
    }),
  responses: { 200: () => z.object({ message_id: z.string(), contact_id: z.string(), channel: z.enum(channelNames) }) },
  errors: [402, 404, 422],
});
