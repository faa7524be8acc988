import type { refreshStatuses, sourceStatuses } from '../../../contract/areas/kb/endpoints.ts';
import type { modelTiers } from '../../../contract/plan.ts';
import { accountTable } from '../../store/account-table.ts';
import { boolean, instant, integer, json, text } from '../../store/columns.ts';
import type { Row, StoredRow } from '../../store/table.ts';

export type SourceStatus = (typeof sourceStatuses)[number];

/** Web pages and documents that FAQs come from. */
export const sources = accountTable(
  'kb_sources',
  { prefix: 'src', noun: 'Source' },
  {
    /** The page; null for a document. */
    url: text().nullable(),
    host: text().nullable(),
    /** The document; null for a page. */
    storage_path: text().nullable(),
    title: text().nullable(),
    status: text<SourceStatus>(),
    faq_count: integer().default(0),
    section_count: integer().default(0),
    error_message: text().nullable(),
    refreshed_at: instant().nullable(),
    /** Identifies the page (see `pageKey`). */
    url_key: text().nullable(),
    /** The name of the document, whose ending is its format. */
    filename: text().nullable(),
    /** What a chunk costs by. */
    tier: text<(typeof modelTiers)[number]>().default('standard'),
    /** The campaigns that its FAQs are linked to. */
    campaigns: json<readonly string[]>().default([]),
    /** Whether it is finished with credits of the platform when the account's own AI key fails. */
    on_platform: boolean().default(false),
    /** Whether it is read again: then it was ready before. */
    is_refresh: boolean().default(false),
    /** The refresh of its website that reads it again. */
    refresh_id: text().nullable(),
    /** What the host said about the version that was read, and a digest of what it says. */
    etag: text().nullable(),
    last_modified: text().nullable(),
    content_hash: text().nullable(),
  },
);

export type Source = Row<typeof sources>;

/** The refreshes of websites. */
export const refreshes = accountTable(
  'kb_refreshes',
  { prefix: 'kbr', noun: 'Refresh' },
  {
    host: text(),
    status: text<(typeof refreshStatuses)[number]>(),
    total: integer(),
    /** The pages that are not finished. */
    pending: integer(),
    succeeded: integer().default(0),
    failed: integer().default(0),
    skipped_duplicate: integer().default(0),
    /** What a cancellation found: pages that were being read, and pages that waited. */
    sources_reset: integer().default(0),
    sources_cancelled: integer().default(0),
  },
);

export type Refresh = Row<typeof refreshes>;

/** Imports of many pages that were checked as a whole. */
export const importSessions = accountTable(
  'kb_import_sessions',
  { prefix: 'kbi', noun: 'Import session' },
  {
    /** The number of pages that were checked, and of those that were queued since. */
    approved: integer(),
    used: integer(),
    expires_at: instant(),
  },
);

declare module '../../store/database.ts' {
  interface Database {
    kb_sources: StoredRow<typeof sources>;
    kb_refreshes: StoredRow<typeof refreshes>;
    kb_import_sessions: StoredRow<typeof importSessions>;
  }
}
