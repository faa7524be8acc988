import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { filledText, id, nextCursor, pageQuery, recordId, timestamp } from '../../fields.ts';
import { oneOf } from '../../issues.ts';
import { limits } from '../../limits.ts';

export const gapStatuses = ['open', 'answered', 'dismissed'] as const;

const gap = () =>
  z.object({
    id: recordId('gap_'),
    question: z.string().describe('what contacts asked, in the most frequent wording'),
    wordings: z.array(z.string()).max(limits.shownWordings).describe('how contacts asked it, the most frequent wordings first'),
    count: z.int().describe('how many messages asked it'),
    agent_ids: z.array(z.string()).describe('the ids of the agents that were asked, in the order of their creation'),
    contact_ids: z.array(z.string()).max(limits.shownAskers).describe('the ids of the contacts who asked last, the latest first'),
    status: z.enum(gapStatuses),
    faq_id: z.string().nullable().describe('the id of the FAQ that answered it'),
    task_id: z.string().nullable().describe('the id of the task to answer it'),
    first_at: timestamp().describe('when it was first asked'),
    last_at: timestamp().describe('when it was last asked'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const shared = { section: 'Knowledge Base', access: 'account' } as const;
const edit = { ...shared, permission: 'knowledge.edit' } as const;

export const listGaps = endpoint({
  ...shared,
  name: 'gaps.list',
  method: 'GET',
  path: '/knowledge-gaps',
  summary: 'List what agents could not answer, newest first',
  query: () =>
    z.object({
      ...pageQuery(),
      agent_id: id().optional().describe('only gaps that this agent was asked'),
      status: z.enum(gapStatuses).optional().describe('only gaps with this status'),
      sort: z
        .enum(['frequent'])
        .optional()
        .describe('the most frequent gaps instead of the newest: as many as limit, without further pages'),
    }),
  rows: 'gaps',
  responses: { 200: () => z.object({ gaps: z.array(gap()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const getGap = endpoint({
  ...shared,
  name: 'gaps.get',
  method: 'GET',
  path: '/knowledge-gaps/{id}',
  summary: 'Show what agents could not answer',
  responses: { 200: () => z.object({ gap: gap() }) },
  errors: [404],
});

export const suggestFaqs = endpoint({
  ...shared,
  name: 'gaps.suggest',
  method: 'GET',
  path: '/knowledge-gaps/{id}/suggestions',
  summary: 'List the FAQs that match a gap best, the best first',
  responses: {
    200: () =>
      z.object({
        faqs: z
          .array(
            z.object({
              faq_id: z.string(),
              score: z.number().describe('how well the FAQ matches the question, from 0 to 1'),
              question: z.string(),
            }),
          )
          .max(limits.suggestedFaqs),
      }),
  },
  errors: [404],
});

export const answerGap = endpoint({
  ...edit,
  name: 'gaps.answer',
  method: 'POST',
  path: '/knowledge-gaps/{id}/answer',
  summary: 'Answer a gap, by a FAQ of the account or a new one',
  body: () =>
    z
      .object({
        campaignId: id().describe('the campaign that the FAQ is linked to'),
        faqId: id().optional().describe('the FAQ that answers the question'),
        answer: filledText().optional().describe('the answer of a new FAQ'),
        question: filledText().trim().optional().meta({ description: 'the question of a new FAQ', defaultText: 'that of the gap' }),
      })
      .refine(...oneOf('faqId', 'answer')),
  responses: { 200: () => z.object({ gap: gap(), faq_id: z.string() }) },
  errors: [404],
});

export const dismissGap = endpoint({
  ...edit,
  name: 'gaps.dismiss',
  method: 'POST',
  path: '/knowledge-gaps/{id}/dismiss',
  summary: 'Dismiss a gap that needs no answer',
  responses: { 200: () => z.object({ gap: gap() }) },
  errors: [404],
});

export const gapEndpoints = [listGaps, getGap, suggestFaqs, answerGap, dismissGap] as const;
