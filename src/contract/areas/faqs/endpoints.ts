import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { booleanQuery, filledText, id, nextCursor, pageQuery, recordId, text, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';

/** The states of a duplicate check. */
export const checkStatuses = ['queued', 'processing', 'completed', 'failed'] as const;

/** The FAQs that a job merged into others, the first of them. */
export const mergedFaqs = () =>
  z
    .array(z.object({ faq_id: z.string(), into: z.string() }))
    .max(limits.mergedFaqs)
    .describe('the FAQs that were merged, and into which');

/** Why FAQs could be merged. */
export const proposalReasons = ['duplicate', 'same_question', 'same_answer'] as const;

const proposals = () =>
  z
    .array(
      z.object({
        faq_ids: z.array(z.string()).max(limits.mergedFaqs).describe('the ids of the FAQs, the oldest first'),
        reason: z.enum(proposalReasons).describe('what they have in common'),
        score: z.number().describe('how alike they are, from 0 to 1'),
      }),
    )
    .max(limits.mergedFaqs)
    .describe('the FAQs that could be merged');

/** A FAQ as answers show it. */
export const faq = () =>
  z.object({
    id: recordId('faq_'),
    question: z.string(),
    answer: z.string(),
    category: z.string().nullable(),
    tags: z.array(z.string()),
    is_active: z.boolean().describe('whether agents use it'),
    is_global: z.boolean(),
    usage_count: z.int().describe('how many messages it answered'),
    order_index: z.int(),
    campaign_ids: z.array(z.string()).describe('the ids of the campaigns that it is linked to, in the order of their creation'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const question = () => filledText().trim().describe('the question');
const answer = () => filledText().describe('the answer');
const campaignId = () => id().describe('the id of a campaign');

const faqTags = () =>
  z
    .array(text())
    .max(limits.faqTags)
    .refine((tags) => tags.reduce((length, tag) => length + tag.length, 0) <= limits.faqTagsLength, {
      error: `must be at most ${limits.faqTagsLength} characters together`,
    });

const fields = () => ({
  category: text().nullable().optional().describe('a category of your choice'),
  tags: faqTags().optional().describe('labels, of at most 20,000 characters together'),
  is_active: z.boolean().optional().meta({ description: 'whether agents use the FAQ', defaultText: 'true' }),
  is_global: z.boolean().optional().meta({
    description: 'mark the FAQ as not belonging to one campaign or agent; this does not make it apply everywhere',
    defaultText: 'false',
  }),
  order_index: z.int().min(0).max(limits.orderIndex).optional().meta({ description: 'the position within its campaign', defaultText: '0' }),
});

const faqIds = () => z.array(id()).max(limits.faqBulk);

const shared = { section: 'FAQs', access: 'account' } as const;
const edit = { ...shared, permission: 'knowledge.edit' } as const;

export const listFaqs = endpoint({
  ...shared,
  name: 'faqs.list',
  method: 'GET',
  path: '/faqs',
  summary: 'List the FAQs, newest first',
  query: () =>
    z.object({
      ...pageQuery(),
      campaign_id: campaignId().optional().describe('only FAQs of this campaign'),
      is_active: booleanQuery()
        .optional()
        .describe('only FAQs that are active, or only those that are not; it is applied to each page, so a page can be shorter'),
    }),
  rows: 'faqs',
  responses: { 200: () => z.object({ faqs: z.array(faq()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const getFaq = endpoint({
  ...shared,
  name: 'faqs.get',
  method: 'GET',
  path: '/faqs/{faqId}',
  summary: 'Show a FAQ',
  responses: { 200: () => z.object({ faq: faq() }) },
  errors: [404],
});

export const createFaq = endpoint({
  ...edit,
  name: 'faqs.create',
  method: 'POST',
  path: '/faqs',
  summary: 'Create a FAQ of a campaign',
  body: () => z.object({ campaign_id: campaignId(), question: question(), answer: answer(), ...fields() }),
  responses: { 200: () => z.object({ faq_id: z.string() }) },
  errors: [404],
});

export const updateFaq = endpoint({
  ...edit,
  name: 'faqs.update',
  method: 'PUT',
  path: '/faqs/{faqId}',
  summary: 'Update a FAQ',
  body: () => z.object({ question: question().optional(), answer: answer().optional(), ...fields() }),
  responses: { 200: () => z.object({ faq_id: z.string() }) },
  errors: [404],
});

export const deleteFaq = endpoint({
  ...edit,
  name: 'faqs.delete',
  method: 'DELETE',
  path: '/faqs/{faqId}',
  summary: 'Delete a FAQ',
  query: () => z.object({ campaign_id: campaignId().optional().describe('a campaign to unlink the FAQ from, too') }),
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const deleteFaqs = endpoint({
  ...edit,
  name: 'faqs.deleteMany',
  method: 'POST',
  path: '/faqs/bulk-delete',
  summary: 'Delete up to 500 FAQs',
  body: () =>
    z.object({
      faq_ids: faqIds().min(1).describe('the ids of the FAQs; unknown ones are left out'),
      campaign_id: campaignId().optional().describe('a campaign to unlink them from too'),
    }),
  responses: { 200: () => z.object({ deleted_count: z.int() }) },
  errors: [404],
});

export const importFaqs = endpoint({
  ...edit,
  name: 'faqs.import',
  method: 'POST',
  path: '/faqs/import',
  summary: 'Create up to 500 FAQs of a campaign; one whose question the campaign has already is updated',
  body: () =>
    z.object({
      campaign_id: campaignId(),
      faqs: z
        .array(z.object({ question: question(), answer: answer(), ...fields() }))
        .min(1)
        .max(limits.faqBulk)
        .describe('the FAQs'),
    }),
  responses: { 200: () => z.object({ faq_ids: z.array(z.string()), imported_count: z.int() }) },
  errors: [404],
});

export const reorderFaqs = endpoint({
  ...edit,
  name: 'faqs.reorder',
  method: 'POST',
  path: '/faqs/reorder',
  summary: 'Set the order of the FAQs of a campaign',
  body: () =>
    z.object({
      campaign_id: campaignId(),
      ordered_faq_ids: faqIds().describe('the ids of all FAQs of the campaign, in their new order'),
    }),
  responses: { 200: () => z.object({}) },
  errors: [404],
});

const linkAnswer = { 200: () => z.object({ faq_id: z.string(), campaign_id: z.string() }) } as const;

export const linkFaq = endpoint({
  ...edit,
  name: 'faqs.link',
  method: 'POST',
  path: '/faqs/{faqId}/link',
  summary: 'Link a FAQ to a campaign',
  body: () => z.object({ campaign_id: campaignId() }),
  responses: linkAnswer,
  errors: [404],
});

export const unlinkFaq = endpoint({
  ...edit,
  name: 'faqs.unlink',
  method: 'POST',
  path: '/faqs/{faqId}/unlink',
  summary: 'Unlink a FAQ from a campaign; the FAQ is kept',
  body: () => z.object({ campaign_id: campaignId() }),
  responses: linkAnswer,
  errors: [404],
});

export const rebuildFaq = endpoint({
  ...edit,
  name: 'faqs.rebuild',
  method: 'POST',
  path: '/faqs/{faqId}/rebuild-embeddings',
  summary: 'Prepare the search data of a FAQ again',
  responses: { 202: () => z.object({ faq_id: z.string(), status: z.literal('processing') }) },
  errors: [404],
});

export const forkFaq = endpoint({
  ...edit,
  name: 'faqs.fork',
  method: 'POST',
  path: '/faqs/{faqId}/fork-for-campaign',
  summary: 'Give a campaign its own copy of a FAQ, with another question or answer',
  body: () => z.object({ campaign_id: campaignId(), question: question(), answer: answer() }),
  responses: { 201: () => z.object({ faq_id: z.string(), campaign_id: z.string(), original_faq_id: z.string() }) },
  errors: [404],
});

export const dedupeFaqs = endpoint({
  ...edit,
  name: 'faqs.dedupe',
  method: 'POST',
  path: '/faqs/dedupe',
  summary: 'Find duplicate FAQs and merge them, in the background',
  body: () =>
    z.object({
      sourceIds: z.array(id()).max(limits.bulkSources).optional().describe('compare the FAQs of these sources instead'),
      propose: z.boolean().optional().meta({ description: 'change nothing, and list which FAQs could be merged', defaultText: 'false' }),
    }),
  responses: { 202: () => z.object({ job_id: z.string() }) },
  errors: [404, 409],
});

export const getDedupe = endpoint({
  ...shared,
  name: 'faqs.getDedupe',
  method: 'GET',
  path: '/faqs/dedupe',
  summary: 'Show the last duplicate check',
  responses: {
    200: () => z.object({ job: z.object({ status: z.enum(checkStatuses), merged: mergedFaqs(), proposals: proposals() }).nullable() }),
  },
  errors: [],
});

export const dismissDedupe = endpoint({
  ...edit,
  name: 'faqs.dismissDedupe',
  method: 'POST',
  path: '/faqs/dedupe/dismiss',
  summary: 'Clear a finished duplicate check',
  responses: { 200: () => z.object({}) },
  errors: [409],
});

export const faqEndpoints = [
  listFaqs,
  createFaq,
  importFaqs,
  deleteFaqs,
  reorderFaqs,
  dedupeFaqs,
  getDedupe,
  dismissDedupe,
  getFaq,
  updateFaq,
  deleteFaq,
  linkFaq,
  unlinkFaq,
  rebuildFaq,
  forkFaq,
] as const;
