import { accountTable } from '../../store/account-table.ts';
import { instant, integer, text } from '../../store/columns.ts';
import type { StoredRow } from '../../store/table.ts';

/** The states of a source. */
type SourceStatus = 'queued' | 'processing' | 'ready' | 'failed' | 'cancelled' | 'paused' | 'deleting';

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
  },
);

declare module '../../store/database.ts' {
  interface Database {
    kb_sources: StoredRow<typeof sources>;
  }
}
