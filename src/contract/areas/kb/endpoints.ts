import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { booleanQuery, filledText, id, nextCursor, pageQuery, text, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { modelTiers } from '../../plan.ts';
import { mergedFaqs } from '../faqs/endpoints.ts';
import { documentEndings } from './formats.ts';

/** The states of a source. */
export const sourceStatuses = ['queued', 'processing', 'ready', 'failed', 'cancelled', 'paused', 'deleting', 'unknown'] as const;

/** The states of the refresh of a website. */
export const refreshStatuses = ['refreshing', 'deduplicating', 'completed', 'failed', 'cancelled'] as const;

const pageUrl = () =>
  text(limits.pageUrlLength).refine((value) => /^https?:$/.test(URL.parse(value.trim())?.protocol ?? ''), {
    error: 'must be an http or https address',
  });

const storagePath = () => filledText(limits.pageUrlLength).describe('the path of a file in the storage of the account');
const filename = () => filledText(limits.nameLength).describe(`the name of the file; its ending is the format: ${documentEndings}`);
const mimeType = () => filledText(limits.nameLength).describe('the media type of the file');

const links = () => ({
  autoLinkToAgentId: id().optional().describe('attach the source to this agent; ignored when there is no such agent'),
  autoLinkToCampaignId: id().optional().describe('a campaign that the FAQs are linked to; it is skipped when there is no such campaign'),
});

const host = () => text(limits.pageUrlLength).optional().describe('only sources of this host');

const baseUrl = () => filledText(limits.pageUrlLength).describe('the address of the website');

const maxPages = () =>
  z.int().min(1).optional().meta({ description: 'the maximum number of pages', defaultText: 'as many as may wait to be imported' });

const score = () => z.int().min(0).max(100);
const recommendation = () => z.enum(['add', 'maybe', 'skip']);

const limited = () => ({
  max_pages: z.int(),
  limit_reached: z.boolean(),
  limit_notice: z.string().nullable(),
});

/** Fields of answers that explain why nothing was found. */
const softFailure = () => ({ success: z.boolean().optional(), error: z.string().optional() });

const shared = { section: 'Knowledge Base', access: 'account' } as const;
const edit = { ...shared, permission: 'knowledge.edit' } as const;

/** The request waits while sites are read. */
const slow = { bytes: 32 * 1024 * 1024, milliseconds: 300_000 } as const;

const refusals = ['kb_import_page_limit', 'kb_import_insufficient_credits'] as const;

export const listSources = endpoint({
  ...shared,
  name: 'kb.list',
  method: 'GET',
  path: '/kb-sources',
  summary: 'List the sources of the knowledge base, newest first',
  query: () =>
    z.object({
      ...pageQuery(),
      status: z.enum(sourceStatuses).optional().describe('only sources in this state'),
      host: host(),
      agent_id: id().optional().describe('only sources that this agent knows'),
    }),
  rows: 'sources',
  responses: {
    200: () =>
      z.object({
        sources: z.array(
          z.object({
            source_id: z.string(),
            url: z.string().nullable(),
            storage_path: z.string().nullable(),
            title: z.string().nullable(),
            status: z.enum(sourceStatuses),
            faq_count: z.int(),
            section_count: z.int(),
            agent_ids: z.array(z.string()),
            created_at: timestamp(),
            refreshed_at: timestamp().nullable(),
          }),
        ),
        next_cursor: nextCursor(),
      }),
  },
  errors: [404],
});

export const getSource = endpoint({
  ...shared,
  name: 'kb.get',
  method: 'GET',
  path: '/kb-sources/{sourceId}',
  summary: 'Show the state of a source',
  responses: {
    200: () =>
      z.object({
        source_id: z.string(),
        status: z.enum(sourceStatuses),
        faq_count: z.int(),
        section_count: z.int(),
        error_message: z.string().nullable(),
      }),
  },
  errors: [404],
});

export const getSourceText = endpoint({
  ...shared,
  name: 'kb.text',
  method: 'GET',
  path: '/kb-sources/{sourceId}/text',
  summary: 'Show the text that was read of a source, with the FAQs of each section',
  responses: {
    200: () =>
      z.object({
        source_id: z.string(),
        title: z.string().nullable(),
        kept: z.number().min(0).max(1).describe("the share of the page's text that was read; the rest was beside its main content"),
        sections: z
          .array(
            z.object({
              heading: z.string().nullable().describe('the heading above the text; null for text before the first one'),
              text: z.string().describe('the text of the section'),
              faq_ids: z.array(z.string()).describe('the FAQs that were made of the section'),
            }),
          )
          .describe('the sections of the text, in their order'),
      }),
  },
  errors: [404],
});

export const importPage = endpoint({
  ...edit,
  name: 'kb.importPage',
  method: 'POST',
  path: '/kb-sources/url',
  summary: 'Import a web page, in the background',
  body: () => z.object({ url: pageUrl().describe('the address of the page'), ...links() }),
  responses: {
    202: () =>
      z.object({
        source_id: z.string(),
        status: z.enum(['queued', 'exists']),
        batch_id: z.string().optional(),
        skipped_duplicate: z.int().optional(),
      }),
  },
  alsoAnswers: { status: 200, when: (answer) => answer.status === 'exists' },
  errors: [402, 403, ...refusals],
});

export const importFile = endpoint({
  ...edit,
  name: 'kb.importFile',
  method: 'POST',
  path: '/kb-sources/file',
  summary: 'Import a document of the storage, in the background',
  body: () => z.object({ storage_path: storagePath(), filename: filename(), mime_type: mimeType(), ...links() }),
  responses: { 202: () => z.object({ source_id: z.string(), status: z.literal('queued') }) },
  errors: [402, 403, ...refusals],
});

export const importPages = endpoint({
  ...edit,
  name: 'kb.importPages',
  method: 'POST',
  path: '/kb-sources/bulk-import',
  summary: 'Import up to 100 web pages, in the background',
  body: () =>
    z.object({
      urls: z.array(pageUrl()).min(1).max(limits.bulkPages).describe('the addresses of the pages'),
      ...links(),
      plannedTotal: z
        .int()
        .min(1)
        .max(1_000_000)
        .optional()
        .describe('how many pages this call and those that follow import together; limits and credits are checked for all of them'),
      importSession: id().optional().describe('the import_session of the first call'),
    }),
  responses: {
    202: () =>
      z.object({
        batch_id: z.string(),
        queued: z.int(),
        skipped_duplicate: z.int(),
        queued_source_ids: z.array(z.string()),
        import_session: z.string().optional(),
      }),
  },
  errors: [402, ...refusals],
});

export const deleteSource = endpoint({
  ...edit,
  name: 'kb.delete',
  method: 'DELETE',
  path: '/kb-sources/{sourceId}',
  summary: 'Delete a source',
  query: () =>
    z.object({
      delete_faqs: booleanQuery().optional().describe('delete its FAQs too; by default they are kept'),
    }),
  responses: { 200: () => z.object({ faqs_deleted: z.int() }) },
  errors: [404],
});

export const deleteSources = endpoint({
  ...edit,
  name: 'kb.deleteMany',
  method: 'POST',
  path: '/kb-sources/bulk-delete',
  summary: 'Delete up to 2,000 sources with their FAQs, in the background',
  body: () =>
    z.object({
      sourceIds: z.array(id()).min(1).max(limits.bulkSources).describe('the ids of the sources; unknown ones are left out'),
      domainLabel: text(limits.nameLength).optional().describe('the name of the sources in the message about the finished deletion'),
    }),
  responses: { 202: () => z.object({ batch_id: z.string(), queued: z.int() }) },
});

export const discoverPages = endpoint({
  ...edit,
  name: 'kb.discover',
  hasLargeAnswer: true,
  method: 'POST',
  path: '/kb-sources/discover-pages',
  summary: 'Find the pages of a website, without importing any',
  answerLimits: slow,
  body: () => z.object({ url: pageUrl().describe('the address of the website'), maxPages: maxPages() }),
  responses: {
    200: () =>
      z.object({
        ...softFailure(),
        source_type: z.enum(['sitemap', 'link_discovery']),
        pages: z.array(
          z.object({
            url: z.string(),
            title: z.string().nullable(),
            depth: z.int(),
            score: score(),
            recommendation: recommendation(),
            reason_key: z.string(),
          }),
        ),
        ...limited(),
      }),
  },
  errors: ['kb_import_page_limit'],
});

export const estimateImport = endpoint({
  ...edit,
  name: 'kb.estimate',
  method: 'POST',
  path: '/kb-sources/estimate-cost',
  summary: 'Estimate the cost of an import, without importing anything',
  answerLimits: slow,
  body: () =>
    z.object({
      urls: z.array(text()).max(limits.bulkPages).optional().describe('the addresses of pages'),
      files: z
        .array(z.object({ storage_path: storagePath(), filename: filename(), mime_type: mimeType() }))
        .max(limits.bulkPages)
        .optional()
        .describe('documents of the storage'),
      tier: z.enum(modelTiers).optional().meta({ description: 'the model tier', defaultText: 'standard' }),
      prior_chunks: z.int().min(0).max(1_000_000_000).optional().describe('chunks of earlier estimates of the same import'),
    }),
  responses: {
    200: () =>
      z.object({
        estimates: z.array(z.object({ ref: z.string(), chunks: z.int(), credits: z.number(), error: z.string().optional() })),
        total_chunks: z.int(),
        total_credits: z.number(),
        affordable: z.boolean(),
        required_credits: z.number(),
        available_credits: z.number().nullable(),
        checked_chunks: z.int(),
        waiting_pages: z.int(),
        max_affordable_chunks: z.int().nullable(),
      }),
  },
  errors: [403],
});

export const cancelImport = endpoint({
  ...edit,
  name: 'kb.cancel',
  method: 'POST',
  path: '/kb-sources/cancel-import',
  summary: 'Cancel the imports that wait; those in progress are finished',
  body: () => z.object({ host: host() }),
  responses: { 200: () => z.object({ cancelled: z.int(), in_flight: z.int() }) },
});

export const resumeImport = endpoint({
  ...edit,
  name: 'kb.resume',
  method: 'POST',
  path: '/kb-sources/resume-import',
  summary: 'Resume the imports that a failing AI key paused; they may spend credits of the platform',
  body: () => z.object({ host: host() }),
  responses: { 200: () => z.object({ resumed: z.int() }) },
});

export const refreshSource = endpoint({
  ...edit,
  name: 'kb.refresh',
  method: 'POST',
  path: '/kb-sources/{sourceId}/refresh',
  summary: 'Read a source again, in the background',
  responses: { 200: () => z.object({ source_id: z.string(), status: z.enum(sourceStatuses) }) },
  errors: [402, 404, ...refusals],
});

export const compareHost = endpoint({
  ...edit,
  name: 'kb.compareHost',
  hasLargeAnswer: true,
  method: 'POST',
  path: '/kb-sources/refresh-domain',
  summary: 'Find the pages of a website that are not in the knowledge base; it imports and refreshes nothing',
  answerLimits: slow,
  body: () => z.object({ baseUrl: baseUrl(), maxPages: maxPages() }),
  responses: {
    200: () =>
      z.object({
        ...softFailure(),
        source_type: z.enum(['sitemap', 'link_discovery']),
        discovered: z.int(),
        new_pages: z.array(z.object({ url: z.string(), score: score(), recommendation: recommendation(), reason_key: z.string() })),
        new_urls_queued: z.literal(0),
        existing_refresh_queued: z.int(),
        ...limited(),
      }),
  },
  errors: ['kb_import_page_limit'],
});

export const refreshHost = endpoint({
  ...edit,
  name: 'kb.refreshHost',
  method: 'POST',
  path: '/kb-sources/trigger-domain-refresh',
  summary: 'Read all pages of a website again that are in the knowledge base, in the background',
  body: () => z.object({ baseUrl: baseUrl() }),
  responses: { 200: () => z.object({ queued: z.int() }) },
  errors: [409],
});

export const getRefresh = endpoint({
  ...shared,
  name: 'kb.getRefresh',
  method: 'GET',
  path: '/kb-sources/domain-refresh-status',
  summary: 'Show the last refresh of a website',
  query: () => z.object({ baseUrl: baseUrl() }),
  responses: {
    200: () =>
      z.object({
        job: z
          .object({
            domainBatchId: z.string(),
            host: z.string(),
            total: z.int(),
            pending: z.int(),
            succeeded: z.int(),
            failed: z.int(),
            skippedDuplicate: z.int(),
            // Services that do not say what they merged omit it.
            merged: mergedFaqs().optional(),
            status: z.enum(refreshStatuses),
            startedAtIso: timestamp(),
          })
          .nullable(),
      }),
  },
});

export const cancelRefresh = endpoint({
  ...edit,
  name: 'kb.cancelRefresh',
  method: 'POST',
  path: '/kb-sources/refresh-domain/cancel',
  summary: 'Cancel the refresh of a website; finished pages keep their updates',
  body: () => z.object({ jobId: id().describe('the domainBatchId of the refresh') }),
  responses: {
    200: () =>
      z.object({
        success: z.boolean().optional(),
        status: z.enum(refreshStatuses),
        cancelled_units: z.int(),
        sources_reset: z.int(),
        sources_cancelled: z.int(),
        reason: z.string().optional(),
      }),
  },
  errors: [404],
});

export const generateFaqs = endpoint({
  ...edit,
  section: 'FAQs',
  name: 'kb.generateFaqs',
  method: 'POST',
  path: '/faqs/generate-from-documents',
  summary: 'Draft FAQs from documents of the storage, in the background; they are not active until you switch them on',
  body: () =>
    z.object({
      campaign_id: id().describe('the id of a campaign'),
      storage_paths: z
        .array(storagePath())
        .min(1)
        .max(limits.generatedDocuments)
        .describe('the paths of the documents in the storage of the account'),
    }),
  responses: { 202: () => z.object({ job_id: z.string() }) },
  errors: [403, 404],
});

// Fixed paths come before paths with a parameter.
export const kbEndpoints = [
  listSources,
  importPage,
  importFile,
  importPages,
  deleteSources,
  discoverPages,
  estimateImport,
  cancelImport,
  resumeImport,
  compareHost,
  refreshHost,
  getRefresh,
  cancelRefresh,
  getSource,
  getSourceText,
  deleteSource,
  refreshSource,
  generateFaqs,
] as const;
