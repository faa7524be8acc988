import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, instant, nextCursor, pageQuery, recordId, timestamp } from '../../fields.ts';

export const summaryKinds = ['daily', 'session'] as const;

const summary = () =>
  z.object({
    id: recordId('sum_'),
    kind: z.enum(summaryKinds).describe('what it sums up: a day of the account, or a chat session'),
    date: z.string().describe('the day, as YYYY-MM-DD; of a chat session, the one on which it began'),
    chat_session_id: z.string().nullable().describe('the id of the chat session; null for a day'),
    contact_id: z.string().nullable().describe('the id of the contact; null for a day'),
    text: z.string().describe('the summary, in a few sentences'),
    created_at: timestamp(),
  });

const shared = { section: 'Summaries', access: 'account' } as const;

export const listSummaries = endpoint({
  ...shared,
  name: 'summaries.list',
  method: 'GET',
  path: '/summaries',
  summary: 'List the summaries of days and chat sessions, newest first',
  query: () =>
    z.object({
      ...pageQuery(),
      kind: z.enum(summaryKinds).optional().describe('only summaries of days, or only of chat sessions'),
      contact_id: id().optional().describe('only summaries of the chat sessions with this contact'),
      chat_session_id: id().optional().describe('only the summary of this chat session'),
      from: instant().optional().describe('only summaries of this day or later ones'),
      to: instant().optional().describe('only summaries of this day or earlier ones'),
    }),
  rows: 'summaries',
  responses: { 200: () => z.object({ summaries: z.array(summary()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const getSummary = endpoint({
  ...shared,
  name: 'summaries.get',
  method: 'GET',
  path: '/summaries/{id}',
  summary: 'Show a summary',
  responses: { 200: () => z.object({ summary: summary() }) },
  errors: [404],
});

export const summarizeSession = endpoint({
  ...shared,
  name: 'summaries.summarize',
  method: 'POST',
  path: '/chat-sessions/{id}/summary',
  permission: 'contacts.edit',
  summary: 'Sum up a chat session, for 1 credit',
  responses: { 200: () => z.object({ summary: summary() }) },
  errors: [402, 404, 503],
});

export const summaryEndpoints = [listSummaries, getSummary, summarizeSession] as const;
