import * as z from 'zod';
import { channelNames } from '../channels/names.ts';
import { endpoint } from '../../endpoint.ts';
import { booleanQuery, id, instant, nextCursor, pageQuery, recordId, timestamp } from '../../fields.ts';

/** Why an agent hands a conversation to people. */
export type AlertReason = 'no_answer' | 'asked' | 'max_messages' | 'model_failed';

/**
 * How a conversation ended.
 * - `handed_off`: an agent handed it to people, or a team member wrote in it.
 * - `replied`: the contact replied to a message.
 * - `answered` and `unanswered`: the contact wrote first, and did or did not get an answer.
 * - `no_reply`: the contact did not write.
 */
export const sessionOutcomes = ['handed_off', 'replied', 'answered', 'unanswered', 'no_reply'] as const;

export const sessionStates = ['open', 'concluded'] as const;

export type SessionOutcome = (typeof sessionOutcomes)[number];

const chatSession = () =>
  z.object({
    id: recordId('ses_'),
    contact_id: z.string(),
    channel: z.enum(channelNames),
    agent_id: z.string().nullable().describe('the id of the last agent in the session'),
    started_at: timestamp().describe('when its first message was'),
    concluded_at: timestamp().nullable(),
    outcome: z.enum(sessionOutcomes).nullable().describe('how the session ended; null while it is open, unless people were alerted'),
    alerted: z.boolean().describe('whether an agent handed it to people'),
    created_at: timestamp().describe('the same as started_at'),
    updated_at: timestamp().describe('when it was concluded, or its last message while it is open'),
  });

const shared = { section: 'Chat Sessions', access: 'account' } as const;

export const listSessions = endpoint({
  ...shared,
  name: 'sessions.list',
  method: 'GET',
  path: '/chat-sessions',
  summary: 'List the conversations, newest first',
  query: () =>
    z.object({
      ...pageQuery(),
      contact_id: id().optional().describe('only conversations with this contact'),
      agent_id: id().optional().describe('only conversations whose last agent is this one'),
      channel: z.enum(channelNames).optional().describe('only conversations on this channel'),
      outcome: z.enum(sessionOutcomes).optional().describe('only conversations with this outcome'),
      state: z.enum(sessionStates).optional().describe('only open, or only concluded conversations'),
      alerted: booleanQuery().optional().describe('only conversations that an agent handed to people, or with false only others'),
      from: instant().optional().describe('only conversations that started at this time or later'),
      to: instant().optional().describe('only conversations that started at this time or earlier; a date is the whole day'),
    }),
  rows: 'chat_sessions',
  responses: { 200: () => z.object({ chat_sessions: z.array(chatSession()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const getSession = endpoint({
  ...shared,
  name: 'sessions.get',
  method: 'GET',
  path: '/chat-sessions/{id}',
  summary: 'Show a conversation',
  responses: { 200: () => z.object({ chat_session: chatSession() }) },
  errors: [404],
});

export const sessionEndpoints = [listSessions, getSession] as const;
