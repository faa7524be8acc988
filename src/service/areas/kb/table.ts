import type { refreshStatuses, sourceStatuses } from '../../../contract/areas/kb/endpoints.ts';
import type { modelTiers } from '../../../contract/plan.ts';
import { accountTable } from '../../store/account-table.ts';
import { boolean, instant, integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';
import type { MergedFaq } from '../faqs/table.ts';

export type SourceStatus = (typeof sourceStatuses)[number];

/** The web pages and documents that FAQs are drafted from. */
export const sources = accountTable(
  'kb_sources',
  { prefix: 'src', record: 'source' },
  {
    /** The address of the page; null for a document. */
    url: text().nullable(),
    host: text().nullable(),
    /** The path of the document; null for a page. */
    storage_path: text().nullable(),
    title: text().nullable(),
    status: text<SourceStatus>(),
    section_count: integer().default(0),
    error_message: text().nullable(),
    refreshed_at: instant().nullable(),
    /** Identifies the page (see `pageKey`). */
    url_key: text().nullable(),
    /** The name of the document. Its extension determines the format. */
    filename: text().nullable(),
    /** The model tier, which determines the price of a chunk. */
    tier: text<(typeof modelTiers)[number]>().default('standard'),
    /** The campaigns that its FAQs are linked to. */
    campaigns: json<readonly string[]>().default([]),
    /** Whether its import continues with the platform's AI and credits when the account's own AI key fails. */
    on_platform: boolean().default(false),
    /** Whether it is being read again. It was ready before. */
    is_refresh: boolean().default(false),
    /** The refresh of its website that it is part of. */
    refresh_id: text().nullable(),
    /** The version headers of the host for the version that was read, and a digest of its content. */
    etag: text().nullable(),
    last_modified: text().nullable(),
    content_hash: text().nullable(),
  },
);

export type Source = Row<typeof sources>;

/** A section as it was read, with the keys of the questions that were made of it (see `questionKey`). */
export interface StoredSection {
  readonly heading: string | null;
  readonly text: string;
  readonly questions: readonly string[];
}

/** What was read of sources. */
export const texts = table('kb_texts', {
  source_id: text(),
  account_id: text(),
  /** The share of the source's text that was read, in hundredths. */
  kept: integer(),
  sections: json<readonly StoredSection[]>(),
});

/** The refreshes of websites. */
export const refreshes = accountTable(
  'kb_refreshes',
  { prefix: 'kbr', record: 'refresh' },
  {
    host: text(),
    status: text<(typeof refreshStatuses)[number]>(),
    total: integer(),
    /** The number of pages that are not finished. */
    pending: integer(),
    succeeded: integer().default(0),
    failed: integer().default(0),
    skipped_duplicate: integer().default(0),
    /** The numbers of pages that a cancellation found in progress and in the queue. */
    sources_reset: integer().default(0),
    sources_cancelled: integer().default(0),
    /** The FAQs that it merged, as many as answers show. */
    merged: json<MergedFaq[]>().default([]),
  },
);

export type Refresh = Row<typeof refreshes>;

/** Imports of many pages that were checked as one selection. */
export const importSessions = accountTable(
  'kb_import_sessions',
  { prefix: 'kbi', record: 'import_session' },
  {
    /** The number of pages that were checked, and the number of these that have been queued since. */
    approved: integer(),
    used: integer(),
    expires_at: instant(),
  },
);

declare module '../../store/database.ts' {
  interface Database {
    kb_sources: StoredRow<typeof sources>;
    kb_texts: StoredRow<typeof texts>;
    kb_refreshes: StoredRow<typeof refreshes>;
    kb_import_sessions: StoredRow<typeof importSessions>;
  }
}
